/// @file
/// @brief  A scan of tiles: what a pass does with a tile, which stays in registers or in shared memory.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/device/scan/held_rows.hpp>
#include <parprims/detail/device/scan/tile.hpp>
#include <parprims/detail/device/scan/tile_output.hpp>
#include <parprims/detail/device/scan/tile_totals.hpp>
#include <parprims/detail/device/scan/tuning.hpp>
#include <parprims/detail/device/tree/warp_scan.hpp>
#include <parprims/detail/device/tree/warp_tree.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <cstddef>

namespace parprims::detail::device {

/// The totals of the rows of a tile.
template <class T>
struct scan_totals {
    uninitialized<T> row_totals[order::tile_rows<T>];
};

/// The prefixes of the tiles of a scan, and of their rows. A slot has the scans of the totals of a tile's rows and, if tiles are in
/// shared memory, a stage behind them.
/// @tparam  Tile  a `scan_tile`
template <class Tile, class T>
struct scan_prefix {
    using total = T;
    using prefix = maybe<T>;
    using shared_storage = scan_totals<T>;
    static constexpr std::size_t row_scan_bytes = simt::whole_lines(Tile::rows * sizeof(T));

    Tile of_tile;

    PARPRIMS_DEVICE void set_init(const T& value) { of_tile.init.set(value); }
    PARPRIMS_DEVICE std::size_t resize(std::size_t n)
    {
        of_tile.n = n;
        return of_tile.tiles();
    }

    /// The prefix of the first tile: init, or what a scan of several ranks finds in memory.
    PARPRIMS_DEVICE prefix before_first() const
    {
        if constexpr (requires { of_tile.before(); })
            return of_tile.before();
        else
            return of_tile.init;
    }

    /// The first warp scans the totals of the rows.
    template <class State>
    PARPRIMS_DEVICE uninitialized<T> find_total(simt::block block, const shared_storage& shared, unsigned char* slot,
                                                std::size_t tile, State&) const
    {
        uninitialized<T> total;
        if (block.warp() == 0) {
            const auto full_rows = static_cast<unsigned>(of_tile.tile_size(tile) / Tile::row);
            warp::scan_rows<Tile::rows>(shared.row_totals, full_rows, row_scans(slot), of_tile.op);
            simt::sync_warp();
            total.value = simt::load(row_scans(slot), Tile::rows - 1);
        }
        return total;
    }

    /// For one warp, whose first `live` lanes hold totals of tiles: folds them to that of group g.
    PARPRIMS_DEVICE void fold_group(uninitialized<T>* groups, unsigned g, unsigned live,
                                    const uninitialized<T>& found) const
    {
        const T folded = warp::fold_lanes(found.value, live, of_tile.op);
        if (simt::block::lane() == 0)
            simt::store(groups, g, folded);
    }

    /// Combines the prefix `before` with the groups [begin, end), one after another.
    PARPRIMS_DEVICE void append(const uninitialized<T>* groups, unsigned begin, unsigned end, prefix& before) const
    {
        if (begin == end)
            return;
        before.set(before.then(simt::at(groups, begin), of_tile.op));
#pragma unroll 4
        for (unsigned g = begin + 1; g < end; ++g)
            before.storage.value = warp::combine<T>(of_tile.op, before.get(), simt::at(groups, g));
    }

protected:
    PARPRIMS_DEVICE static uninitialized<T>* row_scans(unsigned char* slot)
    {
        return reinterpret_cast<uninitialized<T>*>(slot);
    }
};

/// A scan whose tiles stay in shared memory: a `Work` of the long pass and of the short one.
template <class Tile, class T>
struct scan_work : scan_prefix<Tile, T> {
    using typename scan_prefix<Tile, T>::prefix;
    using typename scan_prefix<Tile, T>::shared_storage;
    using scan_prefix<Tile, T>::of_tile;
    static constexpr bool holds_tile = false;
    static constexpr bool can_read_early = false;  // takes no less time
    static constexpr unsigned max_threads = Tile::has_thread_rows ? max_thread_row_threads : max_scan_threads;
    static constexpr unsigned usual_warps = usual_scan_warps;
    static constexpr unsigned blocks_per_sm(std::size_t) { return 0; }  // registers are limited by `max_threads` alone
    static constexpr unsigned short_threads = max_staged_warps * simt::warp_size;
    static constexpr unsigned short_blocks_per_sm = min_staged_blocks_per_sm;
    PARPRIMS_HOST_DEVICE static constexpr std::size_t slot_bytes(unsigned = 0)
    {
        return scan_prefix<Tile, T>::row_scan_bytes + Tile::stage_bytes;
    }
    struct fetched {};
    struct state {};

