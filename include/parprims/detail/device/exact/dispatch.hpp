/// @file
/// @brief  Dispatch of exact sums, on any launcher: plan, memory, launch. The arguments have been checked.
#pragma once

#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/device/call/launcher.hpp>
#include <parprims/detail/device/exact/kernel.hpp>
#include <parprims/detail/device/exact/tuning.hpp>
#include <parprims/detail/device/load/input.hpp>
#include <parprims/detail/numeric/integers.hpp>

#include <cstddef>
#include <cstdint>

namespace parprims::detail::device {

struct exact_plan {
    std::size_t blocks;
    unsigned block_threads;
    unsigned cluster_blocks;  ///< all blocks, or 1
    bool has_windows;         ///< doubles are added in windows, since the GPU adds them fast; else integers alone
};

/// @param  batches     of the input; a warp takes one at a time
/// @param  threads     of a block, if shared memory suffices
/// @param  lane_bytes  shared memory for each lane; a block needs `bytes` more
inline exact_plan plan_exact(std::size_t batches, unsigned threads, std::size_t bytes, std::size_t lane_bytes,
                             const gpu_properties& gpu)
{
    while (threads > order::lanes && bytes + threads * lane_bytes > gpu.shared_bytes_per_block)
        threads /= 2;
    const std::size_t most = threads / order::lanes;
    const std::size_t cluster = smaller_of<std::size_t>(gpu.cluster_blocks, most_exact_cluster);
    const std::size_t few = smaller_of(most_alone_warps, most);
    const bool in_cluster = batches > few && batches <= cluster * most;
    const auto warps = static_cast<unsigned>(
        batches <= few ? larger_of<std::size_t>(batches, 1)
        : in_cluster   ? clamped(order::ceil_div(batches, cluster), smaller_of(min_cluster_warps, most), most)
                       : clamped(order::ceil_div(batches, few_exact_blocks), smaller_of(few_exact_warps, most), most));
    const std::size_t block_bytes = bytes + warps * order::lanes * lane_bytes;
    const std::size_t resident =
        clamped<std::size_t>(gpu.shared_bytes_per_multiprocessor / block_bytes, 1, exact_blocks_per_sm);
    const std::size_t blocks = clamped<std::size_t>(order::ceil_div(batches, warps), 1, gpu.multiprocessors * resident);
    return {blocks, warps * order::lanes, in_cluster ? static_cast<unsigned>(blocks) : 1,
            adds_doubles_fast(gpu.architecture)};
}

/// Enqueues init + the sum of the terms of `[first, first + n)`, which may be empty, to `*output`.
template <class Terms, launcher Launcher, class Iterator, class Output, class T, class Transform>
void enqueue_exact_sum(Launcher& launcher, Iterator first, std::size_t n, Output output, T init, Transform transform)
{
    using kernel_type = exact_sum_kernel<input_for<Iterator>, Terms, T, Output, Transform>;
    const auto input = device::make_input(first);
    std::size_t head = 0;
    if constexpr (kernel_type::in_packets)
        head = smaller_of<std::size_t>(-reinterpret_cast<std::uintptr_t>(input.data) % 16 / sizeof(*input.data), n);
    const std::size_t packets = (n - head) / kernel_type::items;
    const bool has_ends = packets * kernel_type::items != n;
    const std::size_t batches =
        order::ceil_div(packets, std::size_t{kernel_type::rows} * order::lanes) + (has_ends ? 1 : 0);
    constexpr std::size_t bytes = sizeof(typename kernel_type::shared_storage);
    const exact_plan plan = device::planned(launcher, plan_exact(batches, kernel_type::max_threads, bytes,
                                                                 kernel_type::shape.bytes(1), launcher.gpu()));
    const auto memory = launcher.zeroed(plan.blocks == plan.cluster_blocks ? 0 : kernel_type::limbs_type::bytes);
    kernel_type kernel{input, n, head, packets, transform, output, init, {}, 0, plan.has_windows, {memory.get()}};
    kernel.set_init(init);
    launcher.launch({plan.blocks, plan.block_threads, bytes + kernel_type::shape.bytes(plan.block_threads),
                     plan.cluster_blocks},
                    kernel);
}

}  // namespace parprims::detail::device
