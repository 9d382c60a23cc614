/// @file
/// @brief  One tile of a scan in one block: fetch, totals of the rows, output.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/device/load/fetch.hpp>
#include <parprims/detail/device/load/input.hpp>
#include <parprims/detail/device/load/row_io.hpp>
#include <parprims/detail/device/load/thread_rows.hpp>
#include <parprims/detail/device/scan/tuning.hpp>
#include <parprims/detail/device/store/output.hpp>
#include <parprims/detail/device/store/striped.hpp>
#include <parprims/detail/numeric/integers.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace parprims::detail::device {

/// The input, output and operator of a scan, and the steps on one tile that its kernels share. A warp reads and writes only its own
/// rows of a stage, so it needs no barrier with other warps between fetching, reading and fetching again.
template <scan_kind Kind, class Input, class Output, class T, class Op, class Transform>
struct scan_tile {
    static constexpr bool is_exclusive = Kind == scan_kind::exclusive;
    using value_type = typename Input::value_type;
    static constexpr unsigned items = order::lane_items<T>;
    static constexpr unsigned rows = order::tile_rows<T>;
    static constexpr std::size_t row = order::row<T>;
    static constexpr unsigned row32 = order::row<T>;
    static constexpr std::size_t tile = order::tile<T>;
    /// Stages hold elements as they lie in the input. If those are larger than the operands, or not in memory, stages hold the
    /// operands.
    template <class Each>
    struct staged_of {
        static constexpr bool is_raw = false;
        using type = T;
    };
    template <class Each>
        requires(Each::has_source && sizeof(typename Each::source_type) <= sizeof(T))
    struct staged_of<Each> {
        static constexpr bool is_raw = true;
        using type = typename Each::source_type;
    };
    static constexpr bool stages_raw = staged_of<Input>::is_raw;
    using staged = typename staged_of<Input>::type;

    /// Whether a thread holds a whole row: for values whose shuffles would take too long.
    static constexpr bool has_thread_rows = sizeof(T) == thread_row_value_bytes && alignof(T) == 4 &&
                                            std::is_same_v<staged, T> && std::is_same_v<typename Output::value_type, T>;

    /// Neighbouring rows that a warp works on at a time, so that their loads and shuffles overlap: as many as leave the
    /// values in registers.
    static constexpr unsigned batch =
        has_thread_rows ? thread_row_lanes
        : block::loads_ahead<T, Input>
            ? max_rows_ahead
            : order::power_of_two_within(max_batch_bytes, items * (sizeof(T) < 4 ? 4 : sizeof(T)),
                                         rows < max_batch_rows ? rows : max_batch_rows);
    using layout =
        std::conditional_t<has_thread_rows, block::thread_rows<staged, batch>, block::row_io<staged, items, batch>>;
    using packets = typename layout::packet[layout::packets];
    using element_fetch = block::element_fetch<T, layout, items, batch, Input, Transform>;
    static constexpr std::size_t stage_bytes = rows / batch * layout::region_bytes;
    static constexpr bool has_packets = layout::packet_bytes != 0;  // a lane's part of a row is packets
    static constexpr bool reads_packets = stages_raw && has_packets;
    /// Whether a full batch, if its rows begin in the middle of a packet, is moved to the beginning of its region when rows are summed.
    static constexpr bool is_moved = layout::can_split && !layout::has_halves;

    /// Whether the output is stored as packets: from a lane's registers, or a batch of rows through the stage.
    static constexpr bool writes_values = std::is_same_v<typename Output::value_type, T>;
    static constexpr bool stores_packets = writes_values && items * sizeof(T) == order::vector_bytes;
    static constexpr bool stores_staged = writes_values && !stores_packets && std::is_same_v<staged, T>;
    /// Whether lanes exchange the values of a row first, so that neighbours write neighbours. Two values of 8 bytes that a lane writes into an array
    /// take longer so: 2^27 doubles into floats 450 us, and 511 (H200, CUDA 13.0, beside b6afc0d9).
    static constexpr bool exchanges = !writes_values && (items > 2 || (items == 2 && !Output::is_pointer));

    Input input;
    std::size_t n;
    Output output;
    maybe<T> init;
    Op op;
    Transform transform;
    unsigned input_shift;   // bytes from a multiple of 16 to a row, in the input and in a stage
    unsigned output_shift;  // and in the output

    PARPRIMS_HOST_DEVICE std::size_t tiles() const { return order::ceil_div(n, tile); }
    /// Elements of a tile: all but the last are full.
    PARPRIMS_DEVICE std::size_t tile_size(std::size_t index) const
    {
        return n - index * tile < tile ? n - index * tile : tile;
    }

    /// Full rows among `count` from row `first` on, for inputs of less than 2^32 elements.
    PARPRIMS_DEVICE unsigned full_rows(unsigned first, unsigned count) const
    {
        return smaller_of(static_cast<unsigned>(n) / row32 - first, count);
    }

    /// For one thread: prefetches a tile that the block will fetch.
    PARPRIMS_DEVICE void prefetch(std::size_t index) const
    {
        if constexpr (!stages_raw)
            element_fetch{input, transform}.prefetch(index * tile, tile_size(index));
    }

    /// Starts to copy a tile to `stage`. It is there once its group of copies has been waited for.
    PARPRIMS_DEVICE void fetch(unsigned char* stage, std::size_t index) const
    {
        for_each_batch([&](unsigned first) { fetch_batch(stage, index, first); });
        simt::commit_copies();
    }

    /// Starts to copy the batch of rows from `first` on to `stage`; these rows belong to the calling warp.
    PARPRIMS_DEVICE void fetch_batch(unsigned char* stage, std::size_t index, unsigned first) const
    {
        const std::size_t begin = index * tile + first * row;
        if (begin >= n)
            return;
        if constexpr (stages_raw)
            layout::copy(region(stage, first), input.data + begin, input_shift, n - begin);
        else
            element_fetch{input, transform}(region(stage, first), begin, n - begin);
    }

