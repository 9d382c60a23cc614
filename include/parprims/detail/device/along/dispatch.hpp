/// @file
/// @brief  Dispatch of reductions along dimensions, on any launcher: plan, memory, launch. The arguments have been checked.
#pragma once

#include <parprims/detail/contract/lines.hpp>
#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/contract/segments.hpp>
#include <parprims/detail/device/along/kernel.hpp>
#include <parprims/detail/device/along/operands.hpp>
#include <parprims/detail/device/along/plan.hpp>
#include <parprims/detail/device/along/short_lines.hpp>
#include <parprims/detail/device/along/tuning.hpp>
#include <parprims/detail/device/call/launcher.hpp>
#include <parprims/detail/device/load/input.hpp>
#include <parprims/detail/device/segmented/dispatch.hpp>
#include <parprims/detail/device/store/output.hpp>
#include <parprims/detail/iterator/traits.hpp>
#include <parprims/detail/uninitialized.hpp>
#include <parprims/functional.hpp>
#include <parprims/iterator.hpp>

#include <cstddef>
#include <type_traits>

namespace parprims::detail::device {

/// The lines of a call, and where they lie: from the lowest elements of the input and of the output on.
template <class Iterator, class Output>
struct placed_lines {
    array_lines lines;
    Iterator input;
    std::size_t start;  // offset of the first element
    Output out;
    std::size_t out_start;
};

/// Neighbouring lines that a thread loads at a time: as many as fit registers and a packet.
template <class Input, class T>
inline constexpr unsigned along_items = [] {
    if constexpr (packet_items<Input> == 1 || sizeof(T) > 16) {
        return 1u;
    } else {
        constexpr unsigned items = order::power_of_two_within(16, sizeof(T) < 4 ? 4 : sizeof(T), 4);
        constexpr unsigned most = items < packet_items<Input> ? items : packet_items<Input>;
        return packet_bytes_of<Input>(most) != 0 ? most : 1u;
    }
}();

/// Whether packets of `items` neighbouring lines are aligned, wherever in the array.
template <class Input>
bool has_aligned_lines(const Input& input, const array_lines& array, std::size_t start, unsigned items)
{
    if constexpr (Input::has_source) {
        if (items == 1 || array.line.count > 1 || array.lines.count == 0 || array.lines.stride() != 1)
            return false;
        const auto divides = [&](std::ptrdiff_t stride) { return stride % static_cast<std::ptrdiff_t>(items) == 0; };
        bool holds = device::is_aligned(input.data + start, items * sizeof(typename Input::source_type)) &&
                     divides(static_cast<std::ptrdiff_t>(array.lines.at[array.lines.count - 1].extent)) &&
                     divides(array.line.stride());
        for (unsigned d = 0; d + 1 < array.lines.count; ++d)
            holds = holds && divides(array.lines.at[d].stride);
        return holds;
    } else {
        return false;
    }
}

/// Enqueues the folds of lines that have elements, by one of the kernels.
template <class T, unsigned Items, unsigned Leaf, bool IsStrided, launcher Launcher, class Iterator, class Output,
          class Op, class Lift, class Finish>
void enqueue_line_folds(Launcher& launcher, const placed_lines<Iterator, Output>& at, bool lanes_along_line, Op op,
                        Lift lift, Finish finish)
{
    using kernel_type = along_kernel<input_for<Iterator>, T, Op, Lift, Finish, Items, Leaf, IsStrided>;
    const along_plan plan = device::planned(launcher, plan_along(at.lines.lines.size(), at.lines.line.size(),
                                                                 kernel_type::row, kernel_type::chunk, Items, Leaf,
                                                                 lanes_along_line, sizeof(T), launcher.gpu()));
    const along_partials_count shared = count_partials(plan.shares);
    const auto partials = launcher.scratch(shared.partials * plan.lines * sizeof(T));
    const auto tickets = launcher.zeroed(shared.groups * plan.tiles * sizeof(unsigned));
    launcher.launch({plan.blocks, plan.block_threads,
                     sizeof(typename kernel_type::shared_storage) + plan.shared_values * sizeof(T)},
                    kernel_type{device::make_input(at.input), at.lines, at.start, at.out_start, op, lift, finish, plan,
                                static_cast<uninitialized<T>*>(static_cast<void*>(partials.get())),
                                reinterpret_cast<unsigned*>(tickets.get())});
}

/// Enqueues the folds of lines that have elements.
template <class T, launcher Launcher, class Iterator, class Output, class Op, class Lift, class Finish>
void enqueue_lines(Launcher& launcher, const placed_lines<Iterator, Output>& at, Op op, Lift lift, Finish finish)
{
    using input_type = input_for<Iterator>;
    constexpr unsigned items = along_items<input_type, T>;
    constexpr bool is_large = sizeof(T) > along_large_bytes;
    constexpr unsigned leaf = is_large ? 1 : along_leaf;
    using short_kernel = short_lines_kernel<input_type, T, Op, Lift, Finish>;
    const array_lines& array = at.lines;
    const along_choice choice = device::planned(
        launcher, choose_along(array, sizeof(iter_value_t<Iterator>), items,
                               device::has_aligned_lines(device::make_input(at.input), array, at.start, items),
                               short_kernel::most_elements, launcher.gpu()));
    const bool lanes = choice.lanes_along_line;
    if (choice.is_short) {
        const std::size_t lines = array.lines.size();
        // Not a temporary: g++ 12 with -ftrivial-auto-var-init, as tests of kernels have, clears bytes of it that are no padding.
        const short_kernel kernel{device::make_input(at.input),
                                  array,
                                  at.start,
                                  at.out_start,
                                  op,
                                  lift,
                                  finish,
                                  lines,
                                  static_cast<unsigned>(array.line.size())};
        return launcher.launch({smaller_of(order::ceil_div(lines, along_threads),
                                           max_along_blocks_per_sm * launcher.gpu().multiprocessors),
                                along_threads, sizeof(typename short_kernel::shared_storage)},
                               kernel);
    }
    if constexpr (items > 1)
        if (choice.in_packets)
            return device::enqueue_line_folds<T, items, leaf, true>(launcher, at, lanes, op, lift, finish);
    if (choice.has_wide_columns)
        device::enqueue_line_folds<T, 1, leaf, true>(launcher, at, lanes, op, lift, finish);
    else if (array.line.count <= 1)
        device::enqueue_line_folds<T, 1, 1, true>(launcher, at, lanes, op, lift, finish);
    else
        device::enqueue_line_folds<T, 1, 1, false>(launcher, at, lanes, op, lift, finish);
}

/// Enqueues the assignment of `value` to the results of all lines, at least one.
template <class T, launcher Launcher, class Iterator, class Output>
void enqueue_fill(Launcher& launcher, const placed_lines<Iterator, Output>& at, const T& value)
{
    using kernel_type = fill_lines_kernel<T, output_for<Output>>;
    const std::size_t lines = at.lines.lines.size();
    launcher.launch({smaller_of<std::size_t>(order::ceil_div(lines, along_threads), 8 * launcher.gpu().multiprocessors),
                     along_threads, sizeof(typename kernel_type::shared_storage)},
                    kernel_type{at.lines.lines, lines, at.out_start, device::make_output(at.out), value});
}

/// Which kernels fold the lines: those of segments, or of lines.
struct lines_kernel {
    bool is_of_segments;
};

/// Whether lines are contiguous and follow one another: then they are segments. Short ones are copied with the gaps between them, which
/// should be no larger than lines.
inline bool are_segments(const array_lines& array, std::size_t chunk)
{
    const std::size_t length = array.line.size();
    const std::ptrdiff_t step = array.lines.stride();
    return array.line.count <= 1 && (array.line.stride() == 1 || length == 1) && array.lines.count <= 1 &&
           (array.lines.count == 0 || (step > 0 && static_cast<std::size_t>(step) >= length &&
                                       (length > chunk || static_cast<std::size_t>(step) <= 2 * length)));
}
inline fixed_segments segments_of(const array_lines& array)
{
    const std::size_t length = array.line.size();
    return fixed_segments::lines(array.lines.size(), length,
                                 array.lines.count == 0 ? length : static_cast<std::size_t>(array.lines.stride()));
}

/// Enqueues the reductions of all lines.
template <class T, launcher Launcher, class Iterator, class Output, class Op, class Transform>
void enqueue_reduce_along(Launcher& launcher, const placed_lines<Iterator, Output>& at, const T& init, Op op,
                          Transform transform)
{
    if (at.lines.lines.size() == 0)
        return;
    if (at.lines.line.size() == 0)
        return device::enqueue_fill(launcher, at, init);
    if constexpr (std::is_same_v<Transform, identity>)
        if (device::planned(launcher, lines_kernel{are_segments(at.lines, order::chunk<iter_value_t<Iterator>>)})
                .is_of_segments)
            return device::enqueue_segmented_reduce(
                launcher, segments_of(at.lines), at.input + static_cast<std::ptrdiff_t>(at.start),
                strided_iterator(at.out + static_cast<std::ptrdiff_t>(at.out_start), at.lines.lines.out_stride()), init,
                op);
    device::enqueue_lines<T>(launcher, at, op, lift_operand<T, Transform>{transform},
                             finish_reduction<output_for<Output>, T, Op>{device::make_output(at.out), init, op});
}

}  // namespace parprims::detail::device
