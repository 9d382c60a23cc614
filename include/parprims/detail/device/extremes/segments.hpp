/// @file
/// @brief  Extremes of segments, by the kernels of segmented reductions: what these combine, and what they write.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/contract/extreme.hpp>
#include <parprims/detail/device/call/launcher.hpp>
#include <parprims/detail/device/extremes/batch.hpp>
#include <parprims/detail/device/extremes/located.hpp>
#include <parprims/detail/device/load/input.hpp>
#include <parprims/detail/device/segmented/dispatch.hpp>
#include <parprims/detail/device/store/output.hpp>
#include <parprims/detail/iterator/traits.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace parprims::detail::device {

/// The extremes of elements of a segment: what a segmented reduction combines. Its kernels make it of an element and its number.
template <class Search, class Value, class Position>
struct segment_extremes : found_of<Search, Value, Position>::type {
    static constexpr bool is_located = true;

    PARPRIMS_DEVICE static segment_extremes at(const Value& value, std::size_t place)
    {
        segment_extremes found;
        found.template begin_with<0, Search>(value, static_cast<Position>(place));
        if constexpr (Search::count == 2)
            found.template begin_with<1, Search>(value, static_cast<Position>(place));
        return found;
    }

    /// Takes the best of `value(0)` to `value(Count - 1)`, whose places `place(i)` ascend. An element may be repeated. Values are compared
    /// before one of them becomes a rank.
    template <unsigned Count, class Element, class Place>
    PARPRIMS_DEVICE void take_best(const Search& search, Element value, Place place)
    {
        const auto take = [&]<unsigned K>(std::integral_constant<unsigned, K>) {
            const auto best = device::extreme_value<K, Count>(search, value);
            this->template consider<K>(search, best.value, static_cast<Position>(place(best.number)));
        };
        take(std::integral_constant<unsigned, 0>{});
        if constexpr (Search::count == 2)
            take(std::integral_constant<unsigned, 1>{});
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
        using found = segment_extremes<Search, iter_value_t<Iterator>, Position>;
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
