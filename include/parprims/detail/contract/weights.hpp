/// @file
/// @brief  The types that weights and their sums may have, and what of both backends must agree.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/arguments.hpp>
#include <parprims/detail/axis/sample.hpp>
#include <parprims/detail/numeric/exact_limbs.hpp>
#include <parprims/detail/numeric/exact_moments.hpp>
#include <parprims/detail/numeric/fixed_point.hpp>
#include <parprims/detail/numeric/integers.hpp>
#include <parprims/detail/runtime/refuse.hpp>
#include <parprims/weights.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace parprims::detail {

/// float, double, integers of at most 32 bits, __half and its like.
template <class W>
concept weight_value = std::same_as<W, float> || std::same_as<W, double> || (std::integral<W> && sizeof(W) <= 4) ||
                       detail::axis::half_like<W>;

/// The sums of a bin of a profile: of its values, of their squares, and a count.
inline constexpr unsigned profile_values = 3;

/// The sums of a bin, each of type `type`.
template <class Sum>
struct sum_traits {
    using type = Sum;
    static constexpr unsigned values = 1;
};
template <class T>
struct sum_traits<weighted_sum<T>> {
    using type = T;
    static constexpr unsigned values = 2;
};
template <class T>
struct sum_traits<profile_bin<T>> {
    using type = T;
    static constexpr unsigned values = profile_values;
};

template <class Sum>
concept weight_sum =
    std::same_as<typename sum_traits<Sum>::type, float> || std::same_as<typename sum_traits<Sum>::type, double>;

/// The bits of the multiples that a profile rounds to, for 2^log2n values: so many that sums of their squares fit their words, and
/// those of the lanes of a warp fit one integer. Narrow: 96 bits, and 64; wide: 128.
template <class Scale>
constexpr int profile_bits(int log2n)
{
    if constexpr (Scale::words == 2)
        return smaller_of(29, smaller_of(94 - log2n, 2 * (62 - log2n)) / 2);
    else
        return smaller_of(62, (126 - log2n) / 2);
}

/// What weights of a type are added as.
template <class W>
struct weight_traits {
    using real = std::conditional_t<std::is_same_v<W, double> || std::is_integral_v<W>, double, float>;
    using scale = std::conditional_t<std::is_same_v<real, double>, numeric::wide_scale, numeric::narrow_scale>;
    using integer = typename scale::integer;

    /// What holds any weight, and the exact square of any.
    static constexpr numeric::limb_range limbs = numeric::limbs_of<real>;
    static constexpr numeric::limb_range square_limbs =
        std::is_same_v<real, float> ? numeric::limbs_of_float_product : numeric::limbs_of_double_product;

    PARPRIMS_HOST_DEVICE static constexpr real convert(const W& weight) { return static_cast<real>(weight); }

    /// The exponent of the scale, where `key` is the key of the largest finite weight.
    PARPRIMS_HOST_DEVICE static constexpr int exponent(std::uint32_t key)
    {
        return numeric::exponent_of_key<real>(key);
    }
    /// The bits of a multiple, for n weights.
    template <unsigned Values>
    static constexpr int bits(std::size_t n)
    {
        if constexpr (Values == profile_values)
            return profile_bits<scale>(numeric::ceil_log2(n));
        else
            return scale::room - numeric::ceil_log2(n);
    }
};

/// What both backends must know of a call besides its arguments: how errors name them, and the caller's bound.
struct weighted_call {
    const char* function;
    const char* weights;
    const char* sums;
    bool is_bounded = false;
    double bound = 0;

    constexpr weighted_call bounded_by(magnitude_bound of_caller) const
    {
        return {function, weights, sums, true, of_caller.value};
    }

    /// The bound, rounded up to what weights are converted to: so the exponent of the scale is that of the caller's number.
    template <class Real>
    constexpr Real rounded_bound() const
    {
        return smaller_of(-numeric::convert_down<Real>(-bound), numeric::largest_of<Real>);
    }
};

/// Refuses null pointers, and sums that overlap the samples or the weights.
template <class Iterator, class Weights, class Sums>
void check_weighted_pointers(const weighted_call& call, const Iterator& first, std::size_t n, const Weights& weights,
                             const Sums& sums, std::size_t extent)
{
    detail::check_output(call.function, call.weights, weights, n);
    detail::check_output(call.function, call.sums, sums, extent);
    detail::check_apart(call.function, call.sums, sums, extent, first, n);
    detail::check_apart(call.function, call.sums, sums, extent, weights, n,
                        "overlaps the weights, or the values of a profile; use separate memory");
}

inline void check_bound(const weighted_call& call)
{
    if (call.is_bounded && !(call.bound >= 0 && numeric::is_finite(call.bound)))
        runtime::refuse(call.function, "bound", "% is not finite and at least 0", call.bound);
}

