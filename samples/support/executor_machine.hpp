/// @file
/// @brief  Runs a sample's kernels on the CPU, lane by lane, and counts what they do. For files without CUDA.
///
/// What drives the kernels of a sample is a template over the machine: this one, or gpu_machine.
#pragma once

#include "support/counts.hpp"

#include <executor/launcher.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <cstddef>
#include <cstring>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace samples {

/// A launcher of the executor that counts.
class executor_machine : public parprims::detail::simt::executor::launcher {
public:
    using base = parprims::detail::simt::executor::launcher;
    using options = parprims::detail::simt::executor::options;

    explicit executor_machine(options how = counting()) : base(how) {}

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

    /// `n` values of nothing in particular, until the machine is gone. Nothing lies behind them.
    template <class T>
    T* allocate(std::size_t n)
    {
        static_assert(std::is_trivially_copyable_v<T>);
        memory_.emplace_back(new (alignment) unsigned char[n * sizeof(T)]);
        std::memset(memory_.back().get(), 0xA5, n * sizeof(T));
        return reinterpret_cast<T*>(memory_.back().get());
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
    struct free_bytes {
        void operator()(unsigned char* bytes) const { ::operator delete[](bytes, alignment); }
    };

    static constexpr std::align_val_t alignment{256};  // as memory of a GPU: transactions are counted by address

    static options counting()
    {
        options how;
        how.order = parprims::detail::simt::executor::schedule::in_order;
        how.blocks = parprims::detail::simt::executor::block_order::ascending;
        how.count = true;
        return how;
    }

    counts counts_;
    std::vector<std::unique_ptr<unsigned char[], free_bytes>> memory_;
};

}  // namespace samples
