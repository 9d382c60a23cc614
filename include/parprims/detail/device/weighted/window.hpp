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

PARPRIMS_HOST_DEVICE constexpr numeric::scaled_integer scaled_weight(float value)
{
    const auto bits = __builtin_bit_cast(std::uint32_t, value);
    const int field = static_cast<int>(bits >> 23 & 0xff);
    const auto fraction = static_cast<std::int32_t>(bits & 0x7fffff);
    const std::int32_t magnitude = field != 0 ? fraction | 0x800000 : fraction;
    return {bits >> 31 != 0 ? -magnitude : magnitude, (field != 0 ? field : 1) - 150};
}
PARPRIMS_HOST_DEVICE constexpr numeric::scaled_integer scaled_weight(double value)
{
    return numeric::scaled(value);
}

/// A weight as an integer: `mantissa` * 2^`exponent`.
template <class Real>
struct weight_digits {
    static constexpr int count = std::numeric_limits<Real>::digits;
    /// The exponent of infinities and NaN; all others have lower ones.
    static constexpr int special = std::numeric_limits<Real>::max_exponent - count + 1;
    /// The square of a mantissa.
    using square_type = std::conditional_t<std::is_same_v<Real, float>, std::int64_t, numeric::int128>;

    std::int64_t mantissa;
    int exponent;

    PARPRIMS_DEVICE static weight_digits of(Real weight)
    {
        const numeric::scaled_integer number = device::scaled_weight(weight);
        return {number.mantissa, number.exponent};
    }
    PARPRIMS_DEVICE bool is_finite() const { return exponent != special; }
    PARPRIMS_DEVICE square_type square() const { return square_type{mantissa} * mantissa; }
};

/// Numbers whose last digit is from 2^lowest to 2^(lowest + room): as many as a call has fit a sum. No infinity is among them.
struct digit_window {
    int lowest;
    unsigned room;

    PARPRIMS_DEVICE unsigned place(int exponent) const { return static_cast<unsigned>(exponent - lowest); }
    PARPRIMS_DEVICE bool holds(int exponent) const { return place(exponent) <= room; }

    /// Of a sum of at most 2^log2n numbers of `digits` digits, in `words` words; for numbers whose last digit is up to 2^highest.
    PARPRIMS_DEVICE static digit_window below(int highest, unsigned words, int digits, int log2n, int special,
                                              int lowest_limb)
    {
        const int room = static_cast<int>(32 * words) - 1 - digits - log2n;
        const int lowest = smaller_of(highest, special - 1) - room;
        return {larger_of(lowest, lowest_limb), static_cast<unsigned>(room)};
    }
};

/// The windows of the sums of a call.
template <class W, unsigned Values>
struct weight_windows {
    using traits = weight_traits<W>;
    using digits = weight_digits<typename traits::real>;
    using words = bin_words<W, Values>;

    digit_window values;
    digit_window squares;

    /// `looked`: what look_at_weights has found.
    PARPRIMS_DEVICE static weight_windows of(std::uint32_t looked, int log2n)
    {
        const int highest = static_cast<int>(looked) + traits::limbs.lowest + window_headroom;
        return {digit_window::below(highest, value_words<W>, digits::count, log2n, digits::special,
                                    traits::limbs.lowest),
                digit_window::below(2 * highest, square_words<W>, 2 * digits::count, log2n, 2 * digits::special,
                                    traits::square_limbs.lowest)};
    }

    PARPRIMS_DEVICE bool hold_value(const digits& weight) const
    {
        return values.holds(weight.exponent) || weight.mantissa == 0;
    }
    PARPRIMS_DEVICE bool hold_square(const digits& weight) const
    {
        return Values == 1 || squares.holds(2 * weight.exponent) || weight.mantissa == 0;
    }

    /// What the words of a bin get of a weight: 0 in the place of what they do not hold.
    PARPRIMS_DEVICE words words_of(const digits& weight) const
    {
        words result;
        words_of_sum<value_words<W>>::set(result.words, hold_value(weight) ? weight.mantissa : 0,
                                          values.place(weight.exponent));
        if constexpr (Values > 1)
            words_of_sum<square_words<W>>::set(result.words + value_words<W>, hold_square(weight) ? weight.square() : 0,
                                               squares.place(2 * weight.exponent));
        if constexpr (Values == profile_values)
            result.words[words::shared_words - 1] = 1;
        return result;
    }
};

/// For all threads of a block, whose first warp looks at a few of the weights of samples in bins: all blocks at the same ones. Stores in
/// `*looked`, in shared memory, the exponent of the last digit of the largest one that is not far from most, as a number above that of
/// the lowest limb. Ends with a barrier.
template <class Weighted>
PARPRIMS_DEVICE void look_at_weights(simt::block block, std::uint32_t* looked, const Weighted& input, int log2n)
{
    using traits = weight_traits<typename Weighted::weight_type>;
    using digits = weight_digits<typename traits::real>;
    constexpr std::uint32_t none = ~0u;
    constexpr unsigned looks = looked_weights / simt::warp_size;  // of a lane
    if (block.warp() == 0) {
        const std::size_t n = input.samples.n;
        std::uint32_t exponents[looks];
        unsigned found = 0;
#pragma unroll
        for (unsigned k = 0; k < looks; ++k) {
            const std::size_t i = n / looked_weights * (k * simt::warp_size + block.lane()) +
                                  smaller_of<std::size_t>(n % looked_weights, k * simt::warp_size + block.lane());
            exponents[k] = none;
            if (i < n) {
                const digits weight = digits::of(traits::convert(input.weights[i]));
                if (weight.mantissa != 0 && weight.is_finite() &&
                    input.samples.axis.slot(input.samples.sample(i)) < input.samples.axis.extent())
                    exponents[k] = static_cast<std::uint32_t>(weight.exponent - traits::limbs.lowest);
            }
            found += simt::count_lanes(simt::ballot(exponents[k] != none));
        }
        // The median, bit by bit.
        std::uint32_t median = 0;
        for (std::uint32_t bit = 1u << 11; bit != 0; bit /= 2) {
            unsigned below = 0;
#pragma unroll
            for (unsigned k = 0; k < looks; ++k)
                below += simt::count_lanes(simt::ballot(exponents[k] < (median | bit)));
            median |= 2 * below <= found && found != 0 ? bit : 0;
        }
        // What lies so near to it that the words of a sum of weights can hold all of it.
        constexpr int reach_of_one =
            (static_cast<int>(32 * value_words<typename Weighted::weight_type>) - digits::count) / 2;
        const auto reach = static_cast<std::uint32_t>(larger_of(reach_of_one - log2n / 2, 1));
        std::uint32_t highest = median;
#pragma unroll
        for (unsigned k = 0; k < looks; ++k)
            if (exponents[k] != none && exponents[k] <= median + reach)
                highest = larger_of(highest, exponents[k]);
        for (unsigned distance = simt::warp_size / 2; distance > 0; distance /= 2)
            highest = larger_of(highest, simt::shuffle_down(highest, distance));
        if (block.lane() == 0)
            simt::store(looked, highest);
    }
    block.sync();
}

}  // namespace parprims::detail::device
