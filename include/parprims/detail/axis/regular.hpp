/// @file
/// @brief  Where a sample lies among bins of equal width. A slot takes no division: those are in the constructors.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/axis/base.hpp>
#include <parprims/detail/axis/sample.hpp>
#include <parprims/detail/numeric/integers.hpp>
#include <parprims/detail/numeric/rounding.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace parprims::detail::axis {

/// Where a sample lies in a window of an axis's slots.
struct window_position {
    bool inside;
    std::uint32_t offset;  ///< from the window's first slot; any number where the sample is not inside
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
        const std::int32_t guess =
            numeric::truncate_to(numeric::subtract_unfused(x, lower) * scale + static_cast<T>(0.5), last);
        const T edge = numeric::multiply_add_unfused(lower, static_cast<T>(guess), bin_width);
        return {x >= begin && x < end, static_cast<std::uint32_t>(guess - (x < edge ? 1 : 0)) - first};
    }
};

/// Floating-point edges: `edge(i) = min(lower + i * width, upper)`, or with halved bounds and doubled edges where
/// `upper - lower` is infinite; exactly as in axis.hpp.
///
/// A sample may come out of a product (a conversion), which is not fused with the subtraction: the bound below is of x as it
/// is compared with the edges.
///
/// A guess at the bin's nearer edge is k = floor((x - lower) * scale + 1/2). With u half an ulp of 1, the position
/// (x - lower) * scale is within 3 u bins of the exact (x - lower) / width, adding 1/2 costs u bins, and an edge is
/// within u bins + u max(|lower|, |upper|) / width of its exact place, in widths. While the sum is below 1/2, the bin is
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
        reach_ = reach();
    }

    PARPRIMS_HOST_DEVICE constexpr std::size_t bins() const { return bins_; }

    PARPRIMS_HOST_DEVICE constexpr T edge(std::size_t i) const
    {
        return i < bins_ ? edge_below(static_cast<std::uint32_t>(i)) : upper_;
    }

    PARPRIMS_HOST_DEVICE constexpr std::size_t slot(T x) const
    {
        // The guess is clamped whatever x is, so the bin exists, and nothing below needs a branch.
        const std::int32_t guess = numeric::truncate_to(numeric::subtract_unfused(x, lower_) * scale_ + half, last_);
        const T edge = numeric::multiply_add_unfused(lower_, static_cast<T>(guess), width_);
        auto bin = static_cast<std::uint32_t>(guess - (x < edge ? 1 : 0));
        if (reach_ != 0)
            bin = search(x, static_cast<std::uint32_t>(guess));
        return x >= lower_ && x < upper_ ? bin : bins_ + (x < lower_ ? underflow : x >= upper_ ? overflow : nan);
    }

    /// Calls `use(rule)` with an equal rule that is faster, where there is one.
    template <class Use>
    PARPRIMS_HOST_DEVICE constexpr void specialize(Use use) const
    {
        use(*this);
    }

    PARPRIMS_HOST_DEVICE constexpr bool has_window() const { return reach_ == 0; }

    PARPRIMS_HOST_DEVICE constexpr floating_window<T> window(std::uint32_t first, std::uint32_t width) const
    {
        return {lower_, width_, scale_, edge(first), edge(std::size_t{first} + width), last_, first};
    }

    friend constexpr bool operator==(const floating_rule&, const floating_rule&) = default;

