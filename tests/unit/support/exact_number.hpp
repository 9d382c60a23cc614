/// @file
/// @brief  Exact arithmetic for tests: doubles as integers of any size, and quotients of these, rounded once.
#pragma once

#include <boost/multiprecision/cpp_int.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

using boost::multiprecision::cpp_int;

/// All doubles are multiples of 2^exact_unit.
inline constexpr int exact_unit = -1074;

/// A finite number, as a multiple of 2^exact_unit.
inline cpp_int exact_of(double x)
{
    int exponent = 0;
    const double digits = std::ldexp(std::frexp(x, &exponent), 53);
    const int shift = exponent - 53 - exact_unit;
    const cpp_int magnitude = static_cast<std::int64_t>(std::abs(digits));
    const cpp_int shifted = shift >= 0 ? cpp_int(magnitude << shift) : cpp_int(magnitude >> -shift);
    return x < 0 ? cpp_int(-shifted) : shifted;
}

/// numerator / denominator * 2^exponent, rounded to the nearest T, ties to even; +0 if that is a zero.
template <class T>
T rounded_once(const cpp_int& numerator, cpp_int denominator, int exponent)
{
    using limits = std::numeric_limits<T>;
    if (numerator == 0)
        return 0;
    cpp_int magnitude = abs(numerator);
    // The binade of the result decides the unit in its last place.
    int binade = static_cast<int>(msb(magnitude)) - static_cast<int>(msb(denominator));
    if (binade >= 0 ? magnitude < cpp_int(denominator << binade) : cpp_int(magnitude << -binade) < denominator)
        --binade;
    const int unit = std::max(binade + exponent - limits::digits + 1, limits::min_exponent - limits::digits);
    if (unit >= exponent)
        denominator <<= unit - exponent;
    else
        magnitude <<= exponent - unit;
    cpp_int times = magnitude / denominator;
    const cpp_int twice_rest = 2 * (magnitude - times * denominator);
    if (twice_rest > denominator || (twice_rest == denominator && times % 2 == 1))
        ++times;
    if (times == 0)
        return 0;
    const T result = std::ldexp(static_cast<T>(static_cast<std::uint64_t>(times)), unit);
    return numerator < 0 ? -result : result;
}

/// What a bin must have: exact sums of its weights and of their squares, and a count.
struct exact_moments {
    cpp_int sum, squares;
    std::uint64_t count = 0;

    void add(double weight)
    {
        const cpp_int exact = exact_of(weight);
        sum += exact;
        squares += exact * exact;
        ++count;
    }
    template <class T>
    T rounded_sum() const
    {
        return rounded_once<T>(sum, 1, exact_unit);
    }
    template <class T>
    T rounded_squares() const
    {
        return rounded_once<T>(squares, 1, 2 * exact_unit);
    }
    template <class T>
    T mean() const
    {
        return count > 0 ? rounded_once<T>(sum, count, exact_unit) : std::numeric_limits<T>::quiet_NaN();
    }
    template <class T>
    T variance() const
    {
        if (count < 2)
            return std::numeric_limits<T>::quiet_NaN();
        const cpp_int n = count;
        return rounded_once<T>(n * squares - sum * sum, n * (n - 1), 2 * exact_unit);
    }
};
