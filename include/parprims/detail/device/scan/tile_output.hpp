/// @file
/// @brief  The output of a tile that waits in shared memory: its rows are scanned again, now that its prefix is known.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/device/load/fetch.hpp>
#include <parprims/detail/device/scan/row.hpp>
#include <parprims/detail/device/scan/tile_totals.hpp>
#include <parprims/detail/device/tree/warp_scan.hpp>
#include <parprims/detail/device/tree/warp_tree.hpp>
#include <parprims/detail/simt/simt.hpp>
#include <parprims/detail/uninitialized.hpp>

#include <cstddef>

namespace parprims::detail::device {

/// Copies the next tile to a stage, batch by batch, as soon as a warp has read the old rows. Does nothing past the last tile.
template <class Tile, class T>
struct stage_refill {
    static constexpr bool loads_ahead = block::loads_ahead<T, decltype(Tile::input)>;
    using element_fetch = typename Tile::element_fetch;
    using elements_ahead = typename element_fetch::elements_ahead;

    const Tile& work;
    unsigned char* stage;
    std::size_t tile;
    std::size_t tiles;

    /// After the batch of rows from `first` on has been read: starts to copy the new one.
    PARPRIMS_DEVICE void operator()(unsigned first) const
    {
        if (tile < tiles)
            work.fetch_batch(stage, tile, first);
    }

    /// Before the batch is read, if `loads_ahead`: starts to load the new one to registers.
    PARPRIMS_DEVICE void start(unsigned first, elements_ahead& ahead) const
    {
        if constexpr (loads_ahead) {
            const std::size_t begin = tile * Tile::tile + first * Tile::row;
            element_fetch{work.input, work.transform}.load_ahead(begin, begin < work.n ? work.n - begin : 0, ahead);
        }
    }

    /// After it has been read: stores what `start` has loaded, or copies the new batch.
    PARPRIMS_DEVICE void finish(unsigned first, const elements_ahead& ahead) const
    {
        if constexpr (loads_ahead)
            if (ahead.are_loaded)
                return element_fetch{work.input, work.transform}.store_ahead(Tile::region(stage, first), ahead);
        (*this)(first);
    }
};

/// Copies nothing: for a pass that does not use a stage again.
struct no_refill {
    static constexpr bool loads_ahead = false;
    struct elements_ahead {};

    PARPRIMS_DEVICE void operator()(unsigned) const {}
    PARPRIMS_DEVICE void start(unsigned, elements_ahead&) const {}
    PARPRIMS_DEVICE void finish(unsigned, const elements_ahead&) const {}
};

/// Writes the output of the tiles of a scan.
/// @tparam  Index  type of element numbers; 32 bits take fewer registers, for inputs of less than 2^32 elements
template <class Tile, class T, class Index = std::size_t>
struct tile_output {
    static constexpr unsigned items = Tile::items;
    static constexpr unsigned batch = Tile::batch;
    static constexpr Index row = Tile::row;
    static constexpr Index tile = Tile::tile;

    const Tile& work;

    /// Scans the rows again, now from their prefixes on, and writes the output. Refills a batch of rows as soon as the warp has
    /// read it.
    template <class Refill>
    PARPRIMS_DEVICE void write(unsigned char* stage, Index index, const uninitialized<T>* row_scans,
                               const maybe<T>& prefix, Refill refill) const
    {
        const auto size = static_cast<Index>(work.tile_size(index));
        const auto full = static_cast<unsigned>(size / row);
        work.for_each_batch([&](unsigned first) {
            // All lanes have elements, and all rows a prefix.
            if (first + batch <= full && (first > 0 || prefix.present)) {
                if constexpr (Tile::has_thread_rows)
                    write_thread_rows(Tile::region(stage, first), index, first, row_scans, prefix, refill);
                else
                    write_batch(Tile::region(stage, first), index, first, row_scans, prefix, refill);
                return;
            }
            write_rows(Tile::region(stage, first), index, size, first, row_scans, prefix);
            simt::sync_warp();
            refill(first);
        });
    }

    /// Writes row by row and refills nothing: less code, and slower.
    PARPRIMS_DEVICE void write_by_row(unsigned char* stage, Index index, const uninitialized<T>* row_scans,
                                      const maybe<T>& prefix) const
    {
        const auto size = static_cast<Index>(work.tile_size(index));
        work.for_each_batch(
            [&](unsigned first) { write_rows(Tile::region(stage, first), index, size, first, row_scans, prefix); });
    }

private:
    /// The output of a batch of full rows. There is a prefix, or rows before.
    template <class Refill>
    PARPRIMS_DEVICE void write_batch(unsigned char* rows_begin, Index index, unsigned first,
                                     const uninitialized<T>* row_scans, const maybe<T>& prefix, Refill refill) const
    {
        const unsigned lane = simt::block::lane();
        uninitialized<T> t[batch][items];
        uninitialized<T> before[batch];
        typename Refill::elements_ahead ahead;
        refill.start(first, ahead);

        // Inside a lane serially, across lanes by Hillis-Steele.
        work.read_rows(rows_begin, work.summed_shift(), t);
#pragma unroll
        for (unsigned b = 0; b < batch; ++b) {
#pragma unroll
            for (unsigned k = 1; k < items; ++k)
                t[b][k].value = warp::combine<T>(work.op, t[b][k - 1].value, t[b][k].value);
        }
        // The output may go through the stage, so that a warp stores packets in the order of the memory.
        if (!Tile::stores_staged && !Refill::loads_ahead) {
            simt::sync_warp();
            refill(first);
        }
#pragma unroll
        for (unsigned b = 0; b < batch; ++b)
            before[b].value = simt::shuffle_up(warp::scan_full_lanes(t[b][items - 1].value, work.op), 1);

            // Everything before a lane: the tiles before, the rows above, the lanes below.
#pragma unroll
        for (unsigned b = 0; b < batch; ++b) {
            const T above = before_row(first + b, row_scans, prefix);
            const T with_lanes = warp::combine<T>(work.op, above, before[b].value);
            before[b].value = lane > 0 ? with_lanes : above;
        }
        store_batch(rows_begin, index * Tile::rows + first, before, t);
        if (Tile::stores_staged || Refill::loads_ahead) {
            simt::sync_warp();
            refill.finish(first, ahead);
        }
    }

