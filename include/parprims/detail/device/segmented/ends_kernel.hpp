/// @file
/// @brief  The kernel that finds where the tiles of a segmented reduction begin.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/device/segmented/plan.hpp>
#include <parprims/detail/device/segmented/segments.hpp>
#include <parprims/detail/device/segmented/tuning.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <cstddef>

namespace parprims::detail::device {

/// Each warp finds where a tile begins. The blocks of the next kernel could search for that themselves, but a search waits for about five
/// loads, one after another, and only many warps hide that. Also zeroes the counters of the segments that several tiles share.
template <class Segments, std::size_t Chunk>
struct segmented_ends_kernel {
    static constexpr unsigned max_threads = ends_threads;
    static constexpr std::size_t sized_blocks_per_sm = sized_long_blocks_per_sm;

    struct shared_storage {};

    Segments segments;
    unsigned positions;  // of a tile
    unsigned resident;   // tiles that the GPU has room for
    std::size_t count;   // of ends
    piece_position* ends;
    unsigned* counters;
    std::size_t counter_count;

    PARPRIMS_DEVICE std::size_t resize(std::size_t segment_count, std::size_t)
    {
        segments.count = segment_count;
        if (segment_count == 0)
            return 0;
        const std::size_t all = device::positions_of(segments);
        positions = static_cast<unsigned>(segmented_tile(all, resident, positions));
        count = order::ceil_div(all, std::size_t{positions}) + 1;
        counter_count = smaller_of(counter_count, all / Chunk);  // those behind the last segment are not used
        if (simt::block::index() == 0 && simt::block::thread() == 0)
            simt::store(device::tiles_before(ends), static_cast<unsigned>(count - 1));
        return order::ceil_div(count, simt::block::warps());
    }

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage&, std::size_t index = simt::block::index()) const
    {
        const std::size_t thread = index * block.threads() + block.thread();
        for (std::size_t c = thread; c < counter_count; c += block.count() * block.threads())
            simt::store(counters, c, 0u);
        const std::size_t i = thread / simt::warp_size;
        if (i >= count)
            return;
        const piece_position end = find_piece<Chunk>(segments, i * positions);
        if (block.lane() == 0)
            simt::store(ends, i, end);
    }
};

}  // namespace parprims::detail::device