    /// Loads this lane's elements of row r through any iterator, all or the first `live`; calls `use(k, value)` for each.
    template <bool Full, class Use>
    PARPRIMS_DEVICE void for_each_loaded(unsigned r, unsigned live, Use use) const
    {
        if constexpr (Full && block::loads_zipped<T, Input, items>)
            element_fetch{input, transform}.for_each_of_row(r * row32, n - r * row32, use);
        else
#pragma unroll
            for (unsigned k = 0; k < items; ++k)
                if (Full || k < live)
                    use(k, device::operand<T, Input>(transform, input[r * row32 + simt::block::lane() * items + k]));
    }

    /// Writes the first `live` values of a lane, from `place` on. All lanes must call this.
    PARPRIMS_DEVICE void write_lane(std::size_t place, unsigned live, const uninitialized<T> (&values)[items]) const
    {
        if constexpr (exchanges)
            if (simt::ballot(live == items) == simt::all_lanes)
                return warp::write_row<T, items>(output, place - simt::block::lane() * items,
                                                 [&](unsigned k) { return values[k].value; });
        if constexpr (stores_packets)
            if (output_shift == 0 && live == items)
                return simt::store_streaming(reinterpret_cast<simt::packet<16>*>(output.data + place),
                                             packet_of(values));
#pragma unroll
        for (unsigned k = 0; k < items; ++k)
            if (k < live)
                output.set(place + k, values[k].value);
    }

    /// Writes rows of a packet a lane, from row r of the output on.
    template <unsigned Rows, class Row>
    PARPRIMS_DEVICE void store_rows(Row r, const simt::packet<16> (&values)[Rows]) const
    {
        block::store_rows(output.data, output_shift, r, values);
    }

    /// A lane's values as a packet.
    PARPRIMS_DEVICE static simt::packet<16> packet_of(const uninitialized<T> (&values)[items])
    {
        simt::packet<16> packet;
#pragma unroll
        for (unsigned k = 0; k < items; ++k)
            simt::set_element(packet, k, values[k].value);
        return packet;
    }

    /// An element of a stage, ready to be combined.
    PARPRIMS_DEVICE T operand(const staged& element) const
    {
        if constexpr (stages_raw)
            return device::operand<T, Input>(transform, input.value_of(element));
        else
            return element;
    }

    /// Reads this lane's first `live` elements of a row that begins `shift` bytes behind `row_begin`, as operands.
    PARPRIMS_DEVICE void read_lane(const unsigned char* row_begin, unsigned shift, unsigned live,
                                   uninitialized<T> (&x)[items]) const
    {
        if constexpr (has_packets) {
            packets parts;
            layout::load_packets(row_begin, shift, parts);
#pragma unroll
            for (unsigned k = 0; k < items; ++k)
                if (k < live)
                    x[k].value = operand(layout::element(parts, k));
        } else {
#pragma unroll
            for (unsigned k = 0; k < items; ++k)
                if (k < live)
                    x[k].value = operand(layout::load_element(row_begin, shift, k));
        }
    }

    /// Reads this lane's elements of full rows, the first of which begins `shift` bytes behind `rows_begin`, as operands.
    template <unsigned Rows>
    PARPRIMS_DEVICE void read_rows(const unsigned char* rows_begin, unsigned shift,
                                   uninitialized<T> (&x)[Rows][items]) const
    {
        if constexpr (layout::has_halves) {
            simt::packet<16> parts[Rows];
            layout::load_rows(rows_begin, shift, parts);
#pragma unroll
            for (unsigned b = 0; b < Rows; ++b)
#pragma unroll
                for (unsigned k = 0; k < items; ++k)
                    x[b][k].value = operand(simt::element<staged>(parts[b], k));
        } else {
#pragma unroll
            for (unsigned b = 0; b < Rows; ++b)
                read_lane(rows_begin + b * layout::row_bytes, shift, items, x[b]);
        }
    }

    /// Whether packets of the input do not begin where the lanes' parts of rows do.
    PARPRIMS_HOST_DEVICE bool is_split() const
    {
        return layout::can_split && input_shift % (has_packets ? layout::packet_bytes : 1) != 0;
    }
    /// Whether lanes' parts of rows are aligned packets of the input, and of the output if they are stored as packets.
    bool is_aligned() const { return !is_split() && (!stores_packets || output_shift == 0); }

    /// Bytes from the beginning of its region to the rows of a full batch, once they have been summed.
    PARPRIMS_DEVICE unsigned summed_shift() const { return is_moved ? 0 : input_shift; }

    /// Offset of the stages from a line of shared memory: that of the input from a line of global memory, in packets. So a warp's
    /// copy covers as few lines of both as possible. The regions of batches have room for the offset.
    PARPRIMS_DEVICE unsigned stage_phase() const
    {
        if constexpr (stages_raw && layout::can_shift)
            return reinterpret_cast<std::uintptr_t>(input.data) % simt::shared_line_bytes / 16 * 16;
        else
            return 0;
    }

    /// The region of a batch of rows in a stage.
    PARPRIMS_DEVICE static unsigned char* region(unsigned char* stage, unsigned first)
    {
        return stage + first / batch * layout::region_bytes;
    }

    /// Calls `work(first)` for the batches of rows of this warp.
    template <class Work>
    PARPRIMS_DEVICE static void for_each_batch(Work work)
    {
        for (unsigned first = simt::block::warp() * batch; first < rows; first += simt::block::warps() * batch)
            work(first);
    }
};

}  // namespace parprims::detail::device
