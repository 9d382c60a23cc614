/// @file
/// @brief  What the blocks of a segmented reduction leave for its second kernel: totals of chunks, and which segments have several.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/device/launch/launcher.hpp>
#include <parprims/detail/simt/simt.hpp>
#include <parprims/detail/uninitialized.hpp>

#include <cstddef>

namespace parprims::detail::device {

/// The totals of the chunks of segments of several chunks, and for each tile the segments of this kind that end in it.
///
/// A complete chunk that begins at element e has place e / chunk: complete chunks do not overlap, so their places differ. The last
/// chunk of a segment may be shorter, and has its place in an array of its own: before it lies a complete chunk of the same segment.
template <class T>
struct chunk_totals {
    uninitialized<T>* complete;
    uninitialized<T>* last;
    std::size_t* segments;  // `tile_segments` for each tile
    unsigned* counts;       // of `segments`, for each tile
    unsigned tile_segments;

    /// Segments of several chunks that a tile of so many positions may have: each but the first begins in it, and has more than
    /// `chunk` of them.
    static constexpr unsigned most(std::size_t tile, std::size_t chunk)
    {
        return static_cast<unsigned>(tile / chunk) + 2;
    }

    static constexpr std::size_t bytes(std::size_t n, std::size_t chunk, std::size_t tiles, std::size_t tile)
    {
        return 2 * aligned_bytes((n / chunk + 1) * sizeof(T)) +
               aligned_bytes(tiles * most(tile, chunk) * sizeof(std::size_t)) + aligned_bytes(tiles * sizeof(unsigned));
    }

    static chunk_totals at(std::byte* memory, std::size_t n, std::size_t chunk, std::size_t tiles, std::size_t tile)
    {
        const std::size_t array = aligned_bytes((n / chunk + 1) * sizeof(T));
        std::byte* const segments = memory + 2 * array;
        std::byte* const counts = segments + aligned_bytes(tiles * most(tile, chunk) * sizeof(std::size_t));
        return {reinterpret_cast<uninitialized<T>*>(memory), reinterpret_cast<uninitialized<T>*>(memory + array),
                reinterpret_cast<std::size_t*>(segments), reinterpret_cast<unsigned*>(counts), most(tile, chunk)};
    }
};

}  // namespace parprims::detail::device
