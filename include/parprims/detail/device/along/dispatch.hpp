/// @file
/// @brief  Dispatch of reductions along dimensions, on any launcher: plan, memory, launch. The arguments have been checked.
#pragma once

#include <parprims/detail/contract/lines.hpp>
#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/contract/segments.hpp>
#include <parprims/detail/device/along/kernel.hpp>
#include <parprims/detail/device/along/packets.hpp>
#include <parprims/detail/device/along/plan.hpp>
#include <parprims/detail/device/along/results.hpp>
#include <parprims/detail/device/along/short_lines.hpp>
#include <parprims/detail/device/along/tuning.hpp>
#include <parprims/detail/device/along/units.hpp>
#include <parprims/detail/device/call/launcher.hpp>
#include <parprims/detail/device/load/input.hpp>
#include <parprims/detail/device/segmented/dispatch.hpp>
#include <parprims/detail/device/segmented/serial_tree.hpp>
#include <parprims/detail/device/store/output.hpp>
#include <parprims/detail/iterator/lines.hpp>
#include <parprims/detail/iterator/traits.hpp>
#include <parprims/detail/numeric/integers.hpp>
#include <parprims/detail/uninitialized.hpp>
#include <parprims/functional.hpp>
#include <parprims/iterator.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>

namespace parprims::detail::device {

/// The lines of a call. `input` and `out` point to the elements of the lowest addresses.
template <class Iterator, class Output>
struct placed_lines {
    array_lines lines;
    Iterator input;
    std::size_t start;  // offset of the first element from `input`
    Output out;
    std::size_t out_start;
};

/// The number of elements from the lowest to the highest address of the array.
inline std::size_t reach_of(const array_lines& array, std::size_t start)
{
    std::size_t reach = start + 1;
    for (const dimension_list* list : {&array.line, &array.lines})
        for (unsigned d = 0; d < list->count; ++d)
            if (list->at[d].stride > 0)
                reach += (list->at[d].extent - 1) * static_cast<std::size_t>(list->at[d].stride);
    return reach;
}

/// Enqueues the folds of lines that have elements, in units of `Items` elements.
template <class T, unsigned Items, along_way Way, launcher Launcher, class Array, class Op, class Finish>
void enqueue_units(Launcher& launcher, const Array& array, std::size_t out_start, const along_shape& shape, Op op,
                   Finish finish)
{
    using kernel_type = along_kernel<Array, T, Op, Finish, Items, Way>;
    const along_plan plan = device::planned(launcher, plan_along(shape, launcher.gpu()));
    const along_partials_count shared = count_partials(plan);
    const auto partials = launcher.scratch(shared.partials * plan.shape.lines * sizeof(T));
    const auto tickets = launcher.zeroed(shared.groups * plan.tiles * sizeof(unsigned));
    // Not a temporary: g++ 12 with -ftrivial-auto-var-init, as tests of kernels have, clears bytes of it that are no padding.
    const kernel_type kernel{
        array, out_start,
        op,    finish,
        plan,  {reinterpret_cast<uninitialized<T>*>(partials.get()), reinterpret_cast<unsigned*>(tickets.get())}};
    launcher.launch({plan.blocks, plan.block_threads,
                     sizeof(typename kernel_type::shared_storage) + plan.shared_values * sizeof(T)},
                    kernel);
}

/// Enqueues the folds of short lines: a thread folds `Lines` neighbouring lines.
template <class T, unsigned Lines, launcher Launcher, class Array, class Op, class Finish>
void enqueue_short_lines(Launcher& launcher, const Array& array, std::size_t out_start, Op op, Finish finish,
                         bool in_packets)
{
    using kernel_type = short_lines_kernel<Array, T, Op, Finish, Lines>;
    const short_lines_plan plan =
        device::planned(launcher, plan_short_lines(array.lines, kernel_type::few_lines, Lines, launcher.gpu()));
    const kernel_type kernel{array,     out_start, op, finish, plan, static_cast<unsigned>(array.lines.line.size()),
                             in_packets};
    const std::size_t most_blocks =
        plan.thread_lines > 1 ? max_few_lines_blocks : max_along_blocks_per_sm * launcher.gpu().multiprocessors;
    launcher.launch({smaller_of(plan.tiles, most_blocks), plan.block_threads,
                     sizeof(typename kernel_type::shared_storage)},
                    kernel);
}

/// The array of a call, whose lines have chunks of `Row` positions.
template <class Operand, unsigned Row, class Iterator, class Output, class Transform>
auto array_of(const placed_lines<Iterator, Output>& at, Transform transform)
{
    const along_array<input_for<Iterator>, Operand, Transform, Row> array{
        device::make_input(at.input),
        at.lines,
        at.start,
        reach_of(at.lines, at.start),
        static_cast<std::size_t>(at.lines.line.stride()),
        row_steps(at.lines.line, Row),
        transform};  // not a temporary, as in `enqueue_units`
    return array;
}

/// Enqueues the folds of lines by leaves if that is planned, and returns whether it is. `Lines`: neighbours in a packet, or 1.
template <class T, unsigned Lines, launcher Launcher, class Array, class Op, class Finish>
bool enqueue_leaves(Launcher& launcher, const Array& array, std::size_t out_start, Op op, Finish finish)
{
    static_assert(along_sector_lines % Lines == 0);  // so tiles have whole packets
    const along_shape shape{.lines = array.lines.lines.size(),
                            .length = array.lines.line.size(),
                            .row = Array::row,
                            .chunk = Array::chunk,
                            .value_bytes = sizeof(T),
                            .group_lines = array.lines.lines.neighbours(),
                            .are_dense = false,
                            .are_aligned = true,
                            .items = Lines,
                            .leaf_positions = leaf_items,
                            .lanes_along_line = false};
    using value_type = typename Array::value_type;
    constexpr std::size_t bytes = larger_of(sizeof(value_type), sizeof(typename Array::element_type));
    const along_leaves chosen = choose_leaves(shape, bytes, along_longest_whole<value_type, T>, launcher.gpu());
    const bool are_folded = device::planned(launcher, chosen).are_folded;
    if (are_folded)
        device::enqueue_units<T, Lines, along_way::leaves>(launcher, array, out_start, shape, op, finish);
    return are_folded;
}

/// Enqueues the folds of lines next to each other by leaves if that is planned, and returns whether it is.
template <class T, class Operand, launcher Launcher, class Iterator, class Output, class Op, class Transform,
          class Finish>
bool enqueue_columns(Launcher& launcher, const placed_lines<Iterator, Output>& at, Op op, Transform transform,
                     Finish finish)
{
    using value_type = iter_value_t<Iterator>;
    constexpr unsigned packet_lines = along_leaf_lines<input_for<Iterator>, T>;
    if (at.lines.line.count > 1 || lanes_go_along_line(at.lines))
        return false;
    const auto array = device::array_of<Operand, order::row<value_type>>(at, transform);
    if constexpr (packet_lines > 1)
        if (device::are_in_packets(array.input, at.lines, at.start, packet_lines))
            return device::enqueue_leaves<T, packet_lines>(launcher, array, at.out_start, op, finish);
    // A thread has eight elements in registers, and eight totals or one extreme; larger ones would not fit.
    if constexpr (sizeof(value_type) <= 16 && (is_located<T> || sizeof(T) <= 16))
        return device::enqueue_leaves<T, 1>(launcher, array, at.out_start, op, finish);
    else
        return false;
}

/// Enqueues the folds of lines that have elements. `transform` turns elements into operands.
template <class T, class Operand, launcher Launcher, class Iterator, class Output, class Op, class Transform,
          class Finish>
void enqueue_lines(Launcher& launcher, const placed_lines<Iterator, Output>& at, Op op, Transform transform,
                   Finish finish)
{
    if (device::enqueue_columns<T, Operand>(launcher, at, op, transform, finish))
        return;
    using value_type = iter_value_t<Iterator>;
    constexpr unsigned row = along_row<value_type, T>;
    constexpr unsigned items = along_items<input_for<Iterator>, T>;
    const auto array = device::array_of<Operand, row>(at, transform);
    bool has_run_packets = false;
    if constexpr (items > 1)
        has_run_packets = device::have_run_packets(array.input, at.lines, at.start, items);
    const along_choice choice = device::planned(
        launcher, choose_along(at.lines, items, has_run_packets, along_longest_whole<value_type, T>, launcher.gpu()));
    if (choice.is_short) {
        constexpr unsigned packet_lines = along_packet_lines<input_for<Iterator>, T>;
        if constexpr (packet_lines > 1) {
            const bool in_packets = device::are_in_packets(array.input, at.lines, at.start, packet_lines);
            if (choice.folds_neighbours && (in_packets || packet_lines <= along_single_lines))
                return device::enqueue_short_lines<T, packet_lines>(launcher, array, at.out_start, op, finish,
                                                                    in_packets);
        }
        return device::enqueue_short_lines<T, 1>(launcher, array, at.out_start, op, finish, false);
    }
    const std::size_t lines = at.lines.lines.size();
    along_shape shape{.lines = lines,
                      .length = at.lines.line.size(),
                      .row = row,
                      .chunk = array.chunk,
                      .value_bytes = sizeof(T),
                      .group_lines = lines,
                      .are_dense = false,
                      .are_aligned = false,
                      .items = 1,
                      .leaf_positions = 1,
                      .lanes_along_line = choice.lanes_along_line};
    if constexpr (items > 1) {
        if (choice.in_run_packets || choice.in_packets) {
            shape.items = items;
            if (choice.in_run_packets) {
                shape.group_lines = 1;
                shape.are_dense = shape.are_aligned = true;
            } else {
                shape.group_lines = at.lines.lines.neighbours();
                shape.are_dense = at.lines.line.stride() == static_cast<std::ptrdiff_t>(shape.group_lines);
                shape.are_aligned =
                    device::have_aligned_groups(array.input, at.lines, at.start, shape.are_dense, items);
                if constexpr (!is_narrow_element<value_type> && items * sizeof(T) <= 32)
                    if (device::planned(launcher, choose_depth(shape, launcher.gpu())).is_deep)
                        return device::enqueue_units<T, items, along_way::deep>(launcher, array, at.out_start, shape,
                                                                                op, finish);
            }
            return device::enqueue_units<T, items, along_way::positions>(launcher, array, at.out_start, shape, op,
                                                                         finish);
        }
    }
    device::enqueue_units<T, 1, along_way::positions>(launcher, array, at.out_start, shape, op, finish);
}

/// Enqueues the assignment of `value` to the results of all lines, at least one.
template <class T, launcher Launcher, class Iterator, class Output>
void enqueue_fill(Launcher& launcher, const placed_lines<Iterator, Output>& at, const T& value)
{
    using kernel_type = fill_lines_kernel<T, output_for<Output>>;
    const std::size_t lines = at.lines.lines.size();
    const kernel_type kernel{at.lines.lines, lines, at.out_start, device::make_output(at.out), value};
    launcher.launch({smaller_of<std::size_t>(order::ceil_div(lines, along_threads), 8 * launcher.gpu().multiprocessors),
                     along_threads, sizeof(typename kernel_type::shared_storage)},
                    kernel);  // not a temporary, as in `enqueue_units`
}

/// Which kernels fold the lines: those of segments, or of lines.
struct lines_kernel {
    bool is_of_segments;
};

inline fixed_segments segments_of(const array_lines& array)
{
    return fixed_segments::lines(array.lines.size(), array.line.size(), array.row_step());
}

/// Whether the lines, of which the first begins at `first`, are rows for the kernels of segmented reductions. A warp folds a row behind which a
/// gap is longer, if tiles do not leave that gap out, so such rows must not be too short.
template <class Iterator>
bool are_segments(Iterator first, const array_lines& array)
{
    if (!array.are_rows())
        return false;
    const fixed_segments segments = segments_of(array);
    return segments.length >= min_far_segment || !segments.are_far_apart() ||
           device::skips_gaps(device::make_input(first), segments);
}

/// Whether segments of the transformed elements have the bits of lines: rows of the order contract are those of the elements, whose size
/// decides, but segments know the transformed ones only.
template <class Iterator, class Transform>
inline constexpr bool has_segments = [] {
    using value_type = iter_value_t<decltype(detail::transformed(std::declval<Iterator>(), std::declval<Transform>()))>;
    return std::is_trivially_copyable_v<value_type> && sizeof(value_type) == sizeof(iter_value_t<Iterator>);
}();

/// Enqueues the reductions of all lines.
template <class T, launcher Launcher, class Iterator, class Output, class Op, class Transform>
void enqueue_reduce_along(Launcher& launcher, const placed_lines<Iterator, Output>& at, const T& init, Op op,
                          Transform transform)
{
    if (at.lines.lines.size() == 0)
        return;
    if (at.lines.line.size() == 0)
        return device::enqueue_fill(launcher, at, init);
    if constexpr (has_segments<Iterator, Transform>) {
        const auto first = detail::transformed(at.input + static_cast<std::ptrdiff_t>(at.start), transform);
        if (device::planned(launcher, lines_kernel{device::are_segments(first, at.lines)}).is_of_segments)
            return device::enqueue_segmented_reduce(launcher, segments_of(at.lines), first,
                                                    strided_iterator(at.out + static_cast<std::ptrdiff_t>(at.out_start),
                                                                     at.lines.lines.out_stride()),
                                                    init, op);
    }
    device::enqueue_lines<T, T>(launcher, at, op, transform,
                                finish_reduction<output_for<Output>, T, Op>{device::make_output(at.out), init, op});
}

}  // namespace parprims::detail::device
