/// @file
/// @brief  The rows of a scan that a block has in shared memory, with the interface of `held_rows`.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/device/scan/tile_output.hpp>
#include <parprims/detail/device/scan/tile_totals.hpp>
#include <parprims/detail/order.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <cstddef>
#include <type_traits>

namespace parprims::detail::device {

/// Brings nothing to a stage whose rows have been read.
struct no_refill {
    static constexpr bool loads_ahead = false;
    struct elements_ahead {};

    PARPRIMS_DEVICE void operator()(unsigned) const {}
    PARPRIMS_DEVICE void start(unsigned, elements_ahead&) const {}
    PARPRIMS_DEVICE void finish(unsigned, const elements_ahead&) const {}
};

/// The rows that a block has in shared memory from the load to the store. They are read twice: for their totals, and again when
/// everything before the tile is known.
///
/// @tparam  BlocksPerSm  see `held_rows`
template <class Tile, class T, unsigned Warps, unsigned BlocksPerSm>
class staged_rows {
public:
    static constexpr unsigned max_threads = Warps * order::lanes;
    static constexpr unsigned min_blocks = BlocksPerSm;
    struct shared_storage {};

    /// Has the rows of a tile, which begins with row `first`.
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
    /// 32 bits take fewer registers, except where packed sums have to spill some: with them 529 to 792 tiles of floats take 0.95 to
    /// 0.97 of the time, 661 to 792 of two-byte values 0.92, but with eight warps a block such values 1.01 to 1.07 (H200, 2026-11-23).
    using index = std::conditional_t<Tile::is_packed && Warps >= 8, std::size_t, unsigned>;

    unsigned char* stage_;
    unsigned tile_;
    std::size_t size_;  // elements of the tile
};

}  // namespace parprims::detail::device
