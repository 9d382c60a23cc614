/// @file
/// @brief  Extremes of segments, by the kernels of segmented reductions: what these combine, and what they write.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/contract/extreme.hpp>
#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/device/call/launcher.hpp>
#include <parprims/detail/device/extremes/batch.hpp>
#include <parprims/detail/device/extremes/located.hpp>
#include <parprims/detail/device/extremes/tuning.hpp>
#include <parprims/detail/device/extremes/warp_batches.hpp>
#include <parprims/detail/device/load/input.hpp>
#include <parprims/detail/device/segmented/dispatch.hpp>
#include <parprims/detail/device/store/output.hpp>
#include <parprims/detail/iterator/traits.hpp>
#include <parprims/detail/numeric/extremes.hpp>
#include <parprims/detail/numeric/integers.hpp>
#include <parprims/detail/simt/simt.hpp>
#include <parprims/detail/uninitialized.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
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

    /// Takes the next element, the first one if `is_first`.
    template <class Element>
    PARPRIMS_DEVICE void take(const Search& search, bool is_first, const Element& element, unsigned number)
    {
        const auto value = static_cast<Value>(element);
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
    using element_type = typename Elements::value_type;
    using value_type = compared<Search, element_type>;

    const Elements& elements;
    Search search;
    unsigned lane, lanes;
    numbered_extremes<value_type, Search> best;

    PARPRIMS_DEVICE value_type value_of(unsigned i) const
    {
        return static_cast<value_type>(elements.template operand<element_type>(i));
    }

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
                loaded[k].value = value_of(number(k));
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
                return static_cast<value_type>(elements.template operand<element_type>(packet, k));
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
                        device::extreme_of_packets<K, element_type, Elements::items, Elements::holds_values>(
                            search, packets, element);
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
        const auto found =
            device::extreme_value<K, Elements::items>(search, [&](unsigned k) { return value_of(number(k)); });
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
    T best;
    if (size != 0) {
        const unsigned end = begin + size;
        lane_search<Elements, search> found{elements, op.search, simt::block::lane() & (lanes - 1), lanes, {}};
        found.best.begin_with(found.value_of(begin), begin);
        if constexpr (Elements::has_packets) {
            const unsigned packets_begin = smaller_of(elements.next_packet(begin), end);
            const unsigned packets_end = end - (end - packets_begin) % Elements::items;
            found.template look_at_elements<1>(begin, packets_begin);
            found.look_at_packets(packets_begin, packets_end);
            found.template look_at_elements<1>(packets_end, end);
        } else {
            found.template look_at_elements<Elements::in_flight>(begin, end);
        }
        best = found.best.template located<T>([&](unsigned number) { return elements.numbers(number); });
    }
    return device::best_of_lanes(best, lanes, op);
}

/// Finds extremes in chunks of a segment, each by a warp: the packets of a chunk, as many as it has, from the first packet of the segment
/// on. So packets are aligned wherever a segment begins.
template <class Input, class Search, class Found, class Position>
struct segment_extreme_chunks {
    using value_type = typename Input::value_type;
    static constexpr std::size_t chunk = order::chunk<value_type>;
    static constexpr unsigned blocks_per_sm = segment_extremes_blocks_per_sm;
    using batches_type =
        extreme_batches<Input, Search, Found, Position, segment_extremes_rows<value_type, packet_items<Input> != 1>>;

    batches_type elements;
    std::size_t begin;

    PARPRIMS_DEVICE static segment_extreme_chunks of_segment(const Input& whole, std::size_t begin, std::size_t size,
                                                             std::size_t, better_of<Search> op)
    {
        return {batches_type::make(whole.from(begin), size, op.search), begin};
    }

    PARPRIMS_DEVICE static void store_total(uninitialized<Found>* to, const Found& total)
    {
        if (simt::block::lane() == 0)
            simt::store(to, total);
    }

    /// The extremes of `count` chunks from chunk `first` on.
    PARPRIMS_DEVICE Found fold(std::size_t first, std::size_t count, uninitialized<Found>*) const
    {
        constexpr auto packets = static_cast<Position>(chunk / batches_type::items);
        const auto from = static_cast<Position>(first) * packets;
        const auto end = smaller_of<Position>(from + static_cast<Position>(count) * packets, elements.packets);
        Found best;
        if (batches_type::in_packets && first == 0)
            elements.look_at_ends(best, begin);
#pragma unroll 1
        for (Position p = from; p < end; p += batches_type::batch)
            elements.look_at_batch(p, best, begin);
        return device::best_of_lanes(best, simt::warp_size, better_of<Search>{elements.search});
    }
};

/// The extremes of elements of a segment: what a segmented reduction combines.
template <class Search, class Value, class Position>
struct segment_extremes : found_of<Search, Value, Position>::type {
    static constexpr bool is_located = true;
    /// What a thread has of elements that it sees in ascending order.
    using in_order = numbered_extremes<Value, Search>;
    template <class Input>
    using chunks = segment_extreme_chunks<Input, Search, segment_extremes, Position>;

    /// As `find_by_lanes`.
    template <class Elements>
    PARPRIMS_DEVICE static segment_extremes find(const Elements& elements, unsigned begin, unsigned size,
                                                 unsigned lanes, better_of<Search> op)
    {
        return device::find_by_lanes<segment_extremes>(elements, begin, size, lanes, op);
    }
};

/// Where a segmented reduction writes extremes: the positions of segment s to `count` places. Of a segment without elements its end.
template <class Search, class Segments, class Output>
struct segment_positions {
    Segments segments;
    Output output;
    std::size_t segment;

    PARPRIMS_DEVICE segment_positions operator+(std::ptrdiff_t s) const
    {
        return {segments, output, segment + static_cast<std::size_t>(s)};
    }
    PARPRIMS_DEVICE const segment_positions& operator*() const { return *this; }
    template <class Found>
    PARPRIMS_DEVICE void operator=(const Found& found) const
    {
        const auto place_or_end = [&](auto place) {
            return place == Found::nowhere ? segments.begin(segment + 1) : std::size_t{place};
        };
        output.set(segment * Search::count, place_or_end(found.template place<0, Search>()));
        if constexpr (Search::count == 2)
            output.set(segment * Search::count + 1, place_or_end(found.template place<1, Search>()));
    }
};

/// Enqueues the search in each segment of an input. There is at least one segment.
template <launcher Launcher, class Segments, class Iterator, class Output, class Search>
void enqueue_segmented_extremes(Launcher& launcher, const Segments& segments, Iterator first, Output out, Search search)
{
    const auto enqueue = [&]<class Position>(Position) {
        using found = segment_extremes<Search, compared<Search, iter_value_t<Iterator>>, Position>;
        device::enqueue_segmented_reduce<found>(
            launcher, segments, first,
            segment_positions<Search, Segments, output_for<Output>>{segments, device::make_output(out), 0}, found(),
            better_of<Search>{search});
    };
    if (segments.n < std::numeric_limits<std::uint32_t>::max() / 2)
        enqueue(std::uint32_t{});
    else
        enqueue(std::size_t{});
}

}  // namespace parprims::detail::device
