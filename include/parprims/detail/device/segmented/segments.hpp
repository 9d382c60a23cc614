/// @file
/// @brief  How the work on the segments of an input is divided into tiles.
///
/// A segment of the input is reduced in pieces: its chunks of the order contract, or one empty piece if it has no elements.
/// Piece k of segment s is at position `s + begin(s) + k * chunk`. Positions ascend from piece to piece, and a tile has the pieces
/// at `tile` consecutive positions. So a tile has at most `tile` segments, and fewer than `tile + chunk` elements, however long the
/// segments are.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/contract/segments.hpp>
#include <parprims/detail/device/tree/warp_scan.hpp>
#include <parprims/detail/numeric/integers.hpp>
#include <parprims/detail/simt/simt.hpp>
#include <parprims/functional.hpp>

#include <cstddef>
#include <type_traits>

namespace parprims::detail::device {

/// For one warp: the first number below `count` for which `before` is false, or `count`. Each lane tries one number in each round. Ends
/// whatever `before` returns.
template <class Before>
PARPRIMS_DEVICE inline std::size_t find_first(std::size_t count, Before before)
{
    std::size_t low = 0;
    for (std::size_t left = count; left != 0;) {  // the answer is from `low` to `low + left`
        const std::size_t step = order::ceil_div(left, simt::warp_size);
        const std::size_t tried = (simt::block::lane() + 1) * step - 1;
        const bool is_before = tried < left && before(low + tried);
        const std::size_t passed = simt::count_lanes(simt::ballot(is_before)) * step;
        low += passed;
        left = left - passed < step ? left - passed : step - 1;
    }
    return low;
}

/// For one warp: the first segment that begins at `element` or behind it, or `count`; and the first one whose position is not less than
/// `position`, or `count`.
template <class Offsets>
PARPRIMS_DEVICE inline std::size_t find_segment_from(const offset_segments<Offsets>& segments, std::size_t element)
{
    return find_first(segments.count, [&](std::size_t s) { return segments.begin(s) < element; });
}
template <class Offsets>
PARPRIMS_DEVICE inline std::size_t find_segment(const offset_segments<Offsets>& segments, std::size_t position)
{
    return find_first(segments.count, [&](std::size_t s) { return s + segments.begin(s) < position; });
}
PARPRIMS_DEVICE inline std::size_t find_segment(const fixed_segments& segments, std::size_t position)
{
    const std::size_t s = position == 0 ? 0 : quotient(position - 1, segments.size + 1) + 1;
    return smaller_of(s, segments.count);
}

/// The number of positions up to the last segment. The segments may be fewer than those that a kernel is planned for.
template <class Segments>
PARPRIMS_DEVICE std::size_t positions_of(const Segments& segments)
{
    return segments.count == 0 ? 0 : smaller_of(segments.begin(segments.count), segments.n) + segments.count;
}

/// For all threads of a block: prefetches what `segment_of_tile` will read of `count` segments from `first` on.
PARPRIMS_DEVICE inline void prefetch_segments(simt::block, const fixed_segments&, std::size_t, unsigned) {}
template <class Offsets>
PARPRIMS_DEVICE inline void prefetch_segments(simt::block block, const offset_segments<Offsets>& segments,
                                              std::size_t first, unsigned count)
{
    if constexpr (std::is_pointer_v<Offsets>) {
        constexpr unsigned sector = 32 / sizeof(*segments.offsets);
        for (std::size_t i = first + sector * block.thread(); i < first + count; i += sector * block.threads())
            simt::prefetch(segments.offsets + i);
    }
}

/// The distance from one segment of a tile to the next, in elements; 0 if it is not known, or if the tile has no room for padding. For segments
/// by offsets it is a guess: the mean, if that is a whole number.
/// @param  room  most elements of a tile
PARPRIMS_DEVICE inline unsigned stride_in_tile(const fixed_segments& segments, unsigned, unsigned, std::size_t)
{
    return static_cast<unsigned>(segments.size);
}
template <class Offsets>
PARPRIMS_DEVICE inline unsigned stride_in_tile(const offset_segments<Offsets>&, unsigned count, unsigned tile_segments,
                                               std::size_t room)
{
    return tile_segments > 1 && count % tile_segments == 0 && count + count / 8 + 32 <= room ? count / tile_segments
                                                                                             : 0;
}

/// Where a tile begins or ends: before piece `piece` of segment `segment`.
struct piece_position {
    std::size_t segment;
    std::size_t piece;
    std::size_t element;  // the first one of the piece
};

/// Where the number of tiles lies, if that of the segments is in device memory: in front of the ends of all tiles. A pointer of its own would
/// take room for the caller's operator from the parameters of the kernel.
template <class Ends>
PARPRIMS_HOST_DEVICE auto tiles_before(Ends* ends)
{
    return reinterpret_cast<std::conditional_t<std::is_const_v<Ends>, const unsigned*, unsigned*>>(ends) - 1;
}

/// For one warp: the first piece whose position is not less than `position`. The result is in every lane.
template <unsigned Chunk, class Segments>
PARPRIMS_DEVICE inline piece_position find_piece(const Segments& segments, std::size_t position)
{
    const std::size_t s = find_segment(segments, position);
    const std::size_t begin = segments.begin(s);
    if (s != 0) {
        const std::size_t previous = segments.begin(s - 1);
        const std::size_t piece = (position - (s - 1) - previous + Chunk - 1) / Chunk;
        if (previous < begin && piece * Chunk < begin - previous)
            return {s - 1, piece, previous + piece * Chunk};
    }
    return {s, 0, begin};
}

/// Chunks of a segment, at least one.
PARPRIMS_DEVICE inline std::size_t chunks_between(std::size_t begin, std::size_t end, std::size_t chunk)
{
    return end > begin ? order::ceil_div(end - begin, chunk) : 1;
}

/// `end - begin`, but from 0 to `most`.
PARPRIMS_DEVICE inline unsigned limited_difference(std::size_t end, std::size_t begin, std::size_t most)
{
    const std::size_t size = end > begin ? end - begin : 0;
    return static_cast<unsigned>(size < most ? size : most);
}

/// For one warp, each lane of which has a segment: numbers the chunks of these segments one after another, so that warps can share
/// them.
struct numbered_chunks {
    unsigned count;  // chunks of this lane's segment
    unsigned end;    // the number behind its last chunk

