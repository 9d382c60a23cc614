/// @file
/// @brief  The rows of a scan that a warp holds in registers. For inputs of less than 2^32 elements.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/device/load/row_io.hpp>
#include <parprims/detail/device/load/shifted.hpp>
#include <parprims/detail/device/load/split_rows.hpp>
#include <parprims/detail/device/scan/row.hpp>
#include <parprims/detail/device/scan/tuning.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <cstddef>
#include <cstdint>

namespace parprims::detail::device {

/// The number of shapes for small scans of such tiles. Where a thread holds a whole row, only those with rows in registers: 397 tiles of
/// 12-byte values take 10.9 us in registers, 24.5 in shared memory (H200, 5d82250).
template <class Tile>
inline constexpr unsigned scan_shapes = Tile::has_thread_rows ? staged_scan_shape : small_scan_shapes;

/// Where the blocks of a shape shift rows that are not aligned.
template <class Tile>
constexpr shift_place shifts_of(unsigned shape)
{
    if (Tile::has_thread_rows)  // loaded and stored word by word
        return shift_place::nowhere;
    return shape < (Tile::is_packed ? packed_shifting_shapes : shifting_shapes) ? shift_place::registers
                                                                                : shift_place::stage;
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

/// The rows that a warp of a block holds: `WarpRows` that follow each other, as far as the block has them.
///
/// @tparam  BlocksPerSm  the registers of a thread are so few that so many blocks fit on a multiprocessor
/// @tparam  ShiftsIn     where rows are shifted if the input or output is not aligned
template <class Tile, class T, unsigned WarpRows, unsigned BlocksPerSm, shift_place ShiftsIn>
class held_rows {
    /// Whether lane 0 tells the others the number of the warp, so that the compiler knows that it is the same in all lanes: up to 132
    /// tiles take 0.95 to 0.99 of the time so, more tiles, whose warps hold more rows, 1.0 to 1.07 (H100, beside 5586188; the same
    /// below).
    static constexpr bool is_uniform = WarpRows <= 2;
    static constexpr bool has_copies = WarpRows > 2 && WarpRows < Tile::rows;
    /// Whether registers are short. Then shared memory has the last row, and the scans of wide values' lanes, until rows are
    /// written.
    static constexpr bool is_crowded = BlocksPerSm >= crowded_blocks_per_sm;
    static constexpr bool has_shared_lanes = is_crowded && Tile::row_registers > max_lean_registers;
    /// Whether output that does not begin with a packet is shifted. Rows of 8-byte values that a warp holds alone are written in halves
    /// of packets instead: one tile of doubles in 0.94 of the time, but 100 to 396 tiles in 1.03 to 1.07.
    static constexpr bool may_shift_output =
        ShiftsIn == shift_place::registers && Tile::stores_packets && alignof(T) < (WarpRows > 1 ? 16 : 8);

public:
    static constexpr unsigned min_blocks = BlocksPerSm;
    /// Threads of a block that has so many rows, at most.
    static constexpr unsigned max_threads(unsigned block_rows) { return block_rows / WarpRows * order::lanes; }

    /// Of a block, for what its warps have no registers for.
    struct shared_storage {
        scan_row<Tile, T, false> last_row[is_crowded ? order::lanes : 1];  // the one that is not full, of each lane
        uninitialized<T> lane_scans[has_shared_lanes ? Tile::rows * order::lanes : 1];
    };
    using packets = block::row_io<typename Tile::staged, Tile::items, 1>;
    /// Whether rows of elements that are aligned to less than 4 bytes are loaded in aligned packets, wherever they begin. Others that do
    /// not begin with a packet are loaded element by element: in packets, 4-byte elements take 0.96 to 1.06 of the time.
    static constexpr bool joins_packets =
        ShiftsIn == shift_place::registers && Tile::reads_packets && alignof(typename Tile::staged) < 4;

    /// Holds rows [first, first + rows) of the whole input, as far as it has them.
    PARPRIMS_DEVICE held_rows(const Tile& work, shared_storage& shared, unsigned char*, unsigned first, unsigned rows)
        : shared_(shared), first_(first), rows_(rows), end_(static_cast<unsigned>(work.n) / Tile::row32), rest_(0)
    {
        if (first + rows <= end_)
            end_ = first + rows;
        else
            rest_ = static_cast<unsigned>(work.n) % Tile::row32;
        if constexpr (is_uniform)
            warp_ = simt::shuffle(simt::block::warp(), 0);
    }

    static constexpr std::size_t region_bytes = 0;

    /// Behind the last row that is full.
    PARPRIMS_DEVICE unsigned end() const { return end_; }

    PARPRIMS_DEVICE void load(const Tile& work)
    {
        load_full(work);
        if (has_rest()) {
            if constexpr (is_crowded) {
                scan_row<Tile, T, false> row;
                row.load(work, rest());
                simt::store(shared_.last_row, simt::block::lane(), row);
            } else {
                last_row_.load(work, rest());
            }
        }
    }

    /// Scans the full rows, and leaves the totals of those of a tile in `row_totals`. A row that is not full ends the input, so nothing
    /// needs its total.
    PARPRIMS_DEVICE void scan(const Tile& work, uninitialized<T>* row_totals)
    {
        const auto scan = [&](unsigned i, unsigned r, unsigned live) {
            full_rows_[i].scan(work, {r});
            if constexpr (has_shared_lanes)
                simt::store(shared_.lane_scans, lane_place(i), full_rows_[i].total());
            if (live != 0 && simt::block::lane() == simt::warp_size - 1)
                simt::store(row_totals, r % Tile::rows, full_rows_[i].total());
        };
        if constexpr (joins_packets) {
            const unsigned shift = work.input_shift % packets::packet_bytes;
            if (shift != 0)
                return block::with_words_of<packets::packet_bytes / 4>(shift, [&](auto words) {
                    for_each_full([&](unsigned i, unsigned r, unsigned live) {
                        const bool is_last = live == 0 || r + 1 == warp_end();
                        full_rows_[i].set(work, split_.template joined<decltype(words)::value>(i, is_last, shift % 4));
                        scan(i, r, live);
                    });
                });
            for_each_full([&](unsigned i, unsigned, unsigned) { full_rows_[i].set(work, split_.packet_of(i)); });
        }
        for_each_full(scan);
    }

    /// Writes the output. `prefix` is everything before the tile; `row_scans`, running totals of its rows.
    PARPRIMS_DEVICE void write(const Tile& work, const maybe<T>& prefix, const uninitialized<T>* row_scans)
    {
        const auto before = [&](unsigned r) { return device::before_row(prefix, row_scans, r % Tile::rows, work.op); };
        // A row is stored before the next one is finished: 0.85 to 0.95 of the time that it takes to finish all of them first.
        const auto finish = [&](unsigned i, unsigned r, unsigned live) {
            full_rows_[i].finish(work, {r, live}, before(r), below(i));
        };
        const bool is_shifted = may_shift_output && work.output_shift != 0;
        if (!is_shifted)
            for_each_full([&](unsigned i, unsigned r, unsigned live) {
                finish(i, r, live);
                if (live != 0)
                    write_full(work, i, r);
            });
        if constexpr (may_shift_output)
            if (is_shifted && row_number(0) < end_)
                block::store_each_row(work.output.data, work.output_shift, row_number(0), warp_end(), [&](auto store) {
                    for_each_full([&](unsigned i, unsigned r, unsigned live) {
                        finish(i, r, live);
                        if (live != 0)
                            store(full_rows_[i].output(), i == 0);
                    });
                });
        if (has_rest()) {
            scan_row<Tile, T, false> row;
            if constexpr (is_crowded)
                row = simt::load(shared_.last_row, simt::block::lane());
            else
                row = last_row_;
            row.scan(work, rest());
            row.finish(work, rest(), before(end_), row.below());
            row.write(work, rest());
        }
    }

private:
    PARPRIMS_DEVICE unsigned warp() const { return is_uniform ? warp_ : simt::block::warp(); }
    /// Rows of a warp. Launchers of tests give warps room for more than that.
    PARPRIMS_DEVICE unsigned share() const
    {
        return WarpRows <= max_warp_rows ? WarpRows : (rows_ + simt::block::warps() - 1) / simt::block::warps();
    }
    /// The number of this warp's i-th row, if it is before the end.
    PARPRIMS_DEVICE unsigned row_number(unsigned i) const
    {
        return WarpRows <= max_warp_rows || i < share() ? first_ + warp() * share() + i : end_;
    }
    /// Behind the last row of this warp.
    PARPRIMS_DEVICE unsigned warp_end() const
    {
        const unsigned end = first_ + (warp() + 1) * share();
        return end < end_ ? end : end_;
    }
    /// The number of the i-th row; after the block's last full row, the number of that row, if warps repeat rows.
    PARPRIMS_DEVICE unsigned full_row(unsigned i) const
    {
        const unsigned r = row_number(i);
        return has_copies && r >= end_ ? end_ - 1 : r;
    }

    /// Where shared memory has this lane's scan for that row.
    PARPRIMS_DEVICE unsigned lane_place(unsigned i) const
    {
        return (row_number(i) - first_) * simt::warp_size + simt::block::lane();
    }
    /// The scan of the lanes below; lane 0 has none.
    PARPRIMS_DEVICE T below(unsigned i) const
    {
        if constexpr (has_shared_lanes)
            return simt::load(shared_.lane_scans, lane_place(i) - (simt::block::lane() == 0 ? 0 : 1));
        else
            return full_rows_[i].below();
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
            if (WarpRows > max_warp_rows && i >= share())
                return;
            const unsigned r = full_row(i);
            if constexpr (has_copies)
                work(i, r, row_number(i) < end_ ? Tile::items : 0);
            else if (r < end_)
                work(i, r, Tile::items);
        }
    }

    PARPRIMS_DEVICE void load_full(const Tile& work)
    {
        if constexpr (joins_packets)
            return load_split(work);
        if constexpr (Tile::reads_packets)
            if (ShiftsIn == shift_place::nowhere || !work.is_split())
                return for_each_full([&](unsigned i, unsigned r, unsigned) {
                    full_rows_[i].set(work,
                                      simt::load(reinterpret_cast<const typename packets::packet*>(work.input.data),
                                                 r * simt::warp_size + simt::block::lane()));
                });
        for_each_full([&](unsigned i, unsigned r, unsigned) { full_rows_[i].load(work, {r}); });
    }

    /// Loads the packets in which the full rows lie.
    PARPRIMS_DEVICE void load_split(const Tile& work)
    {
        if (end_ == 0)
            return;
        using packet = typename packets::packet;
        const unsigned shift = work.input_shift % sizeof(packet);
        const auto* const rows =
            reinterpret_cast<const packet*>(reinterpret_cast<const unsigned char*>(work.input.data) - shift);
        for_each_full([&](unsigned i, unsigned r, unsigned live) {
            split_.load(i, rows + r * simt::warp_size, i == 0 || live == 0 ? shift : 0);
        });
        const unsigned end = warp_end();
        if (shift != 0 && end_ > first_)
            split_.load_behind(rows + end * simt::warp_size, shift,
                               (work.n - end * Tile::row32) * sizeof(typename Tile::staged) + shift);
    }

    /// Writes the output of a full row that is not shifted.
    PARPRIMS_DEVICE void write_full(const Tile& work, unsigned i, unsigned r) const
    {
        if constexpr (Tile::stores_packets) {
            const simt::packet<16> row[] = {full_rows_[i].output()};
            const bool is_aligned = ShiftsIn == shift_place::nowhere || may_shift_output;
            block::store_rows(work.output.data, is_aligned ? 0 : work.output_shift, r, row);
        } else {
            full_rows_[i].write(work, {r});
        }
    }

    /// Whether this warp holds the row after the full ones.
    PARPRIMS_DEVICE bool has_rest() const
    {
        const unsigned before = end_ - first_;
        const unsigned last = simt::block::warps() - 1;
        return rest_ != 0 && first_ <= end_ && warp() == (before < last ? before : last);
    }
    PARPRIMS_DEVICE row_part<Tile, false> rest() const
    {
        const unsigned begin = simt::block::lane() * Tile::items;
        return {end_, begin >= rest_ ? 0 : rest_ - begin < Tile::items ? rest_ - begin : Tile::items};
    }

    scan_row<Tile, T, true> full_rows_[WarpRows];
    block::split_rows<joins_packets ? packets::packet_bytes : 4, joins_packets ? WarpRows : 1> split_;
    scan_row<Tile, T, false> last_row_;
    shared_storage& shared_;
    unsigned warp_;
    unsigned first_;
    unsigned rows_;
    unsigned end_;
    unsigned rest_;  // elements in the row after the full ones
};

}  // namespace parprims::detail::device
