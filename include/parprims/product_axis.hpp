/// @file
/// @brief  The axis of a histogram of two to four dimensions.
#pragma once

#include <parprims/detail/push_macros.hpp>  // first

#include <parprims/axis.hpp>
#include <parprims/config.hpp>
#include <parprims/detail/axis/check.hpp>
#include <parprims/detail/axis/sample.hpp>
#include <parprims/detail/runtime/refuse.hpp>
#include <parprims/tuple.hpp>

#include <concepts>
#include <cstddef>
#include <optional>
#include <type_traits>
#include <utility>

PARPRIMS_BEGIN_UNMARKED_CALLS

namespace parprims {

namespace detail::axis {

/// One axis of a product. Not a parprims::tuple, whose constructors are also device code: a variable_axis cannot be copied there.
template <std::size_t I, class Axis>
struct part {
    Axis axis;
    friend bool operator==(const part&, const part&) = default;
};
template <class Indices, class... Axes>
struct parts;
template <std::size_t... I, class... Axes>
struct parts<std::index_sequence<I...>, Axes...> : part<I, Axes>... {
    friend bool operator==(const parts&, const parts&) = default;
};

template <std::size_t I, class Axis>
PARPRIMS_HOST_DEVICE constexpr const Axis& axis_of(const part<I, Axis>& part_of_product)
{
    return part_of_product.axis;
}

}  // namespace detail::axis

/// @brief  One counter for each combination of the slots of two to four axes. A sample is a tuple, with a number for each axis:
///         `zip_iterator(x.begin(), y.begin())` reads such samples from arrays, in packets if these are pointers.
///
/// The last axis is fastest, as in a C array `counts[x][y]`: the slot of `(i, j)` is `i * axis<1>().extent() + j`. Flow belongs to
/// the axes: an axis `.with_flow()` has three more slots, each combined with all slots of the other axes. A sample that one of the
/// axes drops is not counted.
///
/// All slots are bins of the product, which has no flow of its own: `bins() == extent()`, the product of the axes' extents.
/// @snippet reference.cpp product_axis
template <histogram_axis... Axes>
    requires(sizeof...(Axes) >= 2 && sizeof...(Axes) <= 4)
class product_axis {
    using indices = std::index_sequence_for<Axes...>;

public:
    /// @throws invalid_argument  more than 2^53 counters
    constexpr explicit product_axis(Axes... axes) : axes_{{std::move(axes)}...}, extent_(multiply(indices{})) {}

    PARPRIMS_HOST_DEVICE constexpr std::size_t bins() const { return extent_; }
    PARPRIMS_HOST_DEVICE constexpr std::size_t extent() const { return extent_; }
    PARPRIMS_HOST_DEVICE constexpr bool has_flow() const { return false; }

    /// @brief  The axis of dimension `I`.
    template <std::size_t I>
    PARPRIMS_HOST_DEVICE constexpr const auto& axis() const
    {
        return detail::axis::axis_of<I>(axes_);
    }

    /// @brief  The slot of a sample, or `bins()` where an axis drops it.
    template <class... Xs>
        requires(sizeof...(Xs) == sizeof...(Axes) && (histogram_axis_for<Axes, std::remove_cvref_t<Xs>> && ...))
    PARPRIMS_HOST_DEVICE constexpr std::size_t slot(const tuple<Xs...>& x) const
    {
        return [&]<std::size_t... I>(std::index_sequence<I...>) {
            return combine(indices{}, axis<I>().slot(parprims::get<I>(x))...);
        }(indices{});
    }

    /// @brief  The slot that belongs to slot `i` of the first axis, `j` of the second, ...; `bins()` where one is not below its
    ///         axis's extent.
    template <std::convertible_to<std::size_t>... Slots>
        requires(sizeof...(Slots) == sizeof...(Axes))
    PARPRIMS_HOST_DEVICE constexpr std::size_t slot_at(Slots... slots) const
    {
        static_assert(!(detail::axis::truncated_count<Slots> || ...),
                      "parprims: a slot is an integer of at most 64 bits");
        return combine(indices{}, static_cast<std::size_t>(slots)...);
    }

    /// @brief  The slot of each axis that `slot` belongs to: `auto [i, j] = axis.position(slot)`.
    /// @pre    `slot < extent()`
    PARPRIMS_HOST_DEVICE constexpr auto position(std::size_t slot) const { return divide(slot, indices{}); }

    /// @brief  The slot of a sample, or nothing where an axis drops it.
    template <class... Xs>
    constexpr std::optional<std::size_t> index(const tuple<Xs...>& x) const
    {
        const std::size_t found = slot(x);
        return found < bins() ? std::optional(found) : std::nullopt;
    }

    friend bool operator==(const product_axis&, const product_axis&) = default;

private:
    template <std::size_t... I>
    constexpr std::size_t multiply(std::index_sequence<I...>) const
    {
        std::size_t product = 1;
        const auto times = [&](std::size_t extent) {
            if (product != 0 && extent > detail::axis::max_bins / product)
                detail::runtime::refuse("parprims::product_axis", "axes", "% times % counters are more than %", product,
                                        extent, detail::axis::max_bins);
            product *= extent;
        };
        (times(axis<I>().extent()), ...);
        return product;
    }

    template <std::size_t... I>
    PARPRIMS_HOST_DEVICE constexpr std::size_t combine(std::index_sequence<I...>, decltype(I)... slots) const
    {
        std::size_t slot = 0;
        ((slot = slot * axis<I>().extent() + slots), ...);
        return ((slots < axis<I>().extent()) && ...) ? slot : bins();
    }

    template <std::size_t... I>
    PARPRIMS_HOST_DEVICE constexpr auto divide(std::size_t slot, std::index_sequence<I...>) const
    {
        tuple<decltype(I)...> slots;
        const auto take = [&slot](std::size_t& target, std::size_t extent) {
            target = slot % extent;
            slot /= extent;
        };
        (take(parprims::get<sizeof...(I) - 1 - I>(slots), axis<sizeof...(I) - 1 - I>().extent()), ...);
        return slots;
    }

    detail::axis::parts<indices, Axes...> axes_;
    std::size_t extent_;
};

}  // namespace parprims

PARPRIMS_END_UNMARKED_CALLS

#include <parprims/detail/pop_macros.hpp>
