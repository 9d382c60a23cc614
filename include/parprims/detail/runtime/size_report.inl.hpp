/// @file
/// @brief  Reports of sizes in device memory, as the host reads them.
#pragma once

#include <parprims/detail/runtime/cuda.inl.hpp>

#if PARPRIMS_HAS_CUDA

#include <parprims/detail/runtime/check.hpp>
#include <parprims/detail/runtime/refuse.hpp>
#include <parprims/detail/runtime/size_report.hpp>
#include <parprims/device.hpp>
#include <parprims/stream.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <mutex>

namespace parprims::detail::runtime {

/// The alarm, then the slots of reports; null before the first call that has a size on the device. Never freed.
inline std::atomic<std::uint64_t*> size_reports{nullptr};
inline constexpr std::size_t report_slots = 64;

inline std::uint64_t* report_slot(std::uint64_t* reports, std::size_t i)
{
    return reports + 16 + i * size_report::slot_words;
}

/// Reads a word that kernels write. Acquire: also makes visible what earlier kernels wrote for the host.
inline std::uint64_t read_word(std::uint64_t& word)
{
    return std::atomic_ref<std::uint64_t>(word).load(std::memory_order_acquire);
}

PARPRIMS_INLINE void throw_size_fault(stream_view where)
{
    std::uint64_t* const reports = size_reports.load(std::memory_order_acquire);
    if (reports == nullptr || read_word(*reports) == 0)
        return;
    static std::mutex& mutex = *new std::mutex;
    const std::lock_guard lock(mutex);
    unsigned long long id = 0;
    check(cudaStreamGetId(handle_of(where), &id), "cudaStreamGetId");
    const int device = current_device();
    for (std::size_t i = 0; i < report_slots; ++i) {
        std::uint64_t* const words = report_slot(reports, i);
        std::uint32_t parts[size_report::slot_words];
        bool is_there = true;
        for (std::size_t w = 0; w < size_report::slot_words; ++w) {
            const std::uint64_t word = read_word(words[w]);
            is_there = is_there && (word & (std::uint64_t{1} << 32)) != 0;
            parts[w] = static_cast<std::uint32_t>(word);
        }
        size_fault fault;
        std::memcpy(static_cast<void*>(&fault), parts, sizeof fault);
        if (!is_there || fault.device != device || (fault.stream != 0 && fault.stream != id))
            continue;
        std::fill_n(words, size_report::slot_words, std::uint64_t{0});
        refuse_size(fault.function, fault.size, fault.is_signed, fault.bound);
    }
}

}  // namespace parprims::detail::runtime

#endif
