/// @file
/// @brief  The kernel of scans and reductions by key: a block keeps a tile in registers, learns what comes before it, and writes
///         its results.
///
/// @source  Sengupta, Harris, Zhang and Owens, "Scan primitives for GPU computing" (segmented scan); Merrill and Garland,
///          "Single-pass Parallel Prefix Scan with Decoupled Look-back"; here a prefix is folded from totals of tiles alone, in
///          fixed groups, so that no value depends on the schedule.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/contract/keyed.hpp>
#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/device/by_key/status.hpp>
#include <parprims/detail/device/by_key/tile_work.hpp>
#include <parprims/detail/device/by_key/tuning.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <cstddef>

namespace parprims::detail::device {

/// @tparam  Work  a `keyed_work`
template <class Work>
struct keyed_kernel {
    using shape = typename Work::shape;
    using T = typename Work::T;
    using total = typename Work::total;
    static constexpr unsigned max_threads = shape::threads;
    static constexpr unsigned ticket_slots = 4;
    static constexpr unsigned max_groups = max_keyed_groups(sizeof(total));
    using flagged = typename keyed_status<T>::flagged;
    /// Groups of tiles whose words a warp reads at a time. Where a total has at most two words, before the next tile is prepared.
    static constexpr bool reads_early = flagged::count <= 2;
    static constexpr unsigned batch =
        reads_early && keyed_groups_at_a_time > shape::rows ? keyed_groups_at_a_time / shape::rows : 1;

    struct alignas(simt::shared_line_bytes) shared_storage {
        typename Work::shared_rows rows;
        uninitialized<total> groups[max_groups + 1];
        std::size_t tiles[ticket_slots];  // of the round before, this one and the next two
        bool is_last;
    };
    /// A block has a warp for each row that holds elements.
    static constexpr std::size_t shared_bytes(unsigned warps)
    {
        return sizeof(shared_storage) + warps * Work::warp_bytes;
    }
    static constexpr unsigned min_blocks = keyed_blocks_per_sm(max_threads, shared_bytes(shape::rows));

    Work work;
    keyed_status<T> status;  // its memory is not used for a single tile

    /// In each round a block publishes the total of its next tile, and then writes the results of its current one: so the totals
    /// before that one, published in the round before, are there.
    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage& shared) const
    {
        if (work.n == 0)
            return work.result.write_nothing(block);

        // 1. Draw the tickets of two tiles, and start to copy the first.
        if (block.thread() == 0)
            for (unsigned round = 0; round < 2; ++round)
                simt::store(shared.tiles, round, draw_tile(round));
        block.sync();
        unsigned char* const region = reinterpret_cast<unsigned char*>(&shared + 1) + block.warp() * Work::warp_bytes;
        unsigned char* const stage = region + Work::region_bytes;
        row_state before;
        if (simt::load(shared.tiles, 0) < status.tiles)
            work.fetch(block, region, simt::load(shared.tiles, 0), before);

        // 2. In each round, publish the total of the next tile and write the current one.
        prefix_state prefix;
        tile_state current;
        std::size_t current_tile = 0;
        for (unsigned round = 0;; ++round) {
            const std::size_t tile = simt::load(shared.tiles, round % ticket_slots);
            const bool more = tile < status.tiles;
            flagged early[batch];
            if (reads_early && round != 0)
                read_groups(block, tile_groups::between(prefix.group, current_tile, max_groups),
                            block.warps() - 1 - block.warp(), early);
            tile_state next;
            if (more) {
                prepare(block, shared, region, tile, round, before, next);
                if (const std::size_t upcoming = simt::load(shared.tiles, (round + 1) % ticket_slots);
                    upcoming < status.tiles)
                    work.fetch(block, region, upcoming, before);
            } else {
                block.sync();  // the groups of the round before have been read
            }
            if (round != 0)
                work.write(block, stage, current_tile, current,
                           fold_before(block, shared, current_tile, prefix, early));
            else
                block.sync();  // as `fold_before` does
            if (!more)
                break;
            work.result.keep(work, stage, Work::first_of(block, tile), next);
            current = next;
            current_tile = tile;
        }

        // 3. The last block to leave zeroes the status words.
        status.depart(block, shared.is_last);
    }

private:
    using row_state = typename Work::row_state;
    using tile_state = typename Work::tile_state;

