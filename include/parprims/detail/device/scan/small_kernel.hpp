/// @file
/// @brief  Scans of small inputs, which stay in a block from the load to the store: of one tile by a cluster, of more by a block
///         for each.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/device/pass/status_words.hpp>
#include <parprims/detail/device/scan/held_rows.hpp>
#include <parprims/detail/device/scan/row.hpp>
#include <parprims/detail/device/scan/tuning.hpp>
#include <parprims/detail/device/tree/warp_scan.hpp>
#include <parprims/detail/device/tree/warp_tree.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace parprims::detail::device {

template <class Tile, class T>
inline constexpr bool has_small_scan =
    sizeof(T) <= max_small_scan_value_bytes && sizeof(typename Tile::value_type) <= max_small_scan_value_bytes;

/// A cluster of blocks for an input of one tile, or one block. Blocks of the cluster send each other the totals of their rows.
///
/// Forward progress: one multiprocessor has room for the cluster.
template <class Tile, class T, unsigned WarpRows = 1>
struct scan_cluster_kernel {
    static constexpr unsigned max_threads = max_cluster_rows * order::lanes;
    static constexpr unsigned min_blocks = 2;  // or as many as fit: see `max_cluster_threads`

    using rows_type = held_rows<Tile, T, WarpRows, true>;

    /// What is sent at a time: the totals of a block's rows are a whole number of them.
    using packet = simt::packet<min_cluster_rows * sizeof(T) % 16 == 0 ? 16 : 8>;

    struct shared_storage {
        alignas(16) uninitialized<T> row_totals[Tile::rows];
        std::uint64_t inbox;  // for those of other blocks
        uninitialized<T> row_scans[Tile::rows];
    };
    static constexpr std::size_t storage_bytes = (sizeof(shared_storage) + 15) / 16 * 16;

    Tile work;
    unsigned block_rows;  // a power of two

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage& shared) const
    {
        const auto ranks = static_cast<unsigned>(block.count());
        const auto rank = static_cast<unsigned>(block.index());

        // 1. Load rows into registers. Scan each, and send the totals.
        const unsigned expected = rank * block_rows * static_cast<unsigned>(sizeof(T));
        if (expected != 0 && block.thread() == 0)
            simt::open_inbox(&shared.inbox);
        block.cluster_start();
        rows_type rows(work, nullptr, rank * block_rows, block_rows);
        rows.load(work);
        block.cluster_wait();
        if (expected != 0 && block.thread() == 0)
            simt::expect_sent(&shared.inbox, expected);
        rows.scan(work, shared.row_totals);
        block.sync();
        send_totals(block, shared, rank, ranks);

        // 2. The first warp scans the totals of all rows.
        if (expected != 0)
            simt::wait_inbox(&shared.inbox);
        if (block.warp() == 0)
            warp::scan_rows<Tile::rows>(shared.row_totals, work.full_rows(0, (rank + 1) * block_rows), shared.row_scans,
                                        work.op);
        block.sync();

        // 3. Write the output.
        rows.write(work, work.init, shared.row_scans);
    }

private:
    /// Sends the totals of this block's rows to the same place in all later blocks, which have started.
    PARPRIMS_DEVICE void send_totals(simt::block block, shared_storage& shared, unsigned rank, unsigned ranks) const
    {
        auto* const totals = reinterpret_cast<packet*>(shared.row_totals);
        const auto count = static_cast<unsigned>(block_rows * sizeof(T) / sizeof(packet));
        for (unsigned to = rank + 1 + block.warp(); to < ranks; to += block.warps())
            for (unsigned p = rank * count + block.lane(); p < (rank + 1) * count; p += simt::warp_size)
                simt::send(totals + p, to, simt::load(totals, p), &shared.inbox);
    }
};

