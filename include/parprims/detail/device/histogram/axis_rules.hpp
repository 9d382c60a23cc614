/// @file
/// @brief  How a kernel finds the counter of a sample: by the axis's `slot`, or by a faster rule for its type of samples.
#pragma once

#include <parprims/axis.hpp>
#include <parprims/config.hpp>
#include <parprims/detail/axis/base.hpp>
#include <parprims/detail/axis/edge_cells.hpp>
#include <parprims/detail/axis/sample.hpp>
#include <parprims/product_axis.hpp>
#include <parprims/tuple.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace parprims::detail::device {

/// The position of a sample among the slots of any axis.
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

/// The position of a sample of any type, by a rule for samples of type T.
template <class T, class Rule>
struct converted_position {
    Rule rule;

    template <class X>
    PARPRIMS_HOST_DEVICE constexpr detail::axis::window_position operator()(const X& x) const
    {
        const auto sample = detail::axis::convert<T>(x);
        const detail::axis::window_position position = rule(sample.value);
        return {!sample.is_outside && position.inside, position.offset};
    }
};

/// The faster rule for samples X of an axis: `exists(axis)` tells whether it serves this axis, and `of(axis)` is the rule. Those of
/// regular_axis and integer_axis serve no axis with flow. Axes of other kinds have no faster rule.
template <class X, class Axis>
struct fast_rule {
    static constexpr bool is_faster = false;
    PARPRIMS_HOST_DEVICE static constexpr bool exists(const Axis&) { return true; }
    PARPRIMS_HOST_DEVICE static constexpr slot_position<Axis> of(const Axis& axis) { return {axis}; }
};

/// Bins between floating-point numbers, if one edge decides.
template <class X, std::floating_point T>
struct fast_rule<X, regular_axis<T>> {
    static constexpr bool is_faster = true;
    PARPRIMS_HOST_DEVICE static constexpr bool exists(const regular_axis<T>& axis)
    {
        return !axis.has_flow() && detail::axis::rule_access::rule(axis).has_nearest();
    }
    PARPRIMS_HOST_DEVICE static constexpr auto of(const regular_axis<T>& axis)
    {
        using bins = detail::axis::nearest_bins<T>;
        return converted_position<T, bins>{detail::axis::rule_access::rule(axis).nearest_of_all()};
    }
};

/// Integers in bins between integers of at most 32 bits.
template <class X, std::integral T>
    requires(sizeof(T) <= 4 && !detail::axis::lies_between_integers<X>)
struct fast_rule<X, regular_axis<T>> {
    static constexpr bool is_faster = true;
    PARPRIMS_HOST_DEVICE static constexpr bool exists(const regular_axis<T>& axis)
    {
        return !axis.has_flow() && detail::axis::rule_access::rule(axis).has_narrow();
    }
    PARPRIMS_HOST_DEVICE static constexpr auto of(const regular_axis<T>& axis)
    {
        using bins = detail::axis::narrow_bins<T>;
        return converted_position<T, bins>{detail::axis::rule_access::rule(axis).narrow()};
    }
};

template <class X>
concept is_byte = sizeof(X) == 1 && std::is_integral_v<X>;

/// Bytes in at most 256 bins between integers.
template <is_byte X>
struct fast_rule<X, regular_axis<int>> {
    using bins = detail::axis::byte_bins;
    static constexpr bool is_faster = true;
    PARPRIMS_HOST_DEVICE static constexpr bool exists(const regular_axis<int>& axis)
    {
        const auto& rule = detail::axis::rule_access::rule(axis);
        return !axis.has_flow() && bins::exists(rule.lower(), rule.range(), rule.bins());
    }
    PARPRIMS_HOST_DEVICE static constexpr bins of(const regular_axis<int>& axis)
    {
        const auto& rule = detail::axis::rule_access::rule(axis);
        return bins::of(rule.lower(), rule.range(), rule.bins());
    }
};

/// One bin for each integer.
template <class T>
struct unit_bins {
    std::uint32_t lower;
    std::uint32_t count;

    PARPRIMS_HOST_DEVICE constexpr detail::axis::window_position operator()(T x) const
    {
        const std::uint32_t bin = static_cast<std::uint32_t>(x) - lower;
        return {bin < count, bin};
    }

    PARPRIMS_HOST_DEVICE static constexpr bool has_window(std::uint32_t, std::uint32_t) { return true; }
    PARPRIMS_HOST_DEVICE constexpr unit_bins window(std::uint32_t first, std::uint32_t width) const
    {
        return {lower + first, width};
    }
};
template <class X, class T>
    requires(sizeof(T) <= 4 && !detail::axis::lies_between_integers<X>)
