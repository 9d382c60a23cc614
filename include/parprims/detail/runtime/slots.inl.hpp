/// @file
/// @brief  Page-locked memory that kernels write for the host: result slots, kept for the next call, and reports of sizes.
#pragma once

#include <parprims/detail/runtime/cuda.inl.hpp>

#if PARPRIMS_HAS_CUDA

#include <parprims/detail/runtime/call.hpp>
#include <parprims/detail/runtime/free_list.hpp>
#include <parprims/detail/runtime/runtime.hpp>
#include <parprims/detail/runtime/size_report.inl.hpp>
#include <parprims/device.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

namespace parprims::detail::runtime {

/// The result slots of the process that are not in use. Never destroyed: destructors of static objects may still call.
inline free_list<std::uint64_t*>& result_slots()
{
    static free_list<std::uint64_t*>& slots = *new free_list<std::uint64_t*>;
    return slots;
}

/// All slots have the size of the largest, so one list serves all values.
inline void make_result_slots()
{
    constexpr std::size_t slab_slots = 8;
    constexpr std::size_t slot_words = result_slot::words_of(result_slot::max_bytes);
    std::unique_ptr<void, decltype(&free_pinned)> slab(allocate_pinned(slab_slots * slot_words * sizeof(std::uint64_t)),
                                                       free_pinned);
    std::vector<std::uint64_t*> made;
    for (std::size_t i = 0; i < slab_slots; ++i)
        made.push_back(static_cast<std::uint64_t*>(slab.get()) + i * slot_words);
    result_slots().add(made);
    static_cast<void>(slab.release());
}

PARPRIMS_INLINE result_slot::result_slot(std::size_t bytes)
    : words_(result_slots().take(make_result_slots)), bytes_(bytes)
{
    std::fill_n(words_, words_of(bytes_), std::uint64_t{0});
}

PARPRIMS_INLINE result_slot::~result_slot()
{
    result_slots().give_back(words_);
}

/// How long a call polls for its result before it waits for the stream. Polling sees a small result earlier than
/// cudaStreamSynchronize returns; for a longer wait that makes no difference. tests/faults sets it to 0, as no kernel runs there.
inline std::chrono::microseconds max_spin_time{200};

PARPRIMS_INLINE void result_slot::take(void* value, stream_view where) const
{
    using clock = std::chrono::steady_clock;
    const std::size_t count = words_of(bytes_);
    std::size_t ready_words = 0;
    const auto is_complete = [&] {
        while (ready_words < count && (read_word(words_[ready_words]) & ready) != 0)
            ++ready_words;
        return ready_words == count;
    };
    bool waits = !is_complete();
    for (const auto start = clock::now(); waits && clock::now() - start < max_spin_time;)
        for (int i = 0; waits && i < 64; ++i)
            waits = !is_complete();
    if (waits)
        where.synchronize();
    else
        throw_size_fault(where);

    for (std::size_t i = 0; i < count; ++i) {
        const auto part = static_cast<std::uint32_t>(read_word(words_[i]));
        std::memcpy(static_cast<std::byte*>(value) + 4 * i, &part, std::min<std::size_t>(4, bytes_ - 4 * i));
    }
}

PARPRIMS_INLINE size_report report_of(const char* function, stream_view where, bool is_capturing, std::size_t bound,
                                      bool is_signed)
{
    static std::uint64_t* const reports = [] {
        constexpr std::size_t words = 16 + report_slots * size_report::slot_words;
        auto* const made = static_cast<std::uint64_t*>(allocate_pinned(words * sizeof(std::uint64_t)));
        std::fill_n(made, words, std::uint64_t{0});
        return made;
    }();
    size_reports.store(reports, std::memory_order_release);
    static std::atomic<std::uint64_t> captured{0};
    unsigned long long id = 0;
    if (!is_capturing)
        check(cudaStreamGetId(handle_of(where), &id), "cudaStreamGetId");
    const std::uint64_t slot = is_capturing ? captured.fetch_add(1) : id;
    return {reports, report_slot(reports, slot % report_slots), {function, 0, bound, id, current_device(), is_signed}};
}

}  // namespace parprims::detail::runtime

#endif