    /// @param  r  the first row, numbered through all tiles
    PARPRIMS_DEVICE void store_batch(unsigned char* rows_begin, Index r, const uninitialized<T> (&before)[batch],
                                     uninitialized<T> (&t)[batch][items]) const
    {
#pragma unroll
        for (unsigned b = 0; b < batch; ++b) {
#pragma unroll
            for (unsigned k = items; k-- > 0;) {
                if (Tile::is_exclusive && k == 0)
                    t[b][0].value = before[b].value;
                else
                    t[b][k].value =
                        warp::combine<T>(work.op, before[b].value, t[b][Tile::is_exclusive ? k - 1 : k].value);
            }
        }
        if constexpr (Tile::stores_packets) {
            simt::packet<16> values[batch];
#pragma unroll
            for (unsigned b = 0; b < batch; ++b)
                values[b] = Tile::packet_of(t[b]);
            work.store_rows(r, values);
        } else if constexpr (Tile::stores_staged) {
            store_staged(rows_begin, r, t);
        } else {
#pragma unroll
            for (unsigned b = 0; b < batch; ++b)
                work.write_lane((r + b) * row + simt::block::lane() * items, items, t[b]);
        }
    }

    /// The output of a batch of full rows, of which each lane holds one.
    template <class Refill>
    PARPRIMS_DEVICE void write_thread_rows(unsigned char* rows_begin, Index index, unsigned first,
                                           const uninitialized<T>* row_scans, const maybe<T>& prefix,
                                           Refill refill) const
    {
        using layout = typename Tile::layout;
        const unsigned lane = simt::block::lane();
        if (lane < batch) {
            const unsigned r = first + lane;
            T above = simt::at(row_scans, r > 0 ? r - 1 : 0);
            if (prefix.present)
                above = r > 0 ? warp::combine<T>(work.op, prefix.get(), above) : prefix.get();
            scan_thread_row<T>(work, rows_begin + lane * layout::row_bytes, above);
        }
        simt::sync_warp();
        const Index begin = (index * Tile::rows + first) * row;
        if constexpr (Tile::stores_staged)
            layout::write(rows_begin, 0, work.output.data + begin);
        else
            for (unsigned e = lane; e < batch * row; e += simt::warp_size)
                work.output.set(begin + e, simt::load(reinterpret_cast<const T*>(rows_begin + layout::place(e)), 0));
        simt::sync_warp();
        refill(first);
    }

    /// The prefix of a row. The tile has a prefix, or the row is not its first.
    PARPRIMS_DEVICE T before_row(unsigned r, const uninitialized<T>* row_scans, const maybe<T>& prefix) const
    {
        return r == 0 ? prefix.get() : prefix.then(simt::at(row_scans, r - 1), work.op);
    }

    /// The output of a batch of any rows: it may end early, and there may be nothing before it.
    PARPRIMS_DEVICE void write_rows(const unsigned char* rows_begin, Index index, Index size, unsigned first,
                                    const uninitialized<T>* row_scans, const maybe<T>& prefix) const
    {
        const unsigned lane = simt::block::lane();
        const bool is_summed = (first + batch) * row <= size;
#pragma unroll 1
        for (unsigned r = first; r < first + batch && r * row < size; ++r) {
            const Index begin = r * row + lane * items;
            const unsigned live = begin + items <= size ? items
                                  : begin < size        ? static_cast<unsigned>(size - begin)
                                                        : 0;
            const row_part<Tile, false> part{r, live};
            scan_row<Tile, T> values;
            work.read_lane(rows_begin + (r - first) * Tile::layout::row_bytes,
                           is_summed ? work.summed_shift() : work.input_shift, live, values.t);
            values.scan(work, part);
            values.finish(work, part, device::before_row(prefix, row_scans, r, work.op));
            work.write_lane(index * tile + begin, live, values.t);
        }
    }

    /// Stores the output in the stage, in the place of the warp's elements, and writes it from there in the order of memory.
    PARPRIMS_DEVICE void store_staged(unsigned char* rows_begin, Index r,
                                      const uninitialized<T> (&t)[batch][items]) const
    {
        simt::sync_warp();
#pragma unroll
        for (unsigned b = 0; b < batch; ++b)
            Tile::layout::store_elements(rows_begin + b * Tile::layout::row_bytes, work.output_shift, t[b]);
        simt::sync_warp();
        Tile::layout::write(rows_begin, work.output_shift, work.output.data + r * row);
    }
};

}  // namespace parprims::detail::device
