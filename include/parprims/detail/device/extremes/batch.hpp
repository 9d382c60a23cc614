/// @file
/// @brief  The extreme value of the packets that a lane has loaded, and which of them it is.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/device/load/input.hpp>
#include <parprims/detail/numeric/extremes.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <cstdint>
#include <type_traits>

namespace parprims::detail::device {

/// A value of a batch, and its number.
template <class Value>
struct numbered {
    Value value;
    unsigned number;
};

/// Extreme K of the values `value(0)` to `value(Count - 1)`.
template <unsigned K, unsigned Count, class Search, class Element>
PARPRIMS_DEVICE inline auto extreme_value(const Search& search, Element value)
{
    using value_type = std::remove_cvref_t<decltype(value(0))>;
    numbered<value_type> best{value(0), 0};
#pragma unroll
    for (unsigned i = 1; i < Count; ++i) {
        const value_type next = value(i);
        const bool replaces = search.template replaces<K>(next, best.value);
        best.value = replaces ? next : best.value;
        best.number = replaces ? i : best.number;
    }
    return best;
}

/// Integers of one and two bytes are compared together with their numbers.
template <class Value, class Search>
inline constexpr bool has_room_for_number =
    Search::has_natural_order && std::is_integral_v<Value> && !std::is_same_v<Value, bool> && sizeof(Value) <= 2;

/// Extreme K of such elements of packets. What lies below a value in its word decides between equal ones: a number that ascends or
/// descends, so that the first or the last one is better.
template <unsigned K, class Value, class Search, unsigned Rows>
PARPRIMS_DEVICE inline numbered<Value> extreme_of_small(const simt::packet<16> (&rows)[Rows])
{
    constexpr bool is_maximum = Search::template is_maximum<K>;
    constexpr bool descends = is_maximum != Search::template takes_last<K>;
    using word = std::conditional_t<std::is_signed_v<Value>, std::int32_t, std::uint32_t>;
    const auto better = [](std::uint32_t a, std::uint32_t b) {
        return (static_cast<word>(a) < static_cast<word>(b)) != is_maximum ? a : b;
    };
    constexpr unsigned items = 4 / sizeof(Value);    // of a word
    constexpr unsigned last = 4 * Rows * items - 1;  // a mask, too: rows are a power of two
    std::uint32_t best = 0;
    if constexpr (sizeof(Value) == 1) {
        // Pairs of 16 bits: a byte, and the number of its word.
        constexpr std::uint32_t upper = 0xff00ff00u;
        std::uint32_t odd = 0, even = 0;
#pragma unroll
        for (unsigned w = 0; w < 4 * Rows; ++w) {
            const std::uint32_t bytes = rows[w / 4].words[w % 4];
            const std::uint32_t numbers = (descends ? 4 * Rows - 1 - w : w) * 0x00010001u;
            const std::uint32_t next_odd = (bytes & upper) | numbers, next_even = (bytes << 8 & upper) | numbers;
            odd = w == 0 ? next_odd : numeric::extreme_halves<is_maximum, std::is_signed_v<Value>>(odd, next_odd);
            even = w == 0 ? next_even : numeric::extreme_halves<is_maximum, std::is_signed_v<Value>>(even, next_even);
        }
        // 32 bits: a byte, the number of its word, its own number in that.
        const auto whole = [](std::uint32_t half, unsigned byte) { return half << 16 | (descends ? 3 - byte : byte); };
        best = better(better(whole(even, 0), whole(odd, 1)), better(whole(even >> 16, 2), whole(odd >> 16, 3)));
        best = (best & 0xff000000u) | (best >> 14 & 0x3fc) | (best & 3);
    } else {
#pragma unroll
        for (unsigned w = 0; w < 4 * Rows; ++w) {
            const std::uint32_t pair = rows[w / 4].words[w % 4];
            const std::uint32_t low = pair << 16 | (descends ? last - 2 * w : 2 * w);
            const std::uint32_t high = (pair & 0xffff0000u) | (descends ? last - 2 * w - 1 : 2 * w + 1);
            best = w == 0 ? low : better(best, low);
            best = better(best, high);
        }
    }
    const unsigned number = best & last;
    return {static_cast<Value>(best >> (32 - 8 * sizeof(Value))), descends ? last - number : number};
}

/// Extreme K of the elements of packets, of `Items` each. `element(packet, i)` is element i of a packet.
/// @tparam  AreValues  packets have the elements themselves, of type Value
template <unsigned K, class Value, unsigned Items, bool AreValues, class Search, unsigned Rows, class Element>
PARPRIMS_DEVICE inline auto extreme_of_packets(const Search& search, const simt::packet<16> (&packets)[Rows],
                                               Element element)
{
    if constexpr (AreValues && has_room_for_number<Value, Search>)
        return device::extreme_of_small<K, Value, Search>(packets);
    else
        return device::extreme_value<K, Rows * Items>(search, [&](unsigned i) {
            return element(packets[i / Items], i % Items);
        });
}

}  // namespace parprims::detail::device
