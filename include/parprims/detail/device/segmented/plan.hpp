/// @file
/// @brief  The plan of a segmented reduction. Pure functions: no GPU is needed.
#pragma once

#include <parprims/detail/device/launch/launcher.hpp>
#include <parprims/detail/device/segmented/tuning.hpp>
#include <parprims/detail/numeric/integers.hpp>
#include <parprims/detail/order.hpp>

#include <cstddef>

namespace parprims::detail::device {

struct segmented_plan {
    std::size_t tile;      ///< positions of a tile
    std::size_t tiles;     ///< a block each
    std::size_t elements;  ///< most that a tile may have
    unsigned block_threads;
    bool finds_ends;          ///< of tiles in a kernel of its own
    bool has_long;            ///< segments may have several chunks, which several blocks fold
    unsigned finish_threads;  ///< of a block of the second kernel, for them
    unsigned finish_tiles;    ///< that a warp of it looks at
};

/// @param  searches  whether the ends of tiles must be searched for
/// @param  longest   most elements of a segment
/// @param  chunk     elements of a chunk
/// @param  lone      most elements of an input whose segments of several chunks have a block each
/// @param  max_tile  most positions of a tile
inline segmented_plan plan_segmented(std::size_t n, std::size_t segments, bool searches, std::size_t longest,
                                     std::size_t chunk, std::size_t lone, std::size_t max_tile,
                                     const gpu_properties& gpu)
{
    const std::size_t positions = n + segments;
    const std::size_t resident = segmented_blocks_per_sm * std::size_t{gpu.multiprocessors};
    const std::size_t tile = smaller_of(max_tile, larger_of(min_segmented_tile, order::ceil_div(positions, resident)));
    const std::size_t tiles = order::ceil_div(positions, tile);
    return {tile,
            tiles,
            tile + smaller_of(longest, chunk),
            segmented_threads,
            searches && tiles > 2 * resident,
            longest > chunk && n > lone,
            max_finish_threads,
            tiles > 2 * resident ? finish_tiles : 1};
}

}  // namespace parprims::detail::device
