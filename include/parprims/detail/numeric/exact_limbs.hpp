/// @file
/// @brief  Sums of floating-point numbers without rounding: fixed-point numbers that hold all of them, rounded once in the end.
///
/// A sum is the integers `limb[k]`, in units of 2^(lowest + 32 k). A number changes a limb by less than 2^32, so that 2^30 of them are
/// added before carries must be passed on; until then no limb depends on another. So numbers can be added in any order, also by
/// atomic additions. Limbs may be negative.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/numeric/exact_rounding.hpp>
#include <parprims/detail/numeric/rounding.hpp>

#include <cstdint>
#include <type_traits>

namespace parprims::detail::numeric {

/// A finite number: `mantissa` times 2^`exponent`.
struct scaled_integer {
    std::int64_t mantissa;
    int exponent;  ///< at least -1074
};

PARPRIMS_HOST_DEVICE constexpr scaled_integer scaled(double value)
{
    const auto bits = __builtin_bit_cast(std::uint64_t, value);
    const int field = static_cast<int>(bits >> 52 & 0x7ff);
    const auto fraction = static_cast<std::int64_t>(bits & (~std::uint64_t{0} >> 12));
    const std::int64_t magnitude = field != 0 ? fraction | std::int64_t{1} << 52 : fraction;
    return {bits >> 63 != 0 ? -magnitude : magnitude, (field != 0 ? field : 1) - 1075};
}

/// The numbers that limbs hold: multiples of 2^lowest, of less than 2^(highest - 128); both are multiples of 32.
struct limb_range {
    int lowest;
    int highest;

    constexpr unsigned limbs() const { return static_cast<unsigned>(highest - lowest) / 32; }
    constexpr limb_range joined(const limb_range& other) const
    {
        return {lowest < other.lowest ? lowest : other.lowest, highest > other.highest ? highest : other.highest};
    }
};

/// The range of floats, as `scaled` has them after they were widened; of doubles; of products of two.
inline constexpr limb_range limbs_of_float = {-224, 256};
inline constexpr limb_range limbs_of_double = {-1088, 1152};
inline constexpr limb_range limbs_of_float_product = {-352, 384};
inline constexpr limb_range limbs_of_double_product = {-2176, 2176};

template <class T>
inline constexpr limb_range limbs_of = std::is_same_v<T, float> ? limbs_of_float : limbs_of_double;

/// Calls `add(k, part)` for the limbs that `mantissa` * 2^`exponent` changes. Zero may have any exponent.
template <int Lowest, class Add>
PARPRIMS_HOST_DEVICE constexpr void for_each_limb(std::int64_t mantissa, int exponent, Add add)
{
    if (mantissa == 0)
        return;
    const auto place = static_cast<unsigned>(exponent - Lowest);
    const unsigned k = place / 32;
    const unsigned shift = place % 32;
    constexpr std::uint64_t lower = 0xffffffff;
    const std::uint64_t low = static_cast<std::uint64_t>(mantissa) << shift;
    // Shifted in two steps, as `shift` may be 0.
    const std::int64_t high = mantissa >> 32 >> (32 - shift);
    add(k, static_cast<std::int64_t>(low & lower));
    add(k + 1, static_cast<std::int64_t>(low >> 32));
    add(k + 2, high);
}

/// Calls `add(k, part)` for the limbs that the product of two finite doubles changes.
template <int Lowest, class Add>
PARPRIMS_HOST_DEVICE constexpr void for_each_limb_of_product(double a, double b, Add add)
{
    const scaled_integer x = scaled(a);
    const scaled_integer y = scaled(b);
    const int128 product = int128{x.mantissa} * y.mantissa;
    const int exponent = x.exponent + y.exponent;
    numeric::for_each_limb<Lowest>(static_cast<std::int64_t>(product & 0xffffffff), exponent, add);
    numeric::for_each_limb<Lowest>(static_cast<std::int64_t>(product >> 32 & 0xffffffff), exponent + 32, add);
    numeric::for_each_limb<Lowest>(static_cast<std::int64_t>(product >> 64), exponent + 64, add);
}

/// What a limb passes on to the next one, so that less than 2^31 remains, or -2^31.
PARPRIMS_HOST_DEVICE constexpr std::int64_t carry_of(std::int64_t limb)
{
    return (limb + (std::int64_t{1} << 31)) >> 32;
}
/// Passes on all carries but that of the last limb.
template <class Count>
PARPRIMS_HOST_DEVICE constexpr void pass_on_carries(std::int64_t* limbs, Count count)
{
    for (Count k = 0; k + 1 < count; ++k) {
        const std::int64_t carry = carry_of(limbs[k]);
        limbs[k] -= carry << 32;
        limbs[k + 1] += carry;
    }
}

/// Limbs of 32 bits that decide a sum but for ties. The first of them is not 0, and settled ones are at most 3/4 of a unit of the next, so that they
/// have more than 60 bits.
inline constexpr int leading_limbs = 3;

/// The sum of settled limbs, rounded once. The highest one that is not 0, if there is one, is number `top` - 1: a, b and c are this one and the next
/// two. `below`: the sign of the highest one below these that is not 0, or 0.
template <class T, int Lowest>
PARPRIMS_HOST_DEVICE constexpr T rounded_leading(int top, std::int64_t a, std::int64_t b, std::int64_t c, int below,
                                                 std::uint32_t seen)
{
    if (top == 0)
        return special_or(seen == 0 ? -T{0} : T{0}, seen);
    const bool is_negative = a < 0;
    if (is_negative) {
        a = -a;
        b = -b;
        c = -c;
        below = -below;
    }
    c -= below < 0 ? 1 : 0;  // and almost a unit more, below it
    b += c >> 32;
    a += b >> 32;
    const std::uint64_t upper = static_cast<std::uint64_t>(a) << 32 | static_cast<std::uint32_t>(b);
    const std::uint64_t lower = std::uint64_t{static_cast<std::uint32_t>(c)} << 32 | (below != 0 ? 1 : 0);
    return special_or(nearest<T>(upper, lower, Lowest + 32 * (top - leading_limbs) - 32, is_negative), seen);
}

PARPRIMS_BEGIN_UNMARKED_CALLS
/// The sum of the settled limbs `limb(k)`, in units of 2^(lowest + Spacing * k), from `bottom` to `top`, rounded once.
template <class T, int Spacing = 32, class Limb>
PARPRIMS_HOST_DEVICE constexpr T rounded_limbs(int lowest, int bottom, int top, Limb limb, std::uint32_t seen)
{
    // The leading limbs, of at least 64 bits if there are so many: a settled limb is at most 3/4 of a unit of the next, so no limb cancels those
    // above.
    int128 leading = 0;
    constexpr int128 enough = int128{1} << 64;
    int k = top;
    for (; k > bottom && -enough < leading && leading < enough;) {
        --k;
        leading = leading * (int128{1} << Spacing) + limb(k);
    }
    const int exponent = lowest + Spacing * k;
    std::int64_t below = 0;
    while (k > bottom && below == 0)
        below = limb(--k);
    return nearest_to<T>(leading, exponent, below, seen);
}
PARPRIMS_END_UNMARKED_CALLS

/// An exact sum, in the memory of one thread.
template <int Lowest, int Highest>
class exact_sum {
public:
    static constexpr unsigned count = limb_range{Lowest, Highest}.limbs();

