/// @file
/// @brief  Scans of small inputs, which stay in a block from the load to the store: by a cluster for each tile, or a block for each.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/block/warp_scan.hpp>
#include <parprims/detail/block/warp_tree.hpp>
#include <parprims/detail/device/scan/held_rows.hpp>
#include <parprims/detail/device/scan/row.hpp>
#include <parprims/detail/device/scan/status_words.hpp>
#include <parprims/detail/device/scan/tuning.hpp>
#include <parprims/detail/order.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <cstddef>
#include <cstdint>

namespace parprims::detail::device {

template <class Tile, class T>
inline constexpr bool has_small_scan =
    sizeof(T) <= max_small_scan_value_bytes && sizeof(typename Tile::value_type) <= max_small_scan_value_bytes;

/// For one warp: the aggregate of a full tile, in lane 0. The tree over the rows' totals combines the same neighbours as their
/// scan.
template <class Tile, class T>
PARPRIMS_DEVICE inline T fold_row_totals(const Tile& work, const uninitialized<T>* totals)
{
    static_assert(Tile::rows == 2 * simt::warp_size);
    const unsigned lane = simt::block::lane();
    const T pair =
        warp::combine<T>(work.op, simt::load(totals, std::size_t{2} * lane), simt::load(totals, 2 * lane + 1));
    return warp::fold_full_lanes(pair, work.op);
}

/// A cluster of blocks for each tile, or one block. Blocks of a cluster send each other the totals of their rows.
///
/// Forward progress: one multiprocessor has room for a cluster, and clusters do not wait for each other. Each folds the tiles
/// before its own from the input, which nothing may write during the call: several tiles need an output apart from it.
///
/// @tparam  Several  whether there are several tiles: the code for them would slow down the scan of one, as it must be fetched
template <class Tile, class T, bool Several, unsigned WarpRows = 1>
struct scan_cluster_kernel {
    static constexpr unsigned max_threads = max_cluster_rows * order::lanes;
    static constexpr unsigned min_blocks = 2;  // or as many as fit: see `max_cluster_threads`
    static constexpr unsigned max_tiles = Several ? max_cluster_tiles : 1;
    static constexpr unsigned max_earlier = max_cluster_tiles - 1;

    using rows_type = held_rows<Tile, T, WarpRows, min_blocks, shift_place::shared_memory>;

    /// What is sent at a time: the totals of a block's rows are a whole number of them.
    using packet = simt::packet<min_cluster_rows * sizeof(T) % 16 == 0 ? 16 : 8>;

    struct shared_storage {
        alignas(16) uninitialized<T> row_totals[max_tiles * Tile::rows];
        std::uint64_t inbox;  // for those of other blocks
        uninitialized<T> row_scans[Tile::rows];
        uninitialized<T> tile_totals[max_tiles];
        typename rows_type::shared_storage rows;
    };
    static constexpr std::size_t storage_bytes = (sizeof(shared_storage) + 15) / 16 * 16;

    Tile work;
    unsigned block_rows;  // a power of two

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage& shared) const
    {
        const unsigned lane = block.lane();
        const auto index = static_cast<unsigned>(block.index());
        const unsigned ranks = Several ? block.cluster_blocks() : static_cast<unsigned>(block.count());
        const unsigned rank = Several ? block.cluster_rank() : index;
        const unsigned tile = Several ? index / ranks : 0;
        const unsigned in_tile = rank * block_rows;
        auto* const regions = reinterpret_cast<unsigned char*>(&shared) + storage_bytes;

        // 1. Load rows into registers, and those of the tiles before into shared memory. Scan each, and send the totals.
        const unsigned expected = (tile * (ranks - 1) + rank) * block_rows * static_cast<unsigned>(sizeof(T));
        if (expected != 0 && block.thread() == 0)
            simt::open_inbox(&shared.inbox);
        block.cluster_start();
        if constexpr (Several)
            if (tile > 0)
                copy_earlier(block, regions, tile, in_tile);
        rows_type rows(work, shared.rows, regions + tile * block_rows * row_region_bytes, tile * Tile::rows + in_tile,
                       block_rows);
        rows.load(work);
        block.cluster_wait();
        if (expected != 0 && block.thread() == 0)
            simt::expect_sent(&shared.inbox, expected);
        rows.scan(work, shared.row_totals + tile * Tile::rows);
        if constexpr (Several)
            if (tile > 0)
                fold_earlier(block, shared, regions, tile, in_tile);
        block.sync();
        send_totals(block, shared, rank, ranks, tile, in_tile);

        // 2. The first warp scans the totals of the tile's rows; the last ones fold those of each tile before.
        if (expected != 0)
            simt::wait_inbox(&shared.inbox);
        if (block.warp() == 0)
            warp::scan_rows<Tile::rows>(shared.row_totals + tile * Tile::rows, rows.end() - tile * Tile::rows,
                                        shared.row_scans, work.op);
        if constexpr (Several)
            for (unsigned t = block.warps() - 1 - block.warp(); t < tile; t += block.warps()) {
                const T total = fold_row_totals(work, shared.row_totals + t * Tile::rows);
                if (lane == 0)
                    simt::store(shared.tile_totals, t, total);
            }
        block.sync();

        // 3. Fold the tiles before, and write the output.
        maybe<T> prefix = work.init;
        if constexpr (Several)
            if (tile > 0) {
                uninitialized<T> total;
                if (lane < tile)
                    total.value = simt::load(shared.tile_totals, lane);
                prefix.set(prefix.then(simt::shuffle(warp::fold_lanes(total.value, tile, work.op), 0), work.op));
            }
        rows.write(work, prefix, shared.row_scans);
    }

private:
    using packets = typename rows_type::packets;

