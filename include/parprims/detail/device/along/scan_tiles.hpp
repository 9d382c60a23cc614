/// @file
/// @brief  The kernel that scans contiguous lines: a block goes over the tiles of a line.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/contract/lines.hpp>
#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/device/along/online_scan.hpp>
#include <parprims/detail/device/along/tuning.hpp>
#include <parprims/detail/device/load/shifted.hpp>
#include <parprims/detail/device/scan/held_rows.hpp>
#include <parprims/detail/device/store/output.hpp>
#include <parprims/detail/device/tree/warp_scan.hpp>
#include <parprims/detail/numeric/integers.hpp>
#include <parprims/detail/simt/simt.hpp>
#include <parprims/detail/uninitialized.hpp>

#include <cstddef>

namespace parprims::detail::device {

/// An output without its first i elements.
template <class Value>
PARPRIMS_DEVICE inline pointer_output<Value> output_from(const pointer_output<Value>& output, std::size_t i)
{
    return {output.data + i};
}
template <class Iterator>
PARPRIMS_DEVICE inline iterator_output<Iterator> output_from(const iterator_output<Iterator>& output, std::size_t i)
{
    return {output.first + static_cast<std::ptrdiff_t>(i)};
}

/// Threads of a block, at most: a warp for every `along_warp_rows` rows of a tile.
template <class Tile>
inline constexpr unsigned line_tile_threads =
    Tile::rows > along_warp_rows ? Tile::rows / along_warp_rows* order::lanes : order::lanes;

/// A block scans one line after another. A tile is in registers from the load to the store, so each element is read once.
/// @tparam  WarpRows  rows of a tile that a warp keeps in registers
template <class Tile, class T, unsigned WarpRows>
struct line_tiles_kernel {
    using rows_type = held_rows<Tile, T, WarpRows, true>;
    static constexpr unsigned max_threads = line_tile_threads<Tile>;
    static constexpr unsigned min_blocks = along_tile_blocks_per_sm;

    struct shared_storage {
        uninitialized<T> row_totals[Tile::rows];
        uninitialized<T> row_scans[Tile::rows];
    };

    Tile of_array;  // a tile whose input and output are the array
    array_lines array;
    std::size_t start;
    std::size_t out_start;
    std::size_t lines;
    std::size_t length;

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage& shared) const
    {
        for (std::size_t line = block.index(); line < lines; line += block.count()) {
            const std::size_t from = start + static_cast<std::size_t>(array.lines.offset(line));
            const std::size_t to = out_start + static_cast<std::size_t>(array.lines.out_offset(line));
            line_tile_prefix<T, decltype(of_array.op)> prefix(of_array.init);
            for (std::size_t begin = 0; begin < length; begin += Tile::tile) {
                // 1. The rows of a tile, in registers: scan each.
                const Tile work =
                    tile_at(from + begin, to + begin, smaller_of<std::size_t>(length - begin, Tile::tile));
                rows_type rows;
                rows.load(work, 0, Tile::rows);
                rows.scan(work, shared.row_totals);
                block.sync();

                // 2. The first warp scans their totals.
                if (block.warp() == 0)
                    warp::scan_rows<Tile::rows>(shared.row_totals, work.full_rows(0, Tile::rows), shared.row_scans,
                                                work.op);
                block.sync();

                // 3. Write the output.
                rows.write(work, prefix.before(), shared.row_scans);
                if (begin + Tile::tile < length)
                    prefix.next(simt::load(shared.row_scans, Tile::rows - 1), work.op);
            }
        }
    }

private:
    PARPRIMS_DEVICE Tile tile_at(std::size_t from, std::size_t to, std::size_t n) const
    {
        Tile work = of_array;
        work.input = of_array.input.from(from);
        work.output = device::output_from(of_array.output, to);
        work.n = n;
        if constexpr (Tile::stages_raw && !Tile::has_thread_rows)
            work.input_shift = block::shift_of(work.input.data);
        if constexpr (decltype(work.output)::is_pointer)
            work.output_shift = block::shift_of(work.output.data);
        return work;
    }
};

}  // namespace parprims::detail::device
