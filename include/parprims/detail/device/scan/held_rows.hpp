/// @file
/// @brief  The rows of a scan that a warp holds in registers. For inputs of less than 2^32 elements.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/block/row_io.hpp>
#include <parprims/detail/block/shifted.hpp>
#include <parprims/detail/device/scan/row.hpp>
#include <parprims/detail/device/scan/tuning.hpp>
#include <parprims/detail/order.hpp>
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
/// @tparam  BlockRows    rows of a block, at most
template <class Tile, class T, unsigned WarpRows, unsigned BlocksPerSm, shift_place ShiftsIn,
          unsigned BlockRows = Tile::rows>
class held_rows {
    static constexpr bool has_copies = WarpRows > 2 && WarpRows < BlockRows;
    /// Whether registers are short. Then shared memory has the last row, and the scans of wide values' lanes, until rows are
    /// written.
    static constexpr bool is_crowded = BlocksPerSm >= crowded_blocks_per_sm;
    static constexpr bool has_shared_lanes = is_crowded && Tile::row_registers > max_lean_registers;
    /// Whether output that does not begin with a packet is shifted. Values of 8 bytes are written in halves of packets instead.
    static constexpr bool may_shift_output =
        ShiftsIn == shift_place::registers && Tile::stores_packets && alignof(T) < 8;

public:
    static constexpr unsigned max_threads = BlockRows / WarpRows * order::lanes;
    static constexpr unsigned min_blocks = BlocksPerSm;
    static constexpr unsigned block_rows = BlockRows;

    /// Of a block, for what its warps have no registers for.
    struct shared_storage {
        scan_row<Tile, T, false> last_row[is_crowded ? order::lanes : 1];  // the one that is not full, of each lane
        uninitialized<T> lane_scans[has_shared_lanes ? BlockRows * order::lanes : 1];
    };
    using packets = block::row_io<typename Tile::staged, Tile::items, 1>;
    /// Whether rows of small elements that do not begin with a packet are loaded in words. Others are loaded element by element.
    static constexpr bool loads_words =
        ShiftsIn == shift_place::registers && Tile::reads_packets && alignof(typename Tile::staged) < 4;

    /// Holds rows [first, first + rows) of the whole input, as far as it has them.
    PARPRIMS_DEVICE held_rows(const Tile& work, shared_storage& shared, unsigned char*, unsigned first, unsigned rows)
        : shared_(shared), first_(first), rows_(rows), end_(static_cast<unsigned>(work.n) / Tile::row32), rest_(0)
    {
        if (first + rows <= end_)
            end_ = first + rows;
        else
            rest_ = static_cast<unsigned>(work.n) % Tile::row32;
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
        if constexpr (loads_words)
            if (work.is_split())
                for_each_full([&](unsigned i, unsigned, unsigned) {
                    full_rows_[i].set(work, packets::joined(words_[i], work.input_shift));
                });
        for_each_full([&](unsigned i, unsigned r, unsigned live) {
            full_rows_[i].scan(work, {r});
            if constexpr (has_shared_lanes)
                simt::store(shared_.lane_scans, lane_place(i), full_rows_[i].total());
            if (live != 0 && simt::block::lane() == simt::warp_size - 1)
                simt::store(row_totals, r % Tile::rows, full_rows_[i].total());
        });
    }

    /// Writes the output. `prefix` is everything before the tile; `row_scans`, running totals of its rows.
    PARPRIMS_DEVICE void write(const Tile& work, const maybe<T>& prefix, const uninitialized<T>* row_scans)
    {
        const auto before = [&](unsigned r) { return before_row(prefix, row_scans, r % Tile::rows, work.op); };
        // Rows that are shifted on their way to the output follow each other; others are written at once.
        const bool is_shifted = may_shift_output && work.output_shift != 0;
        for_each_full([&](unsigned i, unsigned r, unsigned live) {
            full_rows_[i].finish(work, {r, live}, before(r), below(i));
            if (!is_shifted && live != 0)
                write_full(work, i, r);
        });
        if constexpr (may_shift_output)
            if (is_shifted && row_number(0) < end_)
                block::store_each_row(work.output.data, work.output_shift, row_number(0), [&](auto use) {
                    for_each_full([&](unsigned i, unsigned, unsigned live) {
                        if (live != 0)
                            use(full_rows_[i].output(), i == 0);
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
    /// The number of this warp's i-th row, if it is before the end. Launchers of tests give warps room for more rows than their share.
    PARPRIMS_DEVICE unsigned row_number(unsigned i) const
    {
        if constexpr (WarpRows <= max_warp_rows) {
            return first_ + simt::block::warp() * WarpRows + i;
        } else {
            const unsigned share = (rows_ + simt::block::warps() - 1) / simt::block::warps();
            return i < share ? first_ + simt::block::warp() * share + i : end_;
        }
    }
    /// The same; after the block's last full row, the number of that row, if warps repeat rows.
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
            const unsigned r = full_row(i);
            if constexpr (has_copies)
                work(i, r, row_number(i) < end_ ? Tile::items : 0);
            else if (r < end_)
                work(i, r, Tile::items);
        }
    }

    PARPRIMS_DEVICE void load_full(const Tile& work)
    {
        if constexpr (Tile::reads_packets) {
            if (ShiftsIn == shift_place::nowhere || !work.is_split())
                return for_each_full([&](unsigned i, unsigned r, unsigned) {
                    full_rows_[i].set(work,
                                      simt::load(reinterpret_cast<const typename packets::packet*>(work.input.data),
                                                 r * simt::warp_size + simt::block::lane()));
                });
            if constexpr (loads_words)
                return for_each_full([&](unsigned i, unsigned r, unsigned) {
                    packets::load_words(work.input.data + r * Tile::row32, work.input_shift, work.n - r * Tile::row32,
                                        words_[i]);
                });
        }
        for_each_full([&](unsigned i, unsigned r, unsigned) { full_rows_[i].load(work, {r}); });
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
        return rest_ != 0 && first_ <= end_ && simt::block::warp() == (before < last ? before : last);
    }
    PARPRIMS_DEVICE row_part<Tile, false> rest() const
    {
        const unsigned begin = simt::block::lane() * Tile::items;
        return {end_, begin >= rest_ ? 0 : rest_ - begin < Tile::items ? rest_ - begin : Tile::items};
    }

    scan_row<Tile, T, true> full_rows_[WarpRows];
    std::uint32_t words_[loads_words ? WarpRows : 1][packets::packet_bytes / 4 + 1];  // that the rows lie in
    scan_row<Tile, T, false> last_row_;
    shared_storage& shared_;
    unsigned first_;
    unsigned rows_;
    unsigned end_;
    unsigned rest_;  // elements in the row after the full ones
};

}  // namespace parprims::detail::device
