/// @file
/// @brief  The rows of a scan that a block has in shared memory, with the interface of `held_rows`.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/device/scan/tile_output.hpp>
#include <parprims/detail/device/scan/tile_totals.hpp>
#include <parprims/detail/simt/simt.hpp>
#include <parprims/detail/uninitialized.hpp>

#include <cstddef>
#include <type_traits>

namespace parprims::detail::device {

/// A block's tile, which stays in shared memory from the load to the store. Its rows are read twice: for their totals, and again once
/// everything before the tile is known.
template <class Tile, class T>
class staged_rows {
public:
    static constexpr unsigned min_blocks = min_staged_blocks_per_sm;
    static constexpr unsigned max_threads(unsigned) { return max_staged_warps * order::lanes; }
    /// For the tile that begins with row `first`.
    /// @param  stage  shared memory of `region_bytes`
    PARPRIMS_DEVICE staged_rows(const Tile& work, unsigned char* stage, unsigned first, unsigned)
        : stage_(stage + work.stage_phase()), tile_(first / Tile::rows), size_(work.tile_size(tile_))
    {
    }

    static constexpr std::size_t region_bytes = Tile::stage_bytes;

    PARPRIMS_DEVICE void load(const Tile& work) { work.fetch(stage_, tile_); }

    PARPRIMS_DEVICE void scan(const Tile& work, uninitialized<T>* row_totals)
    {
        simt::wait_copies<0>();
        simt::sync_warp();
        tile_totals<Tile, T>{work}.find(stage_, size_, row_totals);
    }

    PARPRIMS_DEVICE void write(const Tile& work, const maybe<T>& prefix, const uninitialized<T>* row_scans)
    {
        tile_output<Tile, T, index>{work}.write(stage_, tile_, row_scans, prefix, no_refill{});
    }

private:
    using index = unsigned;  // of elements; 64 bits take more registers

    unsigned char* stage_;
    unsigned tile_;
    std::size_t size_;  // elements of the tile
};

}  // namespace parprims::detail::device
