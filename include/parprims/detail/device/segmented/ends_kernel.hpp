/// @file
/// @brief  The kernel that finds where the tiles of a segmented reduction begin.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/device/segmented/segments.hpp>
#include <parprims/detail/device/segmented/tuning.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <cstddef>

namespace parprims::detail::device {

/// A warp for each end of a tile. A block of the next kernel could search for its own ends, but a search waits for five or so loads in a
/// row, which only many warps hide. Also zeroes the words by which tiles count that they are done.
template <class Segments, std::size_t Chunk>
struct segmented_ends_kernel {
    static constexpr unsigned max_threads = ends_threads;

    struct shared_storage {};

    Segments segments;
    std::size_t positions;  // of a tile
    std::size_t count;      // of ends
    tile_end* ends;
    unsigned* tiles_done;  // null if no segment has several chunks

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage&) const
    {
        const std::size_t i = block.index() * block.warps() + block.warp();
        if (i >= count)
            return;
        tile_end end{find_piece<Chunk>(segments, i * positions), 0, 0};
        if (block.lane() != 0)
            return;
        if (end.piece != 0) {
            const std::size_t begin = segments.begin(end.segment);
            const std::size_t chunks = chunks_between(begin, segments.begin(end.segment + 1), Chunk);
            end.first_tile = static_cast<unsigned>((end.segment + begin) / positions);
            end.last_tile = static_cast<unsigned>((end.segment + begin + (chunks - 1) * Chunk) / positions);
        }
        simt::store(ends, i, end);
        if (tiles_done != nullptr && i + 1 < count)
            simt::store(tiles_done, i, 0u);
    }
};

}  // namespace parprims::detail::device
