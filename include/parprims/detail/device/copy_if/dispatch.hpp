/// @file
/// @brief  Dispatch of `copy_if`, on any launcher: plan, memory, launch. Arguments are valid.
#pragma once

#include <parprims/detail/block/input.hpp>
#include <parprims/detail/block/output.hpp>
#include <parprims/detail/device/copy_if/kernel.hpp>
#include <parprims/detail/device/launch/launcher.hpp>
#include <parprims/detail/numeric/integers.hpp>
#include <parprims/detail/order.hpp>

#include <cstddef>
#include <cstdint>

namespace parprims::detail::device {

struct copy_if_plan {
    bool is_few;  ///< for the kernel for few elements
    unsigned block_threads;
};

/// Enqueues the copy of `[first, first + n)`, which may be empty, to `out`; `*count` becomes the number of copied elements.
template <launcher Launcher, class Iterator, class Output, class Predicate, class Count>
void enqueue_copy_if(Launcher& launcher, Iterator first, std::size_t n, Output out, Predicate predicate, Count count)
{
    using largest_kernel = copy_if_kernel<input_for<Iterator>, output_for<Output>, Predicate, Count, many_copies>;
    const auto input = make_input(first);
    unsigned lead = 0;
    if constexpr (largest_kernel::in_packets)
        lead = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(input.data) % 16 / sizeof(*input.data));
    const std::size_t packets = order::ceil_div(lead + n, largest_kernel::items);
    const gpu_properties gpu = launcher.gpu();
    unsigned threads = largest_kernel::max_threads;
    while (threads > order::lanes && largest_kernel::shared_bytes(threads) > gpu.shared_bytes_per_block)
        threads /= 2;
    const std::size_t few = std::size_t{threads} * few_copies::rows;
    const bool fits_a_large_tile = packets > few && packets <= std::size_t{threads} * many_copies::rows;
    const bool is_few =
        packets <= gpu.multiprocessors * few && !(fits_a_large_tile && largest_kernel::items <= max_single_tile_items);
    const copy_if_plan plan = planned(launcher, copy_if_plan{is_few, threads});

    const auto launch = [&]<class Size>(Size) {
        using kernel_type = copy_if_kernel<input_for<Iterator>, output_for<Output>, Predicate, Count, Size>;
        const std::size_t tiles =
            larger_of<std::size_t>(order::ceil_div(packets, std::size_t{plan.block_threads} * kernel_type::rows), 1);
        // The last block zeroes few words, so the workspace will do; a memset of scratch zeroes many.
        const std::size_t bytes = tiles == 1 ? 0 : kept_status::bytes(tiles);
        const bool resets = bytes <= max_reset_bytes;
        const auto own = launcher.zeroed(resets ? bytes : 0);
        const auto scratch = launcher.scratch(resets ? 0 : bytes);
        std::byte* const memory = resets ? own.get() : static_cast<std::byte*>(scratch.get());
        if (!resets)
            launcher.zero(memory, bytes);
        const std::size_t resident = std::size_t{gpu.multiprocessors} * kernel_type::min_blocks;
        launcher.launch(
            {smaller_of(tiles, resident), plan.block_threads, kernel_type::shared_bytes(plan.block_threads)},
            kernel_type{input, n, lead, make_output(out), count, predicate, {memory, tiles, tiles > 1 && resets}});
    };
    if (plan.is_few)
        launch(few_copies{});
    else
        launch(many_copies{});
}

}  // namespace parprims::detail::device