    PARPRIMS_DEVICE explicit numbered_chunks(unsigned chunks)
        : count(chunks), end(warp::scan_full_lanes(chunks, plus{}))
    {
    }

    PARPRIMS_DEVICE unsigned all() const { return simt::shuffle(end, simt::warp_size - 1); }
    /// The lane whose segment has chunk i.
    PARPRIMS_DEVICE unsigned owner(unsigned i) const { return simt::count_lanes(simt::ballot(end <= i)); }
    /// The first chunk of a lane's segment.
    PARPRIMS_DEVICE unsigned first(unsigned lane) const { return simt::shuffle(end - count, lane); }
};

/// A list of segments of a tile, in shared memory.
template <unsigned Room>
struct segment_list {
    unsigned segments[Room];
    unsigned count;

    PARPRIMS_DEVICE void clear() { simt::store(&count, 0); }
    PARPRIMS_DEVICE void add(unsigned segment)
    {
        const unsigned place = simt::atomic_add(&count, 1u);
        if (place < Room)  // more only with offsets that do not ascend
            simt::store(segments, place, segment);
    }
    PARPRIMS_DEVICE unsigned size() const { return limited_difference(simt::load(&count), 0, Room); }
    PARPRIMS_DEVICE unsigned operator[](unsigned place) const { return simt::load(segments, place); }
};

/// A segment in a tile.
struct tile_segment {
    unsigned begin;  // first element, counted in the tile; 0 for a segment of several chunks
    unsigned size;   // elements; `Chunk + 1` for a segment of several chunks
};

/// Segment i of a tile of `count` elements. Segments of one size have at most a chunk.
template <unsigned Chunk>
PARPRIMS_DEVICE inline tile_segment segment_of_tile(const fixed_segments& segments, const piece_position&,
                                                    unsigned count, unsigned i)
{
    const auto size = static_cast<unsigned>(segments.size);
    return {i * size, smaller_of(static_cast<unsigned>(segments.length), count - i * size)};
}
template <unsigned Chunk, class Offsets>
PARPRIMS_DEVICE inline tile_segment segment_of_tile(const offset_segments<Offsets>& segments,
                                                    const piece_position& first, unsigned count, unsigned i)
{
    const std::size_t from = segments.begin(first.segment + i);
    const unsigned size = limited_difference(segments.begin(first.segment + i + 1), from, Chunk + 1);
    if (size > Chunk)
        return {0, size};
    const unsigned begin = limited_difference(from, first.element, count);
    return {begin, size < count - begin ? size : count - begin};
}

}  // namespace parprims::detail::device
