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
    unsigned lane_packets;  ///< of a tile: 2, 4 or 8
    unsigned block_threads;
};

/// Enqueues the copy of `[first, first + n)`, which may be empty, to `out`; `*count` becomes the number of copied elements.
template <launcher Launcher, class Iterator, class Output, class Predicate, class Count>
void enqueue_copy_if(Launcher& launcher, Iterator first, std::size_t n, Output out, Predicate predicate, Count count)
{
    using largest_kernel = copy_if_kernel<input_for<Iterator>, output_for<Output>, Predicate, Count, large_tile>;
    const auto input = make_input(first);
    unsigned lead = 0;
    if constexpr (largest_kernel::in_packets)
        lead = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(input.data) % 16 / sizeof(*input.data));
    const std::size_t packets = order::ceil_div(lead + n, largest_kernel::items);
    const gpu_properties gpu = launcher.gpu();
    unsigned threads = largest_kernel::max_threads;
    while (threads > order::lanes && largest_kernel::shared_bytes(threads) > gpu.shared_bytes_per_block)
        threads /= 2;
    const auto tiles_of = [&](unsigned rows) { return order::ceil_div(packets, std::size_t{threads} * rows); };
    unsigned rows = large_tile::rows;
    if (tiles_of(small_tile::rows) <= 1)
        rows = small_tile::rows;
    else if (tiles_of(medium_tile::rows) <= 1)
        rows = medium_tile::rows;
    else if (tiles_of(large_tile::rows) > 1 || largest_kernel::items > max_single_tile_items)
        rows = tiles_of(small_tile::rows) <= gpu.multiprocessors    ? small_tile::rows
               : tiles_of(medium_tile::rows) <= gpu.multiprocessors ? medium_tile::rows
                                                                    : large_tile::rows;
    const copy_if_plan plan = planned(launcher, copy_if_plan{rows, threads});

    const auto launch = [&]<class Size>(Size) {
        using kernel_type = copy_if_kernel<input_for<Iterator>, output_for<Output>, Predicate, Count, Size>;
        const std::size_t tiles =
            larger_of<std::size_t>(order::ceil_div(packets, std::size_t{plan.block_threads} * kernel_type::rows), 1);
        const shared_words words(launcher, tiles == 1 ? 0 : kept_status::bytes(tiles));
        const std::size_t resident = std::size_t{gpu.multiprocessors} * kernel_type::min_blocks;
        launcher.launch(
            {smaller_of(tiles, resident), plan.block_threads, kernel_type::shared_bytes(plan.block_threads)},
            kernel_type{input, n, lead, make_output(out), count, predicate, {words.get(), tiles, words.resets()}});
    };
    if (plan.lane_packets == small_tile::rows)
        launch(small_tile{});
    else if (plan.lane_packets == medium_tile::rows)
        launch(medium_tile{});
    else
        launch(large_tile{});
}

}  // namespace parprims::detail::device
