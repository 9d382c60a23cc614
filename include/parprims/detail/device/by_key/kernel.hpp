/// @file
/// @brief  The kernel of scans and reductions by key: a block keeps a tile in registers, learns what comes before it, and writes
///         its results.
///
/// @source  Sengupta, Harris, Zhang and Owens, "Scan primitives for GPU computing" (segmented scan); Merrill and Garland,
///          "Single-pass Parallel Prefix Scan with Decoupled Look-back"; here a prefix is folded from totals of tiles alone, in
///          fixed groups, so that no value depends on the schedule.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/block/warp_scan.hpp>
#include <parprims/detail/block/warp_tree.hpp>
#include <parprims/detail/device/by_key/lane_values.hpp>
#include <parprims/detail/device/by_key/rows.hpp>
#include <parprims/detail/device/by_key/status.hpp>
#include <parprims/detail/device/by_key/tuning.hpp>
#include <parprims/detail/keyed.hpp>
#include <parprims/detail/order.hpp>
#include <parprims/detail/simt/simt.hpp>
#include <parprims/functional.hpp>

#include <cstddef>

namespace parprims::detail::device {

/// @tparam  Shape   of a tile: `keyed_tile`
/// @tparam  Heads   where runs begin, as `key_heads`
/// @tparam  Values  a `row_reader`
/// @tparam  Result  what is written, as `scan_result`
template <class Shape, class Heads, class Values, class Op, class Result>
struct keyed_kernel {
    using shape = Shape;
    using T = typename Shape::value_type;
    static constexpr unsigned max_threads = shape::threads;
    static constexpr std::size_t region_bytes = Heads::region_bytes + Values::region_bytes;  // of a warp, as the next
    static constexpr std::size_t warp_bytes = region_bytes + Result::stage_bytes;
    static constexpr unsigned ticket_slots = 4;
    using head_bits = lane_bits<shape::items>;
    using total = keyed<T, unsigned>;
    static constexpr unsigned max_groups = max_keyed_groups(sizeof(total));
    using flagged = typename keyed_status<T>::flagged;
    /// Groups of tiles whose words a warp reads at a time. Where a total has at most two words, before the next tile is prepared.
    static constexpr bool reads_early = flagged::count <= 2;
    static constexpr unsigned batch =
        reads_early && keyed_groups_at_a_time > shape::rows ? keyed_groups_at_a_time / shape::rows : 1;

    struct alignas(16) shared_storage {
        uninitialized<T> row_totals[shape::rows];
        bool row_has_head[shape::rows];
        unsigned row_heads[shape::rows];
        uninitialized<total> groups[max_groups + 1];
        std::size_t tiles[ticket_slots];  // of the round before, this one and the next two
        bool is_last;
    };
    /// A block has a warp for each row that holds elements.
    static constexpr std::size_t shared_bytes(unsigned warps) { return sizeof(shared_storage) + warps * warp_bytes; }
    static constexpr unsigned min_blocks = keyed_blocks_per_sm(max_threads, shared_bytes(shape::rows));

    Heads heads;
    Values values;
    std::size_t n;
    Op op;
    Result result;
    keyed_status<T> status;  // its memory is not used for a single tile

    /// In each round a block publishes the total of its next tile, and then writes the results of its current one: so the totals
    /// before that one, published in the round before, are there.
    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage& shared) const
    {
        if (n == 0)
            return result.write_nothing(block);

        // 1. Draw the tickets of two tiles, and start to copy the first.
        if (block.thread() == 0)
            for (unsigned round = 0; round < 2; ++round)
                simt::store(shared.tiles, round, draw_tile(round));
        block.sync();
        typename Heads::state before;
        if (simt::load(shared.tiles, 0) < status.tiles)
            fetch(block, shared, simt::load(shared.tiles, 0), before);

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
                prepare(block, shared, tile, round, before, next);
                if (const std::size_t upcoming = simt::load(shared.tiles, (round + 1) % ticket_slots);
                    upcoming < status.tiles)
                    fetch(block, shared, upcoming, before);
            } else {
                block.sync();  // the groups of the round before have been read
            }
            if (round != 0)
                write(block, shared, current_tile, current, fold_before(block, shared, current_tile, prefix, early));
            else
                block.sync();  // as `fold_before` does
            if (!more)
                break;
            result.keep(*this, stage_of(block, shared), first_of(block, tile), next);
            current = next;
            current_tile = tile;
        }

        // 3. The last block to leave zeroes the status words.
        status.depart(block, shared.is_last);
    }

