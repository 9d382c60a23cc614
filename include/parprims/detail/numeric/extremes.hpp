/// @file
/// @brief  The smaller or larger of values, and numbers as integers in their order.
#pragma once

#include <parprims/config.hpp>

#include <cstdint>
#include <type_traits>

namespace parprims::detail::numeric {

/// The type of `ordered`.
template <class Value>
using ordered_type = std::conditional_t<std::is_same_v<Value, float>, std::uint32_t,
                                        std::conditional_t<std::is_same_v<Value, double>, std::uint64_t, Value>>;

/// Integers in the order of numbers: unsigned ones for float and double, whose zeros give one integer and whose NaN all give the
/// least, or the greatest of all. Other values are as they are.
template <bool IsMaximum, class Value>
PARPRIMS_HOST_DEVICE inline ordered_type<Value> ordered(const Value& x)
{
    using word = ordered_type<Value>;
    if constexpr (std::is_same_v<word, Value>) {
        return x;
    } else {
        constexpr word sign = word{1} << (8 * sizeof(Value) - 1);
        if (x != x)
            return IsMaximum ? static_cast<word>(-1) : word{0};
        const word bits = x == 0 ? 0 : __builtin_bit_cast(word, x);
        return (bits & sign) != 0 ? ~bits : bits | sign;
    }
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
