/// @file
/// @brief  Rounding and conversion of numbers, with the same bits on the host and on the device.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/numeric/arithmetic.hpp>

#include <cstdint>
#include <limits>
#include <type_traits>

namespace parprims::detail::numeric {

/// std::numeric_limits as constants: its functions may not be called on the device.
template <class T>
inline constexpr T smallest_of = std::numeric_limits<T>::lowest();
template <class T>
inline constexpr T largest_of = std::numeric_limits<T>::max();
template <class T>
inline constexpr T infinity_of = std::numeric_limits<T>::infinity();
template <class T>
inline constexpr T nan_of = std::numeric_limits<T>::quiet_NaN();
template <class T>
inline constexpr T denormal_of = std::numeric_limits<T>::denorm_min();

/// The smallest number above the range of an integer type. A power of two, so exact in Float.
template <class Float, class Integer>
inline constexpr Float limit_of = 2 * static_cast<Float>(std::numeric_limits<Integer>::max() / 2 + 1);

/// `value`, rounded: the operation that computes it is not fused with the one that uses it.
///
/// g++ fuses across statements, function calls and __builtin_assoc_barrier (which g++ 12 removes when it vectorises), so the
/// value has to pass through an empty asm. On the device the `_rn` intrinsics are never fused; on AMD's it passes through a register, too.
template <class T>
PARPRIMS_HOST_DEVICE constexpr T rounded(T value)
{
#if !defined(__CUDA_ARCH__) && (defined(__GNUC__) || defined(__clang__))
    if (!__builtin_is_constant_evaluated()) {
#if defined(__HIP_DEVICE_COMPILE__)
        asm("" : "+v"(value));
#elif defined(__x86_64__)
        asm("" : "+x"(value));
#elif defined(__aarch64__)
        asm("" : "+w"(value));
#else
        asm("" : "+m"(value));
#endif
    }
#endif
    return value;
}

/// A compiler barrier on the host: `values` are stored before it and loaded after it, so no operation is fused across. For a
/// whole row at a time, because `rounded` prevents vectorisation.
inline void separate([[maybe_unused]] const void* values)
{
#if !defined(__CUDA_ARCH__) && !defined(__HIP_DEVICE_COMPILE__) && (defined(__GNUC__) || defined(__clang__))
    asm("" : : "r"(values) : "memory");  // never removed, as it has no outputs
#endif
}

/// `a + b * c`, with both operations rounded separately.
template <class T>
PARPRIMS_HOST_DEVICE constexpr T multiply_add_unfused(T a, T b, T c)
{
    if (__builtin_is_constant_evaluated())
        return a + b * c;
    return add_unfused(a, rounded(multiply_unfused(b, c)));
}

/// `a - b`, rounded separately.
template <class T>
PARPRIMS_HOST_DEVICE constexpr T subtract_unfused(T a, T b)
{
#if defined(__CUDA_ARCH__)
    if (!__builtin_is_constant_evaluated()) {
        if constexpr (std::is_same_v<T, float>)
            return __fsub_rn(a, b);
        else
            return __dsub_rn(a, b);
    }
#endif
    return a - b;
}

/// `value` rounded towards zero and limited to [0, most]; 0 for NaN.
PARPRIMS_HOST_DEVICE constexpr std::int32_t truncate_to(float value, std::int32_t most)
{
#if defined(__CUDA_ARCH__)
    if (!__builtin_is_constant_evaluated())
        return min(max(__float2int_rz(value), 0), most);  // the conversion saturates
#endif
    const bool is_small = value < static_cast<float>(most);
    return value > 0 ? (is_small ? static_cast<std::int32_t>(value) : most) : 0;
}

/// `value` rounded towards zero and limited to [0, most]; 0 for NaN.
PARPRIMS_HOST_DEVICE constexpr std::int32_t truncate_to(double value, std::int32_t most)
{
#if defined(__CUDA_ARCH__)
    if (!__builtin_is_constant_evaluated())
        return min(max(__double2int_rz(value), 0), most);  // the conversion saturates; clamping doubles is slow
#endif
    return value > 0 ? (value < most ? static_cast<std::int32_t>(value) : most) : 0;
}

/// The largest number below `value`, which is neither NaN nor -infinity.
template <class T>
PARPRIMS_HOST_DEVICE constexpr T next_below(T value)
{
    using bits_type = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    if (value == 0)
        return -denormal_of<T>;
    const auto bits = __builtin_bit_cast(bits_type, value);
    return __builtin_bit_cast(T, value > 0 ? bits - 1 : bits + 1);
}

/// `value`, of a floating or integer type, rounded down to `To` (float or double). Above the range of `To`: the largest finite
/// number or infinity. NaN stays NaN.
template <class To, class From>
PARPRIMS_HOST_DEVICE constexpr To convert_down_portable(From value)
{
    To result{};
    bool above = false;
    if constexpr (std::is_floating_point_v<From>) {
        if (value > largest_of<To>)
            return largest_of<To>;
        if (value < smallest_of<To>)
            return -infinity_of<To>;
        result = static_cast<To>(value);
        above = static_cast<From>(result) > value;
    } else {
        result = static_cast<To>(value);
        above = result >= limit_of<To, From> || static_cast<From>(result) > value;
    }
    return above ? next_below(result) : result;
}

/// As convert_down_portable, in one instruction where there is one.
template <class To, class From>
PARPRIMS_HOST_DEVICE constexpr To convert_down(From value)
{
    if constexpr (std::numeric_limits<From>::digits <= std::numeric_limits<To>::digits)
        return static_cast<To>(value);
#if defined(__CUDA_ARCH__)
    else if (!__builtin_is_constant_evaluated()) {
        if constexpr (std::is_same_v<From, double>)
            return __double2float_rd(value);
        else if constexpr (std::is_same_v<To, double>)
            return std::is_signed_v<From> ? __ll2double_rd(static_cast<long long>(value))
                                          : __ull2double_rd(static_cast<unsigned long long>(value));
        else if constexpr (sizeof(From) <= 4)
            return std::is_signed_v<From> ? __int2float_rd(static_cast<int>(value))
                                          : __uint2float_rd(static_cast<unsigned>(value));
        else
            return std::is_signed_v<From> ? __ll2float_rd(static_cast<long long>(value))
                                          : __ull2float_rd(static_cast<unsigned long long>(value));
    } else
#else
    else
#endif
        return convert_down_portable<To>(value);
}

/// The upper half of the product: `floor(a * b / 2^64)`.
PARPRIMS_HOST_DEVICE constexpr std::uint32_t multiply_high(std::uint32_t a, std::uint64_t b)
{
#if defined(__CUDA_ARCH__)
    if (!__builtin_is_constant_evaluated()) {
        // Written out, because the compiler sees 64-bit factors and multiplies all of their parts.
        const std::uint64_t low = __umulhi(a, static_cast<std::uint32_t>(b));
        std::uint64_t sum;
        asm("mad.wide.u32 %0, %1, %2, %3;" : "=l"(sum) : "r"(a), "r"(static_cast<std::uint32_t>(b >> 32)), "l"(low));
        return static_cast<std::uint32_t>(sum >> 32);
    }
#endif
    const std::uint64_t low = (std::uint64_t{a} * static_cast<std::uint32_t>(b)) >> 32;
    return static_cast<std::uint32_t>((std::uint64_t{a} * static_cast<std::uint32_t>(b >> 32) + low) >> 32);
}

__extension__ using int128 = __int128;
__extension__ using uint128 = unsigned __int128;

/// The upper half of the product: `floor(a * b / 2^64)`.
PARPRIMS_HOST_DEVICE constexpr std::uint64_t multiply_high(std::uint64_t a, std::uint64_t b)
{
    return static_cast<std::uint64_t>((uint128{a} * b) >> 64);
}

/// x * factor, compared with integers below 2^51 as the exact product. The factor is an integer of at most 2^26.
PARPRIMS_HOST_DEVICE constexpr double multiply_below(double x, double factor)
{
#if defined(__CUDA_ARCH__)
    if (!__builtin_is_constant_evaluated())
        return __dmul_rd(x, factor);
#endif
    const double product = numeric::rounded(x * factor);
    constexpr double shift = 0x1.8p52;
    if (product + shift - shift != product)
        return product;  // the exact product lies between the same integers
    // Products of 26 and 27 bits are exact, and so is their difference from the product.
    const std::uint64_t bits = __builtin_bit_cast(std::uint64_t, x);
    const double high = __builtin_bit_cast(double, bits >> 27 << 27);
    return product - high * factor > (x - high) * factor ? numeric::next_below(product) : product;
}
PARPRIMS_HOST_DEVICE constexpr double multiply_below(float x, double factor)
{
    return numeric::multiply_unfused(static_cast<double>(x), factor);  // exact
}

/// floor(x * factor), exactly, for -1 < x < 1 and a factor of at most 2^53.
template <class X>
PARPRIMS_HOST_DEVICE constexpr std::int64_t floor_of_product(X x, std::int64_t factor)
{
#if defined(__CUDA_ARCH__)
    if (!__builtin_is_constant_evaluated())  // the product is rounded down, so not past an integer
        return __double2ll_rd(__dmul_rd(static_cast<double>(x), static_cast<double>(factor)));
#endif
    // A product that is rounded to a number between two integers lies between them. One rounded to an integer may lie below it.
    using wide = std::conditional_t<sizeof(X) < sizeof(double), double, X>;
    const wide product = static_cast<wide>(x) * static_cast<wide>(factor);
    const auto whole = static_cast<std::int64_t>(product);
    if (static_cast<wide>(whole) != product)
        return whole - (product < 0 ? 1 : 0);
    constexpr X shift = static_cast<X>(0x1p63);
    const auto high = static_cast<std::int64_t>(x * shift);
    const X rest = x * shift - static_cast<X>(high);
    const auto low = static_cast<std::int64_t>(rest * shift);
    // If x has digits below 2^-126, the product lies between -1 and 1.
    const int below = rest * shift < static_cast<X>(low) ? -1 : 0;
    const auto carry = static_cast<std::int64_t>((int128{low} * factor + below) >> 63);
    return static_cast<std::int64_t>((int128{high} * factor + carry) >> 63);
}

}  // namespace parprims::detail::numeric