private:
    /// What a thread keeps of a tile, in registers.
    struct tile_state {
        lane_values<T, shape::items> running;  // the scan of the lane's elements
        typename Heads::lane_keys keys;
        head_bits heads;               // bit k: a run begins at element k
        uninitialized<T> below;        // the scan of the lanes below
        bool has_head_below;           // among their elements
        uninitialized<T> rows_before;  // the scan of the tile's rows before that of the warp
        bool has_head_before;
        // If heads are counted: those of the row before the lane, of the row, of the tile before the row, and of the tile.
        unsigned heads_below;
        unsigned row_heads;
        unsigned heads_before;
        unsigned tile_heads;
    };

    PARPRIMS_DEVICE std::size_t draw_tile(unsigned round) const
    {
        if (round != 0 && simt::block::count() == status.tiles)
            return status.tiles;  // each block has one
        return status.tiles == 1 ? round : status.draw_tile();
    }

    /// Where a warp's row of a tile begins.
    PARPRIMS_DEVICE static std::size_t first_of(simt::block block, std::size_t tile)
    {
        return tile * shape::size + block.warp() * shape::row;
    }
    PARPRIMS_DEVICE static unsigned char* region_of(simt::block block, shared_storage& shared)
    {
        return reinterpret_cast<unsigned char*>(&shared + 1) + block.warp() * warp_bytes;
    }
    PARPRIMS_DEVICE static unsigned char* stage_of(simt::block block, shared_storage& shared)
    {
        return region_of(block, shared) + region_bytes;
    }

    /// Starts to copy the warp's row of a tile; the warp has read what was in its region.
    PARPRIMS_DEVICE void fetch(simt::block block, shared_storage& shared, std::size_t tile,
                               typename Heads::state& before) const
    {
        unsigned char* const region = region_of(block, shared);
        heads.fetch(region, first_of(block, tile), before);
        values.fetch(region + Heads::region_bytes, first_of(block, tile));
        simt::commit_copies();
    }

    /// Scans the rows of a tile and their totals, and publishes the tile's total. Draws a ticket, too.
    PARPRIMS_DEVICE void prepare(simt::block block, shared_storage& shared, std::size_t tile, unsigned round,
                                 const typename Heads::state& before, tile_state& state) const
    {
        const unsigned lane = block.lane();
        const std::size_t drawn = block.thread() == 0 ? draw_tile(round + 2) : 0;
        const std::size_t first = first_of(block, tile);
        unsigned char* const region = region_of(block, shared);
        simt::wait_copies<0>();
        simt::sync_warp();

        // 1. Each lane scans its elements, each warp its lanes.
        state.heads = heads.find(region, first, before, state.keys);
        values.settle(region + Heads::region_bytes, first);
        uninitialized<T> running;
        values.load(region + Heads::region_bytes, first, [&](unsigned k, const auto& value) {
            const T next = static_cast<T>(value);
            running.value = k == 0 || (state.heads >> k & 1) != 0 ? next : warp::combine<T>(op, running.value, next);
            state.running.set(k, running.value);
        });
        const simt::lane_mask with_heads = simt::ballot(state.heads != 0);
        const T scanned = warp::scan_runs(running.value, with_heads, op);
        state.below.value = simt::shuffle_up(scanned, 1);
        state.has_head_below = (with_heads & ((1u << lane) - 1)) != 0;
        if (lane == simt::warp_size - 1) {
            simt::store(shared.row_totals, block.warp(), scanned);
            simt::store(shared.row_has_head, block.warp(), with_heads != 0);
        }
        if constexpr (Result::counts_heads) {
            const unsigned mine = count_bits<shape::items>(state.heads);
            const unsigned upto = warp::scan_full_lanes(mine, plus{});
            state.heads_below = upto - mine;
            state.row_heads = simt::shuffle(upto, simt::warp_size - 1);
            if (lane == simt::warp_size - 1)
                simt::store(shared.row_heads, block.warp(), upto);
        }
        if (block.thread() == 0)
            simt::store(shared.tiles, (round + 2) % ticket_slots, drawn);
        block.sync();

        // 2. Each warp scans the rows' totals. Lanes without a row hold copies, which no lane below sees.
        const unsigned source = lane < block.warps() ? lane : block.warps() - 1;
        const simt::lane_mask rows_with_heads =
            simt::ballot(lane < block.warps() && simt::load(shared.row_has_head, source));
        const T rows = warp::scan_runs<shape::rows>(simt::load(shared.row_totals, source), rows_with_heads, op);
        state.rows_before.value = simt::shuffle(rows, (block.warp() - 1) % simt::warp_size);
        state.has_head_before = (rows_with_heads & ((1u << block.warp()) - 1)) != 0;
        unsigned count = rows_with_heads != 0 ? 1 : 0;
        if constexpr (Result::counts_heads) {
            const unsigned mine = lane < block.warps() ? simt::load(shared.row_heads, lane) : 0;
            const unsigned upto = warp::scan_full_lanes(mine, plus{});
            count = simt::shuffle(upto, simt::warp_size - 1);
            state.heads_before = simt::shuffle(upto - mine, block.warp());
            state.tile_heads = count;
        }
        if (block.warp() == 0 && tile + 1 < status.tiles)
            status.publish(tile, simt::shuffle(rows, shape::rows - 1), count);
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
                        fold_group(shared, g, groups.tile(g), groups.live(g), words[b]);
            }
            block.sync();
            append(shared, 0, groups.whole, known.anchor);
            known.group += groups.whole;
            if (known.group == tile / order::group_tiles) {
                maybe<keyed<T>> prefix = known.anchor;
                append(shared, groups.whole, groups.folds, prefix);
                return prefix;
            }
        }
    }

    /// For one warp: waits for the totals of `live` tiles from `first` on, and folds them.
    PARPRIMS_DEVICE void fold_group(shared_storage& shared, unsigned f, std::size_t first, unsigned live,
                                    flagged& words) const
    {
        const unsigned lane = simt::block::lane();
        uninitialized<total> found;
        unsigned mine = 0;
        if (lane < live) {
            found.value = status.wait(first + lane, words);
            mine = found.value.heads;
        }
        simt::sync_warp();
        // Mostly a run begins in the last tile, so that its value is all.
        if ((simt::ballot(mine != 0) >> (live - 1) & 1) != 0) {
            if constexpr (Result::counts_heads)
                mine = simt::sum_lanes(mine);
            if (lane == live - 1)
                simt::store(shared.groups, f, {found.value.value, mine});
        } else {
            const total folded = warp::fold_lanes(found.value, live, combine_keyed<Op>{op});
            if (lane == 0)
                simt::store(shared.groups, f, folded);
        }
    }

    /// Combines `sum` with the groups [begin, end), one after the other. Those before the last one with a head only count heads.
    PARPRIMS_DEVICE void append(const shared_storage& shared, unsigned begin, unsigned end, maybe<keyed<T>>& sum) const
    {
        if (begin == end)
            return;
        const unsigned lane = simt::block::lane();
        const unsigned mine = lane >= begin && lane < end ? simt::load(shared.groups, lane).heads : 0;
        const simt::lane_mask with_heads = simt::ballot(mine != 0);
        unsigned count = with_heads != 0 ? 1 : 0;
        if constexpr (Result::counts_heads)
            count = simt::sum_lanes(mine);
        unsigned g = with_heads != 0 ? simt::highest_lane(with_heads) : begin;
        uninitialized<T> value;
        value.value = simt::load(shared.groups, g).value;
        if (with_heads == 0 && sum.present)
            value.value = warp::combine<T>(op, sum.get().value, value.value);
#pragma unroll(sizeof(T) <= 16 ? 4 : 1)  // so that loads overlap
        for (++g; g < end; ++g)
            value.value = warp::combine<T>(op, value.value, simt::load(shared.groups, g).value);
        sum.set({value.value, (sum.present ? sum.get().heads : 0) + count});
    }

    /// Writes the results of a tile.
    PARPRIMS_DEVICE void write(simt::block block, shared_storage& shared, std::size_t tile, const tile_state& state,
                               const maybe<keyed<T>>& prefix) const
    {
        // 1. Everything before the lane: before the tile, the warp's row, the lane. There is nothing before the first one.
        uninitialized<T> before;
        if (prefix.present)
            before.value = prefix.get().value;
        if (block.warp() > 0)
            before.value = state.has_head_before ? state.rows_before.value
                                                 : warp::combine<T>(op, before.value, state.rows_before.value);
        if (state.has_head_below)
            before.value = state.below.value;
        else if (block.lane() > 0)
            before.value = warp::combine<T>(op, before.value, state.below.value);

        // 2. The results. Only elements before the lane's first head continue what is before the lane.
        const head_bits alone = state.heads | (head_bits{0} - state.heads);
        const auto inclusive = [&](unsigned k) {
            const T running = state.running.get(k);
            return (alone >> k & 1) != 0 ? running : warp::combine<T>(op, before.value, running);
        };
        result.write(block, *this, stage_of(block, shared), tile, state, before, inclusive,
                     prefix.present ? prefix.get().heads : 0);
    }
};

}  // namespace parprims::detail::device
