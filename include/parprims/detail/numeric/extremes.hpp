/// @file
/// @brief  The smaller or larger of values, and the rank of a number.
#pragma once

#include <parprims/config.hpp>

#include <cstdint>
#include <type_traits>

namespace parprims::detail::numeric {

/// Numbers that have a rank.
template <class Value>
inline constexpr bool has_rank =
    (std::is_integral_v<Value> && sizeof(Value) <= 8) || std::is_same_v<Value, float> || std::is_same_v<Value, double>;

/// How good a number is as the extreme value: the lower the better. NaN are the best, and zeros of both signs are equal.
template <bool IsMaximum, class Value>
PARPRIMS_HOST_DEVICE inline auto rank_of(const Value& x)
{
    using rank = std::conditional_t<sizeof(Value) <= 4, std::uint32_t, std::uint64_t>;
    constexpr rank sign = rank{1} << (8 * sizeof(rank) - 1);
    rank result = 0;
    if constexpr (std::is_integral_v<Value>) {
        result = static_cast<rank>(x) ^ (std::is_signed_v<Value> ? sign : 0);
    } else {
        const rank bits = x == 0 ? 0 : __builtin_bit_cast(rank, x);
        result = (bits & sign) != 0 ? ~bits : bits | sign;
    }
    if (x != x)
        return rank{0};
    return IsMaximum ? static_cast<rank>(~result) : result;
}

/// The smaller one, or the larger one, of two numbers; NaN if one of them is.
template <bool IsMaximum, class Number>
PARPRIMS_HOST_DEVICE inline Number extreme_number(Number a, Number b)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    if constexpr (std::is_same_v<Number, float>) {
        float result;
        if constexpr (IsMaximum)
            asm("max.NaN.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
        else
            asm("min.NaN.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
        return result;
    } else
#endif
        return b != b || (IsMaximum ? a < b : b < a) ? b : a;
}

/// The smaller ones, or the larger ones, of two pairs of integers of 16 bits, signed or not.
template <bool IsMaximum, bool IsSigned>
PARPRIMS_HOST_DEVICE inline std::uint32_t extreme_halves(std::uint32_t a, std::uint32_t b)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    std::uint32_t result;
    if constexpr (IsMaximum && IsSigned)
        asm("max.s16x2 %0, %1, %2;" : "=r"(result) : "r"(a), "r"(b));
    else if constexpr (IsMaximum)
        asm("max.u16x2 %0, %1, %2;" : "=r"(result) : "r"(a), "r"(b));
    else if constexpr (IsSigned)
        asm("min.s16x2 %0, %1, %2;" : "=r"(result) : "r"(a), "r"(b));
    else
        asm("min.u16x2 %0, %1, %2;" : "=r"(result) : "r"(a), "r"(b));
    return result;
#else
    // Unsigned once the sign bit is inverted. The upper halves decide words, whatever the lower ones are.
    const std::uint32_t flip = IsSigned ? 0x80008000u : 0;
    const auto take_a = [&](std::uint32_t x, std::uint32_t y) { return IsMaximum ? y < x : x < y; };
    const std::uint32_t high = take_a((a ^ flip) >> 16, (b ^ flip) >> 16) ? a : b;
    const std::uint32_t low = take_a((a ^ flip) & 0xffff, (b ^ flip) & 0xffff) ? a : b;
    return (high & 0xffff0000u) | (low & 0xffff);
#endif
}

}  // namespace parprims::detail::numeric
