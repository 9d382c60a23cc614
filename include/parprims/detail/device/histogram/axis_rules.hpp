/// @file
/// @brief  The fastest functions that tell the slot of a sample of an axis. The bounds of a regular_axis decide at run time
///         which that is, so all functions here call `use` with the one that they choose.
#pragma once

#include <parprims/axis.hpp>
#include <parprims/config.hpp>
#include <parprims/detail/axis/base.hpp>
#include <parprims/detail/axis/sample.hpp>
#include <parprims/product_axis.hpp>
#include <parprims/tuple.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace parprims::detail::device {

/// The position of a sample in the window `[first, first + width)` of the slots, by a function that tells its slot.
template <class SlotOf>
struct slot_window {
    SlotOf slot_of;
    std::uint32_t first;
    std::uint32_t width;

    template <class X>
    PARPRIMS_HOST_DEVICE constexpr detail::axis::window_position operator()(const X& x) const
    {
        const std::uint32_t offset = static_cast<std::uint32_t>(slot_of(x)) - first;
        return {offset < width, offset};
    }
};

/// Calls `use(slot_of)`, where `slot_of(x)` is `axis.slot(x)` of an X.
template <class X, class Axis, class Use>
PARPRIMS_HOST_DEVICE constexpr void with_slot_rule(const Axis& axis, Use use)
{
    use([&axis](const auto& x) { return axis.slot(x); });
}

template <class X, class T, class Use>
PARPRIMS_HOST_DEVICE constexpr void with_slot_rule(const regular_axis<T>& axis, Use use)
{
    detail::axis::rule_access::rule(axis).template specialize<X>(
        [&](auto rule) { use([rule](const auto& x) { return detail::axis::slot_of<T>(rule, x); }); });
}

/// Calls `use(position_of)`, where `position_of(x)` is the `detail::axis::window_position` of `x` among the slots
/// `[first, first + width)`. A sample that the axis does not count may have any position, inside or not.
template <class X, class Axis, class Use>
PARPRIMS_HOST_DEVICE constexpr void with_window_rule(const Axis& axis, std::uint32_t first, std::uint32_t width,
                                                     Use use)
{
    const auto slot_of = [&axis](const auto& x) { return axis.slot(x); };
    use(slot_window<decltype(slot_of)>{slot_of, first, width});
}

/// The position of a sample of any type, by a window of an axis of `T`.
template <class T, class Window>
struct window_rule {
    Window window;

    template <class X>
    PARPRIMS_HOST_DEVICE constexpr detail::axis::window_position operator()(const X& x) const
    {
        const auto sample = detail::axis::convert<T>(x);
        const detail::axis::window_position position = window(sample.value);
        return {!sample.is_outside && position.inside, position.offset};
    }
};

/// Edges ascend, so the bins of a window are an interval of samples: to compare with its ends costs less than to compute the
/// bin of each sample and to compare that.
template <class X, class T, class Use>
PARPRIMS_HOST_DEVICE constexpr void with_window_rule(const regular_axis<T>& axis, std::uint32_t first,
                                                     std::uint32_t width, Use use)
{
    const auto& rule = detail::axis::rule_access::rule(axis);
    if (!axis.has_flow() && rule.has_window() && rule.template takes_floor<X>()) {
        rule.with_window(first, width, [&](auto window) { use(window_rule<T, decltype(window)>{window}); });
    } else {
        const auto slot_of = [&axis](const auto& x) { return axis.slot(x); };
        use(slot_window<decltype(slot_of)>{slot_of, first, width});
    }
}

/// Calls `use(find)`, where `find(x)` is the slot of `x` as 32 bits, or its `detail::axis::window_position` among all slots.
template <class X, class Axis, class Use>
PARPRIMS_HOST_DEVICE constexpr void with_counting_rule(const Axis& axis, Use use)
{
    device::with_slot_rule<X>(axis, [&](auto slot_of) {
        use([slot_of](const auto& x) { return static_cast<std::uint32_t>(slot_of(x)); });
    });
}

/// With floating-point bounds, to compare a sample with both ends costs less than to tell why it is in no bin.
template <class X, class T, class Use>
    requires std::is_floating_point_v<T>
PARPRIMS_HOST_DEVICE constexpr void with_counting_rule(const regular_axis<T>& axis, Use use)
{
    device::with_window_rule<X>(axis, 0, static_cast<std::uint32_t>(axis.bins() + detail::axis::flow_slots), use);
}

/// How a dimension of a product finds the position of a sample among its slots. This is the rule for any axis.
template <class Axis>
struct slot_position {
    const Axis& axis;

    template <class X>
    PARPRIMS_HOST_DEVICE constexpr detail::axis::window_position operator()(const X& x) const
    {
        const auto slot = static_cast<std::uint32_t>(axis.slot(x));
        return {slot < static_cast<std::uint32_t>(axis.extent()), slot};
    }
};

template <class X>
concept is_byte = sizeof(X) == 1 && std::is_integral_v<X>;
/// The axes that have a rule for bytes.
template <class Axis>
concept counts_bytes = std::is_same_v<Axis, regular_axis<int>> || std::is_same_v<Axis, integer_axis<int>>;

