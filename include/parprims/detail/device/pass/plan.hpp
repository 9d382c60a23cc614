/// @file
/// @brief  How a pass over many tiles is launched. Pure: no GPU is asked.
#pragma once

#include <parprims/detail/numeric/integers.hpp>

#include <cstddef>

namespace parprims::detail::device {

struct long_plan {
    std::size_t tiles;
    std::size_t max_blocks;  ///< that are resident together, at least 1
    unsigned block_threads;
    unsigned slots = 1;  ///< tiles that a block has in shared memory

    /// A block for each tile: none has a second one, so none needs a second slot.
    constexpr bool one_tile_each() const { return tiles <= max_blocks; }
    constexpr std::size_t blocks() const { return larger_of<std::size_t>(smaller_of(tiles, max_blocks), 1); }
    constexpr unsigned used_slots() const { return one_tile_each() ? 1 : slots; }
};

}  // namespace parprims::detail::device