    unsigned slots;  // 2 to max_scan_stages; a block with one tile needs one

    PARPRIMS_DEVICE static unsigned char* slot(unsigned char* memory, unsigned s) { return memory + s * slot_bytes(); }

    /// By one thread, for a tile that its block will fetch.
    PARPRIMS_DEVICE void announce(std::size_t tile) const { of_tile.prefetch(tile); }

    PARPRIMS_DEVICE void fetch(simt::block, unsigned char* slot, std::size_t tile, fetched&) const
    {
        if (tile < of_tile.tiles())
            of_tile.fetch(stage(slot), tile);
        else
            simt::commit_copies();  // an empty group of copies: `load` counts one for each slot
    }

    /// Waits for the copies of this tile, while those of later tiles stay in flight; folds each row.
    PARPRIMS_DEVICE void load(simt::block, shared_storage& shared, unsigned char* slot, std::size_t tile,
                              const fetched&, state&) const
    {
        const unsigned younger = slots - 2;
        if (younger == 0)
            simt::wait_copies<0>();
        else if (younger == 1)
            simt::wait_copies<1>();
        else
            simt::wait_copies<2>();
        simt::sync_warp();
        tile_totals<Tile, T>{of_tile}.find(stage(slot), of_tile.tile_size(tile), shared.row_totals);
    }

    PARPRIMS_DEVICE void write(simt::block, unsigned char* slot, unsigned tile, const state&,
                               const prefix& before) const
    {
        // 32 bits take fewer registers.
        tile_output<Tile, T, unsigned>{of_tile}.write(stage(slot), tile, this->row_scans(slot), before, no_refill{});
    }
    /// Each warp refills the rows that it has read with those of tile `upcoming`.
    PARPRIMS_DEVICE void write(simt::block, unsigned char* slot, std::size_t tile, const state&, const prefix& before,
                               std::size_t upcoming) const
    {
        tile_output<Tile, T>{of_tile}.write(stage(slot), tile, this->row_scans(slot), before,
                                            stage_refill<Tile, T>{of_tile, stage(slot), upcoming, of_tile.tiles()});
        simt::commit_copies();
    }

    /// Writes row by row and refills nothing: less code, and slower.
    PARPRIMS_DEVICE void write_by_row(unsigned char* slot, std::size_t tile, const prefix& before) const
    {
        tile_output<Tile, T>{of_tile}.write_by_row(stage(slot), tile, this->row_scans(slot), before);
    }

private:
    PARPRIMS_DEVICE unsigned char* stage(unsigned char* slot) const
    {
        return slot + scan_prefix<Tile, T>::row_scan_bytes + of_tile.stage_phase();
    }
};

/// A scan whose tiles stay in registers: a `Work` of the short pass.
/// @tparam  WarpRows  rows that a warp has registers for
template <class Tile, class T, unsigned WarpRows>
struct held_scan_work : scan_prefix<Tile, T> {
    using typename scan_prefix<Tile, T>::prefix;
    using typename scan_prefix<Tile, T>::shared_storage;
    using scan_prefix<Tile, T>::of_tile;
    using rows = held_rows<Tile, T, WarpRows, false>;
    static constexpr unsigned short_threads = rows::max_threads(Tile::rows);
    static constexpr unsigned short_blocks_per_sm = 1;
    static constexpr std::size_t slot_bytes(unsigned) { return scan_prefix<Tile, T>::row_scan_bytes; }
    using fetched = rows;
    struct state {
        rows* held;  // the `fetched` rows: a copy would take registers
    };

    PARPRIMS_DEVICE static unsigned char* slot(unsigned char* memory, unsigned) { return memory; }

    PARPRIMS_DEVICE void fetch(simt::block, unsigned char*, unsigned tile, fetched& read) const
    {
        read.load(of_tile, tile * Tile::rows, Tile::rows);
    }
    PARPRIMS_DEVICE void load(simt::block, shared_storage& shared, unsigned char*, unsigned, fetched& read,
                              state& state) const
    {
        state.held = __builtin_addressof(read);
        read.scan(of_tile, shared.row_totals);
    }
    PARPRIMS_DEVICE void write(simt::block, unsigned char* slot, unsigned, state& state, const prefix& before) const
    {
        state.held->write(of_tile, before, this->row_scans(slot));
    }
};

}  // namespace parprims::detail::device
