/// @file
/// @brief  Where an integer sample lies among bins of equal width. A slot takes no division: those are in the constructor.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/axis/base.hpp>
#include <parprims/detail/axis/floating.hpp>
#include <parprims/detail/axis/sample.hpp>
#include <parprims/detail/numeric/integers.hpp>
#include <parprims/detail/numeric/rounding.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace parprims::detail::axis {

/// The bins of an integer_rule of at most 32 bits with one multiplication of 32 bits, where that is exact. Samples outside get larger
/// numbers than all bins: below the axis their offsets wrap.
template <class T>
struct narrow_bins {
    std::uint32_t lower;
    std::uint32_t scale;  ///< M
    unsigned shift;       ///< s - 32
    std::uint32_t start;  ///< the product of an offset of 0
    std::uint32_t count;

    PARPRIMS_HOST_DEVICE constexpr std::uint32_t number(T x) const
    {
        const std::uint32_t offset = static_cast<std::uint32_t>(x) - lower;
        return static_cast<std::uint32_t>((std::uint64_t{offset} * scale + start) >> 32) >> shift;
    }
    PARPRIMS_HOST_DEVICE constexpr window_position operator()(T x) const
    {
        const std::uint32_t bin = number(x);
        return {bin < count, bin};
    }

    PARPRIMS_HOST_DEVICE static constexpr bool has_window(std::uint32_t, std::uint32_t) { return true; }
    PARPRIMS_HOST_DEVICE constexpr numbered_window<narrow_bins> window(std::uint32_t first, std::uint32_t width) const
    {
        return {*this, first, width};
    }
};

/// The bins of samples of one byte among at most 256 integers, in no more bins. With e = x - lower and M =
/// ceil(bins * 2^20 / range), the bin is floor(e * M / 2^20): that is more than e * bins / range by less than e / 2^20, and the
/// next integer is at least 1 / range above it. Below the axis the product is negative, which as an unsigned number is more than
/// all bins.
struct byte_bins {
    std::uint32_t scale;   ///< M
    std::uint32_t offset;  ///< -lower * M
    std::uint32_t count;

    /// Whether there is one for `bins` of `range` integers from `lower` on.
    PARPRIMS_HOST_DEVICE static constexpr bool exists(std::int64_t lower, std::uint64_t range, std::uint64_t bins)
    {
        return range <= 256 && bins <= range && lower >= -512 && lower <= 512;
    }
    PARPRIMS_HOST_DEVICE static constexpr byte_bins of(std::int64_t lower, std::uint64_t range, std::uint64_t bins)
    {
        const auto count = static_cast<std::uint32_t>(bins);
        const std::uint32_t scale = ((count << 20) - 1) / static_cast<std::uint32_t>(range) + 1;
        return {scale, static_cast<std::uint32_t>(-lower) * scale, count};
    }

    template <class X>
    PARPRIMS_HOST_DEVICE constexpr window_position operator()(const X& x) const
    {
        const std::uint32_t bin = (static_cast<std::uint32_t>(x) * scale + offset) >> 20;
        return {bin < count, bin};
    }
};

/// Of an offset from the lower bound, and of the product of an offset and a number of bins.
template <class T>
using offset_of_integer = std::conditional_t<sizeof(T) <= 4, std::uint32_t, std::uint64_t>;
template <class T>
using product_of_integer = std::conditional_t<sizeof(T) <= 4, std::uint64_t, numeric::uint128>;

/// The slots of samples between integers, by numbers that a double has exactly: x >= lower + i * range / bins if and only if
/// x * bins >= lower * bins + i * range. These edges are integers.
struct scaled_rule {
    nearest_bins<double> bins;
    double count;

    /// Whether there is one.
    PARPRIMS_HOST_DEVICE static constexpr bool exists(double lower, double upper, double bins)
    {
        const double furthest = larger_of(larger_of(-lower, upper), upper - lower);
        return bins <= 0x1p26 && furthest * bins < 0x1p51;
    }

    template <class X>
    PARPRIMS_HOST_DEVICE constexpr window_position position_between(X x) const
    {
        return bins(numeric::multiply_below(x, count));
    }
    template <class X>
    PARPRIMS_HOST_DEVICE constexpr std::size_t slot_between(X x) const
    {
        const double scaled = numeric::multiply_below(x, count);
        const window_position position = bins(scaled);
        const auto flow = static_cast<std::uint32_t>(x != x ? nan : scaled < bins.nearest.lower ? underflow : overflow);
        return position.inside ? position.offset : static_cast<std::uint32_t>(count) + flow;
    }
};

