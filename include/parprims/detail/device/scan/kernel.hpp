/// @file
/// @brief  The single-pass scan: blocks draw tiles by ticket, and publish the aggregates of their tiles while they run.
///
/// @source  Merrill and Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back"; here a prefix is folded
///          from aggregates alone, in fixed groups, so that no value depends on the schedule.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/device/pass/status_words.hpp>
#include <parprims/detail/device/scan/tile.hpp>
#include <parprims/detail/device/scan/tile_output.hpp>
#include <parprims/detail/device/scan/tile_totals.hpp>
#include <parprims/detail/device/scan/tuning.hpp>
#include <parprims/detail/device/tree/ticket.hpp>
#include <parprims/detail/device/tree/warp_scan.hpp>
#include <parprims/detail/device/tree/warp_tree.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <cstddef>

namespace parprims::detail::device {

/// Forward progress: tickets ascend, a block publishes the aggregates of its tiles in order, and the only thing that it waits
/// for are aggregates of tiles before its current one. So the block with the smallest unpublished tile never waits. Nothing
/// is assumed of the order in which blocks start, or of how many are resident.
template <class Tile, class T>
struct scan_kernel {
    static constexpr unsigned max_threads = Tile::has_thread_rows ? max_thread_row_threads : max_scan_threads;
    static constexpr unsigned max_stages = max_scan_stages;
    static constexpr unsigned ticket_slots =
        2 * max_stages;  // more than are live at a time: a new one is written without a second barrier
    static constexpr unsigned group_slots = max_folded_groups;

    struct shared_storage {
        uninitialized<T> row_totals[Tile::rows];
        uninitialized<T> row_scans[2][Tile::rows];  // of the current tile and of the next
        uninitialized<T>
            group_totals[group_slots + 1];  // complete groups first; then the earlier tiles of the current group
        unsigned long long tickets[ticket_slots];
    };
    static constexpr std::size_t storage_bytes = simt::whole_lines(sizeof(shared_storage));
    static constexpr std::size_t shared_bytes(unsigned stages) { return storage_bytes + stages * Tile::stage_bytes; }

    Tile work;
    tile_status<T> status;       // not used for a single tile
    unsigned long long* ticket;  // number of the first tile at the start; null for a single tile
    unsigned stages;             // 2 to max_stages
    bool one_each;               // as many blocks as tiles
    unsigned* departures;        // zero at the start and at the end; null: the blocks zero nothing

