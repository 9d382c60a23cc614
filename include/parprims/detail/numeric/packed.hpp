/// @file
/// @brief  Words of 32 bits that hold several small integers: one instruction each on a GPU, plain C++ elsewhere.
#pragma once

#include <parprims/config.hpp>

#include <cstdint>

namespace parprims::detail::numeric {

/// `start` plus the dot product of the bytes of `word` and of `weights`.
PARPRIMS_HOST_DEVICE inline std::uint32_t dot_bytes(std::uint32_t word, std::uint32_t weights, std::uint32_t start)
{
#if defined(__CUDA_ARCH__)
    return __dp4a(word, weights, start);
#else
    for (unsigned shift = 0; shift < 32; shift += 8)
        start += (word >> shift & 0xff) * (weights >> shift & 0xff);
    return start;
#endif
}

/// Byte `k` of `word`. On a GPU a dot product, because the units for shifts are the busier ones where bins are computed.
PARPRIMS_HOST_DEVICE inline std::uint8_t byte_of(std::uint32_t word, unsigned k)
{
    const std::uint32_t byte = dot_bytes(word, 1u << 8 * k, 0);
#if defined(__CUDA_ARCH__)
    __builtin_assume(byte < 256);  // so that it is not masked
#endif
    return static_cast<std::uint8_t>(byte);
}

/// The high word of `high:low` shifted left by `bits` % 32.
PARPRIMS_HOST_DEVICE inline std::uint32_t funnel_shift_left(std::uint32_t low, std::uint32_t high, unsigned bits)
{
#if defined(__CUDA_ARCH__)
    return __funnelshift_l(low, high, bits);
#else
    return static_cast<std::uint32_t>((std::uint64_t{high} << 32 | low) << bits % 32 >> 32);
#endif
}

/// The low word of `high:low` shifted right by `bits`, which are less than 32.
PARPRIMS_HOST_DEVICE inline std::uint32_t funnel_shift(std::uint32_t low, std::uint32_t high, unsigned bits)
{
#if defined(__CUDA_ARCH__)
    return __funnelshift_r(low, high, bits);
#else
    return static_cast<std::uint32_t>((std::uint64_t{high} << 32 | low) >> bits);
#endif
}

}  // namespace parprims::detail::numeric
