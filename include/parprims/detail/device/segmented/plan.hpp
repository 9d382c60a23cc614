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
    bool has_long;         ///< segments may have several chunks
};

/// @param  longest  most elements of a segment
/// @param  chunk    elements of a chunk
/// @param  max_tile most positions of a tile
inline segmented_plan plan_segmented(std::size_t n, std::size_t segments, std::size_t longest, std::size_t chunk,
                                     std::size_t max_tile, const gpu_properties& gpu)
{
    const std::size_t positions = n + segments;
    const std::size_t tile = smaller_of(
        max_tile, larger_of(min_segmented_tile, order::ceil_div(positions, std::size_t{4} * gpu.multiprocessors)));
    // A segment has one position more than elements, and the last piece of a tile may lie behind it.
    const std::size_t last = smaller_of(longest, chunk);
    return {tile, order::ceil_div(positions, tile), tile + last, longest > chunk};
}

}  // namespace parprims::detail::device
