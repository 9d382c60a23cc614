/// @file
/// @brief  The single-pass scan: blocks take tiles by ticket and pass their aggregates on while they run.
///
/// @source  Merrill and Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back"; here a prefix is folded
///          from aggregates alone, in fixed groups, so that no value depends on who came first.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/device/scan_tile.hpp>
#include <parprims/detail/device/tile_status.hpp>
#include <parprims/detail/order.hpp>
#include <parprims/detail/simt/simt.hpp>
#include <parprims/detail/warp/tree.hpp>

#include <cstddef>

namespace parprims::detail::device {

/// Why nobody waits for ever: tickets ascend, a block publishes the aggregates of its tiles in order, and the only thing
/// it waits for are aggregates of tiles before its current one. So the block with the smallest unpublished tile never
/// waits. Nothing is assumed of the order in which blocks start, or of how many are resident.
template <class Tile, class T, class Op>
struct scan_kernel {
    static constexpr unsigned max_threads = 1024;
    static constexpr unsigned max_stages = 4;
    using staged = typename Tile::staged;

    struct shared_storage {
        uninitialized<T> row_totals[Tile::rows];
        uninitialized<T> row_scans[2][Tile::rows];  // of the current tile and of the next
        uninitialized<T> group_totals[32];          // one for each warp
        unsigned long long tickets[max_stages + 2];
    };
    static constexpr std::size_t storage_bytes = (sizeof(shared_storage) + 127) / 128 * 128;
    static constexpr std::size_t shared_bytes(unsigned stages) { return storage_bytes + stages * Tile::stage_bytes; }

    Tile work;
    tile_status<T> status;       // not used for a single tile
    unsigned long long* ticket;  // zero at the start; null for a single tile
    unsigned stages;             // 2 to max_stages
    bool one_each;               // as many blocks as tiles

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage& shared) const
    {
        auto* const stage_bytes = reinterpret_cast<unsigned char*>(&shared) + storage_bytes;
        const auto stage = [&](std::size_t turn) {
            return reinterpret_cast<staged*>(stage_bytes + turn % stages * Tile::stage_bytes);
        };
        const auto tile_of = [&](std::size_t turn) -> std::size_t { return shared.tickets[turn % (max_stages + 2)]; };
        const auto set_tile = [&](std::size_t turn, unsigned long long tile) {
            shared.tickets[turn % (max_stages + 2)] = tile;
        };
        const std::size_t tiles = work.tiles();

        // 1. Take the first tickets, and have their tiles on the way.
        unsigned long long upcoming = 0;
        if (block.thread() == 0) {
            for (unsigned turn = 0; turn < stages; ++turn)
                set_tile(turn, take_ticket(turn));
            upcoming = take_ticket(stages);
        }
        block.sync();
        for (unsigned turn = 0; turn < stages; ++turn)
            fetch(stage(turn), tile_of(turn), tiles);
        prepare(block, shared, stage(0), tile_of(0), 0, tiles);
        block.sync();  // the first warp has read the rows' totals

        maybe<T> anchor = work.init;   // everything before group `anchor_group`
        std::size_t anchor_group = 0;
        for (std::size_t turn = 0;; ++turn) {
            const std::size_t tile = tile_of(turn);
            if (tile >= tiles)
                break;

            // 2. Publish the next tile's aggregate before waiting for anybody: others need it sooner than we do.
            if (block.thread() == 0)
                set_tile(turn + stages, upcoming);
            prepare(block, shared, stage(turn + 1), tile_of(turn + 1), turn + 1, tiles);
            if (block.thread() == 0)
                upcoming = take_ticket(turn + stages + 1);

            // 3. Fold what comes before this tile, and write its answers.
            const maybe<T> prefix = gather(block, shared, tile, anchor, anchor_group);
            work.write_answers(stage(turn), tile, shared.row_scans[turn % 2], prefix);

            // 4. The stage is free again: each warp refills the rows that it has read.
            simt::sync_warp();
            fetch(stage(turn), tile_of(turn + stages), tiles);
        }
    }

private:
    static constexpr unsigned long long no_tile = ~0ull;

