/// @file
/// @brief  The output of a tile that waits in shared memory: its rows once more, now that everything before it is known.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/block/warp_scan.hpp>
#include <parprims/detail/block/warp_tree.hpp>
#include <parprims/detail/device/scan/packed_sums.hpp>
#include <parprims/detail/simt/simt.hpp>
#include <parprims/detail/uninitialized.hpp>

#include <cstddef>
#include <cstdint>

namespace parprims::detail::device {

/// Writes the output of the tiles of a scan.
template <class Tile, class T>
struct tile_output {
    using staged = typename Tile::staged;
    static constexpr unsigned items = Tile::items;
    static constexpr unsigned batch = Tile::batch;
    static constexpr std::size_t row = Tile::row;
    static constexpr std::size_t tile = Tile::tile;

    const Tile& work;

    /// Scans the rows once more, from everything before them on, and writes the output. Calls `refill(first)` as soon as
    /// the warp has read the batch of rows from `first` on.
    template <class Refill>
    PARPRIMS_DEVICE void write(staged* stage, std::size_t index, const uninitialized<T>* row_scans,
                               const maybe<T>& prefix, Refill refill) const
    {
        const std::size_t size = work.tile_size(index);
        const auto full = static_cast<unsigned>(size / row);
        work.for_each_batch([&](unsigned first) {
            // All lanes have elements, and something before them.
            if (first + batch <= full && (first > 0 || prefix.present)) {
                if constexpr (Tile::is_packed)
                    write_packed(stage, index, first, row_scans, prefix, refill);
                else
                    write_batch(stage, index, first, row_scans, prefix, refill);
                return;
            }
            write_rows(stage, index, size, first, row_scans, prefix);
            simt::sync_warp();
            refill(first);
        });
    }

    /// The same row by row: less code, and slower.
    PARPRIMS_DEVICE void write_by_row(const staged* stage, std::size_t index, const uninitialized<T>* row_scans,
                                      const maybe<T>& prefix) const
    {
        const std::size_t size = work.tile_size(index);
        work.for_each_batch([&](unsigned first) { write_rows(stage, index, size, first, row_scans, prefix); });
    }

private:
    /// The output of a batch of full rows. There is a prefix, or rows before.
    template <class Refill>
    PARPRIMS_DEVICE void write_batch(staged* stage, std::size_t index, unsigned first,
                                     const uninitialized<T>* row_scans, const maybe<T>& prefix, Refill refill) const
    {
        const unsigned lane = simt::block::lane();
        uninitialized<T> t[batch][items];
        uninitialized<T> before[batch];

        // Inside a lane serially, across lanes by Hillis-Steele.
#pragma unroll
        for (unsigned b = 0; b < batch; ++b) {
            work.read_lane(stage + (first + b) * row, items, t[b]);
#pragma unroll
            for (unsigned k = 1; k < items; ++k)
                t[b][k].value = warp::combine<T>(work.op, t[b][k - 1].value, t[b][k].value);
        }
        if (!goes_through_stage()) {
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
        const std::size_t place = index * tile + first * row + lane * items;
        store_batch(stage + first * row, place, before, t);
        if (goes_through_stage()) {
            simt::sync_warp();
            refill(first);
        }
    }

    /// Whether the output goes through the stage, so that a warp stores packets in the order of the memory.
    PARPRIMS_DEVICE bool goes_through_stage() const { return Tile::stores_staged && work.output_aligned; }

    PARPRIMS_DEVICE void store_batch(staged* rows_begin, std::size_t place, const uninitialized<T> (&before)[batch],
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
            if (work.output_aligned) {
#pragma unroll
                for (unsigned b = 0; b < batch; ++b)
                    work.store_packet(place + b * row, t[b]);
                return;
            }
        }
        if constexpr (Tile::stores_staged) {
            if (work.output_aligned) {
                store_staged(rows_begin, place, t);
                return;
            }
        }
#pragma unroll
        for (unsigned b = 0; b < batch; ++b)
#pragma unroll
            for (unsigned k = 0; k < items; ++k)
                work.output.set(place + b * row + k, t[b][k].value);
    }