    /// In round r a block publishes the aggregate of its r-th tile, the next one, and writes the output of the tile before it,
    /// the current one.
    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage& shared) const
    {
        auto* const stages_begin = reinterpret_cast<unsigned char*>(&shared) + storage_bytes + work.stage_phase();
        const auto stage = [&](unsigned s) { return stages_begin + s * Tile::stage_bytes; };
        const auto tile_of = [&](unsigned round) -> std::size_t {
            return simt::load(shared.tickets, round % ticket_slots);
        };
        const auto set_tile = [&](unsigned round, unsigned long long tile) {
            simt::store(shared.tickets, round % ticket_slots, tile);
        };
        const std::size_t tiles = work.tiles();

        if (block.thread() == 0)
            set_tile(0, draw_ticket(0));
        block.sync();
        if (tile_of(0) >= tiles)
            return;
        maybe<T> anchor = before_first(work);  // everything before group `anchor_group`
        std::size_t anchor_group = 0;
        unsigned current_stage = 0;
        bool is_last = false;  // of all blocks, to read what they share
        unsigned fetched = 0;
        for (unsigned round = 0;; ++round) {
            // 1. Fetch one tile at first, so that tiles interleave among the blocks; then as many as there are stages.
            for (const unsigned drawn = round == 0 ? 1 : stages; fetched < drawn; ++fetched)
                fetch(stage(fetched), tile_of(fetched), tiles);

            // 2. Publish the next tile's aggregate before waiting for other blocks: they need it sooner than this one does.
            const bool more = tile_of(round) < tiles;
            const unsigned next_stage = round == 0 || current_stage + 1 == stages ? 0 : current_stage + 1;
            if (more)
                prepare(block, shared, stage(next_stage), tile_of(round), round, round == 0 ? 0 : stages - 2, tiles);
            else
                block.sync();
            if (round == 0) {
                if (block.thread() == 0)
                    for (unsigned r = 1; r < stages; ++r)
                        set_tile(r, draw_ticket(r));
                block.sync();
                continue;
            }

            // 3. Fold everything before the current tile, with a new ticket in flight.
            const unsigned current = round - 1;
            const std::size_t tile = tile_of(current);
            const unsigned long long upcoming = block.thread() == 0 && more ? draw_ticket(current + stages) : no_tile;
            const maybe<T> prefix = fold_before(block, shared, tile, anchor, anchor_group, [&] {
                if (block.thread() == 0) {
                    set_tile(current + stages, upcoming);
                    if (upcoming < tiles)
                        work.prefetch(upcoming);
                }
            });
            if (!more && departures != nullptr && block.thread() == 0)
                is_last = block::takes_last_ticket<simt::order::acq_rel>(block, departures);

            // 4. Write the current tile's output; each warp refills the rows that it has read.
            const std::size_t refill = tile_of(current + stages);
            tile_output<Tile, T>{work}.write(stage(current_stage), tile, shared.row_scans[current % 2], prefix,
                                             stage_refill<Tile, T>{work, stage(current_stage), refill, tiles});
            simt::commit_copies();
            if (!more)
                break;
            current_stage = next_stage;
        }

        // 5. The last block zeroes what the blocks shared: all blocks have been through phase 3, so none reads it again.
        if (departures != nullptr && block.warp() == 0) {
            const bool zeroes = simt::ballot(is_last) != 0;
            simt::sync_warp();
            if (zeroes)
                status.reset(ticket);
        }
    }

private:
    static constexpr unsigned long long no_tile = ~0ull;

    /// Everything before the first group. A scan of several ranks finds it in memory.
    PARPRIMS_DEVICE static maybe<T> before_first(const Tile& work)
    {
        if constexpr (requires { work.before(); })
            return work.before();
        else
            return work.init;
    }

    PARPRIMS_DEVICE unsigned long long draw_ticket(unsigned round) const
    {
        if (ticket == nullptr)
            return round == 0 ? 0 : no_tile;
        return one_each && round != 0 ? no_tile : simt::atomic_add(ticket, 1ull);
    }

    PARPRIMS_DEVICE void fetch(unsigned char* stage, std::size_t tile, std::size_t tiles) const
    {
        if (tile < tiles)
            work.fetch(stage, tile);
        else
            simt::commit_copies();  // an empty group of copies: `wait_copies` counts one for each stage
    }

    /// Waits for a tile's copies, while those of `younger` tiles stay in flight; folds each row; scans the rows' totals;
    /// publishes the aggregate.
    PARPRIMS_DEVICE void prepare(simt::block block, shared_storage& shared, unsigned char* stage, std::size_t tile,
                                 unsigned round, unsigned younger, std::size_t tiles) const
    {
        wait_for_stage(younger);
        const std::size_t size = work.tile_size(tile);
        tile_totals<Tile, T>{work}.find(stage, size, shared.row_totals);
        block.sync();
        if (block.warp() != 0)
            return;
        uninitialized<T>* const row_scans = shared.row_scans[round % 2];
        warp::scan_rows<Tile::rows>(shared.row_totals, static_cast<unsigned>(size / Tile::row), row_scans, work.op);
        simt::sync_warp();
        if (tile + 1 < tiles)
            status.publish(tile, simt::load(row_scans, Tile::rows - 1));
    }

    /// Waits for this warp's part of a stage, with `younger` stages in flight behind it.
    PARPRIMS_DEVICE static void wait_for_stage(unsigned younger)
    {
        if (younger == 0)
            simt::wait_copies<0>();
        else if (younger == 1)
            simt::wait_copies<1>();
        else
            simt::wait_copies<2>();
        simt::sync_warp();
    }

