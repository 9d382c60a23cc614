/// @file
/// @brief  Workspaces: a little device memory that streams and graphs keep for their next call.
#pragma once

#include <parprims/detail/runtime/cuda.inl.hpp>

#if PARPRIMS_HAS_CUDA

#include <parprims/detail/runtime/call.hpp>
#include <parprims/detail/runtime/free_list.hpp>
#include <parprims/device.hpp>
#include <parprims/stream.hpp>

#include <cstddef>
#include <map>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace parprims::detail::runtime {

/// The memory of a workspace, and an event for the stream that uses it.
struct workspace_memory {
    std::byte* memory;
    cudaEvent_t event;

    workspace parts() const { return {memory, memory + workspace::zeroed_bytes}; }
};

/// Allocates more workspaces and adds them to `unused`. The GPU must be current.
inline void make_workspaces(free_list<workspace_memory>& unused)
{
    constexpr std::size_t slab_workspaces = 64;
    constexpr std::size_t workspace_bytes = workspace::zeroed_bytes + workspace::small_scan_bytes;
    const relaxed_capture relaxed;
    std::vector<workspace_memory> made;
    made.reserve(slab_workspaces);
    void* slab = nullptr;
    check(cudaMalloc(&slab, slab_workspaces * workspace_bytes), "cudaMalloc");
    try {
        // In a stream of its own: while another stream is captured, the default stream may be unusable.
        const stream own;
        check(cudaMemsetAsync(slab, 0, slab_workspaces * workspace_bytes, own.get()), "cudaMemsetAsync");
        own.synchronize();
        for (std::size_t i = slab_workspaces; i-- > 0;) {
            cudaEvent_t event = nullptr;
            check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "cudaEventCreateWithFlags");
            made.push_back({static_cast<std::byte*>(slab) + i * workspace_bytes, event});
        }
        unused.add(made);
    } catch (...) {
        for (const workspace_memory& each : made)
            clear_error(cudaEventDestroy(each.event));
        clear_error(cudaFree(slab));
        throw;
    }
}

/// The workspaces of one GPU.
class workspace_pool {
public:
    struct entry {
        workspace_memory memory;
        workspace_pool* pool;
        unsigned users = 0;              // calls that have it and have not enqueued all their kernels
        bool is_event_recorded = false;  // after the last of these calls
    };

    free_list<workspace_memory> unused;  // of no stream and no graph

    /// The GPU must be current, here and below.
    workspace_memory take_unused()
    {
        return unused.take([this] { make_workspaces(unused); });
    }

    /// The entry of a stream, until `finish`.
    entry& of_stream(unsigned long long stream_id)
    {
        const std::lock_guard lock(mutex_);
        auto found = entries_.find(stream_id);
        if (found == entries_.end()) {
            if (entries_.size() >= next_retirement_)
                retire_idle();
            const workspace_memory memory = take_unused();
            try {
                found = entries_.emplace(stream_id, entry{memory, this}).first;
            } catch (...) {
                unused.give_back(memory);
                throw;
            }
        }
        ++found->second.users;
        return found->second;
    }

    /// The call has enqueued all its kernels in `where`.
    void finish(entry& used, stream_view where) noexcept
    {
        const std::lock_guard lock(mutex_);
        --used.users;
        if (entries_.size() > streams_without_event || used.is_event_recorded)
            record_event(used, where);
    }

private:
    static constexpr std::size_t streams_without_event = 120;   // calls of a program with few streams record no events
    static constexpr std::size_t streams_per_retirement = 240;  // new streams between two calls of retire_idle

    /// The event tells later that the stream has completed its last kernel. If recording fails, the stream keeps its workspace.
    static void record_event(entry& used, stream_view where) noexcept
    {
        const int status = cudaEventRecord(used.memory.event, handle_of(where));
        clear_error(status);
        used.is_event_recorded = status == cudaSuccess;
    }

    static bool is_idle(const entry& known) noexcept
    {
        if (known.users != 0 || !known.is_event_recorded)
            return false;
        const int status = cudaEventQuery(known.memory.event);
        clear_error(status);
        return status == cudaSuccess;
    }

    /// The runtime does not say when a stream is destroyed, so the workspaces of all idle streams become unused. Nothing is
    /// synchronised: that would invalidate the capture of another stream.
    void retire_idle()
    {
        const relaxed_capture relaxed;
        for (auto it = entries_.begin(); it != entries_.end();) {
            entry& known = it->second;
            if (!is_idle(known)) {
                ++it;
                continue;
            }
            unused.give_back(known.memory);
            it = entries_.erase(it);
        }
        next_retirement_ = entries_.size() + streams_per_retirement;
    }

    std::mutex mutex_;
    std::unordered_map<unsigned long long, entry> entries_;
    std::size_t next_retirement_ = streams_per_retirement;
};

/// The pool of a GPU.
inline workspace_pool& workspace_pool_of(int device)
{
    struct all_pools {
        std::mutex mutex;
        std::map<int, workspace_pool> of_device;
    };
    static all_pools& pools = *new all_pools;  // never destroyed, as the result slots
    const std::lock_guard lock(pools.mutex);
    return pools.of_device[device];
}

PARPRIMS_INLINE workspace_lease::workspace_lease(stream_view where, bool is_capturing) : where_(where)
{
    if (!is_capturing) {
        const device_guard guard(where.device());
        unsigned long long id = 0;
        check(cudaStreamGetId(handle_of(where), &id), "cudaStreamGetId");
        workspace_pool::entry& entry = workspace_pool_of(current_device()).of_stream(id);
        entry_ = &entry;
        parts_ = entry.memory.parts();
        return;
    }
    // A graph may be launched in any stream, and run at the same time as the work of this one: it gets a workspace of its own.
    workspace_pool& pool = workspace_pool_of(current_device());
    struct graph_lease {
        workspace_pool& pool;
        workspace_memory memory;
    };
    const auto give_back = [](void* owner) {
        const auto* const lease = static_cast<const graph_lease*>(owner);
        lease->pool.unused.give_back(lease->memory);
        delete lease;
    };
    const workspace_memory memory = pool.take_unused();
    keep_with_graph(where, new graph_lease{pool, memory}, give_back);
    parts_ = memory.parts();
}

PARPRIMS_INLINE workspace_lease::~workspace_lease()
{
    if (entry_ == nullptr)
        return;
    auto& entry = *static_cast<workspace_pool::entry*>(entry_);
    entry.pool->finish(entry, where_);
}

}  // namespace parprims::detail::runtime

#endif