    /// The same for sums in packed words.
    template <class Refill>
    PARPRIMS_DEVICE void write_packed(const staged* stage, std::size_t index, unsigned first,
                                      const uninitialized<T>* row_scans, const maybe<T>& prefix, Refill refill) const
    {
        simt::packet<16> x[batch];
        std::uint32_t before[batch];
#pragma unroll
        for (unsigned b = 0; b < batch; ++b) {
            x[b] = work.read_packet(stage, first + b);
            before[b] = packed_total<T>(x[b]);
        }
        simt::sync_warp();
        refill(first);
        // Across the lanes two rows at a time; less a lane's own sum, what the lanes below it have.
#pragma unroll
        for (unsigned b = 0; b < batch; b += 2) {
            const std::uint32_t lanes = warp::scan_full_lanes(pair_of(before[b], before[b + 1]), add_pairs{});
            before[b] = lanes - before[b];
            before[b + 1] = (lanes >> 16) - before[b + 1];
        }
#pragma unroll
        for (unsigned b = 0; b < batch; ++b)
            before[b] += static_cast<std::uint32_t>(before_row(first + b, row_scans, prefix));
        const std::size_t place = index * tile + first * row + simt::block::lane() * items;
        store_packed(place, before, x);
    }

    PARPRIMS_DEVICE void store_packed(std::size_t place, const std::uint32_t (&before)[batch],
                                      const simt::packet<16> (&x)[batch]) const
    {
        const bool as_packets = Tile::stores_packets && work.output_aligned;
#pragma unroll
        for (unsigned b = 0; b < batch; ++b) {
            const simt::packet<16> output = packed_scan<T, Tile::is_exclusive>(x[b], before[b]);
            if constexpr (Tile::stores_packets)
                if (as_packets)
                    simt::store_streaming(reinterpret_cast<simt::packet<16>*>(work.output.data + place + b * row),
                                          output);
            if (!as_packets)
#pragma unroll
                for (unsigned k = 0; k < items; ++k)
                    work.output.set(place + b * row + k, simt::element<T>(output, k));
        }
    }

    /// Everything before a row: there is a prefix, or a row before.
    PARPRIMS_DEVICE T before_row(unsigned r, const uninitialized<T>* row_scans, const maybe<T>& prefix) const
    {
        return r == 0 ? prefix.get() : prefix.then(simt::at(row_scans, r - 1), work.op);
    }

    /// The output of a batch of any rows: it may end early, and there may be nothing before it.
    PARPRIMS_DEVICE void write_rows(const staged* stage, std::size_t index, std::size_t size, unsigned first,
                                    const uninitialized<T>* row_scans, const maybe<T>& prefix) const
    {
        const unsigned lane = simt::block::lane();
#pragma unroll 1
        for (unsigned r = first; r < first + batch && r * row < size; ++r) {
            const std::size_t begin = r * row + lane * items;
            const unsigned live = begin + items <= size ? items
                                  : begin < size        ? static_cast<unsigned>(size - begin)
                                                        : 0;
            uninitialized<T> t[items];
            work.read_lane(stage + r * row, live, t);
#pragma unroll
            for (unsigned k = 1; k < items; ++k)
                if (k < live)
                    t[k].value = warp::combine<T>(work.op, t[k - 1].value, t[k].value);
            const T lanes = simt::shuffle_up(warp::scan_lanes(t[items - 1].value, live == items, work.op), 1);

            maybe<T> before = prefix;
            if (r > 0)
                before.set(before.then(simt::at(row_scans, r - 1), work.op));
            if (lane > 0 && live > 0)
                before.set(before.then(lanes, work.op));
#pragma unroll
            for (unsigned k = items; k-- > 0;) {
                if (k >= live)
                    continue;
                if (Tile::is_exclusive && k == 0)
                    t[k].value = before.get();
                else
                    t[k].value = before.then(t[Tile::is_exclusive ? k - 1 : k].value, work.op);
            }
            work.write_lane(index * tile + begin, live, t);
        }
    }

    /// Leaves the output where the warp's elements were, and writes it from there in the order of the memory.
    PARPRIMS_DEVICE void store_staged(staged* rows_begin, std::size_t place,
                                      const uninitialized<T> (&t)[batch][items]) const
    {
        simt::sync_warp();
#pragma unroll
        for (unsigned b = 0; b < batch; ++b)
            Tile::layout::write_lane(rows_begin + b * row, t[b]);
        simt::sync_warp();
        Tile::layout::write(rows_begin, work.output.data + (place - simt::block::lane() * items));
    }
};

}  // namespace parprims::detail::device
