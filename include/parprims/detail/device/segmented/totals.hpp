/// @file
/// @brief  What the blocks of a segmented reduction leave for its second kernel: totals of chunks, and which segments end where.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/contract/segments.hpp>
#include <parprims/detail/device/call/launcher.hpp>
#include <parprims/detail/simt/simt.hpp>
#include <parprims/detail/uninitialized.hpp>

#include <cstddef>

namespace parprims::detail::device {

/// Totals that are consecutive nodes of the tree over the chunks of a segment.
struct totals_span {
    std::size_t first;  // place
    std::size_t count;
};

/// The totals of the chunks of segments of several chunks, and for each tile the segment that began before it and ends in it.
///
/// A complete chunk that begins at element e has place e / Chunk: complete chunks do not overlap, so their places differ. The last
/// chunk of a segment may be shorter, and has its place in an array of its own: before it lies a complete chunk of the same
/// segment. A segment that lies in one tile has no totals here: its block folds them.
template <class T, std::size_t Chunk>
struct chunk_totals {
    static constexpr std::size_t chunk = Chunk;

    uninitialized<T>* complete;
    uninitialized<T>* last;
    std::size_t* ended;  // for each tile; the number of segments if there is none

    static constexpr std::size_t bytes(std::size_t n, std::size_t tiles)
    {
        return 2 * array_bytes(n) + tiles * sizeof(std::size_t);
    }

    static chunk_totals at(std::byte* memory, std::size_t n)
    {
        return {reinterpret_cast<uninitialized<T>*>(memory),
                reinterpret_cast<uninitialized<T>*>(memory + array_bytes(n)),
                reinterpret_cast<std::size_t*>(memory + 2 * array_bytes(n))};
    }

    /// The segment whose totals a tile completes; the number of segments if there is none.
    PARPRIMS_DEVICE std::size_t segment_of_tile(std::size_t tile) const { return simt::load(ended, tile); }

    template <class Segments>
    PARPRIMS_DEVICE totals_span of(const Segments& segments, std::size_t segment) const
    {
        const std::size_t begin = segments.begin(segment);
        const std::size_t end = segments.begin(segment + 1);
        return {begin / Chunk, end > begin ? order::ceil_div(end - begin, Chunk) : 1};
    }

    PARPRIMS_DEVICE T load(const totals_span& span, std::size_t i) const
    {
        const uninitialized<T>* const from = i + 1 == span.count ? last : complete;
        return simt::load(from + span.first, i);
    }

private:
    static constexpr std::size_t array_bytes(std::size_t n) { return aligned_bytes((n / Chunk + 1) * sizeof(T)); }
};

/// The totals of runs of chunks, of segments of one size. Each segment is what one tile has.
template <class T>
struct run_totals {
    uninitialized<T>* totals;
    std::size_t runs;  // of a segment
    std::size_t run;   // elements of a run

    PARPRIMS_DEVICE std::size_t segment_of_tile(std::size_t tile) const { return tile; }

    PARPRIMS_DEVICE totals_span of(const fixed_segments& segments, std::size_t segment) const
    {
        return {segment * runs, order::ceil_div(segments.begin(segment + 1) - segments.begin(segment), run)};
    }

    PARPRIMS_DEVICE T load(const totals_span& span, std::size_t i) const { return simt::load(totals, span.first + i); }
};

}  // namespace parprims::detail::device
