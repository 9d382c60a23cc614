/// @file
/// @brief  The types that weights and their sums may have, and what of both backends must agree.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/axis/sample.hpp>
#include <parprims/detail/numeric/fixed_point.hpp>
#include <parprims/weighted_sum.hpp>

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

template <class Sum>
concept weight_sum =
    std::same_as<typename sum_traits<Sum>::type, float> || std::same_as<typename sum_traits<Sum>::type, double>;

/// What weights of a type are added as.
template <class W>
struct weight_traits {
    using real = std::conditional_t<std::is_same_v<W, double> || std::is_integral_v<W>, double, float>;
    using scale = std::conditional_t<std::is_same_v<real, double>, numeric::wide_scale, numeric::narrow_scale>;
    using integer = typename scale::integer;

    PARPRIMS_HOST_DEVICE static constexpr real convert(const W& weight) { return static_cast<real>(weight); }

    /// The exponent of the scale, where `key` is the key of the largest finite weight.
    PARPRIMS_HOST_DEVICE static constexpr int exponent(std::uint32_t key)
    {
        return numeric::exponent_of_key<real>(key);
    }
    /// The bits of a multiple, for n weights.
    static constexpr int bits(std::size_t n) { return scale::room - numeric::ceil_log2(n); }
};

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

/// A bin's sums from its integers: `integers[0]` of weights, `integers[1]` of squares.
template <class W, class Sum>
PARPRIMS_HOST_DEVICE constexpr Sum finished_sum(const numeric::int128* integers, std::uint32_t flags, int exponent,
                                                int bits)
{
    using T = typename sum_traits<Sum>::type;
    const T value = flags != 0 ? special::sum<T>(flags) : numeric::round_scaled<T>(integers[0], exponent - bits);
    if constexpr (sum_traits<Sum>::values == 2)
        return {value, flags != 0 ? special::sum_of_squares<T>(flags)
                                  : numeric::round_scaled<T>(integers[1], 2 * exponent - bits)};
    else
        return value;
}

}  // namespace parprims::detail
