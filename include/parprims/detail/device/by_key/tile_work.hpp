/// @file
/// @brief  What a block does with a tile of a scan or reduction by key: it keeps the tile in registers, and writes the results when it
///         knows what comes before.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/contract/keyed.hpp>
#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/device/by_key/key_heads.hpp>
#include <parprims/detail/device/by_key/lane_values.hpp>
#include <parprims/detail/device/by_key/tuning.hpp>
#include <parprims/detail/device/tree/warp_scan.hpp>
#include <parprims/detail/device/tree/warp_tree.hpp>
#include <parprims/detail/numeric/integers.hpp>
#include <parprims/detail/simt/simt.hpp>
#include <parprims/functional.hpp>

#include <cstddef>
#include <cstdint>

namespace parprims::detail::device {

/// A `Work` of the long pass and of the short one.
/// @tparam  Shape   of a tile: `keyed_tile`
/// @tparam  Heads   where runs begin, as `key_heads`
/// @tparam  Values  a `row_reader` or a `lane_reader`
/// @tparam  Result  what is written, as `scan_result`
template <class Shape, class Heads, class Values, class Op, class Result>
struct keyed_work {
    using shape = Shape;
    using T = typename Shape::value_type;
    /// Bytes of shared memory for a warp's heads and values.
    static constexpr std::size_t region_bytes = Heads::region_bytes + Values::region_bytes;
    /// Whether a region is a whole number of lines. Then `warp_bytes` is rounded up to lines, so every warp's region begins with a line.
    static constexpr bool has_lines = region_bytes % simt::shared_line_bytes == 0;
    static constexpr std::size_t warp_bytes =
        has_lines ? simt::whole_lines(region_bytes + Result::stage_bytes) : region_bytes + Result::stage_bytes;
    /// Words of shared memory in which a block marks where runs begin in its tile; 0 if each warp finds its heads.
    static constexpr unsigned head_words = [] {
        if constexpr (requires { Heads::tile_words; })
            return Heads::tile_words;
        else
            return 0u;
    }();
    using head_bits = lane_bits<shape::items>;
    using total = keyed<T, unsigned>;
    using prefix = maybe<keyed<T>>;
    static constexpr bool holds_tile = true;
    static constexpr unsigned slots = 1;
    static constexpr bool can_read_early = true;
    static constexpr unsigned max_threads = shape::threads;
    static constexpr unsigned usual_warps = shape::rows;
    static constexpr unsigned short_threads = max_threads;
    /// Of shapes for short inputs enough for all their tiles to be resident; other shapes: as in the long pass.
    static constexpr unsigned short_blocks_per_sm =
        shape::max_tiles != 0 ? short_keyed_blocks_per_sm
                              : keyed_blocks_per_sm(max_threads, shape::rows* warp_bytes, sizeof(T));

    struct shared_storage {
        uninitialized<T> totals[shape::rows];
        bool has_head[shape::rows];
        unsigned heads[shape::rows];
        std::uint32_t head_bits[head_words != 0 ? head_words : 1];
    };

    static constexpr unsigned blocks_per_sm(std::size_t shared_bytes)
    {
        return keyed_blocks_per_sm(max_threads, shared_bytes, sizeof(T));
    }
    /// A block has a warp for each row that holds elements.
    static constexpr std::size_t slot_bytes(unsigned threads) { return threads / simt::warp_size * warp_bytes; }

    /// What a lane has read of its row, but not used yet.
    struct fetched {
        typename Heads::state heads;
        typename Values::state values;
    };

    Heads heads;
    Values values;
    typename shape::index n;
    Op op;
    Result result;
    std::size_t tiles;

    PARPRIMS_DEVICE void set_init(const T& value) { result.init.value = value; }
    PARPRIMS_DEVICE std::size_t resize(std::size_t size)
    {
        const std::size_t elements = heads.resize(size);
        n = static_cast<typename shape::index>(elements);
        values.resize(elements);
        return tiles = order::ceil_div(elements, shape::size);
    }

    /// What a thread keeps of a tile, in registers.
    struct state {
        lane_values<T, shape::items> running;  // the scan of the lane's elements
        typename Heads::lane_keys keys;
        head_bits heads;         // bit k: a run begins at element k
        uninitialized<T> below;  // the total of the lower lanes, since the last head among them if there is one
        bool lower_lanes_have_head;
        uninitialized<T> rows_before;  // as `below`, of the tile's rows before the warp's
        bool has_head_before;          // whether these rows have a head
        // Only if heads are counted:
        unsigned heads_below;   // heads of the lower lanes
        unsigned row_heads;     // heads of the warp's row
        unsigned heads_before;  // heads of the tile's rows before the warp's
        unsigned tile_heads;    // heads of the tile
    };

