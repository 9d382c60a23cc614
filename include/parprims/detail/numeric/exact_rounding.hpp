/// @file
/// @brief  Exact sums, rounded once: from the integer that a sum is, or from three doubles; and what was seen of the values, which decides
///         NaN, infinities and -0.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/numeric/arithmetic.hpp>
#include <parprims/detail/numeric/rounding.hpp>

#include <cstdint>
#include <limits>
#include <type_traits>

namespace parprims::detail::numeric {

// What has been seen of values beside their sum.
inline constexpr std::uint32_t seen_nan = 1;
inline constexpr std::uint32_t seen_infinity = 2;
inline constexpr std::uint32_t seen_minus_infinity = 4;
inline constexpr std::uint32_t seen_no_minus_zero = 8;  ///< a value other than -0

template <class Real>
PARPRIMS_HOST_DEVICE constexpr std::uint32_t seen_in(Real value)
{
    using bits_type = std::conditional_t<sizeof(Real) == 4, std::uint32_t, std::uint64_t>;
    const auto bits = __builtin_bit_cast(bits_type, value);
    const bool is_negative = bits >> (8 * sizeof(Real) - 1) != 0;
    const auto magnitude = static_cast<bits_type>(bits << 1);
    constexpr bits_type infinity = sizeof(Real) == 4 ? 0xff000000 : 0x7ffull << (64 - 11);
    if (magnitude > infinity)
        return seen_nan | seen_no_minus_zero;
    if (magnitude == infinity)
        return (is_negative ? seen_minus_infinity : seen_infinity) | seen_no_minus_zero;
    return magnitude == 0 && is_negative ? 0 : seen_no_minus_zero;
}

/// Also where an option of nvcc flushes denormals.
template <class Real>
PARPRIMS_HOST_DEVICE constexpr bool is_zero(Real value)
{
    using bits_type = std::conditional_t<sizeof(Real) == 4, std::uint32_t, std::uint64_t>;
    return static_cast<bits_type>(__builtin_bit_cast(bits_type, value) << 1) == 0;
}

PARPRIMS_HOST_DEVICE constexpr bool is_special(std::uint32_t seen)
{
    return (seen & (seen_nan | seen_infinity | seen_minus_infinity)) != 0;
}

/// `value`, without the flushing of denormals that an option of nvcc may ask for.
PARPRIMS_HOST_DEVICE constexpr double widened(float value)
{
#if defined(__CUDA_ARCH__)
    if (!__builtin_is_constant_evaluated()) {
        double result;
        asm("cvt.f64.f32 %0, %1;" : "=d"(result) : "f"(value));
        return result;
    }
#endif
    return value;
}
PARPRIMS_HOST_DEVICE constexpr double widened(double value)
{
    return value;
}

/// `value`, rounded to nearest. As in `widened`, denormals stay.
PARPRIMS_HOST_DEVICE constexpr float narrowed(double value)
{
#if defined(__CUDA_ARCH__)
    if (!__builtin_is_constant_evaluated()) {
        float result;
        asm("cvt.rn.f32.f64 %0, %1;" : "=f"(result) : "d"(value));
        return result;
    }
#endif
    return static_cast<float>(value);
}

/// Of a number that is not 0.
PARPRIMS_HOST_DEVICE constexpr int leading_zeros(std::uint64_t x)
{
#if defined(__CUDA_ARCH__)
    if (!__builtin_is_constant_evaluated())
        return __clzll(static_cast<long long>(x));
#endif
    return __builtin_clzll(x);
}

/// (`upper` * 2^64 + `lower`) * 2^`exponent`, not 0, negative or not, rounded to nearest, ties to even.
template <class T>
PARPRIMS_HOST_DEVICE constexpr T nearest(std::uint64_t upper, std::uint64_t lower, int exponent, bool is_negative)
{
    using bits_type = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    constexpr int digits = std::numeric_limits<T>::digits;
    constexpr int lowest = std::numeric_limits<T>::min_exponent - digits;  // of the smallest denormal number
    constexpr int fields = sizeof(T) == 4 ? 0xff : 0x7ff;
    constexpr bits_type infinity = static_cast<bits_type>(fields) << (digits - 1);
    // The highest 64 digits; the last one is 1 also if others below it are.
    if (upper == 0) {
        upper = lower;
        lower = 0;
        exponent -= 64;
    }
    const int zeros = leading_zeros(upper);
    exponent += 64 - zeros;
    const std::uint64_t top = upper << zeros | lower >> 1 >> (63 - zeros) | (lower << zeros != 0 ? 1 : 0);
    bits_type bits = 0;
    if (exponent + 64 - digits >= lowest) {
        // A normal number: the conversion rounds `top`, which then gets its exponent.
        bits = __builtin_bit_cast(bits_type, static_cast<T>(top));
        const int field = static_cast<int>(bits >> (digits - 1)) + exponent;
        bits = field < fields ? bits + (static_cast<bits_type>(exponent) << (digits - 1)) : infinity;
    } else if (const int shift = lowest - exponent; shift <= 64) {  // beyond: less than half of the smallest number
        const std::uint64_t half = std::uint64_t{1} << (shift - 1);
        const std::uint64_t rest = top & (half | (half - 1));
        const std::uint64_t mantissa = top >> 1 >> (shift - 1);
        bits = static_cast<bits_type>(mantissa + (rest > half || (rest == half && mantissa % 2 != 0) ? 1 : 0));
    }
    bits |= is_negative && bits != 0 ? bits_type{1} << (8 * sizeof(T) - 1) : 0;
    return __builtin_bit_cast(T, bits);
}
template <class T>
PARPRIMS_HOST_DEVICE constexpr T nearest(uint128 magnitude, int exponent, bool is_negative)
{
    return nearest<T>(static_cast<std::uint64_t>(magnitude >> 64), static_cast<std::uint64_t>(magnitude), exponent,
                      is_negative);
}

/// What a sum is that is not finite, if `seen` says so, or `otherwise`.
template <class T>
PARPRIMS_HOST_DEVICE constexpr T special_or(T otherwise, std::uint32_t seen)
{
    if (!is_special(seen))
        return otherwise;
    const bool has_both = (seen & seen_infinity) != 0 && (seen & seen_minus_infinity) != 0;
    if ((seen & seen_nan) != 0 || has_both)
        return nan_of<T>;
    return (seen & seen_infinity) != 0 ? infinity_of<T> : -infinity_of<T>;
}

/// `leading` * 2^`exponent` and a number less than one unit of it, which has the sign of `below`, rounded once. `leading` has at least 56 bits,
/// or `below` is 0.
template <class T>
PARPRIMS_HOST_DEVICE constexpr T nearest_to(int128 leading, int exponent, std::int64_t below, std::uint32_t seen)
{
    if (leading == 0)
        return special_or(seen == 0 ? -T{0} : T{0}, seen);
    leading = leading * 2 + (below < 0 ? -1 : below > 0 ? 1 : 0);  // that decides ties
    return special_or(nearest<T>(static_cast<uint128>(leading < 0 ? -leading : leading), exponent - 1, leading < 0),
                      seen);
}

/// a + b as two doubles, the rounded sum and its error.
struct double_pair {
    double sum;
    double error;
};
PARPRIMS_HOST_DEVICE constexpr double_pair exact_pair(double a, double b)
{
    const double sum = numeric::add_unfused(a, b);
    const double of_b = numeric::subtract_unfused(sum, a);
    const double of_a = numeric::subtract_unfused(sum, of_b);
    return {sum, numeric::add_unfused(numeric::subtract_unfused(a, of_a), numeric::subtract_unfused(b, of_b))};
}
/// a + b, rounded to odd: if it is not a double, that of the two doubles beside it whose last bit is 1. So a second rounding, to fewer digits, gives
/// what one alone would.
PARPRIMS_HOST_DEVICE constexpr double sum_to_odd(double a, double b)
{
    const double_pair exact = numeric::exact_pair(a, b);
    auto bits = __builtin_bit_cast(std::uint64_t, exact.sum);
    if (exact.error != 0 && bits % 2 == 0)
        bits += (exact.error < 0) == (exact.sum < 0) ? std::uint64_t{1} : ~std::uint64_t{0};
    return __builtin_bit_cast(double, bits);
}

/// a + b + c, rounded once; +0 if that is 0. No sum of them overflows.
/// @source  Boldo, Melquiond, "Emulation of a FMA and correctly rounded sums: proved algorithms using rounding to odd"
template <class T>
PARPRIMS_HOST_DEVICE constexpr T rounded_sum(double a, double b, double c)
{
    const double_pair low = numeric::exact_pair(b, c);
    const double_pair high = numeric::exact_pair(a, low.sum);
    const double rest = numeric::sum_to_odd(high.error, low.error);
    T sum{};
    if constexpr (std::is_same_v<T, float>)
        sum = numeric::narrowed(numeric::sum_to_odd(high.sum, rest));
    else
        sum = numeric::add_unfused(high.sum, rest);
    return sum == 0 ? T{0} : sum;
}

}  // namespace parprims::detail::numeric
