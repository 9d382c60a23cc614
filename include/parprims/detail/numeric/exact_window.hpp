/// @file
/// @brief  Sums of doubles without rounding, as long as these lie in a window of binades: a few additions for each.
///
/// Each level adds multiples of its unit, a power of two. Its sum starts from 1.5 * 2^52 units, so that an addition rounds to whole
/// units; what it rounds off, which is exact, goes to the level below. The last level adds what is left. It never rounds, as all numbers
/// are multiples of its unit: so a window holds those numbers whose last digit is not below that.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/numeric/exact_limbs.hpp>

#include <cstdint>

namespace parprims::detail::numeric {

/// What orders numbers by their exponents; 0 for zeros alone. As a float has it, or the upper half of a double.
PARPRIMS_HOST_DEVICE constexpr std::uint32_t exponent_key(float value)
{
    return __builtin_bit_cast(std::uint32_t, value) & 0x7fffffff;
}
PARPRIMS_HOST_DEVICE constexpr std::uint32_t exponent_key(double value)
{
    const auto bits = __builtin_bit_cast(std::uint64_t, value);
    return (static_cast<std::uint32_t>(bits >> 32) & 0x7fffffff) | (static_cast<std::uint32_t>(bits) != 0 ? 1 : 0);
}

/// The keys of several numbers. Zeros fit any window.
struct key_range {
    std::uint32_t highest = 0;
    std::uint32_t lowest = 0xffffffff;  ///< of those that are not zero, less 1

    PARPRIMS_HOST_DEVICE constexpr void add(std::uint32_t key)
    {
        highest = key > highest ? key : highest;
        lowest = key - 1 < lowest ? key - 1 : lowest;
    }
};

/// @tparam  Real    whose keys are compared: float or double
/// @tparam  Digits  that a number has at most
/// @tparam  Lowest  the exponent below which no unit lies; numbers of at most 53 digits have none below it
/// @tparam  Headroom  binades for larger numbers than the one that a window was chosen for
template <class Real, unsigned Levels, int Digits, int Lowest, int Headroom = 2>
struct exact_window {
    static_assert(Levels >= 2);
    static constexpr unsigned levels = Levels;
    static constexpr unsigned upper = Levels / 2;  ///< levels that most inputs need
    /// Bits between the units of two levels. A number, or what a level leaves of it, is at most 2^(level_bits - 1) of the next units.
    static constexpr int level_bits = 42;
    /// Numbers that may be added before the sums are taken: a sum stays within 2^51 of its start.
    static constexpr unsigned most_additions = 1000;
    /// Numbers whose levels may be added up as doubles: those have 53 bits.
    static constexpr unsigned most_exact = 4096;
    static constexpr int span = static_cast<int>(Levels) * level_bits - 1;

    static constexpr std::uint32_t infinity_key = sizeof(Real) == 4 ? 0x7f800000 : 0x7ff00000;  ///< or of a NaN

    int top;  ///< numbers are less than 2^top

    /// The exponent of a level's unit.
    PARPRIMS_HOST_DEVICE constexpr int unit(unsigned level) const
    {
        return top - (level_bits - 1) - static_cast<int>(level) * level_bits;
    }
    /// Where the sum of a level starts, as bits. The last one starts from -0, which it remains if all numbers are -0.
    PARPRIMS_HOST_DEVICE constexpr std::uint64_t start_bits(unsigned level) const
    {
        constexpr std::uint64_t half = std::uint64_t{1} << 51;
        return level + 1 == Levels ? std::uint64_t{1} << 63
                                   : (static_cast<std::uint64_t>(unit(level) + 52 + 1023) << 52 | half);
    }
    PARPRIMS_HOST_DEVICE constexpr double start(unsigned level) const
    {
        return __builtin_bit_cast(double, start_bits(level));
    }

    /// What a level has added, in its units.
    PARPRIMS_HOST_DEVICE constexpr std::int64_t total(unsigned level, double sum) const
    {
        if (level + 1 < Levels)
            return static_cast<std::int64_t>(__builtin_bit_cast(std::uint64_t, sum) - start_bits(level));
        const scaled_integer number = scaled(sum);
        return number.mantissa == 0 ? 0 : number.mantissa >> (unit(level) - number.exponent);
    }

    /// The first key of a number of at least 2^exponent, if that is in the range of normal numbers.
    PARPRIMS_HOST_DEVICE static constexpr std::uint32_t key_of(int exponent)
    {
        constexpr int bias = sizeof(Real) == 4 ? 127 : 1023;
        constexpr int fraction_bits = sizeof(Real) == 4 ? 23 : 20;
        const int field = exponent < 1 - bias ? 1 : exponent > bias + 1 ? 2 * bias + 1 : exponent + bias;
        return static_cast<std::uint32_t>(field) << fraction_bits;
    }
    PARPRIMS_HOST_DEVICE constexpr std::uint32_t end_key() const { return key_of(top); }
    /// Less 1. Denormal numbers are in no window, or in those whose last unit is the lowest digit.
    PARPRIMS_HOST_DEVICE constexpr std::uint32_t first_key() const
    {
        return Digits <= 53 && top == lowest_top ? 0 : key_of(unit(Levels - 1) + Digits - 1) - 1;
    }
    /// The first key of numbers that the first `upper` levels hold alone.
    PARPRIMS_HOST_DEVICE constexpr std::uint32_t first_upper_key() const
    {
        return key_of(unit(upper - 1) + Digits - 1);
    }
    /// Whether the first `upper` levels hold numbers with these keys alone: not if all are zeros, as nothing tells -0 there.
    PARPRIMS_HOST_DEVICE constexpr bool upper_holds(const key_range& keys) const
    {
        return keys.highest != 0 && keys.highest < end_key() && keys.lowest >= first_upper_key() - 1;
    }
    PARPRIMS_HOST_DEVICE constexpr bool holds(const key_range& keys) const
    {
        return keys.highest < end_key() && keys.lowest >= first_key();
    }

    PARPRIMS_HOST_DEVICE constexpr bool holds(std::uint32_t key) const
    {
        return key < end_key() && key - 1 >= first_key();
    }

    /// A window for numbers like one with this key.
    PARPRIMS_HOST_DEVICE static constexpr exact_window around(std::uint32_t key)
    {
        constexpr int bias = sizeof(Real) == 4 ? 127 : 1023;
        constexpr int fraction_bits = sizeof(Real) == 4 ? 23 : 20;
        const int top = static_cast<int>(key >> fraction_bits) - bias + 1 + Headroom;
        return {top < lowest_top ? lowest_top : top > highest_top ? highest_top : top};
    }

private:
    static constexpr int lowest_top = Lowest + span;
    static constexpr int highest_top = sizeof(Real) == 4 ? 128 : 1011;  ///< the first level starts from a finite number
};

/// The error of a product in a window, -0 if there is none: the product is `rounded` + error.
PARPRIMS_HOST_DEVICE inline double error_of_product(double a, double b, double rounded)
{
#if defined(__CUDA_ARCH__)
    return -__fma_rn(-a, b, rounded);
#else
    return -__builtin_fma(-a, b, rounded);
#endif
}

}  // namespace parprims::detail::numeric
