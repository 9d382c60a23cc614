/// @file
/// @brief  Dispatch of segmented reductions, on any launcher: plan, memory, launches. The arguments have been checked.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/device/call/launcher.hpp>
#include <parprims/detail/device/load/input.hpp>
#include <parprims/detail/device/segmented/kernel.hpp>
#include <parprims/detail/device/segmented/long_kernel.hpp>
#include <parprims/detail/device/segmented/plan.hpp>
#include <parprims/detail/device/segmented/segments.hpp>
#include <parprims/detail/device/segmented/small_kernel.hpp>
#include <parprims/detail/device/segmented/subtrees.hpp>
#include <parprims/detail/device/segmented/tuning.hpp>
#include <parprims/detail/device/store/output.hpp>
#include <parprims/detail/iterator/traits.hpp>

#include <cstddef>

namespace parprims::detail::device {

/// Enqueues the reductions of segments that are not many or short.
template <class T, launcher Launcher, class Segments, class Iterator, class Output, class Op>
void enqueue_long_segments(Launcher& launcher, const Segments& segments, Iterator first, Output out, T init, Op op)
{
    using kernel_type = long_segments_kernel<Segments, input_for<Iterator>, T, output_for<Output>, Op>;
    using shares_type = segment_subtrees<T>;
    const long_segments_plan plan = device::planned(
        launcher, device::plan_long_segments(segments, kernel_type::chunk, kernel_type::rounds, launcher.gpu()));
    const std::size_t shares_bytes = shares_type::bytes(plan.boundaries);
    const auto memory = launcher.zeroed(shares_bytes + (reads_size<Launcher> ? memory_alignment : 0));
    const std::size_t boundary_blocks =
        Segments::is_searched ? order::ceil_div(2 * plan.boundaries, std::size_t{plan.block_tasks}) : 0;
    device::launch_drawn(
        launcher, {plan.blocks + boundary_blocks, plan.block_threads, sizeof(typename kernel_type::shared_storage)},
        kernel_type{segments, device::make_input(first), device::make_output(out), init, op, plan.group_warps,
                    static_cast<unsigned>(boundary_blocks), plan.block_tasks,
                    shares_type::make(plan.boundaries, plan.subtree_chunks * kernel_type::chunk, memory.get())},
        reinterpret_cast<unsigned*>(memory.get() + shares_bytes));
}

/// Enqueues the reductions of few elements, or of rows that are read where they lie.
template <class T, launcher Launcher, class Segments, class Iterator, class Output, class Op>
void enqueue_small_segments(Launcher& launcher, const Segments& segments, const segment_sizes& sizes, Iterator first,
                            Output out, T init, Op op)
{
    using kernel_type = small_segments_kernel<Segments, input_for<Iterator>, T, output_for<Output>, Op>;
    const small_segments_plan plan =
        device::planned(launcher, plan_small_segments(sizes, kernel_type::chunk, launcher.gpu()));
    launcher.launch({plan.blocks, plan.block_threads, sizeof(typename kernel_type::shared_storage)},
                    kernel_type{segments, device::make_input(first), device::make_output(out), init, op,
                                plan.block_segments});
}

/// Enqueues the reductions of segments in tiles.
/// @param  gap  elements of the input behind each segment that `segments` leave out
template <class T, launcher Launcher, class Segments, class Iterator, class Output, class Op>
void enqueue_segment_tiles(Launcher& launcher, const Segments& segments, unsigned gap, Iterator first, Output out,
                           T init, Op op)
{
    using kernel_type = segmented_reduce_kernel<Segments, input_for<Iterator>, T, output_for<Output>, Op>;
    using shares_type = segment_subtrees<T>;
    constexpr std::size_t chunk = kernel_type::chunk;
    const gpu_properties gpu = launcher.gpu();
    const auto shared_bytes = [](std::size_t elements) {
        return sizeof(typename kernel_type::shared_storage) +
               kernel_type::tile_type::shared_bytes(elements, Segments::is_searched);
    };
    std::size_t max_tile = kernel_type::tile;
    while (shared_bytes(max_tile + chunk) > gpu.shared_bytes_per_block)
        max_tile /= 2;
    const segmented_plan plan =
        device::planned(launcher, plan_segmented(segments.n, segments.count, segments.longest(), chunk, max_tile, gpu));

    const std::size_t boundaries = kernel_type::may_be_long ? shares_type::boundaries_of(segments.n, chunk) : 0;
    const std::size_t most_tiles =
        reads_size<Launcher> ? larger_of<std::size_t>(plan.tiles, plan.resident) : plan.tiles;
    const std::size_t ends_bytes =
        Segments::is_searched ? aligned_bytes(memory_alignment + (most_tiles + 1) * sizeof(piece_position)) : 0;
    const auto scratch = launcher.scratch(ends_bytes + shares_type::bytes(boundaries));
    auto* const memory = static_cast<std::byte*>(scratch.get());
    auto* const ends = reinterpret_cast<piece_position*>(memory + memory_alignment);
    const auto shares = shares_type::make(boundaries, chunk, memory + ends_bytes);

    const auto tile = static_cast<unsigned>(plan.tile);
    if constexpr (Segments::is_searched) {
        using ends_type = segmented_ends_kernel<Segments, chunk>;
        launcher.launch({order::ceil_div(plan.tiles + 1, ends_type::max_threads / 32), ends_type::max_threads, 0},
                        ends_type{segments, tile, plan.resident, plan.tiles + 1, ends, shares.counters(), boundaries});
    }
    launcher.launch({plan.tiles, plan.block_threads, shared_bytes(plan.elements)},
                    kernel_type{segments, device::make_input(first), device::make_output(out), init, op, tile, gap,
                                ends, shares});
}

/// Enqueues the reductions of at least one segment.
template <class T, launcher Launcher, class Segments, class Iterator, class Output, class Op>
void enqueue_segmented_reduce(Launcher& launcher, const Segments& segments, Iterator first, Output out, T init, Op op)
{
    using value_type = iter_value_t<Iterator>;
    Segments dense = segments;
    unsigned gap = 0;
    if constexpr (!Segments::is_searched)
        if (device::skips_gaps(device::make_input(first), segments)) {
            dense = segments.without_gaps();
            gap = static_cast<unsigned>(segments.gap());
        }
    const segment_sizes sizes = device::sizes_of(dense, sizeof(value_type));
    const segments_choice choice =
        device::planned(launcher, choose_segments_kernel(sizes, Segments::is_searched, order::chunk<value_type>,
                                                         max_small_chunks<value_type, T>, launcher.gpu()));
    switch (choice.kernel) {
    case segments_kernel::few: return device::enqueue_small_segments(launcher, segments, sizes, first, out, init, op);
    case segments_kernel::tiles: return device::enqueue_segment_tiles(launcher, dense, gap, first, out, init, op);
    case segments_kernel::long_segments: return device::enqueue_long_segments(launcher, segments, first, out, init, op);
    }
}

}  // namespace parprims::detail::device
