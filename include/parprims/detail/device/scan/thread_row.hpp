/// @file
/// @brief  A row of a scan that one thread holds: its total, and its results. No value is shuffled.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/device/tree/warp_tree.hpp>
#include <parprims/detail/uninitialized.hpp>

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

}  // namespace parprims::detail::device
