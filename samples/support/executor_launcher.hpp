/// @file
/// @brief  Runs a sample's kernels on the CPU, lane by lane, and counts what they do. For files without CUDA.
///
/// What drives the kernels of a sample is a template over the launcher: this one, or gpu_launcher.
#pragma once

#include "support/counts.hpp"

#include <parprims/detail/device/call/executor_launcher.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <cstddef>
#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

namespace samples {

/// A launcher of the executor that counts.
class executor_launcher : public parprims::detail::simt::executor::launcher {
public:
    using base = parprims::detail::simt::executor::launcher;
    using options = parprims::detail::simt::executor::options;

    explicit executor_launcher(options chosen = counting()) : base(chosen) {}

    template <class Kernel>
    void launch(std::size_t blocks, unsigned block_threads, const Kernel& kernel,
                std::size_t shared_bytes = sizeof(typename Kernel::shared_storage), unsigned cluster_blocks = 1)
    {
        launch({blocks, block_threads, shared_bytes, cluster_blocks}, kernel);
    }

    template <class Kernel>
    void launch(const parprims::detail::device::launch_shape& shape, const Kernel& kernel)
    {
        const auto done = base::launch(shape, kernel);
        ++counts_.launches;
        counts_.blocks += done.blocks;
        counts_.barriers += done.barriers;
        counts_.transactions += done.global_loads.sectors + done.global_stores.sectors;
        counts_.bank_conflicts += done.shared_loads.extra_passes + done.shared_stores.extra_passes;
        counts_.divergent_branches += done.divergent_branches;
        counts_.global_atomics += done.global_atomics.lanes;
        counts_.shared_atomics += done.shared_atomics.lanes;
        counts_.atomic_passes += done.global_atomics.passes + done.shared_atomics.passes;
        counts_.warp_operations += done.warp_operations;
        counts_.lane_operations += done.lane_operations;
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
    counts take_counts() { return std::exchange(counts_, {}); }

private:
    static options counting()
    {
        options chosen;
        chosen.order = parprims::detail::simt::executor::schedule::in_order;
        chosen.blocks = parprims::detail::simt::executor::block_order::ascending;
        chosen.count = true;
        return chosen;
    }

    counts counts_;
    std::vector<parprims::detail::simt::executor::buffer<unsigned char>> memory_;
};

}  // namespace samples
