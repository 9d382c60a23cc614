/// @file
/// @brief  Weights as integers, multiples of a power of two: sums of integers have the same bits in any order.
///
/// Let w be the largest finite |weight|, or the smallest normal number where that is larger, and e = ceil(log2(w)). Of n
/// weights each is rounded to a multiple of q = 2^(e - B), ties to even, for B = room - ceil(log2(n)). So a multiple is at most
/// 2^B, and a sum at most 2^room. Squares are rounded to multiples of 2^(2e - B).
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/numeric/rounding.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace parprims::detail::numeric {

template <class Real>
PARPRIMS_HOST_DEVICE constexpr Real magnitude(Real value)
{
#if defined(__CUDA_ARCH__)
    if constexpr (std::is_same_v<Real, float>)
        return fabsf(value);
    else
        return fabs(value);
#else
    return value < 0 ? -value : value;
#endif
}

/// 2^exponent, for -1074 to 1023.
PARPRIMS_HOST_DEVICE constexpr double power_of_two(int exponent)
{
    return __builtin_bit_cast(double, exponent >= -1022 ? static_cast<std::uint64_t>(exponent + 1023) << 52
                                                        : std::uint64_t{1} << (exponent + 1074));
}

/// ceil(log2(n)), for n > 0.
constexpr int ceil_log2(std::size_t n)
{
    return static_cast<int>(std::bit_width(n - 1));
}

/// What orders finite numbers by magnitude, as far as the exponents of the scale go: 32 bits, 0 for zero.
PARPRIMS_HOST_DEVICE constexpr std::uint32_t magnitude_key(float value)
{
    return __builtin_bit_cast(std::uint32_t, value) & 0x7fffffff;
}
PARPRIMS_HOST_DEVICE constexpr std::uint32_t magnitude_key(double value)
{
    const auto bits = __builtin_bit_cast(std::uint64_t, value);
    return (static_cast<std::uint32_t>(bits >> 32) & 0x7fffffff) + (static_cast<std::uint32_t>(bits) != 0);
}

PARPRIMS_HOST_DEVICE constexpr bool is_finite(float value)
{
    return (__builtin_bit_cast(std::uint32_t, value) & 0x7f800000) != 0x7f800000;
}
PARPRIMS_HOST_DEVICE constexpr bool is_finite(double value)
{
    return (static_cast<std::uint32_t>(__builtin_bit_cast(std::uint64_t, value) >> 32) & 0x7ff00000) != 0x7ff00000;
}

/// ceil(log2(x)) of the number x with this key; of smaller ones than the smallest normal number, what that has.
template <class Real>
PARPRIMS_HOST_DEVICE constexpr int exponent_of_key(std::uint32_t key)
{
    constexpr int digits = std::is_same_v<Real, float> ? 23 : 20;
    constexpr int bias = std::is_same_v<Real, float> ? 127 : 1023;
    const auto biased = static_cast<int>((key + (1u << digits) - 1) >> digits);
    return (biased > 1 ? biased : 1) - bias;
}

/// `magnitude / 2^bits`, rounded to nearest, ties to even.
PARPRIMS_HOST_DEVICE constexpr uint128 shift_rounded(uint128 magnitude, int bits)
{
    if (bits <= 0)
        return magnitude << -bits;
    if (bits > 127)
        return 0;
    const uint128 whole = magnitude >> bits;
    const uint128 rest = magnitude - (whole << bits);
    const uint128 half = uint128{1} << (bits - 1);
    return whole + (rest > half || (rest == half && (whole & 1) != 0));
}

/// How weights that a float holds become integers of 64 bits. `AreSmall`: the integers are at most 2^50, so that a loop over them
/// vectorises.
template <bool AreSmall>
struct narrow_scale_of {
    using integer = std::int64_t;
    using unsigned_integer = std::uint64_t;
    static constexpr int room = 62;
    static constexpr int small_bits = 50;
    static constexpr unsigned words = 2;  // of 32 bits
    static constexpr double shift =
        0x1.8p52;  ///< between 2^52 and 2^53 doubles are integers, and so are their last bits

    double factor;
    double square_factor;

    PARPRIMS_HOST_DEVICE constexpr narrow_scale_of(int exponent, int bits)
        : factor(power_of_two(bits - exponent)), square_factor(power_of_two(bits - 2 * exponent))
    {
    }
    /// `weight` is at most 2^exponent. Products are exact, so fused with the addition in `nearest` or not, the result is the same.
    PARPRIMS_HOST_DEVICE constexpr integer value(double weight) const { return nearest(weight * factor); }
    /// The square is exact as well: a float has 24 digits.
    PARPRIMS_HOST_DEVICE constexpr integer square(double weight) const
    {
        return nearest(weight * weight * square_factor);
    }

    /// The integer next to `number`, ties to even.
    PARPRIMS_HOST_DEVICE static constexpr integer nearest(double number)
    {
#if defined(__CUDA_ARCH__)
        return __double2ll_rn(number);
#else
        if (AreSmall || (number < 0x1p51 && number > -0x1p51))
            return __builtin_bit_cast(std::int64_t, number + shift) - __builtin_bit_cast(std::int64_t, shift);
        return static_cast<std::int64_t>(number);
#endif
    }
};
using narrow_scale = narrow_scale_of<false>;

/// How floats become integers of 32 bits, for at most 30 bits of a multiple: as in narrow_scale, without doubles.
struct small_scale {
    float factor;
    float further_factor;  // a float has no power of two for all scales

    PARPRIMS_HOST_DEVICE constexpr small_scale(int exponent, int bits)
        : factor(static_cast<float>(power_of_two(bits - exponent < 100 ? bits - exponent : 100))),
          further_factor(static_cast<float>(power_of_two(bits - exponent < 100 ? 0 : bits - exponent - 100)))
    {
    }
    /// `weight` is at most 2^exponent. The products are exact, or below 2^-100.
    PARPRIMS_HOST_DEVICE constexpr std::int32_t value(float weight) const
    {
        const float number = weight * factor * further_factor;
#if defined(__CUDA_ARCH__)
        return __float2int_rn(number);
#else
        return static_cast<std::int32_t>(narrow_scale::nearest(number));
#endif
    }
};

/// How doubles, and integers of at most 32 bits, become integers of 96 bits.
struct wide_scale {
    using integer = int128;
    using unsigned_integer = uint128;
    static constexpr int room = 94;
    static constexpr unsigned words = 3;

    int exponent;
    int bits;

    PARPRIMS_HOST_DEVICE constexpr wide_scale(int scale_exponent, int scale_bits)
        : exponent(scale_exponent), bits(scale_bits)
    {
    }
    /// `weight` is at most 2^exponent.
    PARPRIMS_HOST_DEVICE constexpr integer value(double weight) const { return scaled<false>(weight); }
    PARPRIMS_HOST_DEVICE constexpr integer square(double weight) const { return scaled<true>(weight); }

private:
    template <bool IsSquare>
    PARPRIMS_HOST_DEVICE constexpr integer scaled(double weight) const
    {
        const auto all = __builtin_bit_cast(std::uint64_t, weight);
        const auto biased = static_cast<int>(all >> 52 & 0x7ff);
        const std::uint64_t fraction = all & ((std::uint64_t{1} << 52) - 1);
        const std::uint64_t digits = biased != 0 ? fraction | std::uint64_t{1} << 52 : fraction;
        const int lowest = (biased != 0 ? biased : 1) - 1075;  // the exponent of the last digit
        if constexpr (IsSquare)
            return static_cast<integer>(shift_rounded(uint128{digits} * digits, 2 * exponent - bits - 2 * lowest));
        const auto magnitude = static_cast<integer>(shift_rounded(digits, exponent - bits - lowest));
        return all >> 63 != 0 ? -magnitude : magnitude;
    }
};

/// `number * 2^exponent` as a T; infinite where T cannot hold it.
template <class T>
PARPRIMS_HOST_DEVICE constexpr T scaled(double number, int exponent)
{
    constexpr int step = 1000;
    for (; exponent > step; exponent -= step)
        number *= power_of_two(step);
    for (; exponent < -step; exponent += step)
        number *= power_of_two(-step);
    number *= power_of_two(exponent);
    if (magnitude(number) > static_cast<double>(largest_of<T>))
        return number < 0 ? -infinity_of<T> : infinity_of<T>;
    return static_cast<T>(number);
}

/// `sum * 2^exponent`, rounded once; infinite where T cannot hold it.
template <class T>
PARPRIMS_HOST_DEVICE constexpr T round_scaled(int128 sum, int exponent)
{
    constexpr int digits = std::numeric_limits<T>::digits;
    constexpr int lowest = std::numeric_limits<T>::min_exponent - digits;  // of the smallest denormal number
    constexpr int highest = std::numeric_limits<T>::max_exponent;
    if (sum == 0)
        return 0;
    const uint128 magnitude = sum < 0 ? -static_cast<uint128>(sum) : static_cast<uint128>(sum);
    int width = 0;
    for (int bits = 64; bits > 0; bits /= 2)
        if (magnitude >> (width + bits) != 0)
            width += bits;
    ++width;
    int shift = width > digits ? width - digits : 0;
    if (lowest - exponent > shift)
        shift = lowest - exponent;
    // Exact from here on: at most `digits` digits times a power of two that is no smaller than the smallest number.
    const auto rounded_digits = static_cast<std::uint64_t>(shift_rounded(magnitude, shift));
    const int scale = exponent + shift;
    if (scale >= highest)
        return sum < 0 ? -infinity_of<T> : infinity_of<T>;
    const double exact = static_cast<double>(rounded_digits) * power_of_two(scale);
    const T result = exact > static_cast<double>(largest_of<T>) ? infinity_of<T> : static_cast<T>(exact);
    return sum < 0 ? -result : result;
}

}  // namespace parprims::detail::numeric
