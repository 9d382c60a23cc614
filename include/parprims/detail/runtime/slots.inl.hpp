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

/// The bytes of a result and, behind it, the word that says that it has arrived.
constexpr std::size_t with_arrival(std::size_t bytes)
{
    return (bytes + sizeof(unsigned) - 1) / sizeof(unsigned) * sizeof(unsigned) + sizeof(unsigned);
}

PARPRIMS_INLINE result_slot::result_slot(std::size_t bytes)
    : memory_(all_slots().take(with_arrival(bytes))), bytes_(with_arrival(bytes)),
      arrived_(reinterpret_cast<unsigned*>(static_cast<std::byte*>(memory_) + bytes_ - sizeof(unsigned)))
{
    *arrived_ = 0;
}

PARPRIMS_INLINE result_slot::~result_slot()
{
    all_slots().give_back(memory_, bytes_);
}

PARPRIMS_INLINE void result_slot::wait(stream_view where) const
{
    // Small results are there before the driver would say so. Who waits longer loses nothing by asking it.
    using clock = std::chrono::steady_clock;
    constexpr auto patience = std::chrono::microseconds(200);
    const std::atomic_ref<unsigned> arrived(*arrived_);
    for (const auto start = clock::now(); clock::now() - start < patience;)
        for (int i = 0; i < 64; ++i)
            if (arrived.load(std::memory_order_acquire) != 0)
                return;
    where.synchronize();
}

}  // namespace parprims::detail::runtime

#endif
