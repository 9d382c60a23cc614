/// @file
/// @brief  A row of a scan in the registers of a warp: load, running totals, output. For inputs of less than 2^32 elements.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/device/tree/warp_scan.hpp>
#include <parprims/detail/device/tree/warp_tree.hpp>
#include <parprims/detail/simt/simt.hpp>
#include <parprims/detail/uninitialized.hpp>

namespace parprims::detail::device {

/// The prefix of row r of a tile.
template <class T, class Op>
PARPRIMS_DEVICE inline maybe<T> before_row(const maybe<T>& prefix, const uninitialized<T>* scans, unsigned r, Op op)
{
    maybe<T> before = prefix;
    if (r > 0)
        before.set(prefix.then(simt::load(scans, r - 1), op));
    return before;
}

/// The number of a row, and how many of this lane's elements are live: all in a full row.
template <class Tile, bool IsFull>
struct row_part {
    static constexpr bool is_full = IsFull;

    unsigned r;
    unsigned live = Tile::items;

    PARPRIMS_DEVICE bool has(unsigned k) const { return is_full || k < live; }
    PARPRIMS_DEVICE unsigned lane_begin() const { return r * Tile::row32 + simt::block::lane() * Tile::items; }
};

/// A row in the registers of a warp. Nothing is padded: the operator gets elements and partial results only.
template <class Tile, class T>
struct scan_row {
    uninitialized<T> t[Tile::items];  // elements, then running totals inside the lane
    uninitialized<T> lanes;  // inclusive scan of the lanes' totals; valid if all elements up to this lane are live

    template <class Part>
    PARPRIMS_DEVICE void load(const Tile& work, const Part& part)
    {
        work.template for_each_loaded<Part::is_full>(part.r, part.live,
                                                     [&](unsigned k, const T& value) { t[k].value = value; });
    }

    /// Takes the elements as they lie in the input.
    PARPRIMS_DEVICE void set(const Tile& work, const typename Tile::layout::packet& packet)
    {
#pragma unroll
        for (unsigned k = 0; k < Tile::items; ++k)
            t[k].value = work.operand(simt::element<typename Tile::staged>(packet, k));
    }

    /// Scans inside the lane serially and across lanes by Hillis-Steele.
    template <class Part>
    PARPRIMS_DEVICE void scan(const Tile& work, const Part& part)
    {
#pragma unroll
        for (unsigned k = 1; k < Tile::items; ++k)
            if (part.has(k))
                t[k].value = warp::combine<T>(work.op, t[k - 1].value, t[k].value);
        if constexpr (Part::is_full)
            lanes.value = warp::scan_full_lanes(t[Tile::items - 1].value, work.op);
        else
            lanes.value = warp::scan_lanes(t[Tile::items - 1].value, part.live == Tile::items, work.op);
    }

    /// The row's total, in the last lane of a full row. Its inclusive scan is the order contract's tree: Hillis-Steele combines
    /// the same pairs for that lane.
    PARPRIMS_DEVICE T total() const { return lanes.value; }

    /// Finds the row's part of the output. `before` is everything before the row.
    template <class Part>
    PARPRIMS_DEVICE void finish(const Tile& work, const Part& part, maybe<T> before)
    {
        const T below = simt::shuffle_up(lanes.value, 1);  // the scan of the lanes below; lane 0 has none
        if (simt::block::lane() > 0 && part.has(0))
            before.set(before.then(below, work.op));
#pragma unroll
        for (unsigned k = Tile::items; k-- > 0;) {
            if (!part.has(k))
                continue;
            if (Tile::is_exclusive && k == 0)
                t[k].value = before.get();
            else
                t[k].value = before.then(t[Tile::is_exclusive ? k - 1 : k].value, work.op);
        }
    }

    /// Where lanes store packets: this lane's.
    PARPRIMS_DEVICE simt::packet<16> output() const { return Tile::packet_of(t); }

    template <class Part>
    PARPRIMS_DEVICE void write(const Tile& work, const Part& part) const
    {
        work.write_lane(part.lane_begin(), part.live, t);
    }
};

}  // namespace parprims::detail::device