    PARPRIMS_DEVICE std::size_t draw_tile(unsigned round) const
    {
        if (round != 0 && simt::block::count() == status.tiles)
            return status.tiles;  // each block has one
        return status.tiles == 1 ? round : status.draw_tile();
    }

    /// Scans the rows of a tile and their totals, and publishes the tile's total. Draws a ticket, too.
    PARPRIMS_DEVICE void prepare(simt::block block, shared_storage& shared, unsigned char* region, std::size_t tile,
                                 unsigned round, const row_state& before, tile_state& state) const
    {
        const std::size_t drawn = block.thread() == 0 ? draw_tile(round + 2) : 0;
        work.scan_row(block, shared.rows, region, tile, before, state);
        if (block.thread() == 0)
            simt::store(shared.tiles, (round + 2) % ticket_slots, drawn);
        block.sync();
        const total all = work.scan_totals(block, shared.rows, state);
        if (block.warp() == 0 && tile + 1 < status.tiles)
            status.publish(tile, all.value, all.heads);
    }

    /// What a block knows of the tiles before its own.
    struct prefix_state {
        maybe<keyed<T>> anchor;  // everything before group `group`
        std::size_t group = 0;
    };

    /// Reads the words of the tiles of group f, and of every `warps`-th one behind it. They need not be there yet.
    PARPRIMS_DEVICE void read_groups(simt::block block, const tile_groups& groups, unsigned f,
                                     flagged (&words)[batch]) const
    {
#pragma unroll
        for (unsigned b = 0; b < batch; ++b)
            if (const unsigned g = f + b * block.warps(); block.lane() < groups.live(g))
                status.read(groups.tile(g) + block.lane(), words[b]);
    }

    /// Everything before `tile`. The anchor accumulates complete groups; the earlier tiles of the tile's own group are combined
    /// with a copy of it. `words`: those of the warp's first groups, if read early. Has a barrier, which also ends `prepare`.
    PARPRIMS_DEVICE maybe<keyed<T>> fold_before(simt::block block, shared_storage& shared, std::size_t tile,
                                                prefix_state& known, flagged (&words)[batch]) const
    {
        for (bool is_first = true;; is_first = false) {
            const tile_groups groups = tile_groups::between(known.group, tile, max_groups);
            if (!is_first)
                block.sync();
            // The first warp is still publishing the total of the next tile, so it takes groups last.
            const unsigned begin = block.warps() - 1 - block.warp();
            for (unsigned f = begin; f < groups.folds; f += batch * block.warps()) {
                if (!reads_early || !is_first || f != begin)
                    read_groups(block, groups, f, words);
#pragma unroll
                for (unsigned b = 0; b < batch; ++b)
                    if (const unsigned g = f + b * block.warps(); g < groups.folds)
                        wait_group(shared, g, groups.tile(g), groups.live(g), words[b]);
            }
            block.sync();
            work.append(shared.groups, 0, groups.whole, known.anchor);
            known.group += groups.whole;
            if (known.group == tile / order::group_tiles) {
                maybe<keyed<T>> prefix = known.anchor;
                work.append(shared.groups, groups.whole, groups.folds, prefix);
                return prefix;
            }
        }
    }

    /// For one warp: waits for the totals of `live` tiles from `first` on, and folds them.
    PARPRIMS_DEVICE void wait_group(shared_storage& shared, unsigned f, std::size_t first, unsigned live,
                                    flagged& words) const
    {
        uninitialized<total> found;
        if (simt::block::lane() < live)
            found.value = status.wait(first + simt::block::lane(), words);
        simt::sync_warp();
        work.fold_group(shared.groups, f, live, found);
    }
};

}  // namespace parprims::detail::device
