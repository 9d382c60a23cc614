/// @file
/// @brief  Exact sums of integers of 64 bits into floats and doubles: integers of 128 bits are added, and rounded with init in the end.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/contract/exact_terms.hpp>
#include <parprims/detail/numeric/exact_limbs.hpp>
#include <parprims/detail/numeric/rounding.hpp>

#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

namespace parprims::detail::exact {

/// A sum of integers: high * 2^64 + low, or of none.
struct wide_integer {
    std::int64_t high;
    std::uint64_t low;

    static constexpr std::int64_t none = std::numeric_limits<std::int64_t>::min();  // no sum is so small
};

struct add_wide {
    PARPRIMS_HOST_DEVICE constexpr wide_integer operator()(const wide_integer& a, const wide_integer& b) const
    {
        if (a.high == wide_integer::none || b.high == wide_integer::none)
            return a.high == wide_integer::none ? b : a;
        const std::uint64_t low = a.low + b.low;
        return {a.high + b.high + (low < b.low ? 1 : 0), low};
    }
};

PARPRIMS_BEGIN_UNMARKED_CALLS
/// Of an element that `Transform` makes an integer of.
template <class Transform>
struct to_wide {
    Transform transform;

    template <class Value>
    PARPRIMS_HOST_DEVICE constexpr wide_integer operator()(Value&& value)
    {
        return of(transform(std::forward<Value>(value)));
    }
    template <class Value>
    PARPRIMS_HOST_DEVICE constexpr wide_integer operator()(Value&& value) const
    {
        return of(transform(std::forward<Value>(value)));
    }

private:
    template <class Integer>
    PARPRIMS_HOST_DEVICE static constexpr wide_integer of(Integer number)
    {
        if constexpr (std::is_signed_v<Integer>)
            return {number < 0 ? -1 : 0, static_cast<std::uint64_t>(number)};
        else
            return {0, static_cast<std::uint64_t>(number)};
    }
};
PARPRIMS_END_UNMARKED_CALLS

/// init + a sum, rounded once to the type of init.
template <class T>
struct rounds_wide {
    T init;

    PARPRIMS_HOST_DEVICE constexpr T operator()(const wide_integer& sum) const
    {
        using numeric::int128;
        using numeric::uint128;
        const std::uint32_t seen = numeric::seen_in(init);
        if (sum.high == wide_integer::none || numeric::is_special(seen))
            return init;
        const int128 integer =
            static_cast<int128>(static_cast<uint128>(static_cast<std::uint64_t>(sum.high)) << 64 | sum.low);
        const numeric::scaled_integer more = numeric::scaled(numbers<double>::of(init));
        const auto sign_of = [](auto number) { return number < 0 ? -1 : number > 0 ? 1 : 0; };
        constexpr std::uint32_t finite = numeric::seen_no_minus_zero;

        // Where one of them is less than a unit of the other, only its sign counts. A sum of n integers is less than 2^110 if n is less than 2^46.
        if (more.mantissa == 0)
            return rounded(integer < 0 ? -1 : 0, static_cast<uint128>(integer), 0);
        if (more.exponent >= 113)
            return numeric::nearest_to<T>(int128{more.mantissa} * 8, more.exponent - 3, sign_of(integer), finite);
        if (more.exponent < -112 && integer != 0) {
            const bool is_short = integer > -(int128{1} << 60) && integer < int128{1} << 60;
            return numeric::nearest_to<T>(is_short ? integer * (int128{1} << 59) : integer, is_short ? -59 : 0,
                                          sign_of(more.mantissa), finite);
        }
        if (integer == 0)
            return init;

        // Otherwise they are added, as one integer of 256 bits.
        const bool is_whole = more.exponent >= 0;
        const int128 shifted = is_whole ? int128{more.mantissa} : integer;
        const int128 other = is_whole ? integer : int128{more.mantissa};
        const auto shift = static_cast<unsigned>(is_whole ? more.exponent : -more.exponent);
        const uint128 low = static_cast<uint128>(shifted) << shift;
        const int128 high = shift == 0 ? (shifted < 0 ? -1 : 0) : shifted >> (128 - shift);
        const uint128 total = low + static_cast<uint128>(other);
        const int carry = total < low ? 1 : 0;
        return rounded(high + (other < 0 ? -1 : 0) + carry, total, is_whole ? 0 : more.exponent);
    }

private:
    /// (high * 2^128 + low) * 2^exponent
    PARPRIMS_HOST_DEVICE static constexpr T rounded(numeric::int128 high, numeric::uint128 low, int exponent)
    {
        using numeric::uint128;
        const bool is_negative = high < 0;
        uint128 upper = static_cast<uint128>(high);
        if (is_negative) {
            low = -low;
            upper = ~upper + (low == 0 ? 1 : 0);
        }
        if (upper == 0)
            return low == 0 ? T{0} : numeric::nearest<T>(low, exponent, is_negative);
        // The upper 70 bits at least, and whether more follow. `upper` is less than 2^112.
        const unsigned kept = upper < uint128{1} << 42 ? 84 : 14;
        const uint128 rest = low << kept;
        const uint128 leading = upper << kept | low >> (128 - kept);
        return numeric::nearest<T>(leading << 1 | (rest != 0 ? 1 : 0), exponent + 127 - static_cast<int>(kept),
                                   is_negative);
    }
};

/// Whether the sum of what a transform makes of elements, which may be references, is one of integers of 64 bits and an init of type float or
/// double.
template <class T, class Element, class Transform>
constexpr bool is_wide_sum()
{
    using value_type = std::remove_cvref_t<decltype(std::declval<Transform&>()(std::declval<Element>()))>;
    return (std::is_same_v<T, float> || std::is_same_v<T, double>)&&std::is_integral_v<value_type> &&
           sizeof(value_type) == 8 && !multiplies_pair<Transform>;
}

}  // namespace parprims::detail::exact
