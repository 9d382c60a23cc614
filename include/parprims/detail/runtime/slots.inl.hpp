/// @file
/// @brief  Result slots: small pieces of page-locked memory, kept for the next call.
#pragma once

#include <parprims/detail/runtime/cuda.inl.hpp>

#if PARPRIMS_HAS_CUDA

#include <parprims/detail/runtime/call.hpp>
#include <parprims/detail/runtime/runtime.hpp>

#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <mutex>
#include <vector>

namespace parprims::detail::runtime {

/// The result slots of the process that are not in use, by size.
class slot_pool {
public:
    slot_pool() = default;
    slot_pool(const slot_pool&) = delete;
    slot_pool& operator=(const slot_pool&) = delete;

    void* take(std::size_t bytes)
    {
        const std::size_t slot_bytes = size_class(bytes);
        const std::lock_guard lock(mutex_);
        free_list& list = free_lists_[slot_bytes];
        if (list.free.empty())
            refill(list, slot_bytes);
        void* slot = list.free.back();
        list.free.pop_back();
        return slot;
    }

    void give_back(void* slot, std::size_t bytes) noexcept
    {
        const std::lock_guard lock(mutex_);
        free_lists_.find(size_class(bytes))->second.free.push_back(slot);  // refill has reserved the space
    }

private:
    struct free_list {
        std::vector<void*> free;
        std::size_t allocated = 0;  // free or in use
    };

    static std::size_t size_class(std::size_t bytes) { return std::bit_ceil(std::max<std::size_t>(bytes, 256)); }

    void refill(free_list& list, std::size_t slot_bytes)
    {
        const std::size_t slab_bytes = std::max<std::size_t>(slot_bytes, 16 * 1024);
        const std::size_t count = slab_bytes / slot_bytes;
        list.free.reserve(list.allocated + count);
        auto* slab = static_cast<std::byte*>(allocate_pinned(slab_bytes));
        list.allocated += count;
        for (std::size_t i = 0; i < count; ++i)
            list.free.push_back(slab + i * slot_bytes);
    }

    std::mutex mutex_;
    std::map<std::size_t, free_list> free_lists_;
};

inline slot_pool& result_slots()
{
    static slot_pool& pool = *new slot_pool;  // never destroyed: destructors of static objects may still call
    return pool;
}

PARPRIMS_INLINE result_slot::result_slot(std::size_t bytes)
    : words_(static_cast<std::uint64_t*>(result_slots().take(words_of(bytes) * sizeof(std::uint64_t)))), bytes_(bytes)
{
    std::fill_n(words_, words_of(bytes_), std::uint64_t{0});
}

PARPRIMS_INLINE result_slot::~result_slot()
{
    result_slots().give_back(words_, words_of(bytes_) * sizeof(std::uint64_t));
}

PARPRIMS_INLINE void result_slot::take(void* value, stream_view where) const
{
    // Polling sees a small result earlier than cudaStreamSynchronize returns. For a longer wait that makes no difference.
    using clock = std::chrono::steady_clock;
    constexpr auto max_spin_time = std::chrono::microseconds(200);
    const std::size_t count = words_of(bytes_);
    const auto read = [&](std::size_t i) {  // acquire: also makes visible what earlier kernels wrote for the host
        return std::atomic_ref<std::uint64_t>(words_[i]).load(std::memory_order_acquire);
    };
    std::size_t ready_words = 0;
    const auto is_complete = [&] {
        while (ready_words < count && (read(ready_words) & ready) != 0)
            ++ready_words;
        return ready_words == count;
    };
    bool waits = !is_complete();
    for (const auto start = clock::now(); waits && clock::now() - start < max_spin_time;)
        for (int i = 0; waits && i < 64; ++i)
            waits = !is_complete();
    if (waits)
        where.synchronize();

    for (std::size_t i = 0; i < count; ++i) {
        const auto part = static_cast<std::uint32_t>(read(i));
        std::memcpy(static_cast<std::byte*>(value) + 4 * i, &part, std::min<std::size_t>(4, bytes_ - 4 * i));
    }
}

}  // namespace parprims::detail::runtime

#endif
