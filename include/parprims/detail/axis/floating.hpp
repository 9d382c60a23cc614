/// @file
/// @brief  Where a floating-point sample lies among bins of equal width. A slot takes no division: those are in the constructor.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/axis/sample.hpp>
#include <parprims/detail/numeric/integers.hpp>
#include <parprims/detail/numeric/rounding.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>

namespace parprims::detail::axis {

/// Numbers from which on a floating-point type holds integers only, and their bits, which count up from there.
template <class T>
struct integers_of;
template <>
struct integers_of<float> {
    using bits_type = std::uint32_t;
    static constexpr float first = 0x1p23f;
};
template <>
struct integers_of<double> {
    using bits_type = std::uint64_t;
    static constexpr double first = 0x1p52;
};

/// The bin of a sample between the bounds of an axis where one edge decides: the edge that is nearest to the sample's position. A
/// sum as large as `integers_of` is rounded to an integer, which its bits tell: a GPU converts between numbers and integers at an
/// eighth of the speed of a sum.
template <class T>
struct nearest_edge {
    T lower;
    T width;
    T scale;  ///< 1 / width
    std::int32_t last;

    /// The bin by the formula of the edges, which goes on above the last bin. Of a sample below the bounds, and of NaN, it is more than
    /// 2^22: such sums have fewer bits than `integers_of`, a sign, or the bits of NaN.
    PARPRIMS_HOST_DEVICE constexpr auto number(T x) const
    {
        using integers = integers_of<T>;
        using bits_type = typename integers::bits_type;
        const T sum = numeric::subtract_unfused(x, lower) * scale + integers::first;
        const T edge = numeric::multiply_add_unfused(lower, sum - integers::first, width);
        const bits_type nearest = __builtin_bit_cast(bits_type, sum) - __builtin_bit_cast(bits_type, integers::first);
        return nearest - (x < edge ? 1 : 0);
    }

    /// The bin of a sample between the bounds. The upper bound ends the last bin, wherever the formula puts its edge.
    PARPRIMS_HOST_DEVICE constexpr std::uint32_t bin(T x) const
    {
        const auto bin = static_cast<std::int32_t>(number(x));
        return static_cast<std::uint32_t>(bin < last ? bin : last);
    }

    /// The lower edge of bin `i` by the formula.
    PARPRIMS_HOST_DEVICE constexpr T edge(std::uint32_t i) const
    {
        return numeric::multiply_add_unfused(lower, static_cast<T>(i), width);
    }
};

/// All bins of an axis where one edge decides.
template <class T>
struct nearest_bins {
    nearest_edge<T> nearest;
    T upper;

    PARPRIMS_HOST_DEVICE constexpr window_position operator()(T x) const
    {
        return {x >= nearest.lower && x < upper, nearest.bin(x)};
    }

    /// Whether the formula of the edges holds at both ends of a window, and that window: the number of a bin alone tells whether a sample
    /// is inside.
    PARPRIMS_HOST_DEVICE constexpr bool has_window(std::uint32_t first, std::uint32_t width) const
    {
        const auto bins = static_cast<std::uint32_t>(nearest.last) + 1;
        return first + width < bins || nearest.edge(bins) == upper;
    }
    PARPRIMS_HOST_DEVICE constexpr numbered_window<nearest_edge<T>> window(std::uint32_t first,
                                                                           std::uint32_t width) const
    {
        return {nearest, first, width};
    }

    /// Whether one edge decides where all edges are integers: they are exact, so a position is within 3 u bins of the exact one (see
    /// floating_rule).
    PARPRIMS_HOST_DEVICE static constexpr bool exist_between_integers(T lower, T upper, T bins)
    {
        constexpr T most = integers_of<T>::first;
        return bins <= smaller_of(most / 8, T{0x1p30}) && lower >= -most && upper <= most;
    }
    PARPRIMS_HOST_DEVICE static constexpr nearest_bins between_integers(T lower, T upper, T bins)
    {
        return {{lower, (upper - lower) / bins, bins / (upper - lower), static_cast<std::int32_t>(bins) - 1}, upper};
    }
};

/// Floating-point edges: `edge(i) = min(lower + i * width, upper)`, or with halved bounds and doubled edges where
/// `upper - lower` is infinite; exactly as in axis.hpp.
///
/// A sample may come out of a product (a conversion), which is not fused with the subtraction: the bound below is of x as it
/// is compared with the edges.
///
/// A guess at the bin's nearer edge is k, the integer nearest to the position (x - lower) * scale. With u half an ulp of 1, the
/// position is within 3 u bins of the exact (x - lower) / width, adding 1/2 before the fraction is dropped costs u bins, and an
/// edge is within u bins + u max(|lower|, |upper|) / width of its exact place, in widths. While the sum is below 1/2, the bin is
/// k or k - 1, and edge k decides. Otherwise the edges near k are bisected, as far as the sum reaches.
template <class T>
class floating_rule {
public:
    static constexpr std::size_t max_bins = std::size_t{1} << 30;  ///< positions are converted to 32 bits

