/// @file
/// @brief  Which digits the words of a sum hold, and what a weight adds to them.
///
/// Any choice gives the exact sum: what the words do not hold goes to the limbs of outlier_rows. So the window follows from a look at a
/// few weights, which all blocks look at.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/contract/weights.hpp>
#include <parprims/detail/device/weighted/sum_words.hpp>
#include <parprims/detail/device/weighted/tuning.hpp>
#include <parprims/detail/numeric/exact_limbs.hpp>
#include <parprims/detail/numeric/integers.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace parprims::detail::device {

/// A weight as an integer, `mantissa` * 2^`exponent()`, if it is a normal number. Others have an exponent that is none of a normal number.
template <class Real>
struct weight_digits {
    static constexpr int count = std::numeric_limits<Real>::digits;
    static constexpr int lowest = std::numeric_limits<Real>::min_exponent - count;
    static constexpr int highest = std::numeric_limits<Real>::max_exponent - count;
    using mantissa_type = std::conditional_t<sizeof(Real) == 4, std::int32_t, std::int64_t>;
    using square_type = std::conditional_t<sizeof(Real) == 4, std::int64_t, numeric::int128>;

    mantissa_type mantissa;
    int field;  ///< the exponent as the weight stores it: 0 below normal numbers, 1 for the lowest of them

    PARPRIMS_DEVICE static weight_digits of(Real weight)
    {
        using bits_type = std::make_unsigned_t<mantissa_type>;
        constexpr bits_type leading = bits_type{1} << (count - 1);
        constexpr int sign = 8 * sizeof(Real) - 1;
        const auto bits = __builtin_bit_cast(bits_type, weight);
        const auto field = static_cast<int>(bits >> (count - 1) & ((1u << (sign - count + 1)) - 1));
        const auto magnitude = static_cast<mantissa_type>((bits & (leading - 1)) + leading);
        return {bits >> sign != 0 ? -magnitude : magnitude, field};
    }
    PARPRIMS_HOST_DEVICE static constexpr int field_of(int exponent) { return exponent - lowest + 1; }
    PARPRIMS_DEVICE int exponent() const { return field - field_of(0); }
    PARPRIMS_DEVICE bool is_normal() const { return 1 <= field && field <= field_of(highest); }
    PARPRIMS_DEVICE square_type square() const { return square_type{mantissa} * mantissa; }
};

/// The weights that the words of a call's bins hold: normal numbers whose last digit is from 2^lowest to 2^(lowest + room). The lowest digit
/// of the sums of weights is 2^lowest_value, that of squares 2^lowest_square: so low that the largest weight takes the highest words. Without squares
/// lowest_value is lowest.
///
/// `looked`, which look_at_weights stores, decides between two windows. The wide one holds as many binades as fit. The usual one holds fewer, but
/// there a weight seldom changes more words than its digits fill: the digits of the largest weight begin at the lowest digit of a word, or a
/// little above it (value_guard).
template <class W, unsigned Values>
struct weight_windows {
    using traits = weight_traits<W>;
    using digits = weight_digits<typename traits::real>;
    using words = bin_words<W, Values>;
    static constexpr std::uint32_t wide = 1u << 31;  ///< of `looked`

    int lowest;
    unsigned room;
    int lowest_value;
    int lowest_square;

    PARPRIMS_DEVICE static weight_windows of(std::uint32_t looked, int log2n)
    {
        const bool is_wide = (looked & wide) != 0;
        // How far the last digit of the largest weight may be above the lowest one of a sum.
        const auto most = [&](auto sum, int number_digits) {
            return smaller_of(static_cast<int>(32 * sum.shared_words) - 1 - number_digits - log2n,
                              static_cast<int>(32 * sum.max_first) + 31);
        };
        const auto height = [&](int room, int guard) { return is_wide ? room : ((room - guard) & ~31) + guard; };
        const int value_top = height(most(value_sum<W>{}, digits::count), value_guard<W>);
        int square_top = 0;
        int above = value_top;
        if constexpr (Values > 1) {
            square_top = height(most(square_sum<W>{}, 2 * digits::count), square_guard);
            above = smaller_of(above, square_top / 2);
        }
        const int top = static_cast<int>(looked & ~wide) + traits::limbs.lowest + window_headroom;
        const int highest = larger_of(smaller_of(top, digits::highest), digits::lowest + above);
        return {highest - above, static_cast<unsigned>(above), larger_of(highest - value_top, traits::limbs.lowest),
                larger_of(2 * highest - square_top, traits::square_limbs.lowest)};
    }

    PARPRIMS_DEVICE bool hold(const digits& weight) const { return shift_of(weight) <= room; }