    /// Whether the regions of earlier rows are shifted as the input is.
    PARPRIMS_DEVICE bool has_shifted_regions() const { return Tile::shifts_loaded_rows && work.is_split(); }

    /// Starts to copy this block's rows of the tiles before. Rows `in_tile` to `in_tile + block_rows` of each tile are its own.
    PARPRIMS_DEVICE void copy_earlier(simt::block block, unsigned char* regions, unsigned tile, unsigned in_tile) const
    {
        using word = simt::packet<4>;
        using part = typename packets::packet;
        constexpr unsigned row_words = packets::row_bytes / sizeof(word);
        const unsigned lane = block.lane();
#pragma unroll 1
        for (unsigned u = 0; u < tile; ++u)
#pragma unroll 1
            for (unsigned r = block.warp(); r < block_rows; r += block.warps()) {
                const unsigned first = (u * Tile::rows + in_tile + r) * Tile::row32;
                const auto* const source = work.input.data + first;
                unsigned char* const region = regions + (u * block_rows + r) * row_region_bytes;
                if (!work.is_split())
                    simt::copy_async(reinterpret_cast<part*>(region) + lane,
                                     reinterpret_cast<const part*>(source) + lane);
                else if constexpr (Tile::shifts_loaded_rows)
                    packets::copy(region, source, work.input_shift, work.n - first);
                else if constexpr (Tile::has_whole_words)
#pragma unroll
                    for (unsigned w = 0; w < row_words; w += simt::warp_size)
                        simt::copy_async(reinterpret_cast<word*>(region) + (w + lane),
                                         reinterpret_cast<const word*>(source) + (w + lane));
            }
        simt::commit_copies();
    }

    /// Waits for these rows, and folds those of all tiles at once; for a missing tile the last one again, whose total is not used.
    PARPRIMS_DEVICE void fold_earlier(simt::block block, shared_storage& shared, const unsigned char* regions,
                                      unsigned tile, unsigned in_tile) const
    {
        simt::wait_copies<0>();
        simt::sync_warp();
#pragma unroll 1
        for (unsigned r = block.warp(); r < block_rows; r += block.warps()) {
            uninitialized<T> totals[max_earlier];
#pragma unroll
            for (unsigned u = 0; u < max_earlier; ++u)
                totals[u].value = lane_total(regions + ((u < tile ? u : tile - 1) * block_rows + r) * row_region_bytes);
            const T total = warp::fold_full_rows(totals, work.op);
            if (block.lane() < tile)
                simt::store(shared.row_totals, block.lane() * Tile::rows + in_tile + r, total);
        }
    }

    /// The total of this lane's part of a row in shared memory.
    PARPRIMS_DEVICE T lane_total(const unsigned char* region) const
    {
        typename packets::packet parts[1];
        packets::load_packets(region, has_shifted_regions() ? work.input_shift : 0, parts);
        scan_row<Tile, T, true> row;
        row.set(work, parts[0]);
        return row.lane_total(work);
    }

    /// Sends the totals of this block's rows to the same place in the blocks that need them, which have started: those of the own
    /// tile to all later blocks, those of the tiles before to all blocks.
    PARPRIMS_DEVICE void send_totals(simt::block block, shared_storage& shared, unsigned rank, unsigned ranks,
                                     unsigned tile, unsigned in_tile) const
    {
        constexpr unsigned lanes = 4;  // for the packets of a tile
        auto* const totals = reinterpret_cast<packet*>(shared.row_totals);
        const auto count = static_cast<unsigned>(block_rows * sizeof(T) / sizeof(packet));
        for (unsigned to = (Several ? 0 : rank + 1) + block.warp(); to < ranks; to += block.warps()) {
            if (to == rank)
                continue;
            const unsigned tiles = to > rank ? tile + 1 : tile;
            for (unsigned t = block.lane() / lanes; t < tiles; t += simt::warp_size / lanes) {
                const auto begin = static_cast<unsigned>((t * Tile::rows + in_tile) * sizeof(T) / sizeof(packet));
                for (unsigned p = begin + block.lane() % lanes; p < begin + count; p += lanes)
                    simt::send(totals + p, to, simt::load(totals, p), &shared.inbox);
            }
        }
    }
};

