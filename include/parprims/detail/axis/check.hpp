/// @file
/// @brief  What the constructors of the axes refuse, and how they say so.
#pragma once

#include <parprims/detail/axis/sample.hpp>
#include <parprims/detail/runtime/refuse.hpp>

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

/// A bound given as a `U`, as a `T`: integers must keep their value, floating-point numbers are rounded to nearest.
template <class T, class U>
constexpr T check_bound(const char* function, const char* argument, U value)
{
    if constexpr (std::is_integral_v<T> && std::is_integral_v<U>)
        if (place<T>(value).misses)
            runtime::refuse(function, argument, "% is not in [%, %]", value, std::numeric_limits<T>::min(),
                            std::numeric_limits<T>::max());
    const T bound = static_cast<T>(value);
    if constexpr (std::is_floating_point_v<T>)
        if (!(bound - bound == 0))
            runtime::refuse(function, argument, "% is not finite", bound);
    return bound;
}

template <class T>
constexpr void check_order(const char* function, T lower, T upper)
{
    if (!(lower < upper))
        runtime::refuse(function, "upper", "% is not greater than lower (%)", upper, lower);
}

/// What can be given where an axis of `T` asks for a bound; floating-point bounds are not silently truncated.
template <class U, class T>
concept bound_of =
    std::is_arithmetic_v<U> && !std::is_same_v<U, bool> && (std::is_floating_point_v<T> || std::is_integral_v<U>);

}  // namespace parprims::detail::axis