/// The slots of samples between integers by the definition, for all bounds: slow.
template <class T>
struct divided_rule {
    using offset_type = offset_of_integer<T>;
    using product_type = product_of_integer<T>;

    T lower;
    offset_type range;
    std::size_t bins;

    template <class X>
    PARPRIMS_HOST_DEVICE constexpr std::size_t slot_between(X x) const
    {
        return divide(x, lower, range, bins);
    }

private:
    /// A call in kernels: this code for each sample of a packet took nvcc a seventh of its time. Static, as a rule whose address is
    /// taken lies in local memory.
    template <class X>
    [[gnu::noinline]] PARPRIMS_HOST_DEVICE static constexpr std::size_t divide(X x, T lower, offset_type range,
                                                                               std::size_t bins)
    {
        const auto offset_of = [lower](T value) {
            return static_cast<offset_type>(static_cast<offset_type>(value) - static_cast<offset_type>(lower));
        };
        const auto sample = axis::convert<T>(x);
        if (sample.is_outside)
            return bins + sample.flow;
        if (offset_of(sample.value) >= range)
            return bins + (sample.value < lower ? underflow : overflow);
        // floor((x - lower) * bins / range). As `range` is an integer, floor((x - lower) * bins) may stand for the product.
        const T whole = static_cast<T>(x);  // as x is negative, so is the rest
        // A sample may come out of a product (a conversion), which is not fused with the subtraction.
        const X rest = numeric::subtract_unfused(x, static_cast<X>(whole));
        const auto share = static_cast<product_type>(numeric::floor_of_product(rest, static_cast<std::int64_t>(bins)));
        return static_cast<std::size_t>((product_type{offset_of(whole)} * bins + share) / range);
    }
};

/// Integer bounds, and between them the edges `lower + i * range / bins`, which are fractions unless `range` is a multiple of
/// `bins`.
///
/// With e = x - lower, the bin is the largest i with i * range <= e * bins, hence floor(e * bins / range). Of an integer x:
/// let M = ceil(bins * 2^64 / range). It is more than bins * 2^64 / range, by less than 1. So e * M / 2^64 is more than
/// e * bins / range, by less than e / 2^64. Its floor is the bin, or the bin after if e * range > 2^64, which takes a range of
/// more than 32 bits.
template <class T>
class integer_rule {
    using offset_type = offset_of_integer<T>;
    using product_type =
        product_of_integer<T>;  // no wider: kernels ask for edges, and a GPU divides 128 bits in a loop

public:
    static constexpr std::size_t max_bins = sizeof(T) <= 4 ? UINT32_MAX : axis::max_bins;

    constexpr integer_rule(std::size_t bins, T lower, T upper)
        : lower_(lower),
          range_(static_cast<offset_type>(static_cast<offset_type>(upper) - static_cast<offset_type>(lower))),
          has_fractions_(range_ % bins != 0), bins_(bins)
    {
        const numeric::uint128 scale = ((numeric::uint128{bins} << 64) - 1) / range_ + 1;
        whole_ = static_cast<offset_type>(scale >> 64);
        fraction_ = static_cast<std::uint64_t>(scale);
        if constexpr (sizeof(T) <= 4)
            find_narrow();
        if (scaled_rule::exists(static_cast<double>(lower), static_cast<double>(upper), static_cast<double>(bins)))
            scale_ = 1 / static_cast<double>(range_);
    }

    PARPRIMS_HOST_DEVICE constexpr std::size_t bins() const { return bins_; }

    /// Rounded up: the smallest T that is not below the edge.
    PARPRIMS_HOST_DEVICE constexpr T edge(std::size_t i) const
    {
        if (i == 0)
            return lower_;
        const auto offset =
            i < bins_ ? static_cast<offset_type>((product_type{i} * range_ + (bins_ - 1)) / bins_) : range_;
        return static_cast<T>(static_cast<offset_type>(lower_) + offset);
    }

    PARPRIMS_HOST_DEVICE constexpr std::size_t slot(T x) const
    {
        const offset_type offset = offset_of(x);
        return offset < range_ ? bin_of(offset) : bins_ + (x < lower_ ? underflow : overflow);
    }

    /// Of a floating-point sample.
    template <class X>
    PARPRIMS_HOST_DEVICE constexpr std::size_t slot_between(X x) const
    {
#if !defined(__CUDA_ARCH__)  // in a kernel more code for each sample takes nvcc longer
        if (!has_fractions_) {
            const auto sample = axis::convert<T>(x);
            return sample.is_outside ? bins_ + sample.flow : slot(sample.value);
        }
#endif
        if constexpr (sizeof(X) <= sizeof(double))
            if (has_scaled())
                return scaled().slot_between(x);
        return divided_rule<T>{lower_, range_, bins_}.slot_between(x);
    }

