/// @file
/// @brief  One tile of a scan in one block: fetch, totals of the rows, scan of the totals.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/block/input.hpp>
#include <parprims/detail/block/output.hpp>
#include <parprims/detail/block/warp_scan.hpp>
#include <parprims/detail/block/warp_tree.hpp>
#include <parprims/detail/device/scan/packed_sums.hpp>
#include <parprims/detail/device/scan/stage.hpp>
#include <parprims/detail/device/scan/tuning.hpp>
#include <parprims/detail/order.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace parprims::detail::device {

/// What a scan works on, and the steps on one tile that its kernels share. A warp reads and writes only its own rows of a
/// stage, so it needs no barrier with other warps between fetching, reading and fetching again.
template <scan_kind Kind, class Input, class Output, class T, class Op, class Transform>
struct scan_tile {
    static constexpr bool is_exclusive = Kind == scan_kind::exclusive;
    using value_type = typename Input::value_type;
    static constexpr unsigned items = order::lane_items<T>;
    static constexpr unsigned rows = order::tile_rows<T>;
    static constexpr std::size_t row = order::row<T>;
    static constexpr unsigned row32 = order::row<T>;
    static constexpr std::size_t tile = order::tile<T>;
    static constexpr bool is_packed = is_packed_sum<T, Input, Op, Transform>;
    /// Registers of a lane for its part of a row where that stays in them: elements, and everything before them.
    static constexpr unsigned row_registers = is_packed ? 5 : (items + 1) * ((sizeof(T) + 3) / 4);

    /// Stages hold elements as they lie in the input; where those are larger than what is combined, or not in memory, they hold
    /// what is combined.
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
    static constexpr std::size_t stage_bytes = tile * sizeof(staged);

    /// Neighbouring rows that a warp works on at a time, so that their loads and shuffles overlap: as many as leave the
    /// values in registers.
    static constexpr unsigned batch =
        is_packed ? max_batch_rows
                  : order::power_of_two_within(max_batch_bytes, items * (sizeof(T) < 4 ? 4 : sizeof(T)),
                                               rows < max_batch_rows ? rows : max_batch_rows);
    using layout = scan_stage<staged, items, batch>;
    static constexpr unsigned packet_bytes = layout::copy_bytes;
    static constexpr bool copies = stages_raw && packet_bytes != 0;
    static constexpr bool reads_packets = copies && layout::packet_bytes != 0;  // of a lane's part of a row

    /// The output leaves as packets: that of a lane at once, or a batch through the stage.
    static constexpr bool writes_values = std::is_same_v<typename Output::value_type, T>;
    static constexpr bool stores_packets = writes_values && items * sizeof(T) == order::vector_bytes;
    static constexpr bool stores_staged =
        writes_values && !stores_packets && std::is_same_v<staged, T> && layout::writes_packets;

    Input input;
    std::size_t n;
    Output output;
    maybe<T> init;
    Op op;
    Transform transform;
    bool input_aligned;   // the input may be copied in packets
    bool output_aligned;  // the output may be written in packets

    PARPRIMS_HOST_DEVICE std::size_t tiles() const { return order::ceil_div(n, tile); }

    /// Elements of a tile: all but the last are full.
    PARPRIMS_DEVICE std::size_t tile_size(std::size_t index) const
    {
        return n - index * tile < tile ? n - index * tile : tile;
    }

    /// Starts to bring a tile into `stage`; ends when the copies have been waited for.
    PARPRIMS_DEVICE void fetch(staged* stage, std::size_t index) const
    {
        for_each_batch([&](unsigned first) { fetch_batch(stage, index, first); });
        simt::commit_copies();
    }

    /// The same for the batch of rows from `first` on, which belong to the calling warp.
    PARPRIMS_DEVICE void fetch_batch(staged* stage, std::size_t index, unsigned first) const
    {
        const std::size_t begin = index * tile;
        const std::size_t size = tile_size(index);
        if constexpr (copies) {
            if (input_aligned && (first + batch) * row <= size) {
                layout::copy(stage + first * row, input.data + begin + first * row);
                return;
            }
        }
        fetch_elements(stage, begin, size, first);
    }

    /// The total of every full row, written by lane 0 of the row's warp.
    PARPRIMS_DEVICE void total_rows(const staged* stage, std::size_t size, uninitialized<T>* row_totals) const
    {
        const auto full = static_cast<unsigned>(size / row);
        for_each_batch([&](unsigned first) {
            if constexpr (is_packed) {
                if (first + batch <= full)
                    return total_packed(stage, first, row_totals);
            }
            if (first + batch <= full)
                total_batch<batch>(stage, first, row_totals);
            else
                total_each(stage, first, full, row_totals);
        });
    }

