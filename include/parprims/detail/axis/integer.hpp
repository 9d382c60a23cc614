/// @file
/// @brief  Where an integer sample lies among bins of equal width. A slot takes no division: those are in the constructor.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/axis/base.hpp>
#include <parprims/detail/axis/sample.hpp>
#include <parprims/detail/numeric/integers.hpp>
#include <parprims/detail/numeric/rounding.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace parprims::detail::axis {

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

/// The slots of samples of one byte among at most 256 integers, in no more bins. With e = x - lower + 1 and M =
/// floor((bins * 2^20 - 1) / range), the bin is floor((e * M - 1) / 2^20), as below: e * M / 2^20 is less than e * bins / range by
/// at most e / 2^20, and that fraction is at least 1 / range above the integer below it. Below the axis the product is negative,
/// which as an unsigned number is more than all bins.
struct byte_window {
    std::uint32_t scale;   ///< M
    std::uint32_t offset;  ///< (1 - lower) * M - 1
    std::uint32_t count;

    /// Whether there is one for `bins` of `range` integers from `lower` on.
    PARPRIMS_HOST_DEVICE static constexpr bool exists(std::int64_t lower, std::uint64_t range, std::uint64_t bins)
    {
        return range <= 256 && bins <= range && lower >= -512 && lower <= 512;
    }
    PARPRIMS_HOST_DEVICE static constexpr byte_window of(std::int64_t lower, std::uint64_t range, std::uint64_t bins)
    {
        const std::uint32_t scale = ((static_cast<std::uint32_t>(bins) << 20) - 1) / static_cast<std::uint32_t>(range);
        return {scale, static_cast<std::uint32_t>(1 - lower) * scale - 1, static_cast<std::uint32_t>(bins)};
    }

    template <class X>
    PARPRIMS_HOST_DEVICE constexpr window_position operator()(const X& x) const
    {
        const std::uint32_t bin = (static_cast<std::uint32_t>(x) * scale + offset) >> 20;
        return {bin < count, bin};
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
    /// Kernels ask for edges, and a GPU divides 128 bits in a loop.
    using product_type = std::conditional_t<sizeof(T) <= 4, std::uint64_t, numeric::uint128>;

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
        const auto offset = i < bins_ ? static_cast<offset_type>(product_type{i} * range_ / bins_) : range_;
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

    template <class Use>
    PARPRIMS_HOST_DEVICE constexpr void with_window(std::uint32_t first, std::uint32_t width, Use use) const
    {
        use(window(first, width));
    }

    /// As of a floating_rule.
    PARPRIMS_HOST_DEVICE constexpr bool is_linear() const { return has_window(); }
    PARPRIMS_HOST_DEVICE constexpr narrow_integer_window<T> linear() const
    {
        return window(0, static_cast<std::uint32_t>(bins_));
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

}  // namespace parprims::detail::axis
