/// @file
/// @brief  Runs a sample's kernels on the CPU, lane by lane, and counts what they do. For files without CUDA.
///
/// What drives the kernels of a sample is a template over the launcher: this one, or gpu_launcher.
#pragma once

#include "support/counts.hpp"

#include <parprims/simt/launcher.hpp>

#include <cstddef>
#include <cstring>
#include <type_traits>
#include <vector>

namespace samples {

/// A launcher of the executor that counts.
class executor_launcher : public parprims::executor::launcher {
public:
    using base = parprims::executor::launcher;
    using options = parprims::executor::options;

    explicit executor_launcher(options chosen = counting(nullptr, 32)) : base(chosen) {}
    /// Counts in warps of so many lanes, and shows each request to `observer`.
    explicit executor_launcher(parprims::executor::request_observer* observer, unsigned warp_threads = 32)
        : base(counting(observer, warp_threads))
    {
    }

    using base::launch;
    template <class Kernel>
    void launch(std::size_t blocks, unsigned block_threads, const Kernel& kernel,
                std::size_t shared_bytes = sizeof(typename Kernel::shared_storage), unsigned cluster_blocks = 1)
    {
        base::launch({blocks, block_threads, shared_bytes, cluster_blocks}, kernel);
    }

    /// `n` values of nothing in particular, until the launcher is gone. Nothing lies behind them.
    template <class T>
    T* allocate(std::size_t n)
    {
        static_assert(std::is_trivially_copyable_v<T>);
        return reinterpret_cast<T*>(memory_.emplace_back(n * sizeof(T), static_cast<unsigned char>(0xA5)).data());
    }

    template <class T>
    T* bring(const std::vector<T>& values)
    {
        T* const copy = allocate<T>(values.size());
        if (!values.empty())
            std::memcpy(copy, values.data(), values.size() * sizeof(T));
        return copy;
    }

    template <class T>
    std::vector<T> fetch(const T* values, std::size_t n)
    {
        return std::vector<T>(values, values + n);
    }

    template <class T>
    void set_to_zero(T* values, std::size_t n)
    {
        if (n != 0)
            std::memset(values, 0, n * sizeof(T));
    }

    /// What was done since this was called last.
    counts take_counts()
    {
        const parprims::executor::statistics done = take_statistics();
        counts all;
        all.launches = done.launches;
        all.blocks = done.blocks;
        all.barriers = done.barriers;
        all.transactions = done.global_loads.sectors + done.global_stores.sectors;
        all.bank_conflicts = done.shared_loads.extra_passes + done.shared_stores.extra_passes;
        all.shared_loads = done.shared_loads.requests;
        all.shared_load_lanes = done.shared_loads.lanes;
        all.divergent_branches = done.divergent_branches;
        all.global_atomics = done.global_atomics.lanes;
        all.shared_atomics = done.shared_atomics.lanes;
        all.atomic_passes = done.global_atomics.passes + done.shared_atomics.passes;
        all.warp_operations = done.warp_operations;
        all.lane_operations = done.lane_operations;
        return all;
    }

private:
    static options counting(parprims::executor::request_observer* observer, unsigned warp_threads)
    {
        options chosen;
        chosen.requests = observer;
        chosen.order = parprims::executor::schedule::in_order;
        chosen.blocks = parprims::executor::block_order::ascending;
        chosen.count = true;
        chosen.warp_threads = warp_threads;
        return chosen;
    }

    std::vector<parprims::executor::buffer<unsigned char>> memory_;
};

}  // namespace samples
