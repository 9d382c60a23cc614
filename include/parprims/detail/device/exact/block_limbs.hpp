/// @file
/// @brief  The limbs of a block, and those that many blocks add to.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/device/call/launcher.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <cstddef>
#include <cstdint>

namespace parprims::detail::device {

/// The limbs of a block in shared memory, as digits of 16 bits in 32-bit words: an atomic addition to such a word is one instruction, to a
/// 64-bit word it is a loop.
template <int Lowest, unsigned Limbs>
struct block_limbs {
    std::uint32_t digits[2 * Limbs];

    PARPRIMS_DEVICE void clear(simt::block block)
    {
        for (unsigned k = block.thread(); k < 2 * Limbs; k += block.threads())
            simt::store(digits, k, std::uint32_t{0});
    }

    /// Adds `mantissa`, of at most 62 bits, times 2^`exponent`; fewer than 2^12 times.
    PARPRIMS_DEVICE void add(std::int64_t mantissa, int exponent)
    {
        const auto place = static_cast<unsigned>(exponent - Lowest);
        const unsigned k = place / 16;
        const unsigned shift = place % 16;
        simt::atomic_add(digits + k,
                         static_cast<std::uint32_t>(static_cast<std::uint64_t>(mantissa) << shift & 0xffff));
        std::int64_t above = mantissa >> (16 - shift);
#pragma unroll
        for (unsigned i = 1; i < 4; ++i, above >>= 16)
            simt::atomic_add(digits + k + i, static_cast<std::uint32_t>(above & 0xffff));
        simt::atomic_add(digits + k + 4, static_cast<std::uint32_t>(above));
    }

    PARPRIMS_DEVICE std::int64_t limb(unsigned k) const
    {
        const auto low = static_cast<std::int32_t>(simt::load(digits, 2 * k));
        const auto high = static_cast<std::int32_t>(simt::load(digits, 2 * k + 1));
        return low + std::int64_t{high} * 65536;
    }
};

/// Limbs that blocks add to, in memory that is zero before and after the launch. Signed limbs, added as unsigned words;
/// wrap-around is harmless.
template <unsigned Limbs>
struct global_limbs {
    std::byte* memory;

    static constexpr std::size_t bytes = memory_alignment + (Limbs + 1) * sizeof(std::uint64_t);

    PARPRIMS_DEVICE unsigned* tickets() const { return reinterpret_cast<unsigned*>(memory); }
    PARPRIMS_DEVICE std::uint64_t* limb(unsigned k) const
    {
        return reinterpret_cast<std::uint64_t*>(memory + memory_alignment) + k;
    }
    PARPRIMS_DEVICE std::uint32_t* seen() const { return reinterpret_cast<std::uint32_t*>(limb(Limbs)); }
};

}  // namespace parprims::detail::device
