/// @file
/// @brief  Rows of a scan in the registers of a warp: load, running totals, output. For inputs of less than 2^32 elements.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/block/input.hpp>
#include <parprims/detail/block/warp_scan.hpp>
#include <parprims/detail/block/warp_tree.hpp>
#include <parprims/detail/device/scan/packed_sums.hpp>
#include <parprims/detail/order.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <cstddef>
#include <cstdint>

namespace parprims::detail::device {

/// Where a lane's elements of a row begin, and how many of them are live. In a full row all are; in a copy of another row they
/// are loaded, and none is live, so that nothing is written.
template <class Tile, bool Full>
struct lane_part {
    unsigned begin;
    unsigned live = Tile::items;

    PARPRIMS_DEVICE bool has(unsigned k) const { return Full || k < live; }
};

/// A row of any values. Nothing is padded: an operator sees elements and partial results only.
template <class Tile, class T, bool Full, bool IsPacked = Tile::is_packed>
struct scan_row {
    using part = lane_part<Tile, Full>;

    uninitialized<T> t[Tile::items];  // elements, then running totals inside the lane
    uninitialized<T> lanes;           // total of the lanes up to this one, where all their elements are live

    PARPRIMS_DEVICE void load(const Tile& work, const part& mine)
    {
        if constexpr (Full && Tile::reads_packets) {
            if (work.input_aligned) {
                Tile::layout::read_lane(work.input.data + mine.begin - simt::block::lane() * Tile::items, Tile::items,
                                        [&](unsigned k, const typename Tile::staged& element) {
                                            t[k].value = work.ready(element);
                                        });
                return;
            }
        }
#pragma unroll
        for (unsigned k = 0; k < Tile::items; ++k)
            if (mine.has(k))
                t[k].value = enter<T, decltype(work.input)>(work.transform, work.input[mine.begin + k]);
    }

    /// Scans inside the lane serially and across lanes by Hillis-Steele.
    PARPRIMS_DEVICE void scan(const Tile& work, const part& mine)
    {
#pragma unroll
        for (unsigned k = 1; k < Tile::items; ++k)
            if (mine.has(k))
                t[k].value = warp::combine<T>(work.op, t[k - 1].value, t[k].value);
        if constexpr (Full)
            lanes.value = warp::scan_full_lanes(t[Tile::items - 1].value, work.op);
        else
            lanes.value = warp::scan_lanes<1>(t[Tile::items - 1].value, mine.live == Tile::items, work.op);
    }

    /// The row's total, in the last lane of a full row: the tree over the lanes' totals combines the same neighbours.
    PARPRIMS_DEVICE T total() const { return lanes.value; }

    /// `before` is everything before the row.
    PARPRIMS_DEVICE void write(const Tile& work, const part& mine, maybe<T> before)
    {
        const T below = simt::shuffle_up(lanes.value, 1);
        if (simt::block::lane() > 0 && mine.has(0))
            before.set(before.then(below, work.op));
#pragma unroll
        for (unsigned k = Tile::items; k-- > 0;) {
            if (!mine.has(k))
                continue;
            if (Tile::is_exclusive && k == 0)
                t[k].value = before.get();
            else
                t[k].value = before.then(t[Tile::is_exclusive ? k - 1 : k].value, work.op);
        }
        work.write_lane(mine.begin, mine.live, t);
    }
};

/// Small integers that are added. Missing elements count as zero.
template <class Tile, class T, bool Full>
struct scan_row<Tile, T, Full, true> {
    using part = lane_part<Tile, Full>;

    simt::packet<16> x;
    std::uint32_t lanes;

    PARPRIMS_DEVICE void load(const Tile& work, const part& mine)
    {
        if (Full && work.input_aligned) {
            x = simt::load(reinterpret_cast<const simt::packet<16>*>(work.input.data + mine.begin));
            return;
        }
        x = {};
#pragma unroll
        for (unsigned k = 0; k < Tile::items; ++k)
            if (mine.has(k))
                simt::set_element(x, k, work.input[mine.begin + k]);
    }

    PARPRIMS_DEVICE void scan(const Tile&, const part&) { lanes = warp::scan_full_lanes(packed_total<T>(x), plus{}); }
    PARPRIMS_DEVICE T total() const { return static_cast<T>(lanes); }

