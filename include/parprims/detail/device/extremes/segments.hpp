/// @file
/// @brief  Extremes of segments, by the kernels of segmented reductions: what these combine, and what they write.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/contract/extreme.hpp>
#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/device/call/launcher.hpp>
#include <parprims/detail/device/extremes/batch.hpp>
#include <parprims/detail/device/extremes/lanes.hpp>
#include <parprims/detail/device/extremes/located.hpp>
#include <parprims/detail/device/extremes/tuning.hpp>
#include <parprims/detail/device/extremes/warp_batches.hpp>
#include <parprims/detail/device/load/input.hpp>
#include <parprims/detail/device/segmented/dispatch.hpp>
#include <parprims/detail/device/store/output.hpp>
#include <parprims/detail/iterator/traits.hpp>
#include <parprims/detail/numeric/integers.hpp>
#include <parprims/detail/simt/simt.hpp>
#include <parprims/detail/uninitialized.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>

namespace parprims::detail::device {

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