    /// Everything before `tile`. The anchor accumulates complete groups; the earlier tiles of the tile's own group are combined
    /// with a copy of it. Has a barrier, which also ends `prepare`; calls `before_barrier` before it.
    template <class Before>
    PARPRIMS_DEVICE maybe<T> fold_before(simt::block block, shared_storage& shared, std::size_t tile, maybe<T>& anchor,
                                         std::size_t& anchor_group, Before before_barrier) const
    {
        const std::size_t group = tile / order::group_tiles;
        const auto earlier = static_cast<unsigned>(tile % order::group_tiles);
        bool is_first = true;
        maybe<T> prefix;
        do {
            const std::size_t left = group - anchor_group;
            const unsigned whole = left < group_slots ? static_cast<unsigned>(left) : group_slots;
            const unsigned folds = whole + (whole == left && earlier != 0 ? 1 : 0);
            if (!is_first)
                block.sync();
            // The first warp is still scanning the row totals of the next tile (`prepare`), so it takes groups last.
            for (unsigned f = block.warps() - 1 - block.warp(); f < folds; f += folds_at_once * block.warps())
                fold_groups(block, shared.group_totals, anchor_group, f, whole, folds, earlier);
            if (is_first)
                before_barrier();
            block.sync();
            if (whole != 0) {
                anchor.set(anchor.then(simt::at(shared.group_totals, 0), work.op));
#pragma unroll 4
                for (unsigned f = 1; f < whole; ++f)
                    anchor.storage.value = warp::combine<T>(work.op, anchor.get(), simt::at(shared.group_totals, f));
            }
            anchor_group += whole;
            prefix = anchor;
            if (folds > whole)
                prefix.set(anchor.then(simt::at(shared.group_totals, whole), work.op));
            is_first = false;
        } while (anchor_group < group);
        return prefix;
    }

    /// Groups whose aggregates a warp asks for before it waits for any.
    static constexpr unsigned folds_at_once = tile_status<T>::words::count <= max_paired_words ? 2 : 1;

    /// For one warp: waits for the aggregates of group `f` and of those that follow in steps of the warps, and folds them.
    /// Group `whole`, the current tile's own, has `earlier` tiles.
    PARPRIMS_DEVICE void fold_groups(simt::block block, uninitialized<T>* totals, std::size_t first_group, unsigned f,
                                     unsigned whole, unsigned folds, unsigned earlier) const
    {
        const unsigned lane = simt::block::lane();
        const unsigned stride = block.warps();
        const auto live = [&](unsigned g) { return g < whole ? order::group_tiles : g < folds ? earlier : 0; };
        typename tile_status<T>::words found[folds_at_once];
        uninitialized<T> aggregates[folds_at_once];
#pragma unroll
        for (unsigned i = 0; i < folds_at_once; ++i)
            if (lane < live(f + i * stride))
                status.read((first_group + f + i * stride) * order::group_tiles + lane, found[i]);
#pragma unroll
        for (unsigned i = 0; i < folds_at_once; ++i)
            if (lane < live(f + i * stride))
                aggregates[i].value = status.wait((first_group + f + i * stride) * order::group_tiles + lane, found[i]);
        simt::sync_warp();

        if (f + (folds_at_once - 1) * stride < whole) {
            const T total = warp::fold_full_rows(aggregates, work.op);
            if (lane < folds_at_once)
                simt::store(totals, f + lane * stride, total);
            return;
        }
#pragma unroll
        for (unsigned i = 0; i < folds_at_once; ++i) {
            const unsigned g = f + i * stride;
            if (g >= folds)
                return;
            const T total = warp::fold_lanes(aggregates[i].value, live(g), work.op);
            if (lane == 0)
                simt::store(totals, g, total);
        }
    }
};

}  // namespace parprims::detail::device
