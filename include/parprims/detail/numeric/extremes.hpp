/// @file
/// @brief  The smaller or larger of values: one instruction each on a GPU, plain C++ elsewhere.
#pragma once

#include <parprims/config.hpp>

#include <cstdint>

namespace parprims::detail::numeric {

/// The smaller of two numbers, or the larger; NaN if one is NaN.
template <bool IsMaximum>
PARPRIMS_HOST_DEVICE inline float extreme_of(float a, float b)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    float result;
    if constexpr (IsMaximum)
        asm("max.NaN.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
    else
        asm("min.NaN.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
    return result;
#else
    return a != a || (IsMaximum ? b < a : a < b) ? a : b;
#endif
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
