/// @file
/// @brief  What the constructors of the axes refuse, and how they say so.
#pragma once

#include <parprims/detail/axis/sample.hpp>
#include <parprims/error.hpp>

#include <charconv>
#include <cstddef>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

namespace parprims::detail::axis {

/// The shortest decimal that reads back as `value`.
template <class T>
std::string number(T value)
{
    using wide = std::conditional_t<std::is_floating_point_v<T>, T,
                                    std::conditional_t<std::is_signed_v<T>, long long, unsigned long long>>;
    char text[64];
    return {text, std::to_chars(text, text + sizeof text, static_cast<wide>(value)).ptr};
}

[[noreturn]] inline void refuse(const char* function, const char* argument, const std::string& reason)
{
    throw invalid_argument(std::string("parprims::") + function, argument, reason);
}

constexpr std::size_t check_bins(const char* function, std::size_t bins, std::size_t most = max_bins)
{
    if (bins < 1 || bins > most)
        refuse(function, "bins", number(bins) + " is not in [1, " + number(most) + "]");
    return bins;
}

/// A bound given as a `U`, as a `T`: integers must keep their value, floating-point numbers are rounded to nearest.
template <class T, class U>
constexpr T check_bound(const char* function, const char* argument, U value)
{
    if constexpr (std::is_integral_v<T> && std::is_integral_v<U>)
        if (place<T>(value).misses)
            refuse(function, argument,
                   number(value) + " is not in [" + number(std::numeric_limits<T>::min()) + ", " +
                       number(std::numeric_limits<T>::max()) + "]");
    const T bound = static_cast<T>(value);
    if constexpr (std::is_floating_point_v<T>)
        if (!(bound - bound == 0))
            refuse(function, argument, number(bound) + " is not finite");
    return bound;
}

template <class T>
constexpr void check_order(const char* function, T lower, T upper)
{
    if (!(lower < upper))
        refuse(function, "upper", number(upper) + " is not greater than lower (" + number(lower) + ")");
}

template <class T>
std::vector<T> check_edges(std::vector<T> edges)
{
    if (edges.size() < 2)
        refuse("variable_axis", "edges", number(edges.size()) + " given, at least 2 are needed");
    for (std::size_t i = 0; i < edges.size(); ++i) {
        const std::string name = "edges[" + number(i) + "]";
        check_bound<T>("variable_axis", name.c_str(), edges[i]);
        if (i > 0 && !(edges[i - 1] < edges[i]))
            refuse("variable_axis", name.c_str(),
                   number(edges[i]) + " is not greater than the edge before it (" + number(edges[i - 1]) + ")");
    }
    return edges;
}

/// What can be given where an axis of `T` asks for a bound; floating-point bounds are not silently truncated.
template <class U, class T>
concept bound_of =
    std::is_arithmetic_v<U> && !std::is_same_v<U, bool> && (std::is_floating_point_v<T> || std::is_integral_v<U>);

}  // namespace parprims::detail::axis
