/// @file
/// @brief  The extreme value of the packets that a lane has loaded.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/extreme.hpp>
#include <parprims/detail/numeric/extremes.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <cstdint>
#include <type_traits>

namespace parprims::detail::device {

/// Extreme K of the values `value(0)` to `value(Count - 1)`.
template <unsigned K, unsigned Count, class Search, class Element>
PARPRIMS_DEVICE inline auto extreme_value(const Search& search, Element value)
{
    using value_type = std::remove_cvref_t<decltype(value(0))>;
    value_type best = value(0);
#pragma unroll
    for (unsigned i = 1; i < Count; ++i) {
        const value_type next = value(i);
        if constexpr (Search::has_natural_order && std::is_same_v<value_type, float>)
            best = numeric::extreme_of<Search::template is_maximum<K>>(best, next);
        else
            best = search.template replaces<K>(next, best) ? next : best;
    }
    return best;
}

/// Integers of one and two bytes are compared in pairs.
template <class Value, class Search>
inline constexpr bool has_pairs =
    Search::has_natural_order && std::is_integral_v<Value> && !std::is_same_v<Value, bool> && sizeof(Value) <= 2;

/// The smallest or largest of such elements of packets.
template <bool IsMaximum, class Value, unsigned Rows>
PARPRIMS_DEVICE inline Value extreme_of_pairs(const simt::packet<16> (&rows)[Rows])
{
    const auto better = [](std::uint32_t a, std::uint32_t b) {
        return numeric::extreme_halves<IsMaximum, std::is_signed_v<Value>>(a, b);
    };
    // A byte is compared as the upper half of 16 bits: what lies below it only decides between equal bytes.
    std::uint32_t odd = rows[0].words[0];
    std::uint32_t even = odd << 8;
#pragma unroll
    for (unsigned r = 0; r < Rows; ++r)
#pragma unroll
        for (unsigned w = r == 0 ? 1 : 0; w < 4; ++w) {
            odd = better(odd, rows[r].words[w]);
            if constexpr (sizeof(Value) == 1)
                even = better(even, rows[r].words[w] << 8);
        }
    if constexpr (sizeof(Value) == 1)
        odd = better(odd, even);
    odd = better(odd, odd << 16);
    return static_cast<Value>(odd >> (32 - 8 * sizeof(Value)));
}

}  // namespace parprims::detail::device
