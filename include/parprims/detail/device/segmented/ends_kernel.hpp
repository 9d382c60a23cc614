/// @file
/// @brief  The kernel that finds where the tiles of a segmented reduction begin.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/device/segmented/segments.hpp>
#include <parprims/detail/device/segmented/tuning.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <cstddef>

namespace parprims::detail::device {

/// A warp for each end of a tile. A block of the next kernel could search for its own ends, and does where there are few tiles.
/// But a search waits for five or so loads in a row, which only many warps hide.
template <class Segments, std::size_t Chunk>
struct segmented_ends_kernel {
    static constexpr unsigned max_threads = ends_threads;

    struct shared_storage {};

    Segments segments;
    std::size_t positions;  // of a tile
    std::size_t count;      // of ends
    piece_position* ends;

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage&) const
    {
        const std::size_t i = block.index() * block.warps() + block.warp();
        if (i >= count)
            return;
        const piece_position end = find_piece<Chunk>(segments, i * positions);
        if (block.lane() == 0)
            simt::store(ends, i, end);
    }
};

}  // namespace parprims::detail::device
