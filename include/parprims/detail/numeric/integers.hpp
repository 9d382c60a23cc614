/// @file
/// @brief  The few functions of <algorithm> and <numeric> that every call needs; those headers cost nvcc a fifth of a second.
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

/// `value`, or the bound that it is beyond; `low <= high`.
template <class T>
constexpr T clamped(T value, T low, T high)
{
    return smaller_of(larger_of(value, low), high);
}

/// The greatest common divisor, of which one is not 0.
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
