/// @file
/// @brief  Where a sample lies among equally wide bins. Constant divisions are done once, in the constructors.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/axis/sample.hpp>
#include <parprims/detail/simt/rounding.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace parprims::detail::axis {

/// Floating-point edges: `edge(i) = min(lower + i * width, upper)`.
///
/// A sample's position is `p = (x - lower) * scale`. With u half an ulp of 1, p is within 3 u bins of the exact
/// (x - lower) / width; an edge is within u bins + u max(|lower|, |upper|) / width of its exact place, in widths. So
/// where p is further than the sum from a whole number, its floor is the bin. Elsewhere the edges themselves decide.
template <class T>
class floating_rule {
public:
    constexpr floating_rule(std::size_t bins, T lower, T upper) : lower_(lower), upper_(upper), bins_(bins)
    {
        constexpr T smallest = std::numeric_limits<T>::min();
        constexpr T largest = std::numeric_limits<T>::max();
        if (upper / 2 - lower / 2 > largest / 2) {  // the range is no finite number: place the edges in halves
            shrink_ = half;
            grow_ = 2;
        }
        const T count = static_cast<T>(bins);
        width_ = (upper * shrink_ - lower * shrink_) / count;
        scale_ = width_ >= 4 / largest ? 1 / width_ : 0;
        last_ = simt::next_below(count);
        narrow_ = bins <= std::size_t{1} << 30 && shrink_ == 1;
        if (narrow_ && width_ >= 4 * smallest && scale_ >= smallest)
            certain_ = is_exact() ? half : half - uncertainty();
    }

    PARPRIMS_HOST_DEVICE constexpr std::size_t bins() const { return bins_; }

    PARPRIMS_HOST_DEVICE constexpr T edge(std::size_t i) const { return i < bins_ ? edge_below(i) : upper_; }

    PARPRIMS_HOST_DEVICE constexpr std::size_t slot(T x) const
    {
        if (!(x >= lower_ && x < upper_))
            return bins_ + (x < lower_ ? underflow : x >= upper_ ? overflow : nan);
        if (!narrow_) {
            const T position = (x * shrink_ - lower_ * shrink_) * scale_;
            return search(x, static_cast<std::uint64_t>(position < last_ ? position : last_));
        }
        T position = (x - lower_) * scale_;
        position = position < last_ ? position : last_;
        const auto guess = static_cast<std::uint32_t>(static_cast<std::int32_t>(position));
        const T from_middle = position - static_cast<T>(static_cast<std::int32_t>(guess)) - half;
        if ((from_middle < 0 ? -from_middle : from_middle) <= certain_)
            return guess;
        return search(x, guess);
    }

    friend constexpr bool operator==(const floating_rule&, const floating_rule&) = default;

private:
    static constexpr T half = static_cast<T>(0.5);

    /// Whether no operation rounds: edges at the multiples of a power of two, few enough to be exact.
    constexpr bool is_exact() const
    {
        if (lower_ != 0 || bins_ > std::size_t{1} << (std::numeric_limits<T>::digits - 1))
            return false;
        T power = 1;
        while (power < width_)
            power *= 2;
        while (power > width_)
            power /= 2;
        return power == width_ && static_cast<T>(bins_) * width_ == upper_;
    }

    /// How far from a whole number a position has to be to be sure of its bin; an eighth is added to every bound.
    constexpr T uncertainty() const
    {
        constexpr T u = std::numeric_limits<T>::epsilon() / 2;
        const T below = lower_ < 0 ? -lower_ : lower_;
        const T above = upper_ < 0 ? -upper_ : upper_;
        const T furthest = below < above ? above : below;
        return u * (T{4.5} * static_cast<T>(bins_ + 2) + T{1.125} * (furthest / width_));
    }

    template <class Index>
    PARPRIMS_HOST_DEVICE constexpr T edge_below(Index i) const
    {
        const T edge = grow_ * simt::multiply_add_unfused(lower_ * shrink_, static_cast<T>(i), width_);
        return edge < upper_ ? edge : upper_;
    }