    PARPRIMS_DEVICE unsigned long long take_ticket(std::size_t turn) const
    {
        if (ticket == nullptr)
            return turn == 0 ? 0 : no_tile;
        return one_each && turn != 0 ? no_tile : simt::atomic_add(ticket, 1ull);
    }

    PARPRIMS_DEVICE void fetch(staged* stage, std::size_t tile, std::size_t tiles) const
    {
        if (tile < tiles)
            work.fetch(stage, tile);
        else
            simt::commit_copies();  // an empty group, so that groups can be counted
    }

    /// Sums the rows of a tile that is on its way, scans the sums, and publishes the aggregate.
    PARPRIMS_DEVICE void prepare(simt::block block, shared_storage& shared, const staged* stage, std::size_t tile,
                                 std::size_t turn, std::size_t tiles) const
    {
        wait_for_stage(turn);
        const std::size_t size = tile < tiles ? work.tile_size(tile) : 0;
        work.total_rows(stage, size, shared.row_totals);
        block.sync();
        if (block.warp() != 0 || size == 0)
            return;
        uninitialized<T>* const row_scans = shared.row_scans[turn % 2];
        work.scan_rows(shared.row_totals, size, row_scans);
        simt::sync_warp();
        if (tile + 1 < tiles)
            status.publish(tile, row_scans[Tile::rows - 1].value);
    }

    /// Waits for this warp's part of the stage of `turn`. Of the groups begun, `stages - 1` are younger at turn 0, and
    /// one less later, when the stage of the turn before has not been refilled yet.
    PARPRIMS_DEVICE void wait_for_stage(std::size_t turn) const
    {
        const unsigned younger = stages - (turn == 0 ? 1 : 2);
        if (younger == 0)
            simt::wait_copies<0>();
        else if (younger == 1)
            simt::wait_copies<1>();
        else if (younger == 2)
            simt::wait_copies<2>();
        else
            simt::wait_copies<3>();
        simt::sync_warp();
    }

    /// Everything before `tile`: whole groups move into the anchor, the rest of its own group is folded on top.
    PARPRIMS_DEVICE maybe<T> gather(simt::block block, shared_storage& shared, std::size_t tile, maybe<T>& anchor,
                                    std::size_t& anchor_group) const
    {
        const std::size_t group = tile / order::group_tiles;
        const auto earlier = static_cast<unsigned>(tile % order::group_tiles);
        const std::size_t whole = group - anchor_group;
        const std::size_t folds = whole + (earlier != 0 ? 1 : 0);

        maybe<T> prefix = anchor;
        for (std::size_t first = 0; first < folds; first += block.warps()) {
            if (first != 0)
                block.sync();
            const std::size_t mine = first + block.warp();
            if (mine < folds)
                fold_group(shared, (anchor_group + mine) * order::group_tiles, mine < whole ? order::group_tiles : earlier);
            block.sync();
            for (unsigned w = 0; w < block.warps() && first + w < folds; ++w) {
                if (first + w < whole)
                    anchor.set(anchor.then(shared.group_totals[w].value, work.op));
                prefix.set(first + w < whole ? anchor.get() : anchor.then(shared.group_totals[w].value, work.op));
            }
        }
        if (folds == 0)
            block.sync();  // the scan of the rows is there
        anchor_group = group;
        return prefix;
    }

    /// For one warp: waits for `count` aggregates from `first_tile` on and folds them.
    PARPRIMS_DEVICE void fold_group(shared_storage& shared, std::size_t first_tile, unsigned count) const
    {
        const unsigned lane = simt::block::lane();
        uninitialized<T> aggregate;
        if (lane < count)
            aggregate.value = status.wait(first_tile + lane);
        simt::sync_warp();
        const T total = warp::fold_lanes(aggregate.value, count, work.op);
        if (lane == 0)
            shared.group_totals[simt::block::warp()].value = total;
    }
};

}  // namespace parprims::detail::device
