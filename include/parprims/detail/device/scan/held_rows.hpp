/// @file
/// @brief  The rows of a scan that a warp holds in registers. For inputs of less than 2^32 elements.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/device/scan/row.hpp>
#include <parprims/detail/numeric/integers.hpp>
#include <parprims/detail/simt/simt.hpp>

namespace parprims::detail::device {

/// The rows of a block: warp w holds rows w, w + warps, ... from load to store.
///
/// @tparam  WarpRows   rows that a warp has registers for
/// @tparam  IsOneTile  whether the input is one tile, which may begin anywhere. Where its rows do not begin with packets, elements are
///                     loaded and stored one by one. Tiles of a longer input are aligned
template <class Tile, class T, unsigned WarpRows, bool IsOneTile>
class held_rows {
public:
    /// Most threads of a block that has `block_rows` rows.
    static constexpr unsigned max_threads(unsigned block_rows) { return block_rows / WarpRows * order::lanes; }

    /// Loads rows [first, first + rows) of the input, up to its end.
    PARPRIMS_DEVICE void load(const Tile& work, unsigned first, unsigned rows)
    {
        full_ = static_cast<unsigned>(work.n) / Tile::row32;
        rest_ = static_cast<unsigned>(work.n) % Tile::row32;
        end_ = smaller_of(first + rows, full_ + (rest_ != 0 ? 1 : 0));
        // The shuffle tells the compiler that the number of the warp is equal in all lanes.
        row_ = first + simt::shuffle(simt::block::warp(), 0);
        for_each_row([&]<class Part>(auto& row, const Part& part) {
            // The outer condition does not depend on `part`, so that nvcc drops the branch of inputs without `data`.
            if constexpr (Tile::reads_packets)
                if constexpr (Part::is_full) {
                    using packet = typename Tile::layout::packet;
                    if (!IsOneTile || !work.is_split())
                        return row.set(work, simt::load(reinterpret_cast<const packet*>(work.input.data),
                                                        part.r * simt::warp_size + simt::block::lane()));
                }
            row.load(work, part);
        });
    }

    /// Scans the rows, and stores the totals of full rows in `row_totals`, by their number in the tile. A row that is not full ends
    /// the input, so nothing needs its total.
    PARPRIMS_DEVICE void scan(const Tile& work, uninitialized<T>* row_totals)
    {
        for_each_row([&](auto& row, const auto& part) {
            row.scan(work, part);
            if (part.is_full && simt::block::lane() == simt::warp_size - 1)
                simt::store(row_totals, in_tile(part.r), row.total());
        });
    }

    /// Writes the output. `prefix` is that of the tile, `row_scans` the scan of the totals of its rows. Each row is stored before the next
    /// one is finished: faster than to finish all rows first.
    PARPRIMS_DEVICE void write(const Tile& work, const maybe<T>& prefix, const uninitialized<T>* row_scans)
    {
        for_each_row([&]<class Part>(auto& row, const Part& part) {
            row.finish(work, part, device::before_row(prefix, row_scans, in_tile(part.r), work.op));
            if constexpr (Tile::stores_packets)
                if constexpr (Part::is_full)
                    if (!IsOneTile || work.output_shift == 0)
                        return simt::store_streaming(reinterpret_cast<simt::packet<16>*>(work.output.data) +
                                                         part.r * simt::warp_size + simt::block::lane(),
                                                     row.output());
            row.write(work, part);
        });
    }

private:
    PARPRIMS_DEVICE static unsigned in_tile(unsigned r) { return IsOneTile ? r : r % Tile::rows; }

    /// Calls `work(row, part)` for the rows of this warp: full ones, and the one that ends the input.
    template <class Work>
    PARPRIMS_DEVICE void for_each_row(Work work)
    {
#pragma unroll
        for (unsigned i = 0; i < WarpRows; ++i) {
            const unsigned r = row_ + i * simt::block::warps();
            if (r >= end_)
                return;
            if (r < full_) {
                work(rows_[i], row_part<Tile, true>{r});
            } else {
                const unsigned begin = simt::block::lane() * Tile::items;
                const unsigned live = begin >= rest_ ? 0 : smaller_of(rest_ - begin, Tile::items);
                work(rows_[i], row_part<Tile, false>{r, live});
            }
        }
    }

    scan_row<Tile, T> rows_[WarpRows];
    unsigned full_;  // full rows of the input
    unsigned rest_;  // elements of the row behind them
    unsigned end_;   // behind the last row of this block
    unsigned row_;   // the first one of this warp
};

}  // namespace parprims::detail::device
