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

/// The bin of a sample between the bounds of a floating_rule where one edge decides: the one that is nearest to a position that
/// is computed in `Guess`. A sum as large as `integers_of` is rounded to an integer, which its bits tell: a GPU converts between
/// numbers and integers at an eighth of the speed of a sum.
template <class T, class Guess>
struct nearest_edge {
    T lower;
    T width;
    Guess scale;  ///< 1 / width
    std::int32_t last;

    /// Anything for a sample beyond the bounds.
    PARPRIMS_HOST_DEVICE constexpr std::uint32_t bin(T x) const
    {
        using integers = integers_of<T>;
        using guessed = integers_of<Guess>;
        const Guess sum =
            numeric::subtract_unfused(static_cast<Guess>(x), static_cast<Guess>(lower)) * scale + guessed::first;
        const auto guess = static_cast<std::uint32_t>(bits_of<guessed>(sum) - bits_of<guessed>(guessed::first));
        const auto bits = bits_of<integers>(integers::first) + guess;
        const T edge = numeric::multiply_add_unfused(lower, __builtin_bit_cast(T, bits) - integers::first, width);
        // The upper bound ends the last bin, wherever the sum for its edge lies.
        const auto bin = static_cast<std::int32_t>(guess - (x < edge ? 1 : 0));
        return static_cast<std::uint32_t>(bin < last ? bin : last);
    }

private:
    template <class Integers, class U>
    PARPRIMS_HOST_DEVICE static constexpr typename Integers::bits_type bits_of(U value)
    {
        return __builtin_bit_cast(typename Integers::bits_type, value);
    }
};

/// The bins `[first, first + width)` of a floating_rule that compares with one edge only.
template <class T>
struct floating_window {
    T lower;
    T bin_width;
    T scale;
    T begin;  ///< edge(first)
    T end;    ///< edge(first + width)
    std::int32_t last;
    std::uint32_t first;

    PARPRIMS_HOST_DEVICE constexpr window_position operator()(T x) const
    {
        return {x >= begin && x < end, nearest_edge<T, T>{lower, bin_width, scale, last}.bin(x) - first};
    }
};

/// A window where the formula of the edges holds at its end, too: the number of a bin alone says whether the sample is inside.
template <class T>
struct linear_window {
    T lower;
    T bin_width;
    T scale;
    std::uint32_t first;
    std::uint32_t width;

    PARPRIMS_HOST_DEVICE constexpr window_position operator()(T x) const
    {
        using integers = integers_of<T>;
        using bits_type = typename integers::bits_type;
        const T sum = numeric::subtract_unfused(x, lower) * scale + integers::first;
        const T edge = numeric::multiply_add_unfused(lower, sum - integers::first, bin_width);
        // Sums of samples below the first bin have less bits than `integers::first`, or a sign: large offsets, as NaN has.
        const bits_type bits =
            __builtin_bit_cast(bits_type, sum) - __builtin_bit_cast(bits_type, integers::first) - first;
        const bits_type offset = bits - (x < edge ? 1 : 0);
        return {offset < width, static_cast<std::uint32_t>(offset)};
    }
};

/// A floating_rule that compares with one edge only.
template <class T, class Guess>
struct nearest_floating_rule {
    nearest_edge<T, Guess> nearest;
    T upper;

    PARPRIMS_HOST_DEVICE constexpr std::uint32_t bins() const { return static_cast<std::uint32_t>(nearest.last) + 1; }

    PARPRIMS_HOST_DEVICE constexpr std::uint32_t slot(T x) const
    {
        const std::uint32_t bin = nearest.bin(x);
        const auto flow = static_cast<std::uint32_t>(x < nearest.lower ? underflow : x >= upper ? overflow : nan);
        return x >= nearest.lower && x < upper ? bin : bins() + flow;
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
/// k or k - 1, and edge k decides. Computed with doubles, the position of a float adds next to nothing to the error of the edges.
/// Otherwise the edges near k are bisected, as far as the sum reaches.
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
        find_errors();
    }

    PARPRIMS_HOST_DEVICE constexpr std::size_t bins() const { return bins_; }

    PARPRIMS_HOST_DEVICE constexpr T edge(std::size_t i) const
    {
        return i < bins_ ? edge_below(static_cast<std::uint32_t>(i)) : upper_;
    }

