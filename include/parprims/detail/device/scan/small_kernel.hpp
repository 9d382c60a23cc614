/// @file
/// @brief  Scans of small inputs in registers from the load to the answers: one cluster, or a tile a block.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/block/warp_scan.hpp>
#include <parprims/detail/block/warp_tree.hpp>
#include <parprims/detail/device/scan/plan.hpp>
#include <parprims/detail/device/scan/row.hpp>
#include <parprims/detail/device/scan/small_scan_board.hpp>
#include <parprims/detail/order.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <cstddef>
#include <cstdint>

namespace parprims::detail::device {

/// Larger values do not stay in registers.
template <class Tile, class T>
inline constexpr bool has_small_scan = sizeof(T) <= 16 && sizeof(typename Tile::value_type) <= 16;

/// For one warp: the last of the scans of a tile's totals, where all rows are live: a tree over them. In lane 0.
template <class Tile, class T>
PARPRIMS_DEVICE inline T fold_row_totals(const Tile& work, const uninitialized<T>* totals)
{
    static_assert(Tile::rows == 2 * simt::warp_size);
    const unsigned lane = simt::block::lane();
    const T pair =
        warp::combine<T>(work.op, simt::load(totals, std::size_t{2} * lane), simt::load(totals, 2 * lane + 1));
    return warp::fold_full_lanes(pair, work.op);
}

/// What comes before row r of a tile.
template <class T, class Op>
PARPRIMS_DEVICE inline maybe<T> before_row(const maybe<T>& prefix, const uninitialized<T>* scans, unsigned r, Op op)
{
    maybe<T> before = prefix;
    if (r > 0)
        before.set(prefix.then(simt::load(scans, r - 1), op));
    return before;
}

/// One cluster of blocks, or one block, each of which has a part of a tile. Every block is sent the totals of all rows before
/// its own and makes of them what it needs.
template <class Tile, class T, class Op, unsigned WarpRows = 1>
struct scan_cluster_kernel {
    static constexpr unsigned max_threads = max_part_rows * order::lanes;
    static constexpr unsigned min_blocks = 1;  // so that no register is saved for a second one
    static constexpr unsigned max_tiles = max_scan_cluster * max_part_rows / Tile::rows;

    /// What is sent at a time: the totals of a block's rows are a whole number of them.
    using packet = simt::packet<min_part_rows * sizeof(T) % 16 == 0 ? 16 : 8>;

    struct shared_storage {
        alignas(16) uninitialized<T> row_totals[max_tiles * Tile::rows];
        std::uint64_t inbox;  // for those of earlier blocks
        uninitialized<T> row_scans[Tile::rows];
        uninitialized<T> tile_totals[max_tiles];
    };

    Tile work;
    unsigned block_rows;  // a power of two

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage& shared) const
    {
        const unsigned lane = block.lane();
        const auto rank = static_cast<unsigned>(block.index());  // the cluster is the grid
        const unsigned first = rank * block_rows;
        const unsigned tile = first / Tile::rows;

        // 1. Rows into registers, and their totals to all later blocks.
        if (rank > 0 && block.thread() == 0)
            simt::open_inbox(&shared.inbox);
        block.cluster_start();
        held_rows<Tile, T, WarpRows> rows(work, first, block_rows);
        rows.load(work);
        block.cluster_wait();
        if (rank > 0 && block.thread() == 0)
            simt::expect_sent(&shared.inbox, first * sizeof(T));
        rows.scan(work, [&](unsigned r, const T& total) {
            if (lane == simt::warp_size - 1)
                simt::store(shared.row_totals, r, total);
        });
        block.sync();
        send_totals(block, shared, first);

        // 2. What comes before the rows of the tile, and the tiles before it.
        if (rank > 0)
            simt::wait_inbox(&shared.inbox);
        if (block.warp() == 0)
            work.scan_rows(shared.row_totals + tile * Tile::rows, rows.end() - tile * Tile::rows, shared.row_scans);
        for (unsigned t = block.warps() - 1 - block.warp(); t < tile; t += block.warps()) {
            const T total = fold_row_totals(work, shared.row_totals + t * Tile::rows);
            if (lane == 0)
                simt::store(shared.tile_totals, t, total);
        }
        block.sync();

        // 3. Answers.
        maybe<T> prefix = work.init;
        if (tile > 0) {
            uninitialized<T> total;
            if (lane < tile)
                total.value = simt::load(shared.tile_totals, lane);
            prefix.set(prefix.then(simt::shuffle(warp::fold_lanes(total.value, tile, work.op), 0), work.op));
        }
        rows.write(work, [&](unsigned r) { return before_row(prefix, shared.row_scans, r % Tile::rows, work.op); });
    }

private:
    /// Sends the totals of this block's rows, from row `first` on, to where they are in all later blocks: these have started.
    PARPRIMS_DEVICE void send_totals(simt::block block, shared_storage& shared, unsigned first) const
    {
        auto* const totals = reinterpret_cast<packet*>(shared.row_totals);
        const auto begin = static_cast<unsigned>(first * sizeof(T) / sizeof(packet));
        const auto count = static_cast<unsigned>(block_rows * sizeof(T) / sizeof(packet));
        const auto blocks = static_cast<unsigned>(block.count());
        for (auto rank = static_cast<unsigned>(block.index()) + 1 + block.warp(); rank < blocks; rank += block.warps())
            for (unsigned p = begin + block.lane(); p < begin + count; p += simt::warp_size)
                simt::send(totals + p, rank, simt::load(totals, p), &shared.inbox);
    }
};

