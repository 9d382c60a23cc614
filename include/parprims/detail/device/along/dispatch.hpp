/// @file
/// @brief  Dispatch of reductions along dimensions, on any launcher: plan, memory, launch. The arguments have been checked.
#pragma once

#include <parprims/detail/contract/lines.hpp>
#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/device/along/kernel.hpp>
#include <parprims/detail/device/along/plan.hpp>
#include <parprims/detail/device/along/tuning.hpp>
#include <parprims/detail/device/call/launcher.hpp>
#include <parprims/detail/device/load/input.hpp>
#include <parprims/detail/device/store/output.hpp>
#include <parprims/detail/iterator/traits.hpp>
#include <parprims/detail/uninitialized.hpp>

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

/// Enqueues the folds of lines that have elements.
template <class T, launcher Launcher, class Iterator, class Output, class Op, class Lift, class Finish>
void enqueue_lines(Launcher& launcher, const placed_lines<Iterator, Output>& at, Op op, Lift lift, Finish finish)
{
    using input_type = input_for<Iterator>;
    constexpr unsigned most_items = along_items<input_type, T>;
    const array_lines& array = at.lines;
    const auto input = device::make_input(at.input);
    const along_choice choice =
        device::planned(launcher, choose_along(array, sizeof(iter_value_t<Iterator>), most_items,
                                               device::has_aligned_lines(input, array, at.start, most_items)));

    const auto launch = [&]<unsigned Items, unsigned Leaf, bool IsStrided>(std::integral_constant<unsigned, Items>,
                                                                           std::integral_constant<unsigned, Leaf>,
                                                                           std::bool_constant<IsStrided>) {
        using kernel_type = along_kernel<input_type, T, Op, Lift, Finish, Items, Leaf, IsStrided>;
        const along_plan plan = device::planned(
            launcher, plan_along(array.lines.size(), array.line.size(), kernel_type::row, kernel_type::chunk, Items,
                                 Leaf, choice.lanes_along_line, sizeof(T), launcher.gpu()));
        const bool is_shared = plan.shares > 1;
        const auto partials = launcher.scratch(is_shared ? plan.shares * plan.lines * sizeof(T) : 0);
        const auto tickets = launcher.zeroed(is_shared ? plan.tiles * sizeof(unsigned) : 0);
        launcher.launch({plan.blocks, plan.block_threads,
                         sizeof(typename kernel_type::shared_storage) + plan.shared_values * sizeof(T)},
                        kernel_type{input, array, at.start, at.out_start, op, lift, finish, plan,
                                    static_cast<uninitialized<T>*>(static_cast<void*>(partials.get())),
                                    reinterpret_cast<unsigned*>(tickets.get())});
    };
    using one = std::integral_constant<unsigned, 1>;
    using leaf = std::integral_constant<unsigned, (sizeof(T) <= along_large_bytes ? along_leaf : 1)>;
    if constexpr (most_items > 1)
        if (choice.in_packets)
            return launch(std::integral_constant<unsigned, most_items>{}, leaf{}, std::true_type{});
    if (choice.has_wide_columns)
        launch(one{}, leaf{}, std::true_type{});
    else if (array.line.count <= 1)
        launch(one{}, one{}, std::true_type{});
    else
        launch(one{}, one{}, std::false_type{});
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

/// Enqueues the reductions of all lines.
template <class T, launcher Launcher, class Iterator, class Output, class Op, class Transform>
void enqueue_reduce_along(Launcher& launcher, const placed_lines<Iterator, Output>& at, const T& init, Op op,
                          Transform transform)
{
    if (at.lines.lines.size() == 0)
        return;
    if (at.lines.line.size() == 0)
        return device::enqueue_fill(launcher, at, init);
    device::enqueue_lines<T>(launcher, at, op, lift_operand<T, Transform>{transform},
                             finish_reduction<output_for<Output>, T, Op>{device::make_output(at.out), init, op});
}

}  // namespace parprims::detail::device