struct fast_rule<X, integer_axis<T>> {
    static constexpr bool is_faster = true;
    PARPRIMS_HOST_DEVICE static constexpr bool exists(const integer_axis<T>& axis) { return !axis.has_flow(); }
    PARPRIMS_HOST_DEVICE static constexpr converted_position<T, unit_bins<T>> of(const integer_axis<T>& axis)
    {
        return {{static_cast<std::uint32_t>(axis.edge(0)), static_cast<std::uint32_t>(axis.bins())}};
    }
};

/// Bins between any edges, by the table of the axis.
template <class T>
struct position_by_cells {
    const variable_axis_view<T>& axis;

    template <class X>
    PARPRIMS_HOST_DEVICE constexpr detail::axis::window_position operator()(const X& x) const
    {
        const auto slot = static_cast<std::uint32_t>(detail::axis::rule_access::slot_in_cells(axis, x));
        return {slot < static_cast<std::uint32_t>(axis.extent()), slot};
    }
};
template <class X, class T>
struct fast_rule<X, variable_axis_view<T>> {
    static constexpr bool is_faster = true;
    PARPRIMS_HOST_DEVICE static constexpr bool exists(const variable_axis_view<T>& axis)
    {
        return detail::axis::rule_access::has_cells(axis);
    }
    PARPRIMS_HOST_DEVICE static constexpr position_by_cells<T> of(const variable_axis_view<T>& axis) { return {axis}; }
};

/// Floating-point samples in bins whose edges are all integers, by arithmetic of floats if samples have no more bits.
template <class X, class Axis>
struct nearest_integer_rule {
    using real = std::conditional_t<sizeof(X) <= sizeof(float), float, double>;
    using bins = detail::axis::nearest_bins<real>;
    static constexpr bool is_faster = true;

    PARPRIMS_HOST_DEVICE static constexpr bool exists(const Axis& axis)
    {
        return !axis.has_flow() && has_integer_edges(axis) &&
               bins::exist_between_integers(lower(axis), upper(axis), static_cast<real>(axis.bins()));
    }
    PARPRIMS_HOST_DEVICE static constexpr converted_position<real, bins> of(const Axis& axis)
    {
        return {bins::between_integers(lower(axis), upper(axis), static_cast<real>(axis.bins()))};
    }

private:
    template <class T>
    PARPRIMS_HOST_DEVICE static constexpr bool has_integer_edges(const integer_axis<T>&)
    {
        return true;
    }
    template <class T>
    PARPRIMS_HOST_DEVICE static constexpr bool has_integer_edges(const regular_axis<T>& axis)
    {
        return !detail::axis::rule_access::rule(axis).has_fractions();
    }
    PARPRIMS_HOST_DEVICE static constexpr real lower(const Axis& axis) { return static_cast<real>(axis.edge(0)); }
    PARPRIMS_HOST_DEVICE static constexpr real upper(const Axis& axis)
    {
        return static_cast<real>(axis.edge(axis.bins()));
    }
};
template <detail::axis::lies_between_integers X, class T>
struct fast_rule<X, integer_axis<T>> : nearest_integer_rule<X, integer_axis<T>> {};
template <detail::axis::lies_between_integers X, std::integral T>
struct fast_rule<X, regular_axis<T>> : nearest_integer_rule<X, regular_axis<T>> {};

/// The position of a tuple among the slots of a product of axes, by a rule for each dimension.
template <class... Rules>
struct product_position {
    tuple<Rules...> rules;
    tuple<decltype(sizeof(Rules))...> extents;

    template <class Sample>
    PARPRIMS_HOST_DEVICE constexpr detail::axis::window_position operator()(const Sample& x) const
    {
        detail::axis::window_position all{true, 0};
        const auto append = [&all](detail::axis::window_position of, std::size_t extent) {
            all = {all.inside && of.inside, all.offset * static_cast<std::uint32_t>(extent) + of.offset};
        };
        [&]<std::size_t... I>(std::index_sequence<I...>) {
            (append(parprims::get<I>(rules)(parprims::get<I>(x)), parprims::get<I>(extents)), ...);
        }(std::index_sequence_for<Rules...>{});
        return all;
    }
};

