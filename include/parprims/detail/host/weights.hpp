/// @file
/// @brief  Weights as words of 40 bits, a block of them at a time: by SIMD for floats and doubles.
#pragma once

#include <parprims/detail/contract/weights.hpp>
#include <parprims/detail/iterator/traits.hpp>
#include <parprims/detail/numeric/exact_limbs.hpp>
#include <parprims/detail/numeric/integers.hpp>
#include <parprims/detail/numeric/rounding.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace parprims::detail::host {

inline constexpr int word_bits = 40;                ///< word k counts 2^(40 k) units, at most 2^40 of them
inline constexpr std::size_t weights_block = 1024;  ///< weights that are split before they are added

/// Binades of numbers, and how many were seen in each.
struct seen_binades {
    static constexpr int fields = 2047;

    std::uint16_t counts[fields] = {};  // by the exponent field of a double
    int first = fields;
    int last = 0;

    void add(double number)
    {
        const int field = static_cast<int>(__builtin_bit_cast(std::uint64_t, number) >> 52 & 0x7ff);
        if (number == 0 || field == fields)
            return;
        ++counts[field];
        first = smaller_of(first, field);
        last = larger_of(last, field);
    }
};

/// Weights that are sums of `Words` words: multiples of 2^unit, of less than 2^(unit + span).
template <class Real, int Words>
struct weight_window {
    using real = Real;
    static constexpr int words = Words;
    static constexpr int span = word_bits * Words;

    int unit;
    int held;  ///< of the numbers that were seen

    /// For most of the numbers seen.
    static constexpr weight_window of_most(const seen_binades& seen)
    {
        constexpr int digits = std::numeric_limits<Real>::digits;
        constexpr int headroom = 2;  // binades for larger numbers that come later
        constexpr int width = span - digits + 1 - headroom;
        int top = 1023, most = 0, held = 0;
        for (int i = seen.first; i <= seen.last; ++i) {
            held += seen.counts[i] - (i - width >= seen.first ? seen.counts[i - width] : 0);
            if (held >= most) {
                most = held;
                top = i;
            }
        }
        constexpr int lowest = std::numeric_limits<Real>::min_exponent - digits;
        constexpr int highest = std::numeric_limits<Real>::max_exponent - span;
        return {clamped(top - 1023 + 1 + headroom - span, lowest, highest), most};
    }

    /// The first magnitude that is too large.
    Real end() const
    {
        const int exponent = unit + span;
        return exponent < std::numeric_limits<Real>::max_exponent ? numeric::nearest<Real>(1, exponent, false)
                                                                  : numeric::infinity_of<Real>;
    }

    /// Not an infinity or NaN either.
    bool holds(Real number) const
    {
        const numeric::scaled_integer x = numeric::scaled(number);
        const int below = unit - x.exponent;  // digits of the mantissa below the unit
        return x.exponent + 53 <= unit + span &&
               (below <= 0 || x.mantissa == 0 || (below < 53 && (x.mantissa & ((std::int64_t{1} << below) - 1)) == 0));
    }
    /// The words of a number that the window holds.
    void split(Real number, std::int64_t (&to)[Words]) const
    {
        const numeric::scaled_integer x = numeric::scaled(number);
        const int below = unit - x.exponent;
        numeric::int128 left =
            below <= 0 ? numeric::int128{x.mantissa} << -below : numeric::int128{x.mantissa >> smaller_of(below, 63)};
        for (int k = 0; k + 1 < Words; ++k) {
            to[k] = static_cast<std::int64_t>(left) & ((std::int64_t{1} << word_bits) - 1);
            left >>= word_bits;
        }
        to[Words - 1] = static_cast<std::int64_t>(left);
    }
};

/// Splits the weights from `weights` on, as weight_window does: word k of weight i is `words[k][i]`. In whole vectors: returns how many, at
/// most `n`, and 0 if this CPU has no suitable instructions. `holds_all` becomes false if the window does not hold one, whose words
/// are then any. In the compiled library (lib/host_simd.cpp).
template <class Real, int Words>
std::size_t split_by_simd(const Real* weights, std::size_t n, int unit, Real end, std::int64_t (*words)[weights_block],
                          bool& holds_all);

/// Whether the library has split_by_simd for weights.
template <class Weights>
inline constexpr bool has_simd_split = false;
#if !defined(PARPRIMS_HEADER_ONLY)
template <class W>
inline constexpr bool has_simd_split<W*> =
    std::is_same_v<const W, const float> || std::is_same_v<const W, const double>;
#endif

/// Splits the `n` weights from number `begin` on. Calls `other(i, weight)` for those that the window does not hold: their words are 0.
template <class Weights, class Window, class Other>
void split_weights(const Weights& weights, std::size_t begin, std::size_t n, const Window& window,
                   std::int64_t (&words)[Window::words][weights_block], Other other)
{
    using real = typename Window::real;
    std::size_t done = 0;
    bool holds_all = true;
    if constexpr (has_simd_split<Weights>)
        done = split_by_simd<real, Window::words>(weights + begin, n, window.unit, window.end(), words, holds_all);
    for (std::size_t i = holds_all ? done : 0; i < n; ++i) {
        const auto number =
            weight_traits<iter_value_t<Weights>>::convert(*(weights + static_cast<std::ptrdiff_t>(begin + i)));
        const bool holds = window.holds(number);
        if (holds && i < done)
            continue;
        std::int64_t each[Window::words];
        window.split(holds ? number : real{}, each);
        for (int k = 0; k < Window::words; ++k)
            words[k][i] = each[k];
        if (!holds)
            other(i, number);
    }
}

}  // namespace parprims::detail::host