    /// Where a warp's row of a tile begins.
    PARPRIMS_DEVICE static typename shape::index first_of(simt::block block, std::size_t tile)
    {
        return static_cast<typename shape::index>(tile) * shape::size + block.warp() * shape::row;
    }

    PARPRIMS_DEVICE bool is_empty() const { return n == 0; }
    PARPRIMS_DEVICE void write_empty(simt::block block) const { result.write_empty(block); }
    PARPRIMS_DEVICE prefix before_first() const { return {}; }

    /// The warp's region in the memory of a block.
    PARPRIMS_DEVICE static unsigned char* slot(unsigned char* memory, unsigned)
    {
        return memory + simt::block::warp() * warp_bytes;
    }

    /// By one thread, for a tile that its block will fetch.
    PARPRIMS_DEVICE void announce(std::size_t tile) const
    {
        const std::size_t first = tile * shape::size, count = smaller_of<std::size_t>(n - first, shape::size);
        if constexpr (requires { heads.keys.prefetch(first, count); })
            heads.keys.prefetch(first, count);
        if constexpr (requires { values.prefetch(first, count); })
            values.prefetch(first, count);
    }

    /// Starts to read the warp's row of a tile. The warp must have read what its region held before.
    PARPRIMS_DEVICE void fetch(simt::block block, unsigned char* region, std::size_t tile, fetched& read) const
    {
        heads.fetch(region, first_of(block, tile), read.heads);
        values.fetch(region + Heads::region_bytes, first_of(block, tile), read.values);
        simt::commit_copies();
    }

    /// Scans the warp's row of a tile: each lane its elements, the warp its lanes.
    PARPRIMS_DEVICE void load(simt::block block, shared_storage& shared, unsigned char* region, std::size_t tile,
                              fetched& read, state& state) const
    {
        const unsigned lane = block.lane();
        const auto first = first_of(block, tile);
        if constexpr (head_words != 0)
            heads.mark(block, shared.head_bits, static_cast<typename shape::index>(tile) * shape::size, read.heads);
        simt::wait_copies<0>();
        simt::sync_warp();
        state.heads = heads.find(region, first, read.heads, state.keys);
        values.settle(region + Heads::region_bytes, first);
        uninitialized<T> running;
        values.load(region + Heads::region_bytes, first, read.values, [&](unsigned k, const auto& value) {
            const T next = static_cast<T>(value);
            running.value = k == 0 || (state.heads >> k & 1) != 0 ? next : warp::combine<T>(op, running.value, next);
            state.running.set(k, running.value);
        });
        const simt::lane_mask with_heads = simt::ballot(state.heads != 0);
        const T scanned = warp::scan_runs(running.value, with_heads, op);
        state.below.value = simt::shuffle_up(scanned, 1);
        state.lower_lanes_have_head = (with_heads & ((1u << lane) - 1)) != 0;
        if (lane == simt::warp_size - 1) {
            simt::store(shared.totals, block.warp(), scanned);
            simt::store(shared.has_head, block.warp(), with_heads != 0);
        }
        if constexpr (Result::counts_heads) {
            const unsigned lane_heads = count_bits<shape::items>(state.heads);
            const unsigned upto = warp::scan_full_lanes(lane_heads, plus{});
            state.heads_below = upto - lane_heads;
            state.row_heads = simt::shuffle(upto, simt::warp_size - 1);
            if (lane == simt::warp_size - 1)
                simt::store(shared.heads, block.warp(), upto);
        }
    }

    /// After a barrier: each warp scans the rows' totals. Returns the tile's total, which is valid if the tile is full.
    PARPRIMS_DEVICE uninitialized<total> find_total(simt::block block, const shared_storage& shared, unsigned char*,
                                                    std::size_t, state& state) const
    {
        const unsigned lane = block.lane();
        // Lanes without a row hold copies of the last total; no lane below reads them.
        const unsigned source = lane < block.warps() ? lane : block.warps() - 1;
        const simt::lane_mask rows_with_heads =
            simt::ballot(lane < block.warps() && simt::load(shared.has_head, source));
        const T rows = warp::scan_runs<shape::rows>(simt::load(shared.totals, source), rows_with_heads, op);
        state.rows_before.value = simt::shuffle(rows, (block.warp() - 1) % simt::warp_size);
        state.has_head_before = (rows_with_heads & ((1u << block.warp()) - 1)) != 0;
        unsigned count = rows_with_heads != 0 ? 1 : 0;
        if constexpr (Result::counts_heads) {
            const unsigned lane_heads = lane < block.warps() ? simt::load(shared.heads, lane) : 0;
            count = simt::sum_lanes(lane_heads);
            state.heads_before = simt::sum_lanes(lane < block.warp() ? lane_heads : 0);
            state.tile_heads = count;
        }
        return uninitialized<total>({simt::shuffle(rows, shape::rows - 1), count});
    }