private:
    static constexpr T half = static_cast<T>(0.5);
    static constexpr T largest = std::numeric_limits<T>::max();

    /// Edges on either side of a guess that the search has to cover; 0 where one comparison suffices.
    constexpr std::uint32_t reach() const
    {
        constexpr T smallest = std::numeric_limits<T>::min();
        constexpr T u = std::numeric_limits<T>::epsilon() / 2;
        const auto all = static_cast<std::uint32_t>(bins_);
        if (shrink_ != 1 || width_ < 4 * smallest || scale_ < smallest)
            return all;  // errors are not relative: an operation may overflow or underflow
        const T below = lower_ < 0 ? -lower_ : lower_;
        const T above = upper_ < 0 ? -upper_ : upper_;
        const T furthest = below < above ? above : below;
        // 5 u bins, or 6 where the conversion of i rounds; with a margin for second orders.
        const T per_bin = bins_ < std::size_t{1} << (std::numeric_limits<T>::digits - 1) ? T{5.5} : T{7};
        const T error = u * (per_bin * static_cast<T>(bins_ + 2) + T{1.125} * (furthest / width_));
        if (error < static_cast<T>(0.49))
            return 0;
        return error < static_cast<T>(bins_) ? static_cast<std::uint32_t>(error) + 3 : all;
    }

    PARPRIMS_HOST_DEVICE constexpr T edge_below(std::uint32_t i) const
    {
        const T edge = grow_ * numeric::multiply_add_unfused(lower_ * shrink_, static_cast<T>(i), width_);
        return smaller_of(upper_, edge);
    }

    /// Bisects with `edge(low) <= x < edge(high)`, wherever `x` is in a bin.
    PARPRIMS_HOST_DEVICE constexpr std::uint32_t search(T x, std::uint32_t guess) const
    {
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
    T scale_ = 0;   ///< 1 / width; 0 where that overflows
    T shrink_ = 1;  ///< 1/2 where the range overflows
    T grow_ = 1;    ///< 1 / shrink
    std::uint32_t reach_ = 0;
    std::int32_t last_;  ///< bins - 1
    std::size_t bins_;
};

/// The rule of integer_rule with one multiplication of 32 bits, where that is exact.
template <class T>
struct narrow_integer_rule {
    T lower;
    std::uint32_t range;
    std::uint32_t count;
    std::uint32_t scale;  ///< M
    unsigned shift;       ///< s - 32

    PARPRIMS_HOST_DEVICE constexpr std::uint32_t bins() const { return count; }

    PARPRIMS_HOST_DEVICE constexpr std::uint32_t slot(T x) const
    {
        const std::uint32_t offset = static_cast<std::uint32_t>(x) - static_cast<std::uint32_t>(lower);
        const std::uint64_t product = std::uint64_t{offset} * scale + scale;
        const auto bin = static_cast<std::uint32_t>(product >> 32) >> shift;
        return offset < range ? bin : count + static_cast<std::uint32_t>(x < lower ? underflow : overflow);
    }
};

/// The bins `[first, first + width)` of a narrow_integer_rule: one subtraction, one comparison and one multiplication for each
/// sample, because offsets are counted from the window's first edge and bins from its first bin.
template <class T>
struct narrow_integer_window {
    std::uint32_t begin;    ///< edge(first)
    std::uint32_t range;    ///< edge(first + width) - edge(first)
    std::uint32_t scale;    ///< M
    unsigned shift;         ///< s - 32
    std::uint64_t product;  ///< that of `begin`, minus `first` bins

    PARPRIMS_HOST_DEVICE constexpr window_position operator()(T x) const
    {
        const std::uint32_t offset = static_cast<std::uint32_t>(x) - begin;
        const std::uint64_t whole = std::uint64_t{offset} * scale + product;
        return {offset < range, static_cast<std::uint32_t>(whole >> 32) >> shift};
    }
};

/// Integer edges: `edge(i) = lower + floor(i * range / bins)`.
///
/// With e = x - lower + 1, the bin is the largest i with i * range < e * bins, hence floor((e * bins - 1) / range).
/// Let M = floor((bins * 2^64 - 1) / range). It is less than bins * 2^64 / range, by at most 1. So e * M / 2^64 is less than
/// e * bins / range, by at most e / 2^64. Its floor is the bin, or the bin before if e * range > 2^64, which takes a range of
/// more than 32 bits.
template <class T>
class integer_rule {
    using offset_type = std::conditional_t<sizeof(T) <= 4, std::uint32_t, std::uint64_t>;

public:
    static constexpr std::size_t max_bins = sizeof(T) <= 4 ? UINT32_MAX : axis::max_bins;

    constexpr integer_rule(std::size_t bins, T lower, T upper)
        : lower_(lower),
          range_(static_cast<offset_type>(static_cast<offset_type>(upper) - static_cast<offset_type>(lower))),
          bins_(bins)
    {
        const numeric::uint128 scale = ((numeric::uint128{bins} << 64) - 1) / range_;
        whole_ = static_cast<offset_type>(scale >> 64);
        fraction_ = static_cast<std::uint64_t>(scale);
        if constexpr (sizeof(T) <= 4)
            narrow();
    }

    PARPRIMS_HOST_DEVICE constexpr std::size_t bins() const { return bins_; }

