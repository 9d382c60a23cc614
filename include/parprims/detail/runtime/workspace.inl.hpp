/// @file
/// @brief  Workspaces: a little device memory that streams and graphs keep for their next call.
#pragma once

#include <parprims/detail/runtime/cuda.inl.hpp>

#if PARPRIMS_HAS_CUDA

#include <parprims/detail/runtime/call.hpp>
#include <parprims/device.hpp>
#include <parprims/stream.hpp>

#include <algorithm>
#include <cstddef>
#include <map>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace parprims::detail::runtime {

/// The workspaces of one GPU.
class workspace_book {
public:
    workspace_book() = default;
    workspace_book(const workspace_book&) = delete;
    workspace_book& operator=(const workspace_book&) = delete;

    /// The workspace of a stream. The GPU must be current, here and below.
    workspace of_stream(unsigned long long stream_id)
    {
        const std::lock_guard lock(mutex_);
        auto found = entries_.find(stream_id);
        if (found == entries_.end()) {
            if (entries_.size() >= max_streams)
                retire_older_half();
            if (free_.empty())
                refill();
            found = entries_.emplace(stream_id, entry{free_.back(), 0}).first;
            free_.pop_back();
        }
        found->second.last_use = ++clock_;
        return at(found->second.place);
    }

    /// A workspace of its own, until `give_back`.
    workspace take()
    {
        const std::lock_guard lock(mutex_);
        if (free_.empty())
            refill();
        std::byte* const place = free_.back();
        free_.pop_back();
        return at(place);
    }

    /// Calls nothing of the CUDA runtime: graphs end in threads that must not.
    void give_back(workspace given) noexcept
    {
        const std::lock_guard lock(mutex_);
        free_.push_back(given.zeroed);  // room was reserved by refill
    }

private:
    struct entry {
        std::byte* place;
        unsigned long long last_use;
    };

    static constexpr std::size_t max_streams = 4096;
    static constexpr std::size_t slab_places = 64;
    static constexpr std::size_t place_bytes =
        workspace::zeroed_bytes + workspace::free_bytes + workspace::small_scan_bytes + workspace::totals_bytes;

    static workspace at(std::byte* place)
    {
        std::byte* const free = place + workspace::zeroed_bytes;
        std::byte* const small_scan = free + workspace::free_bytes;
        return {place, free, small_scan, small_scan + workspace::small_scan_bytes};
    }

    void refill()
    {
        const relaxed_capture relaxed;
        free_.reserve(places_ + slab_places);
        void* memory = nullptr;
        check(cudaMalloc(&memory, slab_places * place_bytes), "cudaMalloc");
        try {
            // In a stream of its own: the default stream may be out of bounds while another one is being captured.
            const stream own;
            check(cudaMemsetAsync(memory, 0, slab_places * place_bytes, own.get()), "cudaMemsetAsync");
            own.synchronize();
        } catch (...) {
            forget(cudaFree(memory));
            throw;
        }
        places_ += slab_places;
        for (std::size_t i = slab_places; i-- > 0;)
            free_.push_back(static_cast<std::byte*>(memory) + i * place_bytes);
    }

    /// Streams come and go, and nobody says when one has gone. Once the GPU is idle every workspace is as it was and can
    /// serve another stream. Only the older half is taken back: a thread that has just been given one, and has not
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
            free_.push_back(it->second.place);
            it = entries_.erase(it);
        }
    }

    std::mutex mutex_;
    std::vector<std::byte*> free_;
    std::size_t places_ = 0;  // in use or not
    std::unordered_map<unsigned long long, entry> entries_;
    unsigned long long clock_ = 0;
};

/// The book of a GPU.
inline workspace_book& book_of(int device)
{
    struct all_books {
        std::mutex mutex;
        std::map<int, workspace_book> of_device;
    };
    static all_books& books = *new all_books;  // never destroyed, as the slots
    const std::lock_guard lock(books.mutex);
    return books.of_device[device];
}

PARPRIMS_INLINE workspace workspace_of(stream_view where, bool is_capturing)
{
    if (!is_capturing) {
        const device_guard guard(where.device());
        unsigned long long id = 0;
        check(cudaStreamGetId(handle_of(where), &id), "cudaStreamGetId");
        return book_of(current_device()).of_stream(id);
    }
    // A graph may run in any stream, beside whatever runs in this one.
    workspace_book& book = book_of(current_device());
    const workspace own = book.take();
    struct loan {
        workspace_book& book;
        workspace own;
    };
    const auto give_back = [](void* memory) {
        const auto* const held = static_cast<const loan*>(memory);
        held->book.give_back(held->own);
        delete held;
    };
    keep_with_graph(where, new loan{book, own}, give_back);
    return own;
}

}  // namespace parprims::detail::runtime

#endif
