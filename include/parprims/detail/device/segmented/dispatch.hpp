/// @file
/// @brief  Dispatch of segmented reductions, on any launcher: plan, memory, launches. The arguments have been checked.
#pragma once

#include <parprims/detail/block/input.hpp>
#include <parprims/detail/block/output.hpp>
#include <parprims/detail/device/launch/launcher.hpp>
#include <parprims/detail/device/segmented/finish_kernel.hpp>
#include <parprims/detail/device/segmented/kernel.hpp>
#include <parprims/detail/device/segmented/plan.hpp>
#include <parprims/detail/device/segmented/segments.hpp>

#include <cstddef>

namespace parprims::detail::device {

/// Enqueues the reductions of at least one segment.
template <class T, launcher Launcher, class Segments, class Iterator, class Output, class Op>
void enqueue_segmented_reduce(Launcher& launcher, const Segments& segments, Iterator first, Output out, T init, Op op)
{
    using kernel_type = segmented_reduce_kernel<Segments, input_for<Iterator>, T, output_for<Output>, Op>;
    using finish_type = segmented_finish_kernel<Segments, T, output_for<Output>, Op, kernel_type::chunk>;
    constexpr std::size_t chunk = kernel_type::chunk;
    const auto plan = planned(launcher, plan_segmented(segments.n, segments.count, segments.longest(), chunk,
                                                       kernel_type::tile, launcher.gpu()));
    const auto scratch =
        launcher.scratch(plan.has_long ? chunk_totals<T>::bytes(segments.n, chunk, plan.tiles, kernel_type::tile) : 0);
    const auto totals = plan.has_long ? chunk_totals<T>::at(static_cast<std::byte*>(scratch.get()), segments.n, chunk,
                                                            plan.tiles, kernel_type::tile)
                                      : chunk_totals<T>{};
    launcher.launch(
        {plan.tiles, segmented_threads,
         sizeof(typename kernel_type::shared_storage) + kernel_type::tile_type::shared_bytes(plan.elements)},
        kernel_type{segments, make_input(first), make_output(out), init, op, plan.tile, totals});
    if (plan.has_long)
        launcher.launch({order::ceil_div(plan.tiles, finish_type::max_threads / 32), finish_type::max_threads,
                         sizeof(typename finish_type::shared_storage)},
                        finish_type{segments, make_output(out), init, op, plan.tiles, totals});
}

}  // namespace parprims::detail::device
