/// @file
/// @brief  Dispatch of segmented reductions, on any launcher: plan, memory, launches. The arguments have been checked.
#pragma once

#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/contract/segments.hpp>
#include <parprims/detail/device/call/launcher.hpp>
#include <parprims/detail/device/load/input.hpp>
#include <parprims/detail/device/segmented/ends_kernel.hpp>
#include <parprims/detail/device/segmented/kernel.hpp>
#include <parprims/detail/device/segmented/long_kernel.hpp>
#include <parprims/detail/device/segmented/plan.hpp>
#include <parprims/detail/device/segmented/segments.hpp>
#include <parprims/detail/device/segmented/small_kernel.hpp>
#include <parprims/detail/device/segmented/totals.hpp>
#include <parprims/detail/device/segmented/tuning.hpp>
#include <parprims/detail/device/store/output.hpp>
#include <parprims/detail/iterator/traits.hpp>

#include <cstddef>

namespace parprims::detail::device {

/// Enqueues the reductions of segments of one size, of several chunks each.
template <class T, launcher Launcher, class Iterator, class Output, class Op>
void enqueue_long_segments(Launcher& launcher, const fixed_segments& segments, Iterator first, Output out, T init,
                           Op op)
{
    using kernel_type = long_segments_kernel<fixed_segments, input_for<Iterator>, T, output_for<Output>, Op>;
    const long_segments_plan plan =
        planned(launcher, plan_long_segments(segments.count, segments.size, kernel_type::chunk, kernel_type::rounds,
                                             launcher.gpu()));
    const auto memory = launcher.zeroed(fixed_runs<T>::bytes(segments.count, plan.runs));
    const fixed_runs<T> runs{{plan.run_chunks * kernel_type::chunk, plan.runs == 1 ? 0 : segments.count, memory.get()},
                             plan.runs};
    launcher.launch({plan.blocks, plan.block_threads, sizeof(typename kernel_type::shared_storage)},
                    kernel_type{segments, device::make_input(first), device::make_output(out), init, op,
                                plan.group_warps, 0, runs});
}

/// Enqueues the reductions of segments by offsets in one kernel, if they are not many or short. Returns whether it has.
template <class T, launcher Launcher, class Segments, class Iterator, class Output, class Op>
bool enqueue_long_offsets(Launcher& launcher, const Segments& segments, Iterator first, Output out, T init, Op op)
{
    using kernel_type = long_segments_kernel<Segments, input_for<Iterator>, T, output_for<Output>, Op>;
    const long_offsets_plan plan = planned(launcher, plan_long_offsets(segments.n, segments.count, kernel_type::chunk,
                                                                       kernel_type::rounds, launcher.gpu()));
    if (plan.blocks == 0)
        return false;
    const auto memory = launcher.zeroed(offset_runs<T>::bytes(plan.boundaries));
    const offset_runs<T> runs{{plan.run_chunks * kernel_type::chunk, plan.boundaries, memory.get()}, plan.block_tasks};
    launcher.launch({plan.blocks + runs.blocks(), plan.block_threads, sizeof(typename kernel_type::shared_storage)},
                    kernel_type{segments, device::make_input(first), device::make_output(out), init, op,
                                plan.group_warps, static_cast<unsigned>(runs.blocks()), runs});
    return true;
}

/// Enqueues the reductions of at least one segment.
template <class T, launcher Launcher, class Segments, class Iterator, class Output, class Op>
void enqueue_segmented_reduce(Launcher& launcher, const Segments& segments, Iterator first, Output out, T init, Op op)
{
    constexpr std::size_t chunk = order::chunk<iter_value_t<Iterator>>;
    if constexpr (!Segments::is_searched)
        if (segments.size > chunk)
            return device::enqueue_long_segments(launcher, segments, first, out, init, op);

    if constexpr (Segments::is_searched)
        if (segments.n > segments.count * chunk &&
            device::enqueue_long_offsets(launcher, segments, first, out, init, op))
            return;

    using small_type = small_segments_kernel<Segments, input_for<Iterator>, T, output_for<Output>, Op>;
    const small_segments_plan small = planned(
        launcher, plan_small_segments(segments.n, segments.count, Segments::is_searched, segments.longest() > chunk,
                                      chunk, small_type::max_chunks, launcher.gpu()));
    if (small.blocks != 0) {
        launcher.launch({small.blocks, small.block_threads, sizeof(typename small_type::shared_storage)},
                        small_type{segments, device::make_input(first), device::make_output(out), init, op,
                                   small.block_segments});
        return;
    }

    if constexpr (Segments::is_searched)
        if (device::enqueue_long_offsets(launcher, segments, first, out, init, op))
            return;

    using kernel_type = segmented_reduce_kernel<Segments, input_for<Iterator>, T, output_for<Output>, Op>;
    using totals_type = typename kernel_type::totals_type;
    const gpu_properties gpu = launcher.gpu();
    const auto shared_bytes = [](std::size_t elements) {
        return sizeof(typename kernel_type::shared_storage) +
               kernel_type::tile_type::shared_bytes(elements, Segments::is_searched);
    };
    std::size_t max_tile = kernel_type::tile;
    while (shared_bytes(max_tile + chunk) > gpu.shared_bytes_per_block)
        max_tile /= 2;
    const segmented_plan plan =
        planned(launcher, plan_segmented(segments.n, segments.count, segments.longest(), chunk, max_tile, gpu));

    const bool has_long = kernel_type::may_be_long && plan.has_long;
    const std::size_t ends_bytes = Segments::is_searched ? aligned_bytes((plan.tiles + 1) * sizeof(tile_end)) : 0;
    const auto scratch = launcher.scratch(ends_bytes + (has_long ? totals_type::bytes(segments.n, plan.tiles) : 0));
    auto* const memory = static_cast<std::byte*>(scratch.get());
    auto* const ends = reinterpret_cast<typename kernel_type::end_type*>(memory);
    const auto totals = has_long ? totals_type::at(memory + ends_bytes, segments.n) : totals_type{};

    if constexpr (Segments::is_searched) {
        using ends_type = segmented_ends_kernel<Segments, chunk>;
        launcher.launch({order::ceil_div(plan.tiles + 1, ends_type::max_threads / 32), ends_type::max_threads, 0},
                        ends_type{segments, plan.tile, plan.tiles + 1, ends, totals.tiles_done});
    }
    launcher.launch({plan.tiles, plan.block_threads, shared_bytes(plan.elements)},
                    kernel_type{segments, device::make_input(first), device::make_output(out), init, op, plan.tile,
                                ends, totals});
}

}  // namespace parprims::detail::device