/// The infinities and NaN among the weights of a bin.
namespace special {
inline constexpr std::uint32_t positive = 1;
inline constexpr std::uint32_t negative = 2;
inline constexpr std::uint32_t nan = 4;

template <class T>
inline constexpr T nan_of = std::numeric_limits<T>::quiet_NaN();

template <class Real>
PARPRIMS_HOST_DEVICE constexpr std::uint32_t of(Real weight)
{
    return weight != weight ? nan : weight > 0 ? positive : negative;
}

/// What IEEE addition makes of them.
template <class T>
PARPRIMS_HOST_DEVICE constexpr T sum(std::uint32_t flags)
{
    return flags == positive ? numeric::infinity_of<T> : flags == negative ? -numeric::infinity_of<T> : nan_of<T>;
}
template <class T>
PARPRIMS_HOST_DEVICE constexpr T sum_of_squares(std::uint32_t flags)
{
    return (flags & nan) != 0 ? nan_of<T> : numeric::infinity_of<T>;
}
}  // namespace special

/// A bin of a profile from its integers, which are exact: so there is no cancellation. `exponent`: of their unit.
///
/// With m the integer next to the mean and r = sum - count m, the squares of what values have above m add up to
/// D = squares - m (sum + r), and the mean lies r / count above m. D >= |r| >= 2 r^2 / count, so D - r^2 / count is no less than
/// D / 2: rounded to double it has nearly all its digits.
template <class T>
PARPRIMS_HOST_DEVICE constexpr profile_bin<T> finished_profile(const numeric::int128* integers, std::uint32_t flags,
                                                               int exponent)
{
    const numeric::int128 sum = integers[0], count = integers[2];
    const auto samples = static_cast<std::uint64_t>(count);
    if (flags != 0)
        return {samples, special::sum<T>(flags), special::nan_of<T>};
    if (count == 0)
        return {0, special::nan_of<T>, special::nan_of<T>};
    numeric::int128 middle = sum / count;
    numeric::int128 rest = sum - middle * count;
    if (2 * rest > count || 2 * rest < -count) {
        const int towards = rest > 0 ? 1 : -1;
        middle += towards;
        rest -= towards * count;
    }
    const auto n = static_cast<double>(count);
    const auto r = static_cast<double>(rest);
    const T mean = numeric::scaled<T>(static_cast<double>(middle) + r / n, exponent);
    if (count == 1)
        return {1, mean, special::nan_of<T>};
    const auto deviations = static_cast<double>(integers[1] - middle * (sum + rest));
    return {samples, mean, numeric::scaled<T>((deviations - r * r / n) / (n - 1), 2 * exponent)};
}

/// A bin's sums from its integers: `integers[0]` of weights, `integers[1]` of squares, `integers[2]` a count.
template <class W, class Sum>
PARPRIMS_HOST_DEVICE constexpr Sum finished_sum(const numeric::int128* integers, std::uint32_t flags, int exponent,
                                                int bits)
{
    using T = typename sum_traits<Sum>::type;
    if constexpr (sum_traits<Sum>::values == profile_values) {
        return finished_profile<T>(integers, flags, exponent - bits);
    } else {
        const T value = flags != 0 ? special::sum<T>(flags) : numeric::round_scaled<T>(integers[0], exponent - bits);
        if constexpr (sum_traits<Sum>::values == 2)
            return {value, flags != 0 ? special::sum_of_squares<T>(flags)
                                      : numeric::round_scaled<T>(integers[1], 2 * exponent - bits)};
        else
            return value;
    }
}

/// A bin from its exact sums, limb_rows: of its weights, and of their squares unless the type of the bin has none; its count, which a
/// profile has; and what has been seen (numeric::seen_nan and the infinities).
template <class Bin, class Sum, class Squares>
PARPRIMS_HOST_DEVICE constexpr Bin rounded_bin(const Sum& sum, [[maybe_unused]] const Squares& squares,
                                               [[maybe_unused]] std::uint64_t count, std::uint32_t seen)
{
    using T = typename sum_traits<Bin>::type;
    constexpr unsigned values = sum_traits<Bin>::values;
    const std::uint32_t of_sum = seen | numeric::seen_no_minus_zero;
    if constexpr (values == profile_values)
        if (!numeric::is_special(seen)) {
            const T mean = count > 0 ? numeric::rounded_mean<T>(sum, count) : numeric::nan_of<T>;
            return {count, mean, count > 1 ? numeric::rounded_variance<T>(sum, squares, count) : numeric::nan_of<T>};
        }
    const T value = numeric::rounded_limbs<T>(sum.lowest, sum.bottom, sum.top, sum.limb, of_sum);
    if constexpr (values == profile_values) {
        return {count, value, numeric::nan_of<T>};
    } else if constexpr (values == 2) {
        constexpr std::uint32_t infinities = numeric::seen_infinity | numeric::seen_minus_infinity;
        const std::uint32_t of_squares =
            (of_sum & ~infinities) | ((seen & infinities) != 0 ? numeric::seen_infinity : 0);
        return {value,
                numeric::rounded_limbs<T>(squares.lowest, squares.bottom, squares.top, squares.limb, of_squares)};
    } else {
        return value;
    }
}

}  // namespace parprims::detail