    /// The bin of `x`, which is in one, by comparisons with edges alone: strides that double away from the guess, then
    /// bisection. `edge(low) <= x < edge(high)` holds throughout.
    template <class Index>
    PARPRIMS_HOST_DEVICE constexpr std::size_t search(T x, Index guess) const
    {
        const Index bins = static_cast<Index>(bins_);
        Index low = 0;
        Index high = bins;
        Index stride = 1;
        if (edge_below(guess) <= x) {
            for (low = guess; high - low > stride; stride *= 2) {
                if (x < edge_below(low + stride)) {
                    high = low + stride;
                    break;
                }
                low += stride;
            }
        } else {
            for (high = guess; high - low > stride; stride *= 2) {
                if (edge_below(high - stride) <= x) {
                    low = high - stride;
                    break;
                }
                high -= stride;
            }
        }
        while (high - low > 1) {
            const Index middle = low + (high - low) / 2;
            (edge_below(middle) <= x ? low : high) = middle;
        }
        return low;
    }

    T lower_;
    T upper_;
    T width_ = 0;
    T scale_ = 0;    ///< 1 / width; 0 where that is no finite number, then every guess is 0
    T last_ = 0;     ///< the largest T below bins
    T certain_ = -1; ///< a position this close to the middle of its bin needs no look at the edges
    T shrink_ = 1;   ///< 1/2 where the range overflows
    T grow_ = 1;     ///< 1 / shrink
    bool narrow_ = false;
    std::size_t bins_;
};

/// Integer edges: `edge(i) = lower + floor(i * range / bins)`.
///
/// With e = x - lower + 1, the bin is the largest i with i * range < e * bins, hence floor((e * bins - 1) / range).
/// Let M = floor((bins * 2^64 - 1) / range): it is below bins * 2^64 / range by at most 1, but by something. So
/// e * M / 2^64 is below e * bins / range by at most e / 2^64, but by something: its floor is the bin, or the one before
/// where e * range > 2^64.
template <class T>
class integer_rule {
    using offset_type = std::conditional_t<sizeof(T) <= 4, std::uint32_t, std::uint64_t>;

public:
    constexpr integer_rule(std::size_t bins, T lower, T upper)
        : lower_(lower), range_(static_cast<offset_type>(static_cast<offset_type>(upper) - static_cast<offset_type>(lower))),
          bins_(bins)
    {
        const simt::uint128 scale = ((simt::uint128{bins} << 64) - 1) / range_;
        whole_ = static_cast<std::uint64_t>(scale >> 64);
        fraction_ = static_cast<std::uint64_t>(scale);
        narrow_ = whole_ == 0 && range_ <= UINT32_MAX;
    }

    PARPRIMS_HOST_DEVICE constexpr std::size_t bins() const { return bins_; }

    PARPRIMS_HOST_DEVICE constexpr T edge(std::size_t i) const
    {
        const auto count = i < bins_ ? i : bins_;
        const auto offset = static_cast<offset_type>(simt::uint128{count} * range_ / bins_);
        return static_cast<T>(static_cast<offset_type>(lower_) + offset);
    }

    PARPRIMS_HOST_DEVICE constexpr std::size_t slot(T x) const
    {
        const auto offset = static_cast<offset_type>(static_cast<offset_type>(x) - static_cast<offset_type>(lower_));
        if (offset >= range_)
            return bins_ + (x < lower_ ? underflow : overflow);
        if (narrow_)
            return simt::multiply_high(static_cast<std::uint32_t>(offset + 1), fraction_);
        const std::uint64_t e = std::uint64_t{offset} + 1;
        const std::uint64_t bin = e * whole_ + simt::multiply_high(e, fraction_);
        return bin + (simt::uint128{bin + 1} * range_ < simt::uint128{e} * bins_ ? 1 : 0);
    }

    friend constexpr bool operator==(const integer_rule&, const integer_rule&) = default;

private:
    T lower_;
    offset_type range_;
    std::uint64_t fraction_ = 0; ///< M, its low 64 bits
    std::uint64_t whole_ = 0;    ///< M, what is above them: not 0 where there are more bins than integers
    bool narrow_ = false;        ///< M has 64 bits and the range has 32
    std::size_t bins_;
};

template <class T>
using regular_rule = std::conditional_t<std::is_floating_point_v<T>, floating_rule<T>, integer_rule<T>>;

}  // namespace parprims::detail::axis