/// A tile a block. Its place in the input follows from the number of its block, so that it is asked for at once: no ticket
/// comes first. Then a block may wait for one that cannot start before it ends, if blocks start in any order and few are
/// resident. So no block waits for ever that does not know that all have arrived: it looks for the tiles before its own a
/// number of times, and if one is still missing it leaves its tile to the last block to arrive, and ends. One word counts
/// arrivals and those that have left: so nobody leaves after the last one has come. That block, and who finds that it has
/// come, may wait: every block publishes before it waits for anybody. On a GPU blocks start in the order of their numbers,
/// and none leaves.
template <class Tile, class T, class Op, unsigned WarpRows>
struct scan_small_kernel {
    using board_type = small_scan_board<T>;
    static constexpr unsigned max_threads = Tile::rows / WarpRows * order::lanes;
    static constexpr unsigned min_blocks = small_scan_blocks_per_sm(WarpRows, Tile::row_registers);
    static constexpr unsigned max_groups = board_type::max_blocks / order::group_tiles;

    struct shared_storage {
        uninitialized<T> row_totals[Tile::rows];
        uninitialized<T> row_scans[Tile::rows];
        uninitialized<T> group_totals[max_groups];
        std::uint64_t epoch;
        unsigned left;  // blocks whose work is left to this one
        unsigned next_tile;
        unsigned is_missing;  // an aggregate that was waited for
        unsigned has_left;    // the block, without answers
    };

    Tile work;
    board_type board;
    unsigned max_spins;  // of a lane that waits for an aggregate, before its block leaves

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage& shared) const
    {
        const auto tiles = static_cast<unsigned>(block.count());
        auto tile = static_cast<unsigned>(block.index());
        for (unsigned turn = 0;; ++turn) {
            // 1. Rows into registers, and their totals. Who arrives hears how it stands meanwhile.
            held_rows<Tile, T, WarpRows> rows(work, tile * Tile::rows, Tile::rows);
            rows.load(work);
            if (block.thread() == 0) {
                if (turn == 0) {
                    const typename board_type::arrival here = board.arrive(tile, tiles);
                    simt::store(&shared.epoch, here.epoch);
                    simt::store(&shared.left, here.left);
                }
                simt::store(&shared.is_missing, 0u);
            }
            rows.scan(work, [&](unsigned r, const T& total) {
                if (block.lane() == simt::warp_size - 1)
                    simt::store(shared.row_totals, r % Tile::rows, total);
            });
            block.sync();

            // 2. The first warp scans the totals and publishes the aggregate; the last ones fold the tiles before.
            const std::uint64_t epoch = simt::load(&shared.epoch);
            if (block.warp() == 0) {
                work.scan_rows(shared.row_totals, rows.end() - tile * Tile::rows, shared.row_scans);
                simt::sync_warp();
                if (tile + 1 < tiles && block.lane() == simt::warp_size - 1)
                    board.publish(tile, epoch, simt::load(shared.row_scans, Tile::rows - 1));
            }
            const bool has_all = fold_tiles(block, shared, tile, epoch);

            // 3. Answers.
            if (has_all) {
                maybe<T> prefix = work.init;
                for (unsigned g = 0; g * order::group_tiles < tile; ++g)
                    prefix.set(prefix.then(simt::load(shared.group_totals, g), work.op));
                rows.write(work,
                           [&](unsigned r) { return before_row(prefix, shared.row_scans, r % Tile::rows, work.op); });
            }

            // 4. The last block to arrive does the work of those that had left.
            if (turn == 0 && tile + 1 == tiles)
                board.zero_old_words(block, tile, epoch);
            if (turn == simt::load(&shared.left))
                return;
            if (block.thread() == 0)
                simt::store(&shared.next_tile, board.take_left(turn));
            block.sync();
            tile = simt::load(&shared.next_tile);
        }
    }

private:
    /// The trees over the groups' aggregates before a tile. False if one does not come, and the block has left. Has a barrier.
    PARPRIMS_DEVICE bool fold_tiles(simt::block block, shared_storage& shared, unsigned tile, std::uint64_t epoch) const
    {
        for (unsigned looks = max_spins;; looks = board_type::forever) {
            for (unsigned g = block.warps() - 1 - block.warp(); g * order::group_tiles < tile; g += block.warps()) {
                const unsigned first = g * order::group_tiles;
                const unsigned live = tile - first < order::group_tiles ? tile - first : order::group_tiles;
                uninitialized<T> aggregate;
                const bool has = block.lane() >= live || board.wait(first + block.lane(), epoch, looks, aggregate);
                if (simt::ballot(!has) != 0) {
                    if (block.lane() == 0)
                        simt::atomic_add(&shared.is_missing, 1);
                    break;
                }
                const T total = warp::fold_lanes(aggregate.value, live, work.op);
                if (block.lane() == 0)
                    simt::store(shared.group_totals, g, total);
            }
            block.sync();
            if (looks == board_type::forever || simt::load(&shared.is_missing) == 0)
                return true;
            if (block.thread() == 0)
                simt::store(&shared.has_left, board.leave(tile, epoch) ? 1u : 0u);
            block.sync();
            if (simt::load(&shared.has_left) != 0)
                return false;
        }
    }
};

}  // namespace parprims::detail::device