    /// For one warp: the inclusive Hillis-Steele scan of the totals of a tile's first `live` rows.
    PARPRIMS_DEVICE void scan_rows(const uninitialized<T>* row_totals, unsigned live, uninitialized<T>* row_scans) const
    {
        if (live == 0)
            return;
        const unsigned lane = simt::block::lane();
        // Lanes behind the last total hold copies of it, so that the operator sees only partial results.
        const auto total = [&](unsigned r) { return simt::load(row_totals, r < live ? r : live - 1); };
        T low = total(lane);
        T high = rows > simt::warp_size ? total(lane + simt::warp_size) : low;
        warp::scan_rows<rows>(low, high, live, op);
        if (lane < live)
            simt::store(row_scans, lane, low);
        if (lane + simt::warp_size < live)
            simt::store(row_scans, lane + simt::warp_size, high);
    }

    /// Writes the first `live` values of a lane, from `place` on.
    PARPRIMS_DEVICE void write_lane(std::size_t place, unsigned live, const uninitialized<T> (&values)[items]) const
    {
        if constexpr (stores_packets) {
            if (output_aligned && live == items) {
                store_packet(place, values);
                return;
            }
        }
#pragma unroll
        for (unsigned k = 0; k < items; ++k)
            if (k < live)
                output.set(place + k, values[k].value);
    }

    /// An element of a stage, ready to be combined.
    PARPRIMS_DEVICE T ready(const staged& element) const
    {
        if constexpr (stages_raw)
            return enter<T, Input>(transform, input.of(element));
        else
            return element;
    }

    /// This lane's elements of a row, ready to be combined; the first `live` of them.
    PARPRIMS_DEVICE void read_lane(const staged* stage_row, unsigned live, uninitialized<T> (&x)[items]) const
    {
        layout::read_lane(stage_row, live, [&](unsigned k, const staged& element) { x[k].value = ready(element); });
    }

    /// This lane's part of a row.
    PARPRIMS_DEVICE static simt::packet<16> read_packet(const staged* stage, unsigned r)
    {
        return simt::load(reinterpret_cast<const simt::packet<16>*>(stage + r * row), simt::block::lane());
    }

    /// Writes the values of a lane as one packet, where the output is aligned.
    PARPRIMS_DEVICE void store_packet(std::size_t place, const uninitialized<T> (&values)[items]) const
    {
        using words = simt::packet<order::vector_bytes>;
        words packet;
#pragma unroll
        for (unsigned k = 0; k < items; ++k)
            simt::set_element(packet, k, values[k].value);
        simt::store_streaming(reinterpret_cast<words*>(output.data + place), packet);
    }

    /// Calls `work(first)` for the batches of rows of this warp.
    template <class Work>
    PARPRIMS_DEVICE static void for_each_batch(Work work)
    {
        for (unsigned first = simt::block::warp() * batch; first < rows; first += simt::block::warps() * batch)
            work(first);
    }

private:
    PARPRIMS_DEVICE void fetch_elements(staged* stage, std::size_t begin, std::size_t size, unsigned first) const
    {
        const std::size_t end = (first + batch) * row < size ? (first + batch) * row : size;
        for (std::size_t e = first * row + simt::block::lane(); e < end; e += simt::warp_size) {
            if constexpr (stages_raw)
                simt::store(stage, e, simt::load(input.data, begin + e));
            else
                simt::store(stage, e, enter<T, Input>(transform, input[begin + e]));
        }
    }

    /// The totals of full rows from `first` on, one by one.
    PARPRIMS_DEVICE void total_each(const staged* stage, unsigned first, unsigned end,
                                    uninitialized<T>* row_totals) const
    {
#pragma unroll 1
        for (unsigned r = first; r < end; ++r)
            total_batch<1>(stage, r, row_totals);
    }

    /// The totals of `Count` full rows from `first` on.
    template <unsigned Count>
    PARPRIMS_DEVICE void total_batch(const staged* stage, unsigned first, uninitialized<T>* row_totals) const
    {
        uninitialized<T> totals[Count];
#pragma unroll
        for (unsigned b = 0; b < Count; ++b) {
            uninitialized<T> x[items];
            read_lane(stage + (first + b) * row, items, x);
            totals[b].value = x[0].value;
#pragma unroll
            for (unsigned k = 1; k < items; ++k)
                totals[b].value = warp::combine<T>(op, totals[b].value, x[k].value);
        }
        const T total = warp::fold_full_rows(totals, op);
        if (simt::block::lane() < Count)
            simt::store(row_totals, first + simt::block::lane(), total);
    }

    /// The same for sums in packed words.
    PARPRIMS_DEVICE void total_packed(const staged* stage, unsigned first, uninitialized<T>* row_totals) const
    {
        uninitialized<std::uint32_t> totals[batch / 2];
#pragma unroll
        for (unsigned b = 0; b < batch; b += 2)
            totals[b / 2].value = pair_of(packed_total<T>(read_packet(stage, first + b)),
                                          packed_total<T>(read_packet(stage, first + b + 1)));
        const std::uint32_t pair = warp::fold_full_rows(totals, add_pairs{});
        if (simt::block::lane() < batch / 2) {
            simt::store(row_totals, first + 2 * simt::block::lane(), static_cast<T>(pair));
            simt::store(row_totals, first + 2 * simt::block::lane() + 1, static_cast<T>(pair >> 16));
        }
    }
};

}  // namespace parprims::detail::device
