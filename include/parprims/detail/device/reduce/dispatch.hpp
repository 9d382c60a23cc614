/// @file
/// @brief  Dispatch of reductions, on any launcher: plan, memory, launch. The arguments have been checked.
#pragma once

#include <parprims/detail/device/call/launcher.hpp>
#include <parprims/detail/device/load/input.hpp>
#include <parprims/detail/device/reduce/kernel.hpp>
#include <parprims/detail/device/reduce/partials.hpp>
#include <parprims/detail/device/reduce/plan.hpp>
#include <parprims/detail/device/reduce/small_kernel.hpp>
#include <parprims/detail/device/reduce/wide_kernel.hpp>
#include <parprims/detail/optional_config.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace parprims::detail::device {

/// Warps of a block that has `storage_bytes` of shared memory, and `warp_bytes` for each warp.
inline std::size_t warps_that_fit(const gpu_properties& gpu, std::size_t storage_bytes, std::size_t warp_bytes)
{
    return (gpu.shared_bytes_per_block - smaller_of(storage_bytes, gpu.shared_bytes_per_block)) / warp_bytes;
}

/// The reduction of few elements: a warp for each group of 32 columns of a chunk. Returns whether it was enqueued. A caller who
/// sets `subtree_chunks` gets the other kernel.
template <class T, launcher Launcher, class Input, class Output, class Op, class Transform>
bool enqueue_small_reduce(Launcher& launcher, const optional_config<reduce_config>& config, const Input& input,
                          std::size_t n, Output output, T init, Op op, Transform transform)
{
    using kernel_type = small_reduce_kernel<Input, T, Output, Op, Transform, std::true_type>;
    using columns = typename kernel_type::columns_type;
    if constexpr (!kernel_type::is_available) {
        return false;
    } else {
        constexpr std::size_t storage_bytes = sizeof(typename kernel_type::shared_storage);
        if (config && config->subtree_chunks != 0)
            return false;
        const gpu_properties gpu = launcher.gpu();
        std::size_t max_threads =
            config ? smaller_of(config->block_threads, kernel_type::max_threads) : kernel_type::max_threads;
        const auto threads = static_cast<unsigned>(max_threads);
        if constexpr (kernel_type::is_staged)
            max_threads = smaller_of(max_threads, 32 * warps_that_fit(gpu, storage_bytes, columns::group_bytes));
        if (max_threads < 32)
            return false;
        const small_reduce_plan plan =
            planned(launcher, plan_small_reduce(n, columns::chunk, columns::row, static_cast<unsigned>(max_threads),
                                                kernel_type::max_blocks, kernel_type::limits, gpu));
        if (plan.blocks == 0)
            return false;
        const bool in_words = plan.exchange == partials_exchange::words;
        const auto partials = launcher.zeroed(in_words ? kernel_type::word_bytes(plan.blocks) : 0);
        const unsigned block_groups = plan.block_threads / 32;
        const auto launch = [&]<class IsOneLoop>(IsOneLoop) {
            using kernel = small_reduce_kernel<Input, T, Output, Op, Transform, IsOneLoop>;
            launcher.launch({plan.blocks, kernel_type::is_staged ? threads : plan.block_threads,
                             storage_bytes + block_groups * columns::group_bytes, plan.cluster_blocks()},
                            kernel{{input, static_cast<std::uint32_t>(n), op, transform},
                                   static_cast<std::uint32_t>(plan.column_groups),
                                   output,
                                   init,
                                   typename kernel::groups_of_block(block_groups),
                                   plan.exchange,
                                   {{partials.get()}}});
        };
        if (in_words)
            launch(std::true_type{});
        else
            launch(std::bool_constant<kernel_type::always_loops>{});
        return true;
    }
}

/// Enqueues the reduction of `[first, first + n)`, which may be empty, to `*output`.
template <class T, launcher Launcher, class Iterator, class Output, class Op, class Transform>
void enqueue_reduce(Launcher& launcher, const optional_config<reduce_config>& config, Iterator first, std::size_t n,
                    Output output, T init, Op op, Transform transform)
{
    const auto input = device::make_input(first);
    const gpu_properties gpu = launcher.gpu();
    if (device::enqueue_small_reduce(launcher, config, input, n, output, init, op, transform))
        return;

    // Any number of elements.
    using large_kernel = reduce_kernel<input_for<Iterator>, T, Output, Op, Transform>;
    const reduce_config chosen =
        config.value_or(tuned(reduce_tuning, gpu.architecture, sizeof(typename large_kernel::value_type)));
    const reduce_plan plan = planned(launcher, plan_reduce(n, large_kernel::chunk, chosen, gpu,
                                                           large_kernel::max_run_subtrees, large_kernel::max_runs));
    const auto partials = launcher.zeroed(plan.blocks == 1 ? 0 : reduce_partials<T>::bytes(plan.runs));
    launcher.launch({plan.blocks, plan.block_threads, sizeof(typename large_kernel::shared_storage)},
                    large_kernel{{input, n, op, transform, large_kernel::chunks_type::has_aligned_packets(input)},
                                 output,
                                 init,
                                 plan.subtrees,
                                 plan.subtree_chunks,
                                 plan.run_bits,
                                 plan.runs,
                                 {partials.get()}});
}

/// The same for values of more than 16 bytes, for any n.
template <class T, launcher Launcher, class Iterator, class Output, class Op, class Transform>
    requires is_wide<iter_value_t<Iterator>>
void enqueue_reduce(Launcher& launcher, const optional_config<reduce_config>& config, Iterator first, std::size_t n,
                    Output output, T init, Op op, Transform transform)
{
    using kernel_type = wide_reduce_kernel<input_for<Iterator>, T, Output, Op, Transform>;
    constexpr std::size_t storage_bytes = sizeof(typename kernel_type::shared_storage);
    const auto input = device::make_input(first);
    const gpu_properties gpu = launcher.gpu();
    if (device::enqueue_small_reduce(launcher, config, input, n, output, init, op, transform))
        return;

    const std::size_t max_warps = smaller_of<std::size_t>(warps_that_fit(gpu, storage_bytes, kernel_type::warp_bytes),
                                                          kernel_type::max_threads / 32);
    constexpr std::size_t value_bytes = sizeof(iter_value_t<Iterator>);
    const reduce_config chosen = config.value_or(tuned(reduce_tuning, gpu.architecture, value_bytes));
    const wide_reduce_plan plan = planned(launcher, plan_wide_reduce(n, kernel_type::chunk, value_bytes, chosen, gpu,
                                                                     max_warps, wide_partials<T>::usual_runs));
    const auto partials = launcher.zeroed(plan.runs == 1 ? 0 : wide_partials<T>::bytes(plan.runs));
    launcher.launch({plan.blocks, plan.block_threads,
                     storage_bytes + plan.block_threads / 32 * kernel_type::warp_bytes},
                    kernel_type{{input, n, op, transform, kernel_type::chunks_type::packet_bytes_of(input)},
                                output,
                                init,
                                static_cast<unsigned>(plan.subtrees),
                                plan.run_subtrees,
                                static_cast<unsigned>(plan.runs),
                                plan.subtree_chunks,
                                {{partials.get()}}});
}

}  // namespace parprims::detail::device