    PARPRIMS_HOST_DEVICE constexpr std::size_t slot(T x) const
    {
        const std::uint32_t bin = reach_ == 0 ? nearest_edge<T, T>{lower_, width_, scale_, last_}.bin(x) : search(x);
        return x >= lower_ && x < upper_ ? bin : bins_ + (x < lower_ ? underflow : x >= upper_ ? overflow : nan);
    }

    /// As of an integer_rule: edges are numbers of type T.
    template <class X>
    PARPRIMS_HOST_DEVICE constexpr bool takes_floor() const
    {
        return true;
    }

    /// Calls `use` with the fastest rule that gives the same slots of samples X.
    template <class X, class Use>
    PARPRIMS_HOST_DEVICE constexpr void specialize(Use use) const
    {
        if (reach_ == 0)
            use(nearest_floating_rule<T, T>{{lower_, width_, scale_, last_}, upper_});
        else if (sizeof(T) < sizeof(double) && edge_error_ < max_error)
            use(nearest_floating_rule<T, double>{{lower_, width_, 1 / static_cast<double>(width_), last_}, upper_});
        else
            use(*this);
    }

    PARPRIMS_HOST_DEVICE constexpr bool has_window() const { return reach_ == 0; }

    PARPRIMS_HOST_DEVICE constexpr floating_window<T> window(std::uint32_t first, std::uint32_t width) const
    {
        return {lower_, width_, scale_, edge(first), edge(std::size_t{first} + width), last_, first};
    }

    /// Calls `use(window)` with the fastest function for the bins `[first, first + width)`.
    template <class Use>
    PARPRIMS_HOST_DEVICE constexpr void with_window(std::uint32_t first, std::uint32_t width, Use use) const
    {
        const auto bins = static_cast<std::uint32_t>(bins_);
        const bool has_end = first + width >= bins;
        if (!has_end || numeric::multiply_add_unfused(lower_, static_cast<T>(bins), width_) == upper_)
            use(linear_window<T>{lower_, width_, scale_, first, has_end ? (first < bins ? bins - first : 0) : width});
        else
            use(window(first, width));
    }

    /// Whether a linear_window finds all bins.
    PARPRIMS_HOST_DEVICE constexpr bool is_linear() const
    {
        return has_window() && numeric::multiply_add_unfused(lower_, static_cast<T>(bins_), width_) == upper_;
    }
    PARPRIMS_HOST_DEVICE constexpr linear_window<T> linear() const
    {
        return {lower_, width_, scale_, 0, static_cast<std::uint32_t>(bins_)};
    }

    friend constexpr bool operator==(const floating_rule&, const floating_rule&) = default;

private:
    static constexpr T half = static_cast<T>(0.5);
    static constexpr T largest = std::numeric_limits<T>::max();

    static constexpr T max_error = static_cast<T>(0.49);  ///< bins: half of one, less what the sum here rounds

    /// Finds how far the edges lie from their exact places, and a position in `T` from the edges that decide.
    constexpr void find_errors()
    {
        constexpr T smallest = std::numeric_limits<T>::min();
        constexpr T u = std::numeric_limits<T>::epsilon() / 2;
        const auto all = static_cast<std::uint32_t>(bins_);
        edge_error_ = static_cast<T>(all);
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
        edge_error_ = u * (per_bin * count + T{1.0625} * (furthest / width_));
        const T error = edge_error_ + u * T{4.5} * count;
        if (error < max_error)
            reach_ = 0;
        else if (error < static_cast<T>(bins_))
            reach_ = static_cast<std::uint32_t>(error) + 3;
    }

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
            (edge_below(middle) <= x ? low : high) = middle;
        }
        return low;
    }

    T lower_;
    T upper_;
    T width_ = 0;
    T scale_ = 0;       ///< 1 / width; 0 where that overflows
    T shrink_ = 1;      ///< 1/2 where the range overflows
    T grow_ = 1;        ///< 1 / shrink
    T edge_error_ = 0;  ///< of an edge, in bins
    std::uint32_t reach_ =
        0;  ///< edges on either side of a guess that a search has to cover; 0 where one comparison suffices
    std::int32_t last_;  ///< bins - 1
    std::size_t bins_;
};

}  // namespace parprims::detail::axis