/// A tile for each block. Its place in the input follows from the number of the block, so that loads are issued at once: no ticket
/// comes first.
///
/// Forward progress: every block publishes its aggregate before it waits, and a block spins without limit only once it knows
/// that all blocks have arrived. Before, it spins `max_spins` times; if an aggregate is still missing, it gives its tile up to
/// the last block to arrive, and ends. One word counts arrivals and tiles given up, so no block gives up after the last one
/// has arrived. On a GPU that starts blocks in the order of their numbers, none gives up.
///
/// @tparam  Rows  how a block has its rows: `held_rows` or `staged_rows`
template <class Tile, class T, class Rows>
struct scan_small_kernel {
    static constexpr unsigned max_threads = Rows::max_threads(Tile::rows);
    static constexpr unsigned min_blocks = Rows::min_blocks;
    using status_type = epoch_status<T>;
    static constexpr unsigned max_groups = (status_type::max_tiles + order::group_tiles - 1) / order::group_tiles;

    struct shared_storage {
        uninitialized<T> row_totals[Tile::rows];
        uninitialized<T> row_scans[Tile::rows];
        uninitialized<T> group_totals[max_groups];
        std::uint64_t epoch;
        unsigned abandoned;  // tiles that this block has to take
        unsigned next_tile;
        unsigned missing;  // warps that miss an aggregate
        unsigned gave_up;  // whether this block has given its tile up
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
            Rows rows(work, reinterpret_cast<unsigned char*>(&shared) + storage_bytes, tile * Tile::rows, Tile::rows);
            rows.load(work);
            if (block.thread() == 0) {
                if (round == 0) {
                    const typename status_type::arrival arrived = status.arrive(tile, tiles);
                    simt::store(&shared.epoch, arrived.epoch());
                    simt::store(&shared.abandoned, arrived.abandoned());
                }
                simt::store(&shared.missing, 0u);
            }
            rows.scan(work, shared.row_totals);
            block.sync();

            // 2. Scan the rows' totals, publish the tile's, and find what is before the tile.
            const std::uint64_t epoch = simt::load(&shared.epoch);
            if (block.warp() == 0) {
                warp::scan_rows<Tile::rows>(shared.row_totals, work.full_rows(tile * Tile::rows, Tile::rows),
                                            shared.row_scans, work.op);
                simt::sync_warp();
                if (tile + 1 < tiles && block.lane() == simt::warp_size - 1)
                    status.publish(tile, epoch, simt::load(shared.row_scans, Tile::rows - 1));
            }
            const bool has_all = find_earlier(block, shared, tile, epoch);

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
    /// For one warp: folds the aggregates of the tiles of group g that are before tile `end`. False if one is missing.
    PARPRIMS_DEVICE bool fold_group(shared_storage& shared, unsigned g, unsigned end, std::uint64_t epoch,
                                    unsigned spins) const
    {
        const unsigned lane = simt::block::lane();
        const unsigned first = g * order::group_tiles;
        const unsigned live = end - first < order::group_tiles ? end - first : order::group_tiles;
        uninitialized<T> aggregate[1];
        const bool has = lane >= live || status.wait(first + lane, epoch, spins, aggregate);
        if (simt::ballot(!has) != 0)
            return false;
        const T total = warp::fold_consecutive(aggregate, live, work.op);
        if (lane == 0)
            simt::store(shared.group_totals, g, total);
        return true;
    }

    /// Folds the groups of tiles before a tile. False if an aggregate is missing, and the block has given its tile up. Has a barrier.
    PARPRIMS_DEVICE bool find_earlier(simt::block block, shared_storage& shared, unsigned tile,
                                      std::uint64_t epoch) const
    {
        for (unsigned spins = max_spins;; spins = status_type::no_limit) {
            bool has_all = true;
            for (unsigned g = block.warps() - 1 - block.warp(); g * order::group_tiles < tile; g += block.warps())
                if (!fold_group(shared, g, tile, epoch, spins)) {
                    has_all = false;
                    break;
                }
            if (!has_all && block.lane() == 0)
                simt::atomic_add(&shared.missing, 1);
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
