/// @file
/// @brief  Rows of a scan in the registers of a warp: load, running totals, output. For inputs of less than 2^32 elements.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/block/input.hpp>
#include <parprims/detail/block/row_io.hpp>
#include <parprims/detail/block/warp_scan.hpp>
#include <parprims/detail/block/warp_tree.hpp>
#include <parprims/detail/device/scan/packed_sums.hpp>
#include <parprims/detail/order.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <cstddef>
#include <cstdint>

namespace parprims::detail::device {

/// The number of a row, and how many of this lane's elements are live: all in a full row. A repeated row is loaded and scanned, but
/// has none, so it is not written.
template <class Tile, bool Full>
struct row_part {
    unsigned r;
    unsigned live = Tile::items;

    PARPRIMS_DEVICE bool has(unsigned k) const { return Full || k < live; }
    PARPRIMS_DEVICE unsigned lane_begin() const { return r * Tile::row32 + simt::block::lane() * Tile::items; }
};

/// Shared memory of a row whose input or output must be shifted: one packet more than the row. Smaller than
/// `row_io::region_bytes`, which pads to a whole line for speed only.
inline constexpr std::size_t row_region_bytes = (order::lanes + 1) * order::vector_bytes;

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

    /// The total of the lane's elements.
    PARPRIMS_DEVICE T lane_total(const Tile& work) const
    {
        T total = t[0].value;
#pragma unroll
        for (unsigned k = 1; k < Tile::items; ++k)
            total = warp::combine<T>(work.op, total, t[k].value);
        return total;
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

    /// `before` is everything before the row.
    template <bool Joined>
    PARPRIMS_DEVICE void write(const Tile& work, const row_part& part, maybe<T> before, unsigned char* region)
    {
        const T below = simt::shuffle_up(lanes.value, 1);
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
        if constexpr (Full && Tile::stores_packets) {
            if (part.live != 0)
                work.template store_row<Joined>(part.r, Tile::packet_of(t), region);
        } else {
            work.write_lane(part.lane_begin(), part.live, t);
        }
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

    PARPRIMS_DEVICE T lane_total(const Tile&) const { return static_cast<T>(packed_total<T>(packet)); }

    PARPRIMS_DEVICE void scan(const Tile&, const row_part&)
    {
        lanes = warp::scan_full_lanes(packed_total<T>(packet), plus{});
    }
    PARPRIMS_DEVICE T total() const { return static_cast<T>(lanes); }

    template <bool Joined>
    PARPRIMS_DEVICE void write(const Tile& work, const row_part& part, const maybe<T>& before, unsigned char* region)
    {
        const std::uint32_t sum =
            lanes - packed_total<T>(packet) + (before.present ? static_cast<std::uint32_t>(before.get()) : 0);
        const simt::packet<16> values = packed_scan<T, Tile::is_exclusive>(packet, sum);
        if constexpr (Full && Tile::stores_packets) {
            if (part.live != 0)
                work.template store_row<Joined>(part.r, values, region);
        } else {
#pragma unroll
            for (unsigned k = 0; k < Tile::items; ++k)
                if (k < part.live)
                    work.output.set(part.lane_begin() + k, simt::element<T>(values, k));
        }
    }
};

/// The rows that a warp of a block holds: every w-th one of a block of w warps.
///
/// @tparam  HasRegisters  whether there are registers enough to shift rows of two-byte values in them
template <class Tile, class T, unsigned WarpRows, bool HasRegisters = false>
class held_rows {
    static constexpr bool has_copies = WarpRows > 2 && WarpRows < Tile::rows;
    static constexpr bool is_joined = HasRegisters && Tile::shifts_loaded_rows && sizeof(T) == 2;

public:
    using packets = block::row_io<typename Tile::staged, Tile::items, 1>;

    /// Holds rows [first, first + rows) of the whole input, as far as it has them.
    /// @param  regions  shared memory of `regions()` rows, if the tile `needs_regions`
    PARPRIMS_DEVICE held_rows(const Tile& work, unsigned char* regions, unsigned first, unsigned rows)
        : regions_(regions), first_(first), end_(static_cast<unsigned>(work.n) / Tile::row32), rest_(0)
    {
        if (first + rows <= end_)
            end_ = first + rows;
        else
            rest_ = static_cast<unsigned>(work.n) % Tile::row32;
    }

    /// Regions of shared memory that a block of so many warps needs, for repeated rows too.
    static constexpr unsigned regions(unsigned warps)
    {
        return is_joined ? 0 : has_copies ? WarpRows * warps : Tile::rows;
    }

    /// Behind the last row that is full.
    PARPRIMS_DEVICE unsigned end() const { return end_; }

    PARPRIMS_DEVICE void load(const Tile& work)
    {
        load_full(work);
        if (has_rest())
            last_row_.load(work, rest());
    }

    /// Scans the full rows, and calls `take(r, total)` for each, whose last lane has the total. A row that is not full ends the
    /// input, so nothing needs its total.
    template <class Take>
    PARPRIMS_DEVICE void scan(const Tile& work, Take take)
    {
        if constexpr (Tile::reads_packets && Tile::shifts_loaded_rows)
            if (work.is_split())
                join(work);
        for_each_full([&](unsigned i, unsigned r, unsigned live) {
            full_rows_[i].scan(work, {r});
            if (live != 0)
                take(r, full_rows_[i].total());
        });
    }

    /// Writes the output; `before(r)` is everything before row r.
    template <class Before>
    PARPRIMS_DEVICE void write(const Tile& work, Before before)
    {
        for_each_full([&](unsigned i, unsigned r, unsigned live) {
            full_rows_[i].template write<is_joined>(work, {r, live}, before(r), region(i));
        });
        if constexpr (Tile::stores_packets && alignof(T) < 16 && !is_joined)
            if (work.output_shift != 0)
                store_regions(work);
        if (has_rest()) {
            last_row_.scan(work, rest());
            last_row_.template write<is_joined>(work, rest(), before(end_), nullptr);
        }
    }

private:
    /// The number of this warp's i-th row.
    PARPRIMS_DEVICE unsigned row_number(unsigned i) const
    {
        return first_ + simt::block::warp() + i * simt::block::warps();
    }
    /// The same; after the block's last full row, the number of that row, if warps repeat rows.
    PARPRIMS_DEVICE unsigned full_row(unsigned i) const
    {
        const unsigned r = row_number(i);
        return has_copies && r >= end_ ? end_ - 1 : r;
    }

    /// The shared memory of the i-th row of this warp.
    PARPRIMS_DEVICE unsigned char* region(unsigned i) const
    {
        return regions_ + (row_number(i) - first_) * row_region_bytes;
    }

    /// Calls `work(i, r, live)` for the full rows of this warp. With `has_copies`, a warp always processes `WarpRows` rows, so that
    /// there is no branch and rows overlap: missing ones repeat the block's last full row and write nothing. Blocks without a full
    /// row skip the loop.
    template <class Work>
    PARPRIMS_DEVICE void for_each_full(Work work)
    {
        if (has_copies && end_ <= first_)
            return;
#pragma unroll
        for (unsigned i = 0; i < WarpRows; ++i) {
            const unsigned r = full_row(i);
            if constexpr (has_copies)
                work(i, r, row_number(i) < end_ ? Tile::items : 0);
            else if (r < end_)
                work(i, r, Tile::items);
        }
    }

    using packet = typename packets::packet;

    PARPRIMS_DEVICE void load_full(const Tile& work)
    {
        if constexpr (Tile::reads_packets) {
            if (!work.is_split())
                return for_each_full([&](unsigned i, unsigned r, unsigned) {
                    full_rows_[i].set(work, simt::load(reinterpret_cast<const packet*>(work.input.data),
                                                       r * simt::warp_size + simt::block::lane()));
                });
            if constexpr (is_joined)
                return for_each_full([&](unsigned i, unsigned r, unsigned) {
                    packets::load_split(work.input.data + r * Tile::row32, work.input_shift, work.n - r * Tile::row32,
                                        parts_[i]);
                });
            else if constexpr (Tile::shifts_loaded_rows)
                return copy(work);
        }
        for_each_full([&](unsigned i, unsigned r, unsigned) { full_rows_[i].load(work, {r}); });
    }

    /// Starts to copy the full rows to shared memory, one after the other.
    PARPRIMS_DEVICE void copy(const Tile& work)
    {
#pragma unroll 1
        for (unsigned i = 0; i < WarpRows && (has_copies ? first_ : row_number(i)) < end_; ++i)
            packets::copy(region(i), work.input.data + full_row(i) * Tile::row32, work.input_shift,
                          work.n - full_row(i) * Tile::row32);
        simt::commit_copies();
    }

    /// Waits for the full rows that are being loaded or copied, and takes them.
    PARPRIMS_DEVICE void join(const Tile& work)
    {
        if constexpr (!is_joined) {
            simt::wait_copies<0>();
            simt::sync_warp();
        }
        for_each_full([&](unsigned i, unsigned, unsigned) {
            if constexpr (is_joined) {
                full_rows_[i].set(work, packets::joined(parts_[i], work.input_shift));
            } else {
                packet parts[1];
                packets::load_packets(region(i), work.input_shift, parts);
                full_rows_[i].set(work, parts[0]);
            }
        });
    }

    /// Writes the output of the full rows from shared memory, one after the other.
    PARPRIMS_DEVICE void store_regions(const Tile& work)
    {
        simt::sync_warp();
#pragma unroll 1
        for (unsigned i = 0; i < WarpRows && row_number(i) < end_; ++i)
            block::store_row(work.output.data, work.output_shift, row_number(i), region(i));
    }

    /// Whether this warp holds the row after the full ones.
    PARPRIMS_DEVICE bool has_rest() const
    {
        const unsigned before = end_ - first_;
        const unsigned last = simt::block::warps() - 1;
        return rest_ != 0 && first_ <= end_ && simt::block::warp() == (before < last ? before : last);
    }
    PARPRIMS_DEVICE row_part<Tile, false> rest() const
    {
        const unsigned begin = simt::block::lane() * Tile::items;
        return {end_, begin >= rest_ ? 0 : rest_ - begin < Tile::items ? rest_ - begin : Tile::items};
    }

    scan_row<Tile, T, true> full_rows_[WarpRows];
    scan_row<Tile, T, false> last_row_;
    packet parts_[is_joined ? WarpRows : 1][2];  // that the rows lie in
    unsigned char* regions_;
    unsigned first_;
    unsigned end_;
    unsigned rest_;  // elements in the row after the full ones
};

}  // namespace parprims::detail::device
