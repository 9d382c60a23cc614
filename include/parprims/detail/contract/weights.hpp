/// @file
/// @brief  The types that weights and their sums may have, and what of both backends must agree.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/arguments.hpp>
#include <parprims/detail/axis/sample.hpp>
#include <parprims/detail/numeric/exact_limbs.hpp>
#include <parprims/detail/numeric/exact_moments.hpp>
#include <parprims/detail/numeric/integers.hpp>
#include <parprims/detail/numeric/rounding.hpp>
#include <parprims/detail/runtime/refuse.hpp>
#include <parprims/weights.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace parprims::detail {

/// float, double, integers of at most 32 bits, __half and its like.
template <class W>
concept weight_value = std::same_as<W, float> || std::same_as<W, double> || (std::integral<W> && sizeof(W) <= 4) ||
                       detail::axis::half_like<W>;

/// Weights that are looked at, to choose the digits that sums hold first: a call looks at the same ones everywhere. Other numbers were not compared.
inline constexpr unsigned looked_weights = 256;

/// The number of the weight of look `look`, of `n` weights: one in each of `looked_weights` parts, at varying places. If it were the first of each
/// part, all looks at an image might see one column: 2^26 weights of which every 1024th is 0 took 6570 us in the place of 139 (H200, CUDA 13.0,
/// beside 89280090). At least n if there are fewer weights.
PARPRIMS_HOST_DEVICE constexpr std::size_t looked_weight(unsigned look, std::size_t n)
{
    const std::size_t part = n / looked_weights;
    const std::uint32_t place = look * 0x9e3779b9u;                        // of 2^32 places
    const std::size_t width = smaller_of<std::size_t>(part, 0xffffffffu);  // 64 bits
    return part * look + smaller_of<std::size_t>(n % looked_weights, look) + (place * width >> 32);
}

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

/// What weights of a type are added as: floats or doubles.
template <class W>
struct weight_traits {
    using real = std::conditional_t<std::is_same_v<W, double> || std::is_integral_v<W>, double, float>;

    /// What holds any weight, and the exact square of any.
    static constexpr numeric::limb_range limbs = numeric::limbs_of<real>;
    static constexpr numeric::limb_range square_limbs =
        std::is_same_v<real, float> ? numeric::limbs_of_float_product : numeric::limbs_of_double_product;

    PARPRIMS_HOST_DEVICE static constexpr real convert(const W& weight) { return static_cast<real>(weight); }
};

/// What both backends must know of a call besides its arguments: how errors name them.
struct weighted_call {
    const char* function;
    const char* weights;
    const char* sums;
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

/// That of no weights.
template <class Bin>
constexpr Bin empty_bin()
{
    using T = typename sum_traits<Bin>::type;
    if constexpr (sum_traits<Bin>::values == profile_values)
        return {0, numeric::nan_of<T>, numeric::nan_of<T>};
    else
        return {};
}

}  // namespace parprims::detail