    constexpr floating_rule(std::size_t bins, T lower, T upper)
        : lower_(lower), upper_(upper), last_(static_cast<std::int32_t>(bins - 1)), bins_(bins)
    {
        if (upper / 2 - lower / 2 > largest / 2) {  // the range overflows: compute the edges from halved bounds
            shrink_ = half;
            grow_ = 2;
        }
        const T count = static_cast<T>(bins);
        width_ = (upper * shrink_ - lower * shrink_) / count;
        scale_ = width_ >= 4 / largest ? 1 / width_ : 0;
        find_reach();
    }

    PARPRIMS_HOST_DEVICE constexpr std::size_t bins() const { return bins_; }

    PARPRIMS_HOST_DEVICE constexpr T edge(std::size_t i) const
    {
        return i < bins_ ? edge_below(static_cast<std::uint32_t>(i)) : upper_;
    }

    PARPRIMS_HOST_DEVICE constexpr std::size_t slot(T x) const
    {
        const std::uint32_t bin = reach_ == 0 ? nearest().bin(x) : search(x);
        return x >= lower_ && x < upper_ ? bin : bins_ + (x < lower_ ? underflow : x >= upper_ ? overflow : nan);
    }

    /// Whether one edge decides.
    PARPRIMS_HOST_DEVICE constexpr bool has_nearest() const { return reach_ == 0; }

    PARPRIMS_HOST_DEVICE constexpr nearest_bins<T> nearest_of_all() const { return {nearest(), upper_}; }

    friend constexpr bool operator==(const floating_rule&, const floating_rule&) = default;

private:
    static constexpr T half = static_cast<T>(0.5);
    static constexpr T largest = std::numeric_limits<T>::max();

    static constexpr T max_error = static_cast<T>(0.49);  ///< bins: half of one, less what the sum here rounds

    /// Sets `reach_`.
    constexpr void find_reach()
    {
        constexpr T smallest = std::numeric_limits<T>::min();
        constexpr T u = std::numeric_limits<T>::epsilon() / 2;
        const auto all = static_cast<std::uint32_t>(bins_);
        reach_ = all;
        if (shrink_ != 1 || width_ < 4 * smallest || scale_ < smallest)
            return;  // errors are not relative: an operation may overflow or underflow
        const T below = lower_ < 0 ? -lower_ : lower_;
        const T above = upper_ < 0 ? -upper_ : upper_;
        const T furthest = below < above ? above : below;
        // Of an edge 1 u bins, or 2 where the conversion of i rounds; of a position 3 more, and its sum. With a margin for second
        // orders.
        const T per_bin = bins_ < std::size_t{1} << (std::numeric_limits<T>::digits - 1) ? T{1.0625} : T{2.25};
        const T count = static_cast<T>(bins_ + 2);
        const T error = u * ((per_bin + T{4.5}) * count + T{1.0625} * (furthest / width_));
        if (error < max_error)
            reach_ = 0;
        else if (error < static_cast<T>(bins_))
            reach_ = static_cast<std::uint32_t>(error) + 3;
    }

    PARPRIMS_HOST_DEVICE constexpr nearest_edge<T> nearest() const { return {lower_, width_, scale_, last_}; }

    PARPRIMS_HOST_DEVICE constexpr T edge_below(std::uint32_t i) const
    {
        const T edge = grow_ * numeric::multiply_add_unfused(lower_ * shrink_, static_cast<T>(i), width_);
        return smaller_of(upper_, edge);
    }

    /// Bisects with `edge(low) <= x < edge(high)`, wherever `x` is in a bin.
    PARPRIMS_HOST_DEVICE constexpr std::uint32_t search(T x) const
    {
        // Clamped whatever x is, so that the edges exist.
        const auto guess = static_cast<std::uint32_t>(
            numeric::truncate_to(numeric::subtract_unfused(x, lower_) * scale_ + half, last_));
        const auto bins = static_cast<std::uint32_t>(bins_);
        std::uint32_t low = guess > reach_ ? guess - reach_ : 0;
        std::uint32_t high = bins - guess > reach_ ? guess + reach_ + 1 : bins;
        while (high - low > 1) {
            const std::uint32_t middle = low + (high - low) / 2;
            const bool is_upper = edge_below(middle) <= x;
            low = is_upper ? middle : low;
            high = is_upper ? high : middle;
        }
        return low;
    }

    T lower_;
    T upper_;
    T width_ = 0;
    T scale_ = 0;   ///< 1 / width; 0 where that overflows
    T shrink_ = 1;  ///< 1/2 where the range overflows
    T grow_ = 1;    ///< 1 / shrink
    std::uint32_t reach_ =
        0;  ///< edges on either side of a guess that a search has to cover; 0 where one comparison suffices
    std::int32_t last_;  ///< bins - 1
    std::size_t bins_;
};

}  // namespace parprims::detail::axis
