/// @file
/// @brief  What the constructors of the axes refuse, and their messages.
#pragma once

#include <parprims/detail/axis/sample.hpp>
#include <parprims/detail/runtime/refuse.hpp>

#include <concepts>
#include <cstddef>
#include <limits>
#include <type_traits>

namespace parprims::detail::axis {

constexpr std::size_t check_bins(const char* function, std::size_t bins, std::size_t most = max_bins)
{
    if (bins < 1 || bins > most)
        runtime::refuse(function, "bins", "% is not in [1, %]", bins, most);
    return bins;
}

/// A bound given as a `U`, as a `T`: integers keep their value, floating-point bounds are rounded to nearest. Checked before the
/// conversion, in which a value that `T` cannot hold would wrap, or be undefined.
template <class T, class U>
constexpr T check_bound(const char* function, const char* argument, U value)
{
    using limits = std::numeric_limits<T>;
    constexpr bool is_number = sample_value<U>;
    static_assert(is_number,
                  "parprims: the bounds of an axis are integers of at most 64 bits or floating-point numbers");
    if constexpr (!is_number) {
        return T{};
    } else if constexpr (std::is_enum_v<U>) {
        return check_bound<T>(function, argument, static_cast<std::underlying_type_t<U>>(value));
    } else if constexpr (half_like<U>) {
        return check_bound<T>(function, argument, static_cast<float>(value));
    } else if constexpr (std::is_integral_v<T> && std::is_integral_v<U>) {
        if (convert<T>(value).is_outside)
            runtime::refuse(function, argument, "% is not in [%, %]", value, limits::min(), limits::max());
    } else if constexpr (std::is_integral_v<T>) {
        const auto floor = convert<T>(value);
        if (floor.is_outside || static_cast<U>(floor.value) != value)
            runtime::refuse(function, argument, "% is not an integer in [%, %]", value, limits::min(), limits::max());
    } else if constexpr (std::is_floating_point_v<U>) {
        if (!(value - value == 0))
            runtime::refuse(function, argument, "% is not finite", value);
        if constexpr (std::numeric_limits<U>::max_exponent > limits::max_exponent)
            if (value < limits::lowest() || value > limits::max())
                runtime::refuse(function, argument, "% is not in [%, %]", value, limits::lowest(), limits::max());
    }
    return static_cast<T>(value);
}

/// What a number of bins is not: it would be truncated.
template <class Bins>
concept truncated_count = std::floating_point<Bins> || (std::integral<Bins> && sizeof(Bins) > sizeof(std::size_t));

template <class T>
constexpr void check_order(const char* function, T lower, T upper)
{
    if (!(lower < upper))
        runtime::refuse(function, "upper", "% is not greater than lower (%)", upper, lower);
}

/// The types that a bound of an axis of `T` may be given as: an integer axis takes no floating-point bounds to truncate.
template <class U, class T>
concept bound_of =
    std::is_arithmetic_v<U> && !std::is_same_v<U, bool> && (std::is_floating_point_v<T> || std::is_integral_v<U>);

}  // namespace parprims::detail::axis