    /// Stores for `write` what does not depend on the tiles before. Call it after the warp's previous tile has been written.
    PARPRIMS_DEVICE void keep(simt::block block, unsigned char* region, std::size_t tile, const state& state) const
    {
        result.keep(*this, region + region_bytes, first_of(block, tile), state);
    }

    /// For one warp, whose first `live` lanes hold totals of tiles: folds them to the total of group f.
    PARPRIMS_DEVICE void fold_group(uninitialized<total>* groups, unsigned f, unsigned live,
                                    const uninitialized<total>& found) const
    {
        const unsigned lane = simt::block::lane();
        unsigned lane_heads = lane < live ? found.value.heads : 0;
        // Usually a run begins in the last tile: then the value of the group is that of the tile.
        if ((simt::ballot(lane_heads != 0) >> (live - 1) & 1) != 0) {
            if constexpr (Result::counts_heads)
                lane_heads = simt::sum_lanes(lane_heads);
            if (lane == live - 1)
                simt::store(groups, f, {found.value.value, lane_heads});
        } else {
            const total folded = warp::fold_lanes(found.value, live, combine_keyed<Op>{op});
            if (lane == 0)
                simt::store(groups, f, folded);
        }
    }

    /// Combines `sum` with the groups [begin, end), one after the other. A group's value is used from the last group with
    /// a head on; earlier groups contribute only their head counts.
    PARPRIMS_DEVICE void append(const uninitialized<total>* groups, unsigned begin, unsigned end, prefix& sum) const
    {
        if (begin == end)
            return;
        const unsigned lane = simt::block::lane();
        const unsigned lane_heads = lane >= begin && lane < end ? simt::load(groups, lane).heads : 0;
        const simt::lane_mask with_heads = simt::ballot(lane_heads != 0);
        unsigned count = with_heads != 0 ? 1 : 0;
        if constexpr (Result::counts_heads)
            count = simt::sum_lanes(lane_heads);
        unsigned g = with_heads != 0 ? simt::highest_lane(with_heads) : begin;
        uninitialized<T> value;
        value.value = simt::load(groups, g).value;
        if (with_heads == 0 && sum.present)
            value.value = warp::combine<T>(op, sum.get().value, value.value);
#pragma unroll(sizeof(T) <= 16 ? 4 : 1)  // so that loads overlap
        for (++g; g < end; ++g)
            value.value = warp::combine<T>(op, value.value, simt::load(groups, g).value);
        sum.set({value.value, (sum.present ? sum.get().heads : 0) + count});
    }

    /// Writes the results of a tile.
    PARPRIMS_DEVICE void write(simt::block block, unsigned char* region, std::size_t tile, const state& state,
                               const prefix& prefix) const
    {
        // 1. Everything before the lane: before the tile, in the tile before the row, in the row before the lane.
        uninitialized<T> before;
        if (prefix.present)
            before.value = prefix.get().value;
        if (block.warp() > 0)
            before.value = state.has_head_before ? state.rows_before.value
                                                 : warp::combine<T>(op, before.value, state.rows_before.value);
        if (state.lower_lanes_have_head)
            before.value = state.below.value;
        else if (block.lane() > 0)
            before.value = warp::combine<T>(op, before.value, state.below.value);

        // 2. The results. Only elements before the lane's first head are combined with `before`.
        const head_bits from_head = state.heads | (head_bits{0} - state.heads);  // bits from the first head upward
        const auto inclusive = [&](unsigned k) {
            const T running = state.running.get(k);
            return (from_head >> k & 1) != 0 ? running : warp::combine<T>(op, before.value, running);
        };
        result.write(block, *this, region + region_bytes, tile, state, before, inclusive,
                     prefix.present ? prefix.get().heads : 0);
    }
};

}  // namespace parprims::detail::device