    PARPRIMS_HOST_DEVICE constexpr bool has_fractions() const { return has_fractions_; }
    PARPRIMS_HOST_DEVICE constexpr T lower() const { return lower_; }
    PARPRIMS_HOST_DEVICE constexpr offset_type range() const { return range_; }

    /// Whether there is a scaled_rule.
    PARPRIMS_HOST_DEVICE constexpr bool has_scaled() const { return scale_ != 0; }
    PARPRIMS_HOST_DEVICE constexpr scaled_rule scaled() const
    {
        const auto count = static_cast<double>(bins_);
        const auto width = static_cast<double>(range_);
        const double lower = numeric::multiply_unfused(static_cast<double>(lower_), count);
        const auto last = static_cast<std::int32_t>(bins_ - 1);
        return {{{lower, width, scale_, last}, numeric::multiply_add_unfused(lower, count, width)}, count};
    }

    /// Whether there are narrow_bins.
    PARPRIMS_HOST_DEVICE constexpr bool has_narrow() const { return narrow_scale_ != 0; }
    PARPRIMS_HOST_DEVICE constexpr narrow_bins<T> narrow() const
    {
        return {static_cast<std::uint32_t>(lower_), narrow_scale_, narrow_shift_, has_fractions_ ? 0 : narrow_scale_,
                static_cast<std::uint32_t>(bins_)};
    }

    friend constexpr bool operator==(const integer_rule&, const integer_rule&) = default;

private:
    /// Finds a scale of 32 bits, if there is one. With M = ceil(bins * 2^s / range), e * M / 2^s is more than e * bins / range, by
    /// e * r / (range * 2^s) for r = M * range - bins * 2^s. For e < range that is less than the step gcd(bins, range) / range
    /// between such fractions if (range - 1) * r < gcd * 2^s. Then its floor is the bin.
    ///
    /// If `range` is a multiple of `bins`, one more of e makes no difference but between edges: with M = floor((bins * 2^s - 1) /
    /// range) and the remainder r, (e + 1) * M / 2^s is less than (e + 1) * bins / range, by (e + 1) * (1 + r) / (range * 2^s). So
    /// its floor is the bin if range * (1 + r) <= gcd * 2^s. That M has 32 bits also where bins and integers are equally many. From e =
    /// range on, the floor is not below `bins` if (range + 1) * (1 + r) <= bins * 2^s.
    constexpr void find_narrow()
    {
        if (bins_ > range_ || bins_ > UINT32_MAX - flow_slots)  // slots need 32 bits, too
            return;
        const std::uint32_t rounded_up = has_fractions_ ? 1 : 0;
        unsigned s = 32;
        while (s < 63 && ((numeric::uint128{bins_} << (s + 1)) - 1) / range_ + rounded_up <= UINT32_MAX)
            ++s;
        const numeric::uint128 scaled = (numeric::uint128{bins_} << s) - 1;
        const numeric::uint128 step = numeric::uint128{common_divisor<std::uint64_t>(bins_, range_)} << s;
        const numeric::uint128 scale = scaled / range_ + rounded_up;
        const numeric::uint128 remainder = scaled % range_;
        const bool is_exact = has_fractions_ ? (numeric::uint128{range_} - 1) * (range_ - 1 - remainder) < step
                                             : (numeric::uint128{range_} + 1) * (1 + remainder) <= step;
        if (scale > UINT32_MAX || !is_exact)
            return;
        narrow_scale_ = static_cast<std::uint32_t>(scale);
        narrow_shift_ = s - 32;
    }

    PARPRIMS_HOST_DEVICE constexpr offset_type offset_of(T x) const
    {
        return static_cast<offset_type>(static_cast<offset_type>(x) - static_cast<offset_type>(lower_));
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
        return bin - (numeric::uint128{bin} * range_ > numeric::uint128{e} * bins_ ? 1 : 0);
    }

    T lower_;
    offset_type range_;
    std::uint64_t fraction_ = 0;      ///< the low 64 bits of M
    offset_type whole_ = 0;           ///< the bits above them: 0 if there are more integers than bins
    std::uint32_t narrow_scale_ = 0;  ///< 0 if 32 bits are not enough
    std::uint32_t narrow_shift_ = 0;
    bool has_fractions_;  ///< edges are not all integers
    std::size_t bins_;
    double scale_ = 0;  ///< 1 / range; 0 if there is no scaled_rule
};

}  // namespace parprims::detail::axis
