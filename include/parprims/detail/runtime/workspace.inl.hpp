/// @file
/// @brief  Workspaces: a little device memory that streams and graphs keep for their next call.
#pragma once

#include <parprims/detail/runtime/cuda.inl.hpp>

#if PARPRIMS_HAS_CUDA

#include <parprims/detail/runtime/call.hpp>
#include <parprims/device.hpp>
#include <parprims/stream.hpp>

#include <cstddef>
#include <map>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace parprims::detail::runtime {

/// A workspace that is kept, and an event for whoever has it.
struct workspace_place {
    std::byte* memory;
    cudaEvent_t moment;

    workspace parts() const { return {memory, memory + workspace::zeroed_bytes}; }
};

/// The workspaces that nobody has. Its lock is the one that graphs take when they end, in a thread of the driver that others
/// may wait for: under it nothing is called of the CUDA runtime.
class spare_workspaces {
public:
    /// The GPU must be current.
    workspace_place take()
    {
        for (;;) {
            {
                const std::lock_guard lock(mutex_);
                if (!places_.empty()) {
                    const workspace_place place = places_.back();
                    places_.pop_back();
                    return place;
                }
            }
            refill();
        }
    }

    void give_back(workspace_place place) noexcept
    {
        const std::lock_guard lock(mutex_);
        places_.push_back(place);  // room was reserved by refill
    }

private:
    static constexpr std::size_t slab_places = 64;
    static constexpr std::size_t place_bytes = workspace::zeroed_bytes + workspace::small_scan_bytes;

    void refill()
    {
        const relaxed_capture relaxed;
        std::vector<workspace_place> made;
        made.reserve(slab_places);
        void* memory = nullptr;
        check(cudaMalloc(&memory, slab_places * place_bytes), "cudaMalloc");
        try {
            // In a stream of its own: the default stream may be out of bounds while another one is being captured.
            const stream own;
            check(cudaMemsetAsync(memory, 0, slab_places * place_bytes, own.get()), "cudaMemsetAsync");
            own.synchronize();
            for (std::size_t i = slab_places; i-- > 0;) {
                cudaEvent_t moment = nullptr;
                check(cudaEventCreateWithFlags(&moment, cudaEventDisableTiming), "cudaEventCreateWithFlags");
                made.push_back({static_cast<std::byte*>(memory) + i * place_bytes, moment});
            }
            const std::lock_guard lock(mutex_);
            places_.reserve(known_ + slab_places);
            places_.insert(places_.end(), made.begin(), made.end());
            known_ += slab_places;
        } catch (...) {
            for (const workspace_place& each : made)
                forget(cudaEventDestroy(each.moment));
            forget(cudaFree(memory));
            throw;
        }
    }

    std::mutex mutex_;
    std::vector<workspace_place> places_;
    std::size_t known_ = 0;  // here or not
};

/// The workspaces of one GPU.
class workspace_book {
public:
    struct entry {
        workspace_place place;
        workspace_book* book;
        unsigned users = 0;       // calls that have it and have not enqueued all their kernels
        bool has_moment = false;  // the event was recorded after the last of these
    };

    spare_workspaces spare;

    /// The entry of a stream, until `finish`. The GPU must be current, here and below.
    entry& of_stream(unsigned long long stream_id)
    {
        const std::lock_guard lock(mutex_);
        auto found = entries_.find(stream_id);
        if (found == entries_.end()) {
            if (entries_.size() >= next_retirement_)
                retire_idle();
            const workspace_place place = spare.take();
            try {
                found = entries_.emplace(stream_id, entry{place, this}).first;
            } catch (...) {
                spare.give_back(place);
                throw;
            }
        }
        ++found->second.users;
        return found->second;
    }

    /// All kernels of a call are in `where`.
    void finish(entry& used, stream_view where) noexcept
    {
        const std::lock_guard lock(mutex_);
        --used.users;
        if (entries_.size() > unmarked_streams || used.has_moment)
            mark(used, where);
    }

private:
    static constexpr std::size_t unmarked_streams = 120;
    static constexpr std::size_t streams_between = 240;  // new ones, from one retirement to the next

    /// Leaves an event by which to tell later that the stream has come past its last kernel. Without one the workspace stays.
    static void mark(entry& used, stream_view where) noexcept
    {
        const int status = cudaEventRecord(used.place.moment, handle_of(where));
        forget(status);
        used.has_moment = status == cudaSuccess;
    }

    static bool is_idle(const entry& known) noexcept
    {
        if (known.users != 0 || !known.has_moment)
            return false;
        const int status = cudaEventQuery(known.place.moment);
        forget(status);
        return status == cudaSuccess;
    }

    /// Streams come and go, and nobody says when one has gone. The workspaces of those that have nothing left to do can serve
    /// others. Nothing is waited for: another stream may be being captured, which no synchronization of the GPU survives.
    void retire_idle()
    {
        const relaxed_capture relaxed;
        for (auto it = entries_.begin(); it != entries_.end();) {
            entry& known = it->second;
            if (!is_idle(known)) {
                ++it;
                continue;
            }
            spare.give_back(known.place);
            it = entries_.erase(it);
        }
        next_retirement_ = entries_.size() + streams_between;
    }

    std::mutex mutex_;
    std::unordered_map<unsigned long long, entry> entries_;
    std::size_t next_retirement_ = streams_between;
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

PARPRIMS_INLINE workspace_lease::workspace_lease(stream_view where, bool is_capturing) : where_(where)
{
    if (!is_capturing) {
        const device_guard guard(where.device());
        unsigned long long id = 0;
        check(cudaStreamGetId(handle_of(where), &id), "cudaStreamGetId");
        workspace_book::entry& entry = book_of(current_device()).of_stream(id);
        entry_ = &entry;
        parts_ = entry.place.parts();
        return;
    }
    // A graph may run in any stream, beside whatever runs in this one.
    spare_workspaces& spare = book_of(current_device()).spare;
    struct loan {
        spare_workspaces& spare;
        workspace_place place;
    };
    const auto give_back = [](void* memory) {
        const auto* const held = static_cast<const loan*>(memory);
        held->spare.give_back(held->place);
        delete held;
    };
    const workspace_place place = spare.take();
    keep_with_graph(where, new loan{spare, place}, give_back);
    parts_ = place.parts();
}

PARPRIMS_INLINE workspace_lease::~workspace_lease()
{
    if (entry_ == nullptr)
        return;
    auto& entry = *static_cast<workspace_book::entry*>(entry_);
    entry.book->finish(entry, where_);
}

}  // namespace parprims::detail::runtime

#endif