/// A tile for each block. Its place in the input follows from the number of the block, so that loads are issued at once: no
/// ticket comes first.
///
/// Forward progress: every block publishes its aggregate before it waits, and a block spins without limit only once it knows
/// that all blocks have arrived. Before, it spins `max_spins` times; if an aggregate is still missing, it gives its tile up to
/// the last block to arrive, and ends. One word counts arrivals and tiles given up, so no block gives up after the last one
/// has arrived. On a GPU that starts blocks in the order of their numbers, none gives up.
///
/// @tparam  Rows  how a block has its rows: `held_rows` or `staged_rows`
template <class Tile, class T, class Rows>
struct scan_small_kernel {
    using status_type = epoch_status<T>;
    static constexpr unsigned max_threads = Rows::max_threads;
    static constexpr unsigned min_blocks = Rows::min_blocks;
    static constexpr unsigned max_groups = (status_type::max_blocks + order::group_tiles - 1) / order::group_tiles;

    struct shared_storage {
        uninitialized<T> row_totals[Tile::rows];
        uninitialized<T> row_scans[Tile::rows];
        uninitialized<T> group_totals[max_groups];
        std::uint64_t epoch;
        unsigned abandoned;  // tiles that this block has to take
        unsigned next_tile;
        unsigned missing;  // warps that miss an aggregate
        unsigned gave_up;  // whether this block has given its tile up
        typename Rows::shared_storage rows;
    };
    static constexpr std::size_t storage_bytes = simt::whole_lines(sizeof(shared_storage));

    Tile work;
    status_type status;
    unsigned max_spins;  // of a lane that waits for an aggregate, before its block gives up

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage& shared) const
    {
        const auto tiles = static_cast<unsigned>(block.count());
        auto tile = static_cast<unsigned>(block.index());
        for (unsigned round = 0;; ++round) {
            // 1. Load rows, and total each. One thread arrives while the loads are in flight, and learns the epoch.
            Rows rows(work, shared.rows, reinterpret_cast<unsigned char*>(&shared) + storage_bytes, tile * Tile::rows,
                      Tile::rows);
            rows.load(work);
            if (block.thread() == 0) {
                if (round == 0) {
                    const typename status_type::arrival arrived = status.arrive(tile, tiles);
                    simt::store(&shared.epoch, arrived.epoch);
                    simt::store(&shared.abandoned, arrived.abandoned);
                }
                simt::store(&shared.missing, 0u);
            }
            rows.scan(work, shared.row_totals);
            block.sync();

            // 2. The first warp scans the rows' totals and publishes the aggregate; the last ones fold the tiles before.
            const std::uint64_t epoch = simt::load(&shared.epoch);
            if (block.warp() == 0) {
                warp::scan_rows<Tile::rows>(shared.row_totals, rows.end() - tile * Tile::rows, shared.row_scans,
                                            work.op);
                simt::sync_warp();
                if (tile + 1 < tiles && block.lane() == simt::warp_size - 1)
                    status.publish(tile, epoch, simt::load(shared.row_scans, Tile::rows - 1));
            }
            const bool has_all = fold_tiles(block, shared, tile, epoch);

            // 3. Write the output.
            if (has_all) {
                maybe<T> prefix = work.init;
                for (unsigned g = 0; g * order::group_tiles < tile; ++g)
                    prefix.set(prefix.then(simt::load(shared.group_totals, g), work.op));
                rows.write(work, prefix, shared.row_scans);
            }

            // 4. The last block to arrive takes the tiles that others gave up.
            if (round == 0 && tile + 1 == tiles)
                status.zero_old_words(block, tile, epoch);
            if (round == simt::load(&shared.abandoned))
                return;
            if (block.thread() == 0)
                simt::store(&shared.next_tile, status.take_abandoned(round));
            block.sync();
            tile = simt::load(&shared.next_tile);
        }
    }

private:
    /// Folds the aggregates of each group before a tile. False if one is missing, and the block has given its tile up. Has a
    /// barrier.
    PARPRIMS_DEVICE bool fold_tiles(simt::block block, shared_storage& shared, unsigned tile, std::uint64_t epoch) const
    {
        for (unsigned spins = max_spins;; spins = status_type::no_limit) {
            for (unsigned g = block.warps() - 1 - block.warp(); g * order::group_tiles < tile; g += block.warps()) {
                const unsigned first = g * order::group_tiles;
                const unsigned live = tile - first < order::group_tiles ? tile - first : order::group_tiles;
                uninitialized<T> aggregate;
                const bool has = block.lane() >= live || status.wait(first + block.lane(), epoch, spins, aggregate);
                if (simt::ballot(!has) != 0) {
                    if (block.lane() == 0)
                        simt::atomic_add(&shared.missing, 1);
                    break;
                }
                const T total = warp::fold_lanes(aggregate.value, live, work.op);
                if (block.lane() == 0)
                    simt::store(shared.group_totals, g, total);
            }
            block.sync();
            if (spins == status_type::no_limit || simt::load(&shared.missing) == 0)
                return true;
            if (block.thread() == 0)
                simt::store(&shared.gave_up, status.abandon(tile, epoch) ? 1u : 0u);
            block.sync();
            if (simt::load(&shared.gave_up) != 0)
                return false;
        }
    }
};

}  // namespace parprims::detail::device
