/// @file
/// @brief  Extremes of a segment that a few lanes of a warp look at.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/contract/extreme.hpp>
#include <parprims/detail/device/extremes/batch.hpp>
#include <parprims/detail/numeric/extremes.hpp>
#include <parprims/detail/numeric/integers.hpp>
#include <parprims/detail/simt/simt.hpp>
#include <parprims/detail/uninitialized.hpp>

#include <type_traits>

namespace parprims::detail::device {

/// The best of lanes, `lanes` of them a segment, in the first lane of each; of all lanes of a warp, in every lane.
template <class T, class Op>
PARPRIMS_DEVICE inline T best_of_lanes(T best, unsigned lanes, Op op)
{
    if constexpr (requires { best.fold_lanes(); })
        if (lanes == simt::warp_size) {
            best.fold_lanes();
            return best;
        }
#pragma unroll 1
    for (unsigned distance = 1; distance < lanes; distance *= 2)
        best = op(best, simt::shuffle_down(best, distance));
    return lanes == simt::warp_size ? simt::shuffle(best, 0) : best;
}

/// The extremes of values that are seen in ascending order of their numbers.
template <class Value, class Search>
struct numbered_extremes {
    uninitialized<Value> values[Search::count];
    unsigned numbers[Search::count];

    PARPRIMS_DEVICE void begin_with(const Value& value, unsigned number)
    {
#pragma unroll
        for (unsigned k = 0; k < Search::count; ++k) {
            values[k].value = value;
            numbers[k] = number;
        }
    }

    /// Takes `value` if it is better than the extreme K so far.
    template <unsigned K>
    PARPRIMS_DEVICE void keep(const Search& search, const Value& value, unsigned number)
    {
        const bool replaces = search.template replaces<K>(value, values[K].value);
        values[K].value = replaces ? value : values[K].value;
        numbers[K] = replaces ? number : numbers[K];
    }

    /// Takes the next value, the first one if `is_first`.
    PARPRIMS_DEVICE void take(const Search& search, bool is_first, const Value& value, unsigned number)
    {
        if (is_first)
            begin_with(value, number);
        else
            for_each_extreme<Search>([&]<unsigned K>() { keep<K>(search, value, number); });
    }

    /// A T with these extremes, where `place(number)` is that of a value. Only here a value becomes a rank.
    template <class T, class Place>
    PARPRIMS_DEVICE T located(Place place) const
    {
        T result;
        for_each_extreme<Search>(
            [&]<unsigned K>() { result.template begin_with<K, Search>(values[K].value, place(numbers[K])); });
        return result;
    }
};

/// What one of `lanes` lanes finds in a segment. It looks at elements in ascending order.
template <class Elements, class Search>
struct lane_search {
    using value_type = typename Elements::value_type;

    const Elements& elements;
    Search search;
    unsigned lane, lanes;
    numbered_extremes<value_type, Search> best;

    /// Elements from `begin` on, `Items` of them in flight. The last one stands for those behind it.
    template <unsigned Items>
    PARPRIMS_DEVICE void look_at_elements(unsigned begin, unsigned end)
    {
#pragma unroll 1
        for (unsigned i = begin + lane; i < end; i += lanes * Items) {
            const auto number = [&](unsigned k) { return Items == 1 ? i : smaller_of(i + k * lanes, end - 1); };
            uninitialized<value_type> loaded[Items];
#pragma unroll
            for (unsigned k = 0; k < Items; ++k)
                loaded[k].value = elements.template operand<value_type>(number(k));
            for_each_extreme<Search>([&]<unsigned K>() {
                const auto next = device::extreme_value<K, Items>(search, [&](unsigned k) { return loaded[k].value; });
                best.template keep<K>(search, next.value, number(next.number));
            });
        }
    }

    /// Elements of packets from `begin`, where one begins, to before `end`.
    PARPRIMS_DEVICE void look_at_packets(unsigned begin, unsigned end)
    {
#pragma unroll 1
        for (unsigned i = begin + lane * Elements::items; i < end; i += lanes * Elements::items) {
            const simt::packet<16> packets[1] = {elements.aligned_packet(i)};
            const auto element = [&](const simt::packet<16>& packet, unsigned k) {
                return elements.template operand<value_type>(packet, k);
            };
            for_each_extreme<Search>([&]<unsigned K>() {
                if constexpr (looks_twice) {
                    value_type extreme = element(packets[0], 0);
#pragma unroll
                    for (unsigned k = 1; k < Elements::items; ++k)
                        extreme =
                            numeric::extreme_number<Search::template is_maximum<K>>(extreme, element(packets[0], k));
                    best.template keep<K>(search, extreme, i);
                } else {
                    const auto next =
                        device::extreme_of_packets<K, typename Elements::input_type>(search, packets, element);
                    best.template keep<K>(search, next.value, i + next.number);
                }
            });
        }
        if constexpr (looks_twice)
            if (begin < end)
                for_each_extreme<Search>([&]<unsigned K>() { look_again<K>(end); });
    }

private:
    /// Whether a lane first finds the packet of an extreme, from values alone, and then its place in that.
    static constexpr bool looks_twice =
        Search::has_natural_order && std::is_arithmetic_v<value_type> && sizeof(value_type) == 4;

    /// Of the packet that begins with the best element so far. It may be one before the packets: then others follow it.
    template <unsigned K>
    PARPRIMS_DEVICE void look_again(unsigned end)
    {
        const auto number = [&, from = best.numbers[K]](unsigned k) { return smaller_of(from + k, end - 1); };
        const auto found = device::extreme_value<K, Elements::items>(search, [&](unsigned k) {
            return elements.template operand<value_type>(number(k));
        });
        best.values[K].value = found.value;
        best.numbers[K] = number(found.number);
    }
};

/// For lanes of a warp, `lanes` of them a segment: extremes of `size` elements from `begin` on, or of none, in the first lane of a segment;
/// if all lanes have one segment, in every lane. A lane compares values, and makes a rank and a place of the best one.
template <class T, class Elements, class Op>
PARPRIMS_DEVICE inline T find_by_lanes(const Elements& elements, unsigned begin, unsigned size, unsigned lanes, Op op)
{
    using search = decltype(op.search);
    using value_type = typename Elements::value_type;
    T best;
    if (size != 0) {
        const unsigned end = begin + size;
        lane_search<Elements, search> found{elements, op.search, simt::block::lane() & (lanes - 1), lanes, {}};
        found.best.begin_with(elements.template operand<value_type>(begin), begin);
        if constexpr (Elements::has_packets) {
            const unsigned packets_begin = smaller_of(elements.next_packet(begin), end);
            const unsigned packets_end = end - (end - packets_begin) % Elements::items;
            found.template look_at_elements<1>(begin, packets_begin);
            found.look_at_packets(packets_begin, packets_end);
            found.template look_at_elements<1>(packets_end, end);
        } else {
            found.template look_at_elements<Elements::in_flight>(begin, end);
        }
        best = found.best.template located<T>([&](unsigned number) { return elements.first + number; });
    }
    return device::best_of_lanes(best, lanes, op);
}

}  // namespace parprims::detail::device