    PARPRIMS_DEVICE void write(const Tile& work, const part& mine, const maybe<T>& before)
    {
        const std::uint32_t sum =
            lanes - packed_total<T>(x) + (before.present ? static_cast<std::uint32_t>(before.get()) : 0);
        const simt::packet<16> output = packed_scan<T, Tile::is_exclusive>(x, sum);
        if constexpr (Full && Tile::stores_packets) {
            if (work.output_aligned && mine.live != 0) {
                simt::store_streaming(reinterpret_cast<simt::packet<16>*>(work.output.data + mine.begin), output);
                return;
            }
        }
#pragma unroll
        for (unsigned k = 0; k < Tile::items; ++k)
            if (k < mine.live)
                work.output.set(mine.begin + k, simt::element<T>(output, k));
    }
};

/// The rows that a warp of a block holds: every w-th one of a block of w warps.
template <class Tile, class T, unsigned WarpRows>
class held_rows {
public:
    /// Of `rows` rows from row `first` of the input on, numbered through all tiles, those that hold elements.
    PARPRIMS_DEVICE held_rows(const Tile& work, unsigned first, unsigned rows)
        : first_(first), end_(static_cast<unsigned>(work.n) / Tile::row32), rest_(0)
    {
        if (first + rows <= end_)
            end_ = first + rows;
        else
            rest_ = static_cast<unsigned>(work.n) % Tile::row32;
    }

    /// Behind the last row that is full.
    PARPRIMS_DEVICE unsigned end() const { return end_; }

    PARPRIMS_DEVICE void load(const Tile& work)
    {
        for_each_full([&](unsigned i, unsigned r, unsigned) { full_rows_[i].load(work, {place(r)}); });
        if (has_rest())
            last_row_.load(work, rest());
    }

    /// Scans the full rows, and calls `take(r, total)` for each, whose last lane has the total. A row that is not full ends the
    /// input, so nothing needs its total.
    template <class Take>
    PARPRIMS_DEVICE void scan(const Tile& work, Take take)
    {
        for_each_full([&](unsigned i, unsigned r, unsigned live) {
            full_rows_[i].scan(work, {place(r)});
            if (live != 0)
                take(r, full_rows_[i].total());
        });
    }

    /// Writes the output; `before(r)` is everything before row r.
    template <class Before>
    PARPRIMS_DEVICE void write(const Tile& work, Before before)
    {
        for_each_full([&](unsigned i, unsigned r, unsigned live) {
            full_rows_[i].write(work, {place(r), live}, before(r));
        });
        if (has_rest()) {
            last_row_.scan(work, rest());
            last_row_.write(work, rest(), before(end_));
        }
    }

private:
    /// Calls `work(i, r, live)` for the full rows of this warp. A warp that may hold more than two rows always holds as many, so
    /// that there is no branch and they overlap: missing ones are copies of the block's last row, with no live elements. Two rows
    /// are as fast one after the other, as they come from memory.
    template <class Work>
    PARPRIMS_DEVICE void for_each_full(Work work)
    {
        constexpr bool has_copies = WarpRows > 2 && WarpRows < Tile::rows;
        if (has_copies && end_ <= first_)
            return;
#pragma unroll
        for (unsigned i = 0; i < WarpRows; ++i) {
            const unsigned r = first_ + simt::block::warp() + i * simt::block::warps();
            if constexpr (has_copies)
                work(i, r < end_ ? r : end_ - 1, r < end_ ? Tile::items : 0);
            else if (r < end_)
                work(i, r, Tile::items);
        }
    }

    /// Whether this warp holds the row behind the full ones.
    PARPRIMS_DEVICE bool has_rest() const
    {
        const unsigned before = end_ - first_;
        const unsigned last = simt::block::warps() - 1;
        return rest_ != 0 && simt::block::warp() == (before < last ? before : last);
    }
    PARPRIMS_DEVICE lane_part<Tile, false> rest() const
    {
        const unsigned begin = simt::block::lane() * Tile::items;
        return {place(end_), begin >= rest_ ? 0 : rest_ - begin < Tile::items ? rest_ - begin : Tile::items};
    }
    PARPRIMS_DEVICE static unsigned place(unsigned r) { return r * Tile::row32 + simt::block::lane() * Tile::items; }

    scan_row<Tile, T, true> full_rows_[WarpRows];
    scan_row<Tile, T, false> last_row_;
    unsigned first_;
    unsigned end_;
    unsigned rest_;  // elements in the row behind the full ones
};

}  // namespace parprims::detail::device
