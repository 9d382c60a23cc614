/// @file
/// @brief  Weights as integers, a block of them at a time: by SIMD for floats.
#pragma once

#include <parprims/detail/contract/weights.hpp>
#include <parprims/detail/numeric/fixed_point.hpp>
#include <parprims/detail/numeric/integers.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace parprims::detail::host {

/// Writes the integers of the weights from `weights` on to `values`, and those of their squares to `squares` unless that is null,
/// in whole vectors, and makes `key` at least the largest magnitude_key. Returns how many: at most `n`, and 0 if this CPU has no
/// suitable instructions. A weight too large for the scale has any integer. In the compiled library (lib/host_simd.cpp).
std::size_t scale_by_simd(const float* weights, std::size_t n, const numeric::narrow_scale_of<true>& scale,
                          std::int64_t* values, std::int64_t* squares, std::uint32_t& key);

/// Whether the library has scale_by_simd for weights and a scale.
template <class Weights, class Scale>
inline constexpr bool has_simd_scale = false;
#if !defined(PARPRIMS_HEADER_ONLY)
template <class W>
inline constexpr bool has_simd_scale<W*, numeric::narrow_scale_of<true>> = std::is_same_v<const W, const float>;
#endif

/// The integers of a block of weights, and of their squares where these are rounded.
template <class W, unsigned Values>
class scaled_weights {
    using real = typename weight_traits<W>::real;

public:
    using integer = typename weight_traits<W>::integer;
    static constexpr std::size_t most = 1024;

    /// Of the `n` weights from number `begin` on, which has no value if one of them is too large for the scale: then false.
    /// Raises `key` to that of the largest one within `limit`. Calls `flag(i, weight)` for the others, which have the integer 0.
    template <class Weights, class Scale, class Flag>
    bool scale(const Weights& weights, std::size_t begin, std::size_t n, const Scale& scale, int exponent, real limit,
               std::uint32_t& key, Flag flag)
    {
        std::size_t done = 0;
        std::uint32_t largest = 0;
        if constexpr (has_simd_scale<Weights, Scale>)
            done = scale_by_simd(weights + begin, n, scale, values_[0], Values == 2 ? values_[Values == 2] : nullptr,
                                 largest);
        largest = larger_of(largest, load(weights, begin, done, n));
        if (largest >= numeric::magnitude_key(-numeric::next_below(-limit))) {  // the key of the first number above it
            load(weights, begin, 0, std::exchange(done, 0));
            largest = 0;
            for (std::size_t i = 0; i < n; ++i)
                if (numeric::magnitude(numbers_[i]) <= limit)
                    largest = larger_of(largest, numeric::magnitude_key(numbers_[i]));
                else
                    flag(i, std::exchange(numbers_[i], real{}));
        }
        key = larger_of(key, largest);
        if (weight_traits<W>::exponent(largest) > exponent)
            return false;
        for (std::size_t i = done; i < n; ++i)
            values_[0][i] = scale.value(numbers_[i]);
        if constexpr (Values == 2)
            for (std::size_t i = done; i < n; ++i)
                values_[1][i] = scale.square(numbers_[i]);
        return true;
    }

    integer value(unsigned v, std::size_t i) const { return values_[v][i]; }

private:
    /// Reads weights [from, n) of a block; the largest key among them.
    template <class Weights>
    std::uint32_t load(const Weights& weights, std::size_t begin, std::size_t from, std::size_t n)
    {
        std::int32_t largest = 0;  // signed, because SSE2 has no larger of unsigned numbers
        for (std::size_t i = from; i < n; ++i) {
            numbers_[i] = weight_traits<W>::convert(*(weights + static_cast<std::ptrdiff_t>(begin + i)));
            const std::uint32_t key = numeric::magnitude_key(numbers_[i]);
            largest = larger_of(largest, static_cast<std::int32_t>(key - (key >> 31)));  // that of a NaN may be 2^31
        }
        return static_cast<std::uint32_t>(largest);
    }

    real numbers_[most];
    integer values_[Values == 2 ? 2 : 1][most];
};

}  // namespace parprims::detail::host
