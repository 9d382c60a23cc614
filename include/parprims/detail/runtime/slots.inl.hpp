/// @file
/// @brief  Result slots: small places in page-locked memory that are kept for the next call.
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
class slot_store {
public:
    slot_store() = default;
    slot_store(const slot_store&) = delete;
    slot_store& operator=(const slot_store&) = delete;

    void* take(std::size_t bytes)
    {
        const std::size_t slot_bytes = size_class(bytes);
        const std::lock_guard lock(mutex_);
        shelf& from = shelves_[slot_bytes];
        if (from.free.empty())
            refill(from, slot_bytes);
        void* slot = from.free.back();
        from.free.pop_back();
        return slot;
    }

    void give_back(void* slot, std::size_t bytes) noexcept
    {
        const std::lock_guard lock(mutex_);
        shelves_.find(size_class(bytes))->second.free.push_back(slot);  // room was reserved by refill
    }

private:
    struct shelf {
        std::vector<void*> free;
        std::size_t slots = 0;  // in use or not
    };

    static std::size_t size_class(std::size_t bytes) { return std::bit_ceil(std::max<std::size_t>(bytes, 256)); }

    void refill(shelf& empty, std::size_t slot_bytes)
    {
        const std::size_t slab_bytes = std::max<std::size_t>(slot_bytes, 16 * 1024);
        const std::size_t count = slab_bytes / slot_bytes;
        empty.free.reserve(empty.slots + count);
        auto* slab = static_cast<std::byte*>(allocate_pinned(slab_bytes));
        empty.slots += count;
        for (std::size_t i = 0; i < count; ++i)
            empty.free.push_back(slab + i * slot_bytes);
    }

    std::mutex mutex_;
    std::map<std::size_t, shelf> shelves_;
};

inline slot_store& all_slots()
{
    static slot_store& store = *new slot_store;  // never destroyed: objects with static storage may call until the end
    return store;
}

PARPRIMS_INLINE result_slot::result_slot(std::size_t bytes)
    : words_(static_cast<std::uint64_t*>(all_slots().take(words_of(bytes) * sizeof(std::uint64_t)))), bytes_(bytes)
{
    std::fill_n(words_, words_of(bytes_), std::uint64_t{0});
}

PARPRIMS_INLINE result_slot::~result_slot()
{
    all_slots().give_back(words_, words_of(bytes_) * sizeof(std::uint64_t));
}

PARPRIMS_INLINE void result_slot::take(void* value, stream_view where) const
{
    // Small results are there before the driver would say so. Who waits longer loses nothing by asking it.
    using clock = std::chrono::steady_clock;
    constexpr auto patience = std::chrono::microseconds(200);
    const std::size_t count = words_of(bytes_);
    const auto read = [&](std::size_t i) {  // acquires what earlier kernels wrote for the host, too
        return std::atomic_ref<std::uint64_t>(words_[i]).load(std::memory_order_acquire);
    };
    std::size_t there = 0;
    const auto is_there = [&] {
        while (there < count && (read(there) & ready) != 0)
            ++there;
        return there == count;
    };
    bool waits = !is_there();
    for (const auto start = clock::now(); waits && clock::now() - start < patience;)
        for (int i = 0; waits && i < 64; ++i)
            waits = !is_there();
    if (waits)
        where.synchronize();

    for (std::size_t i = 0; i < count; ++i) {
        const auto part = static_cast<std::uint32_t>(read(i));
        std::memcpy(static_cast<std::byte*>(value) + 4 * i, &part, std::min<std::size_t>(4, bytes_ - 4 * i));
    }
}

}  // namespace parprims::detail::runtime

#endif
