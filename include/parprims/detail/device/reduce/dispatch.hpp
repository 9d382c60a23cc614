/// @file
/// @brief  Dispatch of reductions, on any launcher: plan, memory, launch. The arguments have been checked.
#pragma once

#include <parprims/detail/device/call/launcher.hpp>
#include <parprims/detail/device/load/input.hpp>
#include <parprims/detail/device/reduce/kernel.hpp>
#include <parprims/detail/device/reduce/plan.hpp>
#include <parprims/detail/device/reduce/small_kernel.hpp>
#include <parprims/execution.hpp>

#include <cstddef>
#include <cstdint>

namespace parprims::detail::device {

/// Warps of a block that has `storage_bytes` of shared memory, and `warp_bytes` for each warp, or none.
inline std::size_t warps_that_fit(const gpu_properties& gpu, std::size_t storage_bytes, std::size_t warp_bytes)
{
    return (gpu.shared_bytes_per_block - smaller_of(storage_bytes, gpu.shared_bytes_per_block)) /
           larger_of<std::size_t>(warp_bytes, 1);
}

/// The reduction of few elements: a warp for each group of 32 columns of a chunk. Returns whether it was enqueued: with a
/// configuration that sets `subtree_chunks` it is not.
template <class T, launcher Launcher, class Input, class Output, class Op, class Transform>
bool enqueue_small_reduce(Launcher& launcher, const optional_config<reduce_config>& config, const Input& input,
                          std::size_t n, Output output, T init, Op op, Transform transform)
{
    using kernel_type = small_reduce_kernel<Input, T, Output, Op, Transform>;
    using columns = typename kernel_type::columns_type;
    if constexpr (!kernel_type::is_available) {
        return false;
    } else {
        if (config && config->subtree_chunks != 0)
            return false;
        const unsigned max_threads =
            config ? smaller_of(config->block_threads, kernel_type::max_threads) : kernel_type::max_threads;
        const small_reduce_plan plan =
            device::planned(launcher, plan_small_reduce(n, columns::chunk, columns::row, max_threads,
                                                        kernel_type::max_blocks, kernel_type::limits, launcher.gpu()));
        if (plan.blocks == 0)
            return false;
        const auto partials =
            launcher.zeroed(plan.blocks == 1 ? 0 : kernel_type::partials_type::bytes(kernel_type::max_blocks));
        launcher.launch({plan.blocks, plan.block_threads, sizeof(typename kernel_type::shared_storage)},
                        kernel_type{{input, static_cast<std::uint32_t>(n), op, transform},
                                    static_cast<std::uint32_t>(plan.column_groups),
                                    output,
                                    init,
                                    partials.get()});
        return true;
    }
}

/// The plan of the kernel for many elements.
template <class Kernel>
reduce_plan plan_large_reduce(std::size_t n, const optional_config<reduce_config>& config, const gpu_properties& gpu)
{
    using value_type = typename Kernel::value_type;
    const reduce_config chosen = config.value_or(default_reduce(sizeof(value_type)));
    if constexpr (is_wide<value_type>) {
        const std::size_t fitting =
            warps_that_fit(gpu, sizeof(typename Kernel::shared_storage), Kernel::chunks_type::warp_bytes);
        return plan_wide_reduce(n, Kernel::chunk, sizeof(value_type), chosen, gpu,
                                smaller_of<std::size_t>(fitting, Kernel::max_threads / 32), Kernel::usual_branches);
    } else {
        return plan_reduce(n, Kernel::chunk, chosen, gpu, Kernel::max_branch_subtrees, Kernel::max_branches);
    }
}

/// Enqueues the reduction of `[first, first + n)`, which may be empty, to `*output`.
template <class T, launcher Launcher, class Iterator, class Output, class Op, class Transform>
void enqueue_reduce(Launcher& launcher, const optional_config<reduce_config>& config, Iterator first, std::size_t n,
                    Output output, T init, Op op, Transform transform)
{
    const auto input = device::make_input(first);
    if (device::enqueue_small_reduce(launcher, config, input, n, output, init, op, transform))
        return;
    using kernel_type = reduce_kernel<input_for<Iterator>, T, Output, Op, Transform>;
    using chunks_type = typename kernel_type::chunks_type;
    const reduce_plan plan = device::planned(launcher, plan_large_reduce<kernel_type>(n, config, launcher.gpu()));
    const auto partials = launcher.zeroed(plan.branches == 1 ? 0 : kernel_type::partials_type::bytes(plan.branches));
    launcher.launch({plan.blocks, plan.block_threads,
                     sizeof(typename kernel_type::shared_storage) + plan.block_threads / 32 * chunks_type::warp_bytes},
                    kernel_type{chunks_type::make(input, n, op, transform),
                                output,
                                init,
                                plan.subtrees,
                                plan.subtree_chunks,
                                plan.branch_bits,
                                static_cast<unsigned>(plan.branches),
                                {partials.get(), plan.branches}});
}

}  // namespace parprims::detail::device