/// The faster rule of a dimension with samples X: `holds(axis)` tells whether the axis has one, and `of(axis)` makes it.
template <class X, class Axis>
struct fast_position {
    PARPRIMS_HOST_DEVICE static constexpr bool holds(const Axis&) { return true; }
    PARPRIMS_HOST_DEVICE static constexpr slot_position<Axis> of(const Axis& axis) { return {axis}; }
};
template <class X, class T>
    requires(!(is_byte<X> && counts_bytes<regular_axis<T>>))
struct fast_position<X, regular_axis<T>> {
    PARPRIMS_HOST_DEVICE static constexpr bool holds(const regular_axis<T>& axis)
    {
        const auto& rule = detail::axis::rule_access::rule(axis);
        return !axis.has_flow() && rule.is_linear() && rule.template takes_floor<X>();
    }
    PARPRIMS_HOST_DEVICE static constexpr auto of(const regular_axis<T>& axis)
    {
        const auto window = detail::axis::rule_access::rule(axis).linear();
        return window_rule<T, std::remove_const_t<decltype(window)>>{window};
    }
};
template <is_byte X, counts_bytes Axis>
struct fast_position<X, Axis> {
    PARPRIMS_HOST_DEVICE static constexpr bool holds(const Axis& axis)
    {
        return !axis.has_flow() && detail::axis::byte_window::exists(axis.edge(0), range(axis), axis.bins());
    }
    PARPRIMS_HOST_DEVICE static constexpr detail::axis::byte_window of(const Axis& axis)
    {
        return detail::axis::byte_window::of(axis.edge(0), range(axis), axis.bins());
    }

private:
    PARPRIMS_HOST_DEVICE static constexpr std::uint64_t range(const Axis& axis)
    {
        return static_cast<std::uint64_t>(std::int64_t{axis.edge(axis.bins())} - axis.edge(0));
    }
};

/// The position of a tuple among the slots of a product of axes.
template <class... Rules>
struct product_position {
    tuple<Rules...> rules;
    tuple<decltype(sizeof(Rules))...> extents;

    template <class Sample>
    PARPRIMS_HOST_DEVICE constexpr detail::axis::window_position operator()(const Sample& x) const
    {
        return combine(x, std::index_sequence_for<Rules...>{});
    }

private:
    template <class Sample, std::size_t... I>
    PARPRIMS_HOST_DEVICE constexpr detail::axis::window_position combine(const Sample& x,
                                                                         std::index_sequence<I...>) const
    {
        detail::axis::window_position all{true, 0};
        const auto append = [&all](detail::axis::window_position of, std::size_t extent) {
            all = {all.inside && of.inside, all.offset * static_cast<std::uint32_t>(extent) + of.offset};
        };
        (append(parprims::get<I>(rules)(parprims::get<I>(x)), parprims::get<I>(extents)), ...);
        return all;
    }
};

/// Calls `use(position_of)`, where `position_of(x)` is the position of `x` among all slots: by the faster rules if all dimensions
/// have theirs. One rule for each combination would be compiled 16 times for four axes.
template <class Sample, class... Axes, class Use>
PARPRIMS_HOST_DEVICE constexpr void with_position_rule(const product_axis<Axes...>& axis, Use use)
{
    [&]<class... Xs, std::size_t... I>(std::type_identity<tuple<Xs...>>, std::index_sequence<I...>) {
        using slow_rule = product_position<slot_position<Axes>...>;
        using fast_rule = product_position<decltype(fast_position<Xs, Axes>::of(axis.template axis<I>()))...>;
        const tuple<decltype(sizeof(Axes))...> extents(axis.template axis<I>().extent()...);
        if constexpr (!std::is_same_v<slow_rule, fast_rule>)
            if ((fast_position<Xs, Axes>::holds(axis.template axis<I>()) && ...))
                return use(fast_rule{{fast_position<Xs, Axes>::of(axis.template axis<I>())...}, extents});
        use(slow_rule{{slot_position<Axes>{axis.template axis<I>()}...}, extents});
    }(std::type_identity<Sample>{}, std::index_sequence_for<Axes...>{});
}

/// A sample that an axis drops has the slot behind all others.
template <class Sample, class... Axes, class Use>
PARPRIMS_HOST_DEVICE constexpr void with_slot_rule(const product_axis<Axes...>& axis, Use use)
{
    const auto dropped = static_cast<std::uint32_t>(axis.bins());
    device::with_position_rule<Sample>(axis, [&](const auto& position_of) {
        use([position_of, dropped](const auto& x) {
            const detail::axis::window_position position = position_of(x);
            return position.inside ? position.offset : dropped;
        });
    });
}
template <class Sample, class... Axes, class Use>
PARPRIMS_HOST_DEVICE constexpr void with_counting_rule(const product_axis<Axes...>& axis, Use use)
{
    device::with_slot_rule<Sample>(axis, use);
}

template <class Sample, class... Axes, class Use>
PARPRIMS_HOST_DEVICE constexpr void with_window_rule(const product_axis<Axes...>& axis, std::uint32_t first,
                                                     std::uint32_t width, Use use)
{
    device::with_position_rule<Sample>(axis, [&](const auto& position_of) {
        use([position_of, first, width](const auto& x) {
            const detail::axis::window_position position = position_of(x);
            const std::uint32_t offset = position.offset - first;
            return detail::axis::window_position{position.inside && offset < width, offset};
        });
    });
}

}  // namespace parprims::detail::device
