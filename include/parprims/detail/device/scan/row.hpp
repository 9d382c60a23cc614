/// @file
/// @brief  A row of a scan in the registers of a warp: load, running totals, output. For inputs of less than 2^32 elements.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/device/scan/packed_sums.hpp>
#include <parprims/detail/device/tree/warp_scan.hpp>
#include <parprims/detail/device/tree/warp_tree.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <cstdint>

namespace parprims::detail::device {

/// The number of a row, and how many of this lane's elements are live: all in a full row.
template <class Tile, bool Full>
struct row_part {
    unsigned r;
    unsigned live = Tile::items;

    PARPRIMS_DEVICE bool has(unsigned k) const { return Full || k < live; }
    PARPRIMS_DEVICE unsigned lane_begin() const { return r * Tile::row32 + simt::block::lane() * Tile::items; }
};

/// A row of any values. Nothing is padded: an operator sees elements and partial results only.
template <class Tile, class T, bool Full, bool IsPacked = Tile::is_packed>
struct scan_row {
    using row_part = device::row_part<Tile, Full>;

    uninitialized<T> t[Tile::items];  // elements, then running totals inside the lane
    uninitialized<T> lanes;  // inclusive scan of the lanes' totals; valid in lanes up to which all elements are live

    PARPRIMS_DEVICE void load(const Tile& work, const row_part& part)
    {
        work.template for_each_loaded<Full>(part.r, part.live, [&](unsigned k, const T& value) { t[k].value = value; });
    }

    /// Takes the elements as they lie in the input.
    PARPRIMS_DEVICE void set(const Tile& work, const typename Tile::layout::packet& packet)
    {
#pragma unroll
        for (unsigned k = 0; k < Tile::items; ++k)
            t[k].value = work.operand(simt::element<typename Tile::staged>(packet, k));
    }

    /// Scans inside the lane serially and across lanes by Hillis-Steele.
    PARPRIMS_DEVICE void scan(const Tile& work, const row_part& part)
    {
#pragma unroll
        for (unsigned k = 1; k < Tile::items; ++k)
            if (part.has(k))
                t[k].value = warp::combine<T>(work.op, t[k - 1].value, t[k].value);
        if constexpr (Full)
            lanes.value = warp::scan_full_lanes(t[Tile::items - 1].value, work.op);
        else
            lanes.value = warp::scan_lanes<1>(t[Tile::items - 1].value, part.live == Tile::items, work.op);
    }

    /// The row's total, in the last lane of a full row. Its inclusive scan is the order contract's tree: Hillis-Steele combines
    /// the same pairs for that lane.
    PARPRIMS_DEVICE T total() const { return lanes.value; }

    /// The scan of the lanes below; lane 0 has none.
    PARPRIMS_DEVICE T below() const { return simt::shuffle_up(lanes.value, 1); }

    /// Finds the row's part of the output. `before` is everything before the row.
    PARPRIMS_DEVICE void finish(const Tile& work, const row_part& part, maybe<T> before, const T& below)
    {
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
    PARPRIMS_DEVICE void write(const Tile& work, const row_part& part) const
    {
        work.write_lane(part.lane_begin(), part.live, t);
    }
};

/// Small integers that are added. Missing elements count as zero.
template <class Tile, class T, bool Full>
struct scan_row<Tile, T, Full, true> {
    using row_part = device::row_part<Tile, Full>;

    simt::packet<16> packet;
    std::uint32_t lanes;

    PARPRIMS_DEVICE void load(const Tile& work, const row_part& part)
    {
        packet = {};
        work.template for_each_loaded<Full>(part.r, part.live,
                                            [&](unsigned k, const T& value) { simt::set_element(packet, k, value); });
    }

    PARPRIMS_DEVICE void set(const Tile& work, const simt::packet<16>& elements)
    {
        if constexpr (Tile::is_converted)
            packet = work.converted(elements);
        else
            packet = elements;
    }

    PARPRIMS_DEVICE void scan(const Tile&, const row_part&)
    {
        lanes = warp::scan_full_lanes(packed_total<T>(packet), plus{});
    }
    PARPRIMS_DEVICE T total() const { return static_cast<T>(lanes); }

    PARPRIMS_DEVICE T below() const { return {}; }  // `finish` finds it

    PARPRIMS_DEVICE void finish(const Tile&, const row_part&, const maybe<T>& before, const T&)
    {
        const std::uint32_t sum =
            lanes - packed_total<T>(packet) + (before.present ? static_cast<std::uint32_t>(before.get()) : 0);
        packet = packed_scan<T, Tile::is_exclusive>(packet, sum);
    }
    PARPRIMS_DEVICE simt::packet<16> output() const { return packet; }
    PARPRIMS_DEVICE void write(const Tile& work, const row_part& part) const
    {
#pragma unroll
        for (unsigned k = 0; k < Tile::items; ++k)
            if (k < part.live)
                work.output.set(part.lane_begin() + k, simt::element<T>(packet, k));
    }
};

}  // namespace parprims::detail::device
