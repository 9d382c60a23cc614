/// @file
/// @brief  Small things that are kept for the next call: result slots in page-locked memory, counters of streams.
#pragma once

#include <parprims/detail/runtime/cuda.inl.hpp>

#if PARPRIMS_HAS_CUDA

#include <parprims/detail/runtime/runtime.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <map>
#include <mutex>
#include <unordered_map>
#include <utility>
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

/// The counters of one GPU's streams: a line of its own for each, so that two kernels do not share one.
class ticket_book {
public:
    /// The GPU must be current.
    ticket_book()
    {
        const relaxed_capture relaxed;
        void* memory = nullptr;
        check(cudaMalloc(&memory, lines * line_bytes), "cudaMalloc");
        memory_ = static_cast<std::byte*>(memory);
        try {
            zero();
            for (std::size_t line = lines; line-- > 0;)
                free_.push_back(line);
        } catch (...) {
            forget(cudaFree(memory_));
            throw;
        }
    }
    ~ticket_book() { forget(cudaFree(memory_)); }
    ticket_book(const ticket_book&) = delete;
    ticket_book& operator=(const ticket_book&) = delete;

    unsigned* find(unsigned long long stream_id)
    {
        auto found = entries_.find(stream_id);
        if (found == entries_.end()) {
            if (free_.empty())
                retire_older_half();
            found = entries_.emplace(stream_id, entry{free_.back(), 0}).first;
            free_.pop_back();
        }
        found->second.last_use = ++clock_;
        return reinterpret_cast<unsigned*>(memory_ + found->second.line * line_bytes);
    }

private:
    struct entry {
        std::size_t line;
        unsigned long long last_use;
    };

    static constexpr std::size_t lines = 4096;
    static constexpr std::size_t line_bytes = 128;

    /// In a stream of its own: the default stream may be out of bounds while another one is being captured.
    void zero()
    {
        const stream own;
        check(cudaMemsetAsync(memory_, 0, lines * line_bytes, own.get()), "cudaMemsetAsync");
        own.synchronize();
    }

    /// Streams come and go, and nobody says when one has gone. Once the GPU is idle every counter is zero and can serve
    /// another stream. Only the older half is taken back: a thread that has just been given its counter, and has not
    /// launched its kernel yet, keeps it.
    void retire_older_half()
    {
        const relaxed_capture relaxed;
        check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
        std::vector<unsigned long long> uses;
        for (const auto& [id, known] : entries_)
            uses.push_back(known.last_use);
        const auto middle = uses.begin() + static_cast<std::ptrdiff_t>(uses.size() / 2);
        std::nth_element(uses.begin(), middle, uses.end());
        for (auto it = entries_.begin(); it != entries_.end();) {
            if (it->second.last_use >= *middle) {
                ++it;
                continue;
            }
            free_.push_back(it->second.line);
            it = entries_.erase(it);
        }
    }

    std::byte* memory_ = nullptr;
    std::vector<std::size_t> free_;
    std::unordered_map<unsigned long long, entry> entries_;
    unsigned long long clock_ = 0;
};

inline slot_store& all_slots()
{
    static slot_store& store = *new slot_store;  // never destroyed: objects with static storage may call until the end
    return store;
}

PARPRIMS_INLINE result_slot::result_slot(std::size_t bytes) : memory_(all_slots().take(bytes)), bytes_(bytes) {}

PARPRIMS_INLINE result_slot::~result_slot()
{
    all_slots().give_back(memory_, bytes_);
}

PARPRIMS_INLINE unsigned* stream_ticket(stream_view where)
{
    struct all_books {
        std::mutex mutex;
        std::map<int, ticket_book> of_device;
    };
    static all_books& books = *new all_books;  // never destroyed, as the slots
    const device_guard guard(where.device());
    unsigned long long id = 0;
    check(cudaStreamGetId(handle_of(where), &id), "cudaStreamGetId");
    const std::lock_guard lock(books.mutex);
    return books.of_device[current_device()].find(id);
}

}  // namespace parprims::detail::runtime

#endif
