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

/// Calls `use(slot_of)`, where `slot_of(x)` is `axis.slot(x)`.
template <class Axis, class Use>
PARPRIMS_HOST_DEVICE constexpr void with_slot_rule(const Axis& axis, Use use)
{
    use([&axis](const auto& x) { return axis.slot(x); });
}

template <class T, class Use>
PARPRIMS_HOST_DEVICE constexpr void with_slot_rule(const regular_axis<T>& axis, Use use)
{
    detail::axis::rule_access::rule(axis).specialize([&](auto rule) {
        use([rule](const auto& x) {
            const auto sample = detail::axis::convert<T>(x);
            return sample.is_outside ? rule.bins() + sample.flow : rule.slot(sample.value);
        });
    });
}

/// Calls `use(position_of)`, where `position_of(x)` is the `detail::axis::window_position` of `x` among the slots
/// `[first, first + width)`. A sample that the axis does not count may have any position, inside or not.
template <class Axis, class Use>
PARPRIMS_HOST_DEVICE constexpr void with_window_rule(const Axis& axis, std::uint32_t first, std::uint32_t width,
                                                     Use use)
{
    const auto slot_of = [&axis](const auto& x) { return axis.slot(x); };
    use(slot_window<decltype(slot_of)>{slot_of, first, width});
}

/// Edges ascend, so the bins of a window are an interval of samples: to compare with its ends costs less than to compute the
/// bin of each sample and to compare that.
template <class T, class Use>
PARPRIMS_HOST_DEVICE constexpr void with_window_rule(const regular_axis<T>& axis, std::uint32_t first,
                                                     std::uint32_t width, Use use)
{
    const auto& rule = detail::axis::rule_access::rule(axis);
    if (!axis.has_flow() && rule.has_window()) {
        rule.with_window(first, width, [&](auto window) {
            use([window](const auto& x) {
                const auto sample = detail::axis::convert<T>(x);
                const detail::axis::window_position position = window(sample.value);
                return detail::axis::window_position{!sample.is_outside && position.inside, position.offset};
            });
        });
    } else {
        const auto slot_of = [&axis](const auto& x) { return axis.slot(x); };
        use(slot_window<decltype(slot_of)>{slot_of, first, width});
    }
}

/// Calls `use(find)`, where `find(x)` is the slot of `x` as 32 bits, or its `detail::axis::window_position` among all slots.
template <class Axis, class Use>
PARPRIMS_HOST_DEVICE constexpr void with_counting_rule(const Axis& axis, Use use)
{
    with_slot_rule(axis, [&](auto slot_of) {
        use([slot_of](const auto& x) { return static_cast<std::uint32_t>(slot_of(x)); });
    });
}

/// With floating-point bounds, to compare a sample with both ends costs less than to tell why it is in no bin.
template <class T, class Use>
    requires std::is_floating_point_v<T>
PARPRIMS_HOST_DEVICE constexpr void with_counting_rule(const regular_axis<T>& axis, Use use)
{
    with_window_rule(axis, 0, static_cast<std::uint32_t>(axis.bins() + detail::axis::flow_slots), use);
}

/// The position of a sample among the slots of one axis of a product, by the axis.
template <class Axis>
struct position_by_slot {
    const Axis& axis;

    template <class X>
    PARPRIMS_HOST_DEVICE constexpr detail::axis::window_position operator()(const X& x) const
    {
        const auto slot = static_cast<std::uint32_t>(axis.slot(x));
        return {slot < static_cast<std::uint32_t>(axis.extent()), slot};
    }
};

/// The same for the bins of a regular_axis that has a window.
template <class T>
struct position_by_window {
    decltype(detail::axis::rule_access::rule(std::declval<const regular_axis<T>&>()).window(0, 0)) window;

    template <class X>
    PARPRIMS_HOST_DEVICE constexpr detail::axis::window_position operator()(const X& x) const
    {
        const auto sample = detail::axis::convert<T>(x);
        const detail::axis::window_position position = window(sample.value);
        return {!sample.is_outside && position.inside, position.offset};
    }
};

/// The rule of an axis of a product, where its fast one holds (`has_fast_position`) and where it may not.
template <class Axis>
PARPRIMS_HOST_DEVICE constexpr bool has_fast_position(const Axis&)
{
    return true;
}
template <class T>
PARPRIMS_HOST_DEVICE constexpr bool has_fast_position(const regular_axis<T>& axis)
{
    return !axis.has_flow() && detail::axis::rule_access::rule(axis).has_window();
}
template <bool IsFast, class Axis>
PARPRIMS_HOST_DEVICE constexpr position_by_slot<Axis> position_rule(const Axis& axis)
{
    return {axis};
}
template <bool IsFast, class T>
    requires IsFast
PARPRIMS_HOST_DEVICE constexpr position_by_window<T> position_rule(const regular_axis<T>& axis)
{
    return {detail::axis::rule_access::rule(axis).window(0, static_cast<std::uint32_t>(axis.bins()))};
}

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
        (append(get<I>(rules)(get<I>(x)), get<I>(extents)), ...);
        return all;
    }
};

/// Calls `use(position_of)`, where `position_of(x)` is the position of `x` among all slots. Two rules, not one for each combination
/// of the axes' rules: those would be compiled 81 times for four axes.
template <class... Axes, class Use>
PARPRIMS_HOST_DEVICE constexpr void with_position_rule(const product_axis<Axes...>& axis, Use use)
{
    [&]<std::size_t... I>(std::index_sequence<I...>) {
        const tuple<decltype(sizeof(Axes))...> extents(axis.template axis<I>().extent()...);
        constexpr bool is_one_rule =
            (std::is_same_v<decltype(position_rule<true>(axis.template axis<I>())), position_by_slot<Axes>> && ...);
        if (!is_one_rule && (has_fast_position(axis.template axis<I>()) && ...))
            use(product_position<decltype(position_rule<true>(axis.template axis<I>()))...>{
                {position_rule<true>(axis.template axis<I>())...}, extents});
        else
            use(product_position<position_by_slot<Axes>...>{{position_rule<false>(axis.template axis<I>())...},
                                                            extents});
    }(std::index_sequence_for<Axes...>{});
}

template <class... Axes, class Use>
PARPRIMS_HOST_DEVICE constexpr void with_slot_rule(const product_axis<Axes...>& axis, Use use)
{
    const auto dropped = static_cast<std::uint32_t>(axis.bins());
    with_position_rule(axis, [&](auto position_of) {
        use([position_of, dropped](const auto& x) {
            const detail::axis::window_position position = position_of(x);
            return position.inside ? position.offset : dropped;
        });
    });
}

template <class... Axes, class Use>
PARPRIMS_HOST_DEVICE constexpr void with_window_rule(const product_axis<Axes...>& axis, std::uint32_t first,
                                                     std::uint32_t width, Use use)
{
    with_position_rule(axis, [&](auto position_of) {
        use([position_of, first, width](const auto& x) {
            const detail::axis::window_position position = position_of(x);
            const std::uint32_t offset = position.offset - first;
            return detail::axis::window_position{position.inside && offset < width, offset};
        });
    });
}

template <class... Axes, class Use>
PARPRIMS_HOST_DEVICE constexpr void with_counting_rule(const product_axis<Axes...>& axis, Use use)
{
    with_position_rule(axis, use);
}

}  // namespace parprims::detail::device
