/// @file
/// @brief  Converts a sample of any type to the axis's type, so that no comparison with an edge changes.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/numeric/rounding.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace parprims::detail::axis {

/// The slots of samples that are in no bin, counted from `bins`.
enum flow_slot : std::size_t { underflow = 0, overflow = 1, nan = 2 };
inline constexpr std::size_t flow_slots = 3;

/// Most bins of an axis: more than any memory holds, and few enough that a double represents each number of a bin.
inline constexpr std::size_t max_bins = std::size_t{1} << 53;

/// Where a sample lies among all bins of an axis, or in a window of them.
struct window_position {
    bool inside;
    std::uint32_t offset;  ///< from the first bin; any number where the sample is not inside
};

/// The bins `[first, first + width)` of a rule whose `number(x)` is none of them for samples outside, so that no bound is compared.
template <class Bins>
struct numbered_window {
    Bins bins;
    std::uint32_t first;
    std::uint32_t width;

    template <class X>
    PARPRIMS_HOST_DEVICE constexpr window_position operator()(const X& x) const
    {
        const auto offset = bins.number(x) - first;
        return {offset < width, static_cast<std::uint32_t>(offset)};
    }
};

/// The types that edges may have.
template <class T>
concept edge_value =
    std::same_as<T, float> || std::same_as<T, double> || (std::integral<T> && !std::same_as<T, bool> && sizeof(T) <= 8);

/// __half, __nv_bfloat16 and their like: of 16 bits at most, so that a float holds each of their values.
template <class X>
concept half_like =
    !std::is_arithmetic_v<X> && !std::is_enum_v<X> && sizeof(X) <= 2 && requires(const X& x) { static_cast<float>(x); };

/// Numbers of the language. Compilers have others, such as __int128 and __float128, whose limits and conversions are not known.
template <class X>
concept number =
    (std::integral<X> && sizeof(X) <= 8) || (std::floating_point<X> && std::numeric_limits<X>::is_specialized);

/// The types that a sample may have.
template <class X>
concept sample_value = number<X> || (std::is_enum_v<X> && sizeof(X) <= 8) || half_like<X>;

/// The types whose values may lie between two integers.
template <class X>
concept lies_between_integers = std::floating_point<X> || half_like<X>;

/// A sample as a `T`, or its flow slot where it lies outside the range of `T`.
template <class T>
struct converted {
    T value{};
    bool is_outside = false;
    flow_slot flow{};
};

/// `x` as the largest `T` that is at most `x`: for every edge e of type T, `x >= e` exactly if that `T` is `>= e`.
template <edge_value T, sample_value X>
PARPRIMS_HOST_DEVICE constexpr converted<T> convert(const X& x)
{
    if constexpr (std::is_enum_v<X>) {
        return convert<T>(static_cast<std::underlying_type_t<X>>(x));
    } else if constexpr (half_like<X>) {
        return convert<T>(static_cast<float>(x));
    } else if constexpr (std::is_same_v<X, T>) {
        return {x};
    } else if constexpr (std::is_floating_point_v<T>) {
        return {numeric::convert_down<T>(x)};
    } else if constexpr (std::is_floating_point_v<X>) {
        if (!(x >= static_cast<X>(numeric::smallest_of<T>)))  // a power of two or zero, so X has it exactly
            return {T{}, true, x != x ? nan : underflow};
        if (!(x < numeric::limit_of<X, T>))
            return {T{}, true, overflow};
        const T truncated = static_cast<T>(x);
        return {static_cast<X>(truncated) > x ? static_cast<T>(truncated - 1) : truncated};
    } else {
        if constexpr (std::is_signed_v<X> && (std::is_unsigned_v<T> || sizeof(X) > sizeof(T)))
            if (x < static_cast<X>(numeric::smallest_of<T>))
                return {T{}, true, underflow};
        if constexpr (std::numeric_limits<X>::digits > std::numeric_limits<T>::digits)
            if (x > static_cast<X>(numeric::largest_of<T>))
                return {T{}, true, overflow};
        return {static_cast<T>(x)};
    }
}

}  // namespace parprims::detail::axis
