/// @file
/// @brief  The rows of a scan that a warp holds in registers. For inputs of less than 2^32 elements.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/device/scan/row.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <cstddef>

namespace parprims::detail::device {

/// What comes before row r of a tile.
template <class T, class Op>
PARPRIMS_DEVICE inline maybe<T> before_row(const maybe<T>& prefix, const uninitialized<T>* scans, unsigned r, Op op)
{
    maybe<T> before = prefix;
    if (r > 0)
        before.set(prefix.then(simt::load(scans, r - 1), op));
    return before;
}

/// The rows of a block, of which warp w holds rows w, w + warps, ... from the load to the store.
///
/// @tparam  WarpRows   rows that a warp has registers for, beside one that is not full
/// @tparam  IsAligned  whether lanes' parts of rows are packets of input and output. Otherwise that is asked, and where they are not,
///                     elements are loaded and stored one by one
template <class Tile, class T, unsigned WarpRows, bool IsAligned>
class held_rows {
public:
    static constexpr unsigned min_blocks = 1;
    /// Threads of a block that has so many rows, at most.
    static constexpr unsigned max_threads(unsigned block_rows) { return block_rows / WarpRows * order::lanes; }
    static constexpr std::size_t region_bytes = 0;

    /// Holds rows [first, first + rows) of the whole input, as far as it has them.
    PARPRIMS_DEVICE held_rows(const Tile& work, unsigned char*, unsigned first, unsigned rows)
        : first_(first), end_(static_cast<unsigned>(work.n) / Tile::row32), rest_(0)
    {
        if (first + rows <= end_)
            end_ = first + rows;
        else
            rest_ = static_cast<unsigned>(work.n) % Tile::row32;
        // Lane 0 tells the others the number of the warp, so that the compiler knows that it is the same in all lanes: up to 132
        // tiles take 0.95 to 0.99 of the time so (H100, beside 5586188).
        warp_ = simt::shuffle(simt::block::warp(), 0);
    }

    /// Behind the last row that is full.
    PARPRIMS_DEVICE unsigned end() const { return end_; }

    PARPRIMS_DEVICE void load(const Tile& work)
    {
        using packet = typename Tile::layout::packet;
        if (has_rest())
            last_row_.load(work, rest());
        if constexpr (Tile::reads_packets)
            if (IsAligned || !work.is_split())
                return for_each_full([&](unsigned i, unsigned r) {
                    full_rows_[i].set(work, simt::load(reinterpret_cast<const packet*>(work.input.data),
                                                       r * simt::warp_size + simt::block::lane()));
                });
        for_each_full([&](unsigned i, unsigned r) { full_rows_[i].load(work, {r}); });
    }

    /// Scans the full rows, and leaves the totals of those of a tile in `row_totals`. A row that is not full ends the input, so nothing
    /// needs its total.
    PARPRIMS_DEVICE void scan(const Tile& work, uninitialized<T>* row_totals)
    {
        for_each_full([&](unsigned i, unsigned r) {
            full_rows_[i].scan(work, {r});
            if (simt::block::lane() == simt::warp_size - 1)
                simt::store(row_totals, r % Tile::rows, full_rows_[i].total());
        });
    }

    /// Writes the output. `prefix` is everything before the tile; `row_scans`, running totals of its rows. A row is stored before the
    /// next one is finished: 0.85 to 0.95 of the time that it takes to finish all of them first.
    PARPRIMS_DEVICE void write(const Tile& work, const maybe<T>& prefix, const uninitialized<T>* row_scans)
    {
        const auto before = [&](unsigned r) { return device::before_row(prefix, row_scans, r % Tile::rows, work.op); };
        for_each_full([&](unsigned i, unsigned r) {
            full_rows_[i].finish(work, {r}, before(r), full_rows_[i].below());
            write_full(work, i, r);
        });
        if (has_rest()) {
            last_row_.scan(work, rest());
            last_row_.finish(work, rest(), before(end_), last_row_.below());
            last_row_.write(work, rest());
        }
    }

private:
    /// Calls `work(i, r)` for the full rows of this warp.
    template <class Work>
    PARPRIMS_DEVICE void for_each_full(Work work)
    {
#pragma unroll
        for (unsigned i = 0; i < WarpRows; ++i)
            if (const unsigned r = first_ + warp_ + i * simt::block::warps(); r < end_)
                work(i, r);
    }

    PARPRIMS_DEVICE void write_full(const Tile& work, unsigned i, unsigned r) const
    {
        if constexpr (Tile::stores_packets)
            if (IsAligned || work.output_shift == 0)
                return simt::store_streaming(reinterpret_cast<simt::packet<16>*>(work.output.data) +
                                                 r * simt::warp_size + simt::block::lane(),
                                             full_rows_[i].output());
        full_rows_[i].write(work, {r});
    }

    /// Whether this warp holds the row after the full ones.
    PARPRIMS_DEVICE bool has_rest() const
    {
        return rest_ != 0 && first_ <= end_ && warp_ == (end_ - first_) % simt::block::warps();
    }
    PARPRIMS_DEVICE row_part<Tile, false> rest() const
    {
        const unsigned begin = simt::block::lane() * Tile::items;
        return {end_, begin >= rest_ ? 0 : rest_ - begin < Tile::items ? rest_ - begin : Tile::items};
    }

    scan_row<Tile, T, true> full_rows_[WarpRows];
    scan_row<Tile, T, false> last_row_;
    unsigned warp_;
    unsigned first_;
    unsigned end_;
    unsigned rest_;  // elements in the row after the full ones
};

}  // namespace parprims::detail::device
