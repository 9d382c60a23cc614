/// @file
/// @brief  Dispatch of reductions, on any launcher: plan, memory, launch. The arguments have been checked.
#pragma once

#include <parprims/detail/block/input.hpp>
#include <parprims/detail/device/launch/launcher.hpp>
#include <parprims/detail/device/reduce/kernel.hpp>
#include <parprims/detail/device/reduce/partials.hpp>
#include <parprims/detail/device/reduce/plan.hpp>
#include <parprims/detail/device/reduce/small_kernel.hpp>
#include <parprims/detail/device/reduce/wide_kernel.hpp>
#include <parprims/detail/optional_config.hpp>
#include <parprims/detail/uninitialized.hpp>

#include <cstddef>
#include <cstdint>

namespace parprims::detail::device {

/// Enqueues the reduction of any number of wide values.
template <class T, launcher Launcher, class Iterator, class Output, class Op, class Transform>
void enqueue_wide_reduce(Launcher& on, const optional_config<reduce_config>& config, Iterator first, std::size_t n,
                         Output output, const maybe<T>& init, Op op, Transform transform)
{
    using kernel_type = wide_reduce_kernel<input_for<Iterator>, T, Output, Op, Transform>;
    constexpr std::size_t storage_bytes = sizeof(typename kernel_type::shared_storage);
    const gpu_properties gpu = on.gpu();
    const std::size_t room = gpu.shared_bytes_per_block - smaller_of(storage_bytes, gpu.shared_bytes_per_block);
    const std::size_t max_warps =
        smaller_of<std::size_t>(room / kernel_type::warp_bytes, kernel_type::max_threads / 32);
    const auto tuned_config = tuned(reduce_tuning, gpu.architecture, sizeof(iter_value_t<Iterator>));
    const wide_reduce_plan plan = planned(on, plan_wide_reduce(n, kernel_type::chunk, config.value_or(tuned_config),
                                                               gpu, max_warps, wide_partials<T>::capacity));

    const auto partials = on.zeroed(plan.runs == 1 ? 0 : wide_partials<T>::bytes(plan.runs));
    const auto input = make_input(first);
    on.launch({plan.blocks, plan.block_threads, storage_bytes + plan.block_threads / 32 * kernel_type::warp_bytes},
              kernel_type{{input, n, op, transform, kernel_type::chunks_type::packet_bytes_of(input)},
                          output,
                          init,
                          plan.subtrees,
                          plan.subtree_chunks,
                          plan.runs,
                          {{partials.get()}}});
}

/// Enqueues the reduction of `[first, first + n)` to `*output` if it is so small that each group of 32 columns of a chunk can
/// have a warp; otherwise does nothing and returns false.
template <class T, launcher Launcher, class Iterator, class Output, class Op, class Transform>
bool enqueue_small_reduce(Launcher& on, const optional_config<reduce_config>& config, Iterator first, std::size_t n,
                          Output output, const maybe<T>& init, Op op, Transform transform)
{
    using kernel_type = small_reduce_kernel<input_for<Iterator>, T, Output, Op, Transform>;
    if (config && config->subtree_chunks != 0)
        return false;
    const small_reduce_plan plan =
        planned(on, plan_small_reduce(n, kernel_type::chunk, kernel_type::row,
                                      config ? config->block_threads : kernel_type::max_threads,
                                      kernel_type::max_blocks, on.gpu()));
    const bool has_words = plan.exchange == partials_exchange::words;
    if (plan.blocks == 0 || (has_words && sizeof(typename kernel_type::value_type) > max_small_word_bytes))
        return false;

    const auto partials = on.zeroed(has_words ? reduce_partials<T>::bytes(plan.blocks) : 0);
    on.launch({plan.blocks, plan.block_threads, sizeof(typename kernel_type::shared_storage), plan.cluster_blocks()},
              kernel_type{make_input(first),
                          static_cast<std::uint32_t>(n),
                          static_cast<std::uint32_t>(plan.column_groups),
                          output,
                          init,
                          op,
                          transform,
                          plan.exchange,
                          {partials.get()}});
    return true;
}

/// Enqueues the reduction of any number of elements.
template <class T, launcher Launcher, class Iterator, class Output, class Op, class Transform>
void enqueue_large_reduce(Launcher& on, const optional_config<reduce_config>& config, Iterator first, std::size_t n,
                          Output output, const maybe<T>& init, Op op, Transform transform)
{
    using kernel_type = reduce_kernel<input_for<Iterator>, T, Output, Op, Transform>;
    const gpu_properties gpu = on.gpu();
    const reduce_config effective =
        config.value_or(tuned(reduce_tuning, gpu.architecture, sizeof(iter_value_t<Iterator>)));
    const reduce_plan plan =
        planned(on, plan_reduce(n, kernel_type::chunk, effective, gpu, kernel_type::max_run, kernel_type::max_runs));

    const auto partials = on.zeroed(plan.blocks == 1 ? 0 : reduce_partials<T>::bytes(plan.runs));
    const auto input = make_input(first);
    on.launch({plan.blocks, plan.block_threads, sizeof(typename kernel_type::shared_storage)},
              kernel_type{{input, n, op, transform, kernel_type::chunks_type::has_aligned_packets(input)},
                          output,
                          init,
                          plan.subtrees,
                          plan.subtree_chunks,
                          plan.run_bits,
                          plan.runs,
                          {partials.get()}});
}

/// Enqueues the reduction of `[first, first + n)` to `*output`.
template <class T, launcher Launcher, class Iterator, class Output, class Op, class Transform>
void enqueue_reduce(Launcher& on, const optional_config<reduce_config>& config, Iterator first, std::size_t n,
                    Output output, T init, Op op, Transform transform)
{
    maybe<T> start;
    start.set(init);
    if constexpr (is_wide<iter_value_t<Iterator>>)
        enqueue_wide_reduce(on, config, first, n, output, start, op, transform);
    else if (!enqueue_small_reduce(on, config, first, n, output, start, op, transform))
        enqueue_large_reduce(on, config, first, n, output, start, op, transform);
}

}  // namespace parprims::detail::device
