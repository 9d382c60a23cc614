/// @file
/// @brief  The rows of a scan that a block has in shared memory, with the interface of `held_rows`.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/device/scan/tile_output.hpp>
#include <parprims/detail/device/scan/tile_totals.hpp>
#include <parprims/detail/order.hpp>
#include <parprims/detail/simt/simt.hpp>
#include <parprims/detail/uninitialized.hpp>

#include <cstddef>
#include <type_traits>

namespace parprims::detail::device {

/// A block's tile, which stays in shared memory from the load to the store. Its rows are read twice: for their totals, and again once
/// everything before the tile is known.
///
/// @tparam  BlocksPerSm  see `held_rows`
template <class Tile, class T, unsigned Warps, unsigned BlocksPerSm>
class staged_rows {
public:
    static constexpr unsigned max_threads = Warps * order::lanes;
    static constexpr unsigned min_blocks = BlocksPerSm;
    static constexpr unsigned block_rows = Tile::rows;
    struct shared_storage {};

    /// For the tile that begins with row `first`.
    /// @param  stage  shared memory of `region_bytes()`
    PARPRIMS_DEVICE staged_rows(const Tile& work, shared_storage&, unsigned char* stage, unsigned first, unsigned)
        : stage_(stage + work.stage_phase()), tile_(first / Tile::rows), size_(work.tile_size(tile_))
    {
    }

    static constexpr std::size_t region_bytes(const Tile&, unsigned) { return Tile::stage_bytes; }

    PARPRIMS_DEVICE unsigned end() const { return tile_ * Tile::rows + static_cast<unsigned>(size_ / Tile::row); }

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
    /// Type of element numbers. 32 bits take fewer registers than 64: 529 to 792 tiles of floats take 0.95 to 0.97 of the time, 661 to
    /// 792 of two-byte values 0.92. With eight warps a block, packed sums spill more registers with 32 bits: 1.01 to 1.07 (H200, 5d82250).
    using index = std::conditional_t<Tile::is_packed && Warps >= 8, std::size_t, unsigned>;

    unsigned char* stage_;
    unsigned tile_;
    std::size_t size_;  // elements of the tile
};

}  // namespace parprims::detail::device
