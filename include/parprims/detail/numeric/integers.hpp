/// @file
/// @brief  Replacements for functions of <algorithm> and <numeric>, which cost nvcc a fifth of a second in every call.
#pragma once

#include <parprims/config.hpp>

namespace parprims::detail {

template <class T>
PARPRIMS_HOST_DEVICE constexpr T smaller_of(T a, T b)
{
    return b < a ? b : a;
}

template <class T>
PARPRIMS_HOST_DEVICE constexpr T larger_of(T a, T b)
{
    return a < b ? b : a;
}

/// `value` limited to [low, high]; `low <= high`.
template <class T>
constexpr T clamped(T value, T low, T high)
{
    return smaller_of(larger_of(value, low), high);
}

/// The greatest common divisor; a or b is not 0.
template <class T>
constexpr T common_divisor(T a, T b)
{
    while (b != 0) {
        const T rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

}  // namespace parprims::detail
