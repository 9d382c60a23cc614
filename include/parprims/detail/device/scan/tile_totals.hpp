/// @file
/// @brief  The totals of the rows of one tile of a scan; rows that one thread holds, without a shuffle of values.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/device/tree/warp_tree.hpp>
#include <parprims/detail/simt/simt.hpp>
#include <parprims/detail/uninitialized.hpp>

#include <cstddef>

namespace parprims::detail::device {

/// The total of the row that begins at `row_begin` in shared memory.
template <class T, class Tile>
PARPRIMS_DEVICE inline T total_thread_row(const Tile& work, const unsigned char* row_begin)
{
    using layout = typename Tile::layout;
    uninitialized<T> totals[layout::parts];
#pragma unroll
    for (unsigned p = 0; p < layout::parts; ++p) {
        typename layout::part x;
        layout::load(row_begin, p, x);
        const T low = warp::combine<T>(work.op, work.operand(x[0].value), work.operand(x[1].value));
        totals[p].value = warp::combine<T>(
            work.op, low, warp::combine<T>(work.op, work.operand(x[2].value), work.operand(x[3].value)));
    }
#pragma unroll
    for (unsigned distance = 1; distance < layout::parts; distance *= 2)
#pragma unroll
        for (unsigned p = 0; p < layout::parts; p += 2 * distance)
            totals[p].value = warp::combine<T>(work.op, totals[p].value, totals[p + distance].value);
    return totals[0].value;
}

/// Replaces the elements of the row by the results; `above` is the prefix of the row.
template <class T, class Tile>
PARPRIMS_DEVICE inline void scan_thread_row(const Tile& work, unsigned char* row_begin, const T& above)
{
    using layout = typename Tile::layout;
    constexpr unsigned row = layout::parts * layout::part_items;

    // 1. Hillis-Steele over the row, from its end, so that each step finds the values of the step before.
    uninitialized<T> scans[row];
#pragma unroll
    for (unsigned p = 0; p < layout::parts; ++p) {
        typename layout::part x;
        layout::load(row_begin, p, x);
#pragma unroll
        for (unsigned i = 0; i < layout::part_items; ++i)
            scans[p * layout::part_items + i].value = work.operand(x[i].value);
    }
#pragma unroll
    for (unsigned distance = 1; distance < row; distance *= 2)
#pragma unroll
        for (unsigned e = row - 1; e >= distance; --e)
            scans[e].value = warp::combine<T>(work.op, scans[e - distance].value, scans[e].value);

#pragma unroll
    // 2. Combine the prefix of each element with the element itself, which is read again.
    for (unsigned p = 0; p < layout::parts; ++p) {
        typename layout::part x;
        layout::load(row_begin, p, x);
#pragma unroll
        for (unsigned i = 0; i < layout::part_items; ++i) {
            const unsigned e = p * layout::part_items + i;
            T before = above;
            if (e > 0)
                before = warp::combine<T>(work.op, above, scans[e - 1].value);
            x[i].value = Tile::is_exclusive ? before : warp::combine<T>(work.op, before, work.operand(x[i].value));
        }
        layout::store(row_begin, p, x);
    }
}

/// Totals the rows of the tiles of a scan.
template <class Tile, class T>
struct tile_totals {
    static constexpr unsigned items = Tile::items;
    static constexpr unsigned batch = Tile::batch;
    using layout = typename Tile::layout;

    const Tile& work;

    /// Stores the totals of the full rows: each batch by its warp, a lane for each row.
    PARPRIMS_DEVICE void find(unsigned char* stage, std::size_t size, uninitialized<T>* row_totals) const
    {
        const auto full = static_cast<unsigned>(size / Tile::row);
        work.for_each_batch([&](unsigned first) {
            unsigned char* const rows_begin = Tile::region(stage, first);
            if (first + batch > full)
                return total_each(rows_begin, first < full ? full - first : 0, row_totals + first);
            const unsigned lane = simt::block::lane();
            if constexpr (Tile::has_thread_rows) {
                if (lane < batch)
                    simt::store(row_totals, first + lane,
                                total_thread_row<T>(work, rows_begin + lane * layout::row_bytes));
            } else if constexpr (Tile::is_moved) {
                total_moved(rows_begin, row_totals + first);
            } else {
                total_batch(rows_begin, work.input_shift, row_totals + first);
            }
        });
    }

private:
    /// Stores the totals of the rows of a batch, and moves the batch to the beginning of its region if it does not begin there, so that
    /// later reads are aligned.
    PARPRIMS_DEVICE void total_moved(unsigned char* rows_begin, uninitialized<T>* row_totals) const
    {
        typename Tile::packets parts[batch];
#pragma unroll
        for (unsigned b = 0; b < batch; ++b)
            layout::load_packets(rows_begin + b * layout::row_bytes, work.input_shift, parts[b]);
        if (work.input_shift != 0) {
            simt::sync_warp();  // all lanes have read what others write
#pragma unroll
            for (unsigned b = 0; b < batch; ++b)
                layout::store_packets(rows_begin + b * layout::row_bytes, parts[b]);
        }
        uninitialized<T> x[batch][items];
#pragma unroll
        for (unsigned b = 0; b < batch; ++b)
#pragma unroll
            for (unsigned k = 0; k < items; ++k)
                x[b][k].value = work.operand(layout::element(parts[b], k));
        total_rows(x, row_totals);
    }

    /// The totals of the first `count` rows of a batch that is not full, one by one.
    PARPRIMS_DEVICE void total_each(const unsigned char* rows_begin, unsigned count, uninitialized<T>* row_totals) const
    {
#pragma unroll 1
        for (unsigned r = 0; r < count; ++r)
            total_batch<1>(rows_begin + r * layout::row_bytes, work.input_shift, row_totals + r);
    }

    /// The totals of `Count` full rows.
    template <unsigned Count = batch>
    PARPRIMS_DEVICE void total_batch(const unsigned char* rows_begin, unsigned shift,
                                     uninitialized<T>* row_totals) const
    {
        uninitialized<T> x[Count][items];
        work.read_rows(rows_begin, shift, x);
        total_rows(x, row_totals);
    }

    /// The totals of full rows that are in registers.
    template <unsigned Count>
    PARPRIMS_DEVICE void total_rows(const uninitialized<T> (&x)[Count][items], uninitialized<T>* row_totals) const
    {
        uninitialized<T> totals[Count];
#pragma unroll
        for (unsigned b = 0; b < Count; ++b) {
            totals[b].value = x[b][0].value;
#pragma unroll
            for (unsigned k = 1; k < items; ++k)
                totals[b].value = warp::combine<T>(work.op, totals[b].value, x[b][k].value);
        }
        const T total = warp::fold_full_rows(totals, work.op);
        if (simt::block::lane() < Count)
            simt::store(row_totals, simt::block::lane(), total);
    }
};

}  // namespace parprims::detail::device
