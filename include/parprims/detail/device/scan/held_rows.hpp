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

namespace parprims::detail::device {

/// Shared memory of a row whose input or output must be shifted: one packet more than the row. Smaller than
/// `row_io::region_bytes`, which pads to a whole line for speed only.
inline constexpr std::size_t row_region_bytes = (order::lanes + 1) * order::vector_bytes;

/// The number of shapes for small scans of such tiles. Where a thread holds a whole row, only those with rows in registers: 397 tiles of
/// 12-byte values take 10.9 us in registers, 24.5 in shared memory (H200, 5d82250).
template <class Tile>
inline constexpr unsigned scan_shapes = Tile::has_thread_rows ? staged_scan_shape : small_scan_shapes;

/// Where blocks shift rows that are not aligned, if so many blocks fit on a multiprocessor.
template <class Tile>
constexpr shift_place shifts_of(unsigned blocks_per_sm)
{
    if (Tile::has_thread_rows)  // loaded and stored word by word
        return shift_place::nowhere;
    if (blocks_per_sm <= max_joined_blocks_per_sm)
        return shift_place::registers;
    const unsigned min_staged = Tile::is_packed ? min_staged_packed_blocks : min_staged_blocks;
    return blocks_per_sm < min_staged ? shift_place::shared_memory : shift_place::stage;
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

/// The rows that a warp of a block holds: every w-th one of a block of w warps.
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

    /// Holds rows [first, first + rows) of the whole input, as far as it has them.
    /// @param  regions  shared memory of `region_bytes()`
    PARPRIMS_DEVICE held_rows(const Tile& work, shared_storage& shared, unsigned char* regions, unsigned first,
                              unsigned rows)
        : shared_(shared), regions_(regions), first_(first), end_(static_cast<unsigned>(work.n) / Tile::row32), rest_(0)
    {
        if (first + rows <= end_)
            end_ = first + rows;
        else
            rest_ = static_cast<unsigned>(work.n) % Tile::row32;
    }

    /// Shared memory that a block of so many warps needs to shift its rows, repeated ones too.
    static constexpr std::size_t region_bytes(const Tile& work, unsigned warps)
    {
        const std::size_t rows = has_copies ? WarpRows * warps : BlockRows;
        return ShiftsIn == shift_place::shared_memory && work.needs_regions() ? rows * row_region_bytes : 0;
    }

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
        if constexpr (Tile::reads_packets && Tile::shifts_loaded_rows && ShiftsIn != shift_place::nowhere)
            if (work.is_split())
                take_shifted_rows(work);
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
        for_each_full([&](unsigned i, unsigned r, unsigned live) {
            full_rows_[i].template write<ShiftsIn>(work, {r, live}, before(r), below(i), region(i));
        });
        if constexpr (Tile::stores_regions && ShiftsIn == shift_place::shared_memory)
            if (work.output_shift != 0)
                store_regions(work);
        if (has_rest()) {
            scan_row<Tile, T, false> row;
            if constexpr (is_crowded)
                row = simt::load(shared_.last_row, simt::block::lane());
            else
                row = last_row_;
            row.scan(work, rest());
            row.template write<ShiftsIn>(work, rest(), before(end_), row.below(), nullptr);
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
            if (ShiftsIn == shift_place::nowhere || !work.is_split())
                return for_each_full([&](unsigned i, unsigned r, unsigned) {
                    full_rows_[i].set(work, simt::load(reinterpret_cast<const packet*>(work.input.data),
                                                       r * simt::warp_size + simt::block::lane()));
                });
            if constexpr (Tile::shifts_loaded_rows && ShiftsIn == shift_place::registers)
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
    PARPRIMS_DEVICE void take_shifted_rows(const Tile& work)
    {
        if constexpr (ShiftsIn == shift_place::shared_memory) {
            simt::wait_copies<0>();
            simt::sync_warp();
        }
        for_each_full([&](unsigned i, unsigned, unsigned) {
            if constexpr (ShiftsIn == shift_place::registers) {
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
    packet parts_[ShiftsIn == shift_place::registers ? WarpRows : 1][2];  // that the rows lie in
    scan_row<Tile, T, false> last_row_;
    shared_storage& shared_;
    unsigned char* regions_;
    unsigned first_;
    unsigned end_;
    unsigned rest_;  // elements in the row after the full ones
};

}  // namespace parprims::detail::device
