/// @file
/// @brief  The scan of one tile by a cluster of blocks, or by one block.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/device/scan/held_rows.hpp>
#include <parprims/detail/device/scan/row.hpp>
#include <parprims/detail/device/scan/tuning.hpp>
#include <parprims/detail/device/tree/warp_scan.hpp>
#include <parprims/detail/device/tree/warp_tree.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <cstddef>
#include <cstdint>

namespace parprims::detail::device {

template <class Tile, class T>
inline constexpr bool has_small_scan =
    sizeof(T) <= max_small_scan_value_bytes && sizeof(typename Tile::value_type) <= max_small_scan_value_bytes;

/// Scans an input of one tile, by a cluster of blocks or by one block. Each block sends the totals of its rows to all later ones.
///
/// Forward progress: the blocks of a cluster are resident together; one multiprocessor has room for all of them.
template <class Tile, class T, unsigned WarpRows = 1>
struct scan_cluster_kernel {
    static constexpr unsigned max_threads = max_cluster_rows * order::lanes;
    static constexpr unsigned min_blocks = 2;  // or as many as fit: see `max_cluster_threads`

    using rows_type = held_rows<Tile, T, WarpRows, true>;

    /// The unit that is sent: the totals of a block's rows are a whole number of packets.
    using packet = simt::packet<min_cluster_rows * sizeof(T) % 16 == 0 ? 16 : 8>;

    struct shared_storage {
        alignas(16) uninitialized<T> row_totals[Tile::rows];
        std::uint64_t inbox;  // for the totals of earlier blocks
        uninitialized<T> row_scans[Tile::rows];
    };
    static constexpr std::size_t storage_bytes = (sizeof(shared_storage) + 15) / 16 * 16;

    Tile work;
    unsigned block_rows;  // a power of two

    PARPRIMS_DEVICE void set_init(const T& value) { work.init.set(value); }
    PARPRIMS_DEVICE std::size_t resize(std::size_t n, std::size_t)
    {
        work.n = n;
        return order::ceil_div(n, std::size_t{block_rows} * Tile::row);
    }

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage& shared) const
    {
        const auto ranks = static_cast<unsigned>(block.count());
        const auto rank = static_cast<unsigned>(block.index());

        // 1. Load rows into registers. Scan each, and send the totals.
        const unsigned expected = rank * block_rows * static_cast<unsigned>(sizeof(T));
        if (expected != 0 && block.thread() == 0)
            simt::open_inbox(&shared.inbox);
        block.cluster_start();
        rows_type rows;
        rows.load(work, rank * block_rows, block_rows);
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
    /// Sends the totals of this block's rows to `row_totals` of all later blocks, which have started: see `cluster_wait`.
    PARPRIMS_DEVICE void send_totals(simt::block block, shared_storage& shared, unsigned rank, unsigned ranks) const
    {
        auto* const totals = reinterpret_cast<packet*>(shared.row_totals);
        const auto count = static_cast<unsigned>(block_rows * sizeof(T) / sizeof(packet));
        for (unsigned to = rank + 1 + block.warp(); to < ranks; to += block.warps())
            for (unsigned p = rank * count + block.lane(); p < (rank + 1) * count; p += simt::warp_size)
                simt::send(totals + p, to, simt::load(totals, p), &shared.inbox);
    }
};

}  // namespace parprims::detail::device