    /// What the words of a bin get of a weight: 0, but for the count, if they do not hold it, and no count if it is of a sample that is dropped.
    PARPRIMS_DEVICE typename words::numbers numbers_of(digits weight, bool is_counted) const
    {
        typename words::numbers result;
        const auto set = [&](auto sum, unsigned before, unsigned number, const auto& mantissa, unsigned shift) {
            sum.store_shifted(result.words + before, mantissa, shift);
            result.firsts[number] = shift / 32;
        };
        const bool is_held = is_counted && hold(weight);
        weight.mantissa = is_held ? weight.mantissa : 0;
        const unsigned shift = is_held ? shift_of(weight) : 0;
        set(value_sum<W>{}, 0, 0, weight.mantissa,
            Values == 1 ? shift : shift + static_cast<unsigned>(lowest - lowest_value));  // saves an addition
        if constexpr (Values > 1)
            set(square_sum<W>{}, value_sum<W>::span, 1, weight.square(),
                2 * shift + static_cast<unsigned>(2 * lowest - lowest_square));
        if constexpr (Values == profile_values) {
            result.words[value_sum<W>::span + square_sum<W>::span] = is_counted ? 1 : 0;
            result.firsts[2] = 0;
        }
        return result;
    }

private:
    /// How many digits the last one lies above 2^lowest; more than `room` if it lies below, or if the weight is no normal number.
    PARPRIMS_DEVICE unsigned shift_of(const digits& weight) const
    {
        return static_cast<unsigned>(weight.field - digits::field_of(lowest));
    }
};

/// For all threads of a block, whose first warp looks at a few of the weights of samples in bins: all blocks at the same ones. Stores in
/// `*looked`, in shared memory, the exponent of the last digit of the largest one that is not far from most, as a number above that of
/// the lowest limb, with weight_windows::wide if that is needed, or if `is_wide`. Ends with a barrier.
template <unsigned Values, class Weighted>
PARPRIMS_DEVICE void look_at_weights(simt::block block, std::uint32_t* looked, const Weighted& input, int log2n,
                                     bool is_wide)
{
    using windows = weight_windows<typename Weighted::weight_type, Values>;
    using traits = typename windows::traits;
    using digits = typename windows::digits;
    constexpr std::uint32_t none = ~0u;
    constexpr unsigned looks = looked_weights / simt::warp_size;  // of a lane
    if (block.warp() == 0) {
        const std::size_t n = input.samples.n;
        std::uint32_t exponents[looks];
        unsigned found = 0;
        // Nothing here branches on weights, so those of a lane and their samples are in flight together. Segments whose number lies in device
        // memory may all be empty: then n is 0.
#pragma unroll
        for (unsigned k = 0; k < looks; ++k)
            exponents[k] = none;
        if (n != 0)
#pragma unroll
            for (unsigned k = 0; k < looks; ++k) {
                const unsigned look = k * simt::warp_size + block.lane();
                const std::size_t i = looked_weight(look, n);
                const std::size_t at = smaller_of(i, n - 1);
                const digits weight = digits::of(traits::convert(input.weights[at]));
                const std::size_t slot = input.samples.axis.slot(input.samples.sample(at));
                const bool counts = i < n && weight.is_normal() && slot < input.samples.axis.extent();
                exponents[k] = counts ? static_cast<std::uint32_t>(weight.exponent() - traits::limbs.lowest) : none;
                found += counts ? 1 : 0;
            }
        found = simt::sum_lanes(found);
        // The median, bit by bit.
        constexpr std::uint32_t top_bit = 1u << (8 * sizeof(digits::mantissa) - digits::count);
        std::uint32_t median = 0;
        for (std::uint32_t bit = top_bit; bit != 0; bit /= 2) {
            unsigned below = 0;
#pragma unroll
            for (unsigned k = 0; k < looks; ++k)
                below += exponents[k] < (median | bit) ? 1 : 0;
            below = simt::sum_lanes(below);
            median |= 2 * below <= found && found != 0 ? bit : 0;
        }
        // What lies so near to it that the words of a sum of weights can hold all of it.
        constexpr int reach_of_one =
            (static_cast<int>(32 * value_sum<typename Weighted::weight_type>::shared_words) - digits::count) / 2;
        const auto reach = static_cast<std::uint32_t>(larger_of(reach_of_one - log2n / 2, 1));
        std::uint32_t highest = median;
#pragma unroll
        for (unsigned k = 0; k < looks; ++k)
            if (exponents[k] != none && exponents[k] <= median + reach)
                highest = larger_of(highest, exponents[k]);
        for (unsigned distance = simt::warp_size / 2; distance > 0; distance /= 2)
            highest = larger_of(highest, simt::shuffle_down(highest, distance));
        highest = simt::shuffle(highest, 0);
        // Would the wide window hold more of them?
        const auto usual = windows::of(highest, log2n), wide = windows::of(highest | windows::wide, log2n);
        bool is_wider = is_wide;
#pragma unroll
        for (unsigned k = 0; k < looks; ++k) {
            const int exponent = static_cast<int>(exponents[k]) + traits::limbs.lowest;
            const digits weight{0, digits::field_of(exponent)};
            is_wider = is_wider || (exponents[k] != none && !usual.hold(weight) && wide.hold(weight));
        }
        highest |= simt::ballot(is_wider) != 0 ? windows::wide : 0;
        if (block.lane() == 0)
            simt::store(looked, highest);
    }
    block.sync();
}

}  // namespace parprims::detail::device
