/// @file
/// @brief  Dispatch of segmented reductions, on any launcher: plan, memory, launches. The arguments have been checked.
#pragma once

#include <parprims/detail/block/input.hpp>
#include <parprims/detail/block/output.hpp>
#include <parprims/detail/device/launch/launcher.hpp>
#include <parprims/detail/device/segmented/ends_kernel.hpp>
#include <parprims/detail/device/segmented/finish_kernel.hpp>
#include <parprims/detail/device/segmented/kernel.hpp>
#include <parprims/detail/device/segmented/plan.hpp>
#include <parprims/detail/device/segmented/segments.hpp>
#include <parprims/detail/device/segmented/totals.hpp>
#include <parprims/detail/device/segmented/tuning.hpp>

#include <cstddef>

namespace parprims::detail::device {

/// Enqueues the reductions of at least one segment.
template <class T, launcher Launcher, class Segments, class Iterator, class Output, class Op>
void enqueue_segmented_reduce(Launcher& launcher, const Segments& segments, Iterator first, Output out, T init, Op op)
{
    using kernel_type = segmented_reduce_kernel<Segments, input_for<Iterator>, T, output_for<Output>, Op>;
    using totals_type = typename kernel_type::totals_type;
    using finish_type = segmented_finish_kernel<Segments, T, output_for<Output>, Op, totals_type>;
    using ends_type = segmented_ends_kernel<Segments, kernel_type::chunk>;
    const gpu_properties gpu = launcher.gpu();
    const auto shared_bytes = [](std::size_t elements) {
        return sizeof(typename kernel_type::shared_storage) + kernel_type::tile_type::shared_bytes(elements);
    };
    std::size_t max_tile = kernel_type::tile;
    while (shared_bytes(max_tile + kernel_type::chunk) > gpu.shared_bytes_per_block)
        max_tile /= 2;
    const segmented_plan plan =
        planned(launcher, plan_segmented(segments.n, segments.count, Segments::is_searched, segments.longest(),
                                         kernel_type::chunk, kernel_type::lone * kernel_type::chunk, max_tile, gpu));

    const std::size_t ends_bytes = plan.finds_ends ? aligned_bytes((plan.tiles + 1) * sizeof(piece_position)) : 0;
    const auto scratch =
        launcher.scratch(ends_bytes + (plan.has_long ? totals_type::bytes(segments.n, plan.tiles) : 0));
    auto* const memory = static_cast<std::byte*>(scratch.get());
    auto* const ends = plan.finds_ends ? reinterpret_cast<piece_position*>(memory) : nullptr;
    const auto totals = plan.has_long ? totals_type::at(memory + ends_bytes, segments.n) : totals_type{};

    if (plan.finds_ends)
        launcher.launch({order::ceil_div(plan.tiles + 1, ends_type::max_threads / 32), ends_type::max_threads, 0},
                        ends_type{segments, plan.tile, plan.tiles + 1, ends});
    launcher.launch({plan.tiles, plan.block_threads, shared_bytes(plan.elements)},
                    kernel_type{segments, make_input(first), make_output(out), init, op, plan.tile, ends, totals});
    if (plan.has_long)
        launcher.launch({order::ceil_div(plan.tiles, plan.finish_tiles * (plan.finish_threads / 32)),
                         plan.finish_threads, sizeof(typename finish_type::shared_storage)},
                        finish_type{segments, make_output(out), init, op, plan.tiles, plan.finish_tiles, totals});
}

}  // namespace parprims::detail::device
