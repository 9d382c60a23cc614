/// @file
/// @brief  What the blocks of a segmented reduction leave for its second kernel: totals of chunks, and which segments have several.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/device/launch/launcher.hpp>
#include <parprims/detail/uninitialized.hpp>

#include <cstddef>

namespace parprims::detail::device {

/// The totals of the chunks of segments of several chunks, and for each tile the segments of this kind that end in it.
///
/// A complete chunk that begins at element e has place e / Chunk: complete chunks do not overlap, so their places differ. The last
/// chunk of a segment may be shorter, and has its place in an array of its own: before it lies a complete chunk of its segment.
template <class T, std::size_t Chunk, std::size_t TileSegments>
struct chunk_totals {
    static constexpr std::size_t chunk = Chunk;
    static constexpr std::size_t tile_segments = TileSegments;

    uninitialized<T>* complete;
    uninitialized<T>* last;
    std::size_t* segments;  // `tile_segments` for each tile
    unsigned* counts;       // of `segments`, for each tile

    static constexpr std::size_t bytes(std::size_t n, std::size_t tiles)
    {
        return 2 * array_bytes(n) + list_bytes(tiles) + tiles * sizeof(unsigned);
    }

    static chunk_totals at(std::byte* memory, std::size_t n, std::size_t tiles)
    {
        std::byte* const list = memory + 2 * array_bytes(n);
        return {reinterpret_cast<uninitialized<T>*>(memory),
                reinterpret_cast<uninitialized<T>*>(memory + array_bytes(n)), reinterpret_cast<std::size_t*>(list),
                reinterpret_cast<unsigned*>(list + list_bytes(tiles))};
    }

private:
    static constexpr std::size_t array_bytes(std::size_t n) { return aligned_bytes((n / Chunk + 1) * sizeof(T)); }
    static constexpr std::size_t list_bytes(std::size_t tiles)
    {
        return aligned_bytes(tiles * TileSegments * sizeof(std::size_t));
    }
};

}  // namespace parprims::detail::device