/// The slower rule of each axis of a product.
template <class... Axes>
struct slot_position<product_axis<Axes...>> : product_position<slot_position<Axes>...> {
    PARPRIMS_HOST_DEVICE constexpr explicit slot_position(const product_axis<Axes...>& axis)
        : slot_position(axis, std::index_sequence_for<Axes...>{})
    {
    }

private:
    template <std::size_t... I>
    PARPRIMS_HOST_DEVICE constexpr slot_position(const product_axis<Axes...>& axis, std::index_sequence<I...>)
        : product_position<slot_position<Axes>...>{{slot_position<Axes>{axis.template axis<I>()}...},
                                                   {axis.template axis<I>().extent()...}}
    {
    }
};

/// The faster rules of a product, if all axes that may have one do. To choose for each axis would compile 16 rules for four axes.
template <class... Xs, class... Axes>
struct fast_rule<tuple<Xs...>, product_axis<Axes...>> {
    static constexpr bool is_faster = (fast_rule<Xs, Axes>::is_faster || ...);

    PARPRIMS_HOST_DEVICE static constexpr bool exists(const product_axis<Axes...>& axis)
    {
        return [&]<std::size_t... I>(std::index_sequence<I...>) {
            return (fast_rule<Xs, Axes>::exists(axis.template axis<I>()) && ...);
        }(std::index_sequence_for<Axes...>{});
    }
    PARPRIMS_HOST_DEVICE static constexpr auto of(const product_axis<Axes...>& axis)
    {
        return [&]<std::size_t... I>(std::index_sequence<I...>) {
            return product_position<decltype(fast_rule<Xs, Axes>::of(axis.template axis<I>()))...>{
                {fast_rule<Xs, Axes>::of(axis.template axis<I>())...}, {axis.template axis<I>().extent()...}};
        }(std::index_sequence_for<Axes...>{});
    }
};

/// Floating-point samples in bins between integers, where edges are fractions.
template <class X, class Axis>
inline constexpr bool may_be_scaled = false;
template <detail::axis::lies_between_integers X, std::integral T>
inline constexpr bool may_be_scaled<X, regular_axis<T>> = sizeof(X) <= sizeof(double);
struct scaled_position {
    detail::axis::scaled_rule rule;

    template <class X>
    PARPRIMS_HOST_DEVICE constexpr detail::axis::window_position operator()(const X& x) const
    {
        return rule.position_between(static_cast<std::conditional_t<(sizeof(X) <= sizeof(float)), float, double>>(x));
    }
};

/// Calls `use(position_of)`, where `position_of(x)` is the `detail::axis::window_position` of a sample among all slots: not inside if
/// the axis does not count it.
template <class X, class Axis, class Use>
PARPRIMS_HOST_DEVICE constexpr void with_position(const Axis& axis, Use use)
{
    if constexpr (fast_rule<X, Axis>::is_faster)
        if (fast_rule<X, Axis>::exists(axis))
            return use(fast_rule<X, Axis>::of(axis));
    if constexpr (may_be_scaled<X, Axis>)
        if (!axis.has_flow() && detail::axis::rule_access::rule(axis).has_scaled())
            return use(scaled_position{detail::axis::rule_access::rule(axis).scaled()});
    use(slot_position<Axis>{axis});
}

/// The position of a sample in the window `[first, first + width)` of the slots, by the rule for all of them.
template <class Rule>
struct position_in_window {
    Rule rule;
    std::uint32_t first;
    std::uint32_t width;

    template <class X>
    PARPRIMS_HOST_DEVICE constexpr detail::axis::window_position operator()(const X& x) const
    {
        const detail::axis::window_position position = rule(x);
        const std::uint32_t offset = position.offset - first;
        return {position.inside && offset < width, offset};
    }
};

/// Calls `use(position_of)` with the position in a window, by a rule for it alone where there is one.
template <class Rule, class Use>
PARPRIMS_HOST_DEVICE constexpr void with_window(const Rule& rule, std::uint32_t first, std::uint32_t width, Use use)
{
    use(position_in_window<Rule>{rule, first, width});
}
template <class T, class Bins, class Use>
PARPRIMS_HOST_DEVICE constexpr void with_window(const converted_position<T, Bins>& of_all, std::uint32_t first,
                                                std::uint32_t width, Use use)
{
    if (of_all.rule.has_window(first, width))
        use(converted_position<T, decltype(of_all.rule.window(first, width))>{of_all.rule.window(first, width)});
    else
        use(position_in_window<converted_position<T, Bins>>{of_all, first, width});
}

}  // namespace parprims::detail::device