    PARPRIMS_HOST_DEVICE constexpr T edge(std::size_t i) const
    {
        const auto count = i < bins_ ? i : bins_;
        const auto offset = static_cast<offset_type>(numeric::uint128{count} * range_ / bins_);
        return static_cast<T>(static_cast<offset_type>(lower_) + offset);
    }

    PARPRIMS_HOST_DEVICE constexpr std::size_t slot(T x) const
    {
        const auto offset = static_cast<offset_type>(static_cast<offset_type>(x) - static_cast<offset_type>(lower_));
        const std::size_t bin = bin_of(static_cast<offset_type>(offset + 1));
        return offset < range_ ? bin : bins_ + (x < lower_ ? underflow : overflow);
    }

    /// Calls `use` with the fastest rule that gives the same slots: a narrow_integer_rule if there is one.
    template <class Use>
    PARPRIMS_HOST_DEVICE constexpr void specialize(Use use) const
    {
        if constexpr (sizeof(T) <= 4) {
            if (narrow_scale_ != 0) {
                use(narrow_integer_rule<T>{lower_, range_, static_cast<std::uint32_t>(bins_), narrow_scale_,
                                           narrow_shift_});
                return;
            }
        }
        use(*this);
    }

    PARPRIMS_HOST_DEVICE constexpr bool has_window() const { return narrow_scale_ != 0; }

    PARPRIMS_HOST_DEVICE constexpr narrow_integer_window<T> window(std::uint32_t first, std::uint32_t width) const
    {
        const auto low = static_cast<std::uint32_t>(lower_);
        const auto begin = static_cast<std::uint32_t>(edge(first));
        const auto end = static_cast<std::uint32_t>(edge(std::size_t{first} + width));
        const std::uint64_t product = (std::uint64_t{begin - low} + 1) * narrow_scale_;
        return {begin, end - begin, narrow_scale_, narrow_shift_,
                product - (std::uint64_t{first} << 32 << narrow_shift_)};
    }

    friend constexpr bool operator==(const integer_rule&, const integer_rule&) = default;

private:
    /// Finds a scale of 32 bits, if there is one. With M = floor((bins * 2^s - 1) / range) and the remainder r, e * M / 2^s is
    /// less than e * bins / range, by e * (1 + r) / (range * 2^s). For e <= range that is at most the step
    /// gcd(bins, range) / range between such fractions if range * (1 + r) <= gcd * 2^s. Then its floor is the bin.
    constexpr void narrow()
    {
        if (bins_ > range_ || bins_ > UINT32_MAX - flow_slots)  // slots need 32 bits, too
            return;
        unsigned s = 32;
        while (s < 63 && ((numeric::uint128{bins_} << (s + 1)) - 1) / range_ <= UINT32_MAX)
            ++s;
        const numeric::uint128 scaled = (numeric::uint128{bins_} << s) - 1;
        if (scaled / range_ > UINT32_MAX)
            return;
        if (numeric::uint128{range_} * (1 + scaled % range_) >
            numeric::uint128{common_divisor<std::uint64_t>(bins_, range_)} << s)
            return;
        narrow_scale_ = static_cast<std::uint32_t>(scaled / range_);
        narrow_shift_ = s - 32;
    }

    PARPRIMS_HOST_DEVICE constexpr std::size_t bin_of(std::uint32_t e) const
    {
        return static_cast<offset_type>(numeric::multiply_high(e, fraction_) + e * whole_);
    }

    PARPRIMS_HOST_DEVICE constexpr std::size_t bin_of(std::uint64_t e) const
    {
        if (range_ <= UINT32_MAX)
            return bin_of(static_cast<std::uint32_t>(e));
        const std::uint64_t bin = e * whole_ + numeric::multiply_high(e, fraction_);
        return bin + (numeric::uint128{bin + 1} * range_ < numeric::uint128{e} * bins_ ? 1 : 0);
    }

    T lower_;
    offset_type range_;
    std::uint64_t fraction_ = 0;      ///< the low 64 bits of M
    offset_type whole_ = 0;           ///< the bits above them: 0 unless there are more bins than integers
    std::uint32_t narrow_scale_ = 0;  ///< 0 if 32 bits are not enough
    std::uint32_t narrow_shift_ = 0;
    std::size_t bins_;
};

template <class T>
using regular_rule = std::conditional_t<std::is_floating_point_v<T>, floating_rule<T>, integer_rule<T>>;

}  // namespace parprims::detail::axis