    /// Adds `mantissa` * 2^`exponent`.
    PARPRIMS_HOST_DEVICE constexpr void add(std::int64_t mantissa, int exponent)
    {
        numeric::for_each_limb<Lowest>(mantissa, exponent, adder());
        count_addition();
    }
    PARPRIMS_HOST_DEVICE constexpr void add_value(double value)
    {
        const scaled_integer number = scaled(value);
        if (number.exponent == 2047 - 1075) {
            seen_ |= seen_in(value);
            return;
        }
        seen_ |= number.mantissa != 0 ? seen_no_minus_zero : seen_in(value);
        add(number.mantissa, number.exponent);
    }
    /// Adds the product of two doubles.
    PARPRIMS_HOST_DEVICE constexpr void add_product(double a, double b)
    {
        const std::uint32_t seen = seen_in(a) | seen_in(b);
        if (is_special(seen)) {
            seen_ |= seen_in(a * b);
            return;
        }
        seen_ |= a != 0 && b != 0 ? seen_no_minus_zero : seen_in(a * b);
        numeric::for_each_limb_of_product<Lowest>(a, b, adder());
        count_addition();
    }
    PARPRIMS_HOST_DEVICE constexpr void add_seen(std::uint32_t seen) { seen_ |= seen; }

    template <int OtherLowest, int OtherHighest>
    PARPRIMS_HOST_DEVICE constexpr void merge(exact_sum<OtherLowest, OtherHighest>& other)
    {
        static_assert(OtherLowest >= Lowest && OtherHighest <= Highest);
        settle();
        other.settle();
        for (unsigned k = 0; k < other.count; ++k)
            limbs_[k + (OtherLowest - Lowest) / 32] += other.limb(k);
        seen_ |= other.seen();
    }

    template <class T>
    PARPRIMS_HOST_DEVICE constexpr T rounded()
    {
        settle();
        return rounded_limbs<T>(
            Lowest, 0, static_cast<int>(count), [&](int k) { return limbs_[k]; }, seen_);
    }

    PARPRIMS_HOST_DEVICE constexpr std::int64_t limb(unsigned k) const { return limbs_[k]; }
    PARPRIMS_HOST_DEVICE constexpr std::uint32_t seen() const { return seen_; }

    /// As words that are added over ranks, modulo 2^64: settled limbs, and how often each bit of `seen` was set.
    static constexpr unsigned words = count + 4;
    PARPRIMS_HOST_DEVICE constexpr void write(std::uint64_t (&to)[words])
    {
        settle();
        for (unsigned k = 0; k < count; ++k)
            to[k] = static_cast<std::uint64_t>(limbs_[k]);
        for (unsigned bit = 0; bit < 4; ++bit)
            to[count + bit] = seen_ >> bit & 1;
    }
    PARPRIMS_HOST_DEVICE constexpr void read(const std::uint64_t (&from)[words])
    {
        for (unsigned k = 0; k < count; ++k)
            limbs_[k] = static_cast<std::int64_t>(from[k]);
        seen_ = 0;
        for (unsigned bit = 0; bit < 4; ++bit)
            seen_ |= from[count + bit] != 0 ? 1u << bit : 0;
        settle();
    }

    /// Passes on all carries.
    PARPRIMS_HOST_DEVICE constexpr void settle()
    {
        numeric::pass_on_carries(limbs_, count);
        additions_ = 0;
    }

private:
    PARPRIMS_HOST_DEVICE constexpr auto adder()
    {
        return [this](unsigned k, std::int64_t part) { limbs_[k] += part; };
    }
    PARPRIMS_HOST_DEVICE constexpr void count_addition()
    {
        if (++additions_ == most_additions)
            settle();
    }

    static constexpr std::uint32_t most_additions = 1u << 28;  ///< a product changes a limb up to three times

    std::int64_t limbs_[count] = {};
    std::uint32_t additions_ = 0;
    std::uint32_t seen_ = 0;
};

}  // namespace parprims::detail::numeric
