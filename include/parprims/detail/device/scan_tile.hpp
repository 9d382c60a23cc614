/// @file
/// @brief  One tile of a scan in one block: fetch, totals of the rows, scan of the totals, answers.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/device/input.hpp>
#include <parprims/detail/device/output.hpp>
#include <parprims/detail/order.hpp>
#include <parprims/detail/simt/simt.hpp>
#include <parprims/detail/warp/scan.hpp>
#include <parprims/detail/warp/tree.hpp>

#include <cstddef>
#include <type_traits>

namespace parprims::detail::device {

/// What a scan works on, and the steps on one tile that both methods share. A warp reads and writes its own rows of a
/// stage only, so it needs no barrier with the others between fetching, reading and fetching again.
template <class Input, class Output, class T, class Op, class Transform>
struct scan_tile {
    using value_type = typename Input::value_type;
    static constexpr unsigned items = order::lane_items<T>;
    static constexpr unsigned rows = order::tile_rows<T>;
    static constexpr std::size_t row = order::row<T>;
    static constexpr std::size_t tile = order::tile<T>;

    /// Values wait in shared memory as they are read, unless they are larger, or somewhere else, than what is combined.
    static constexpr bool stages_raw = Input::is_pointer && sizeof(value_type) <= sizeof(T);
    using staged = std::conditional_t<stages_raw, value_type, T>;
    static constexpr std::size_t stage_bytes = tile * sizeof(staged);

    /// Bytes that a lane copies at a time; 0 where its part of a row is no whole number of words.
    static constexpr std::size_t lane_bytes = items * sizeof(staged);
    static constexpr unsigned packet_bytes = lane_bytes % 16 == 0 ? 16 : lane_bytes == 8 ? 8 : lane_bytes == 4 ? 4 : 0;
    static constexpr bool copies = stages_raw && packet_bytes != 0;
    using packet = simt::packet<packet_bytes != 0 ? packet_bytes : 1>;
    static constexpr unsigned packets = packet_bytes != 0 ? lane_bytes / packet_bytes : 1;
    static constexpr unsigned in_packet = packet_bytes / sizeof(staged);  // elements; 0 where one is larger
    static constexpr bool stores_packets =
        std::is_same_v<typename Output::value_type, T> && items * sizeof(T) == order::vector_bytes;

    Input input;
    std::size_t n;
    Output output;
    maybe<T> init;
    Op op;
    Transform transform;
    bool is_exclusive;
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
        const std::size_t first = index * tile;
        const std::size_t size = tile_size(index);
        const unsigned lane = simt::block::lane();
        for (unsigned r = simt::block::warp(); r < rows && r * row < size; r += simt::block::warps()) {
            if constexpr (copies) {
                if (input_aligned && (r + 1) * row <= size) {
                    auto* to = reinterpret_cast<packet*>(stage + r * row) + lane * packets;
                    const auto* from = reinterpret_cast<const packet*>(input.data + first + r * row) + lane * packets;
#pragma unroll
                    for (unsigned p = 0; p < packets; ++p)
                        simt::copy_async(to + p, from + p);
                    continue;
                }
            }
            for (unsigned k = 0; k < items; ++k) {
                const std::size_t e = r * row + k * simt::warp_size + lane;
                if (e < size) {
                    if constexpr (stages_raw)
                        stage[e] = input[first + e];
                    else
                        stage[e] = static_cast<T>(transform(input[first + e]));
                }
            }
        }
        simt::commit_copies();
    }

    /// The total of every full row, written by lane 0 of the row's warp.
    PARPRIMS_DEVICE void total_rows(const staged* stage, std::size_t size, uninitialized<T>* row_totals) const
    {
        const auto full = static_cast<unsigned>(size / row);
        const unsigned warps = simt::block::warps();
        unsigned r = simt::block::warp();
        for (; r + (batch - 1) * warps < full; r += batch * warps)
            total_batch<batch>(stage, r, row_totals);
        for (; r < full; r += warps)
            total_batch<1>(stage, r, row_totals);
    }

    /// For one warp: the inclusive Hillis-Steele scan of the rows' totals.
    PARPRIMS_DEVICE void scan_rows(const uninitialized<T>* row_totals, std::size_t size,
                                   uninitialized<T>* row_scans) const
    {
        const unsigned lane = simt::block::lane();
        const auto live = static_cast<unsigned>(size / row);
        uninitialized<T> low;
        uninitialized<T> high;
        if (lane < live)
            low.value = row_totals[lane].value;
        if (lane + simt::warp_size < live)
            high.value = row_totals[lane + simt::warp_size].value;
        warp::scan_rows<rows>(low, high, live, op);
        if (lane < live)
            row_scans[lane].value = low.value;
        if (lane + simt::warp_size < live)
            row_scans[lane + simt::warp_size].value = high.value;
    }

    /// Scans the rows once more, now knowing what comes before, and writes the answers.
    PARPRIMS_DEVICE void write_answers(const staged* stage, std::size_t index, const uninitialized<T>* row_scans,
                                       const maybe<T>& prefix) const
    {
        const std::size_t size = tile_size(index);
        const auto full = static_cast<unsigned>(size / row);
        const unsigned warps = simt::block::warps();
        unsigned r = simt::block::warp();
        for (; r + (batch - 1) * warps < full; r += batch * warps)
            answer_batch<batch, true>(stage, index, size, r, row_scans, prefix);
        for (; r < rows && r * row < size; r += warps)
            answer_batch<1, false>(stage, index, size, r, row_scans, prefix);
    }

private:
    /// Rows that a warp works on at a time, so that their shuffles overlap.
    static constexpr unsigned batch = items * sizeof(T) <= order::vector_bytes && items <= 4 ? 4 : 1;

    /// The totals of `Count` full rows, every `warps`-th from r on.
    template <unsigned Count>
    PARPRIMS_DEVICE void total_batch(const staged* stage, unsigned r, uninitialized<T>* row_totals) const
    {
        const unsigned warps = simt::block::warps();
        uninitialized<T> totals[Count];
#pragma unroll
        for (unsigned b = 0; b < Count; ++b) {
            uninitialized<T> x[items];
            read_lane(stage + (r + b * warps) * row, items, x);
            totals[b].value = x[0].value;
#pragma unroll
            for (unsigned k = 1; k < items; ++k)
                totals[b].value = warp::combine<T>(op, totals[b].value, x[k].value);
        }
#pragma unroll
        for (unsigned b = 0; b < Count; ++b)
            totals[b].value = warp::fold_lanes(totals[b].value, simt::warp_size, op);
        if (simt::block::lane() == 0)
#pragma unroll
            for (unsigned b = 0; b < Count; ++b)
                row_totals[r + b * warps].value = totals[b].value;
    }

    /// The answers of `Count` rows, every `warps`-th from r on; `Full`: no row ends early.
    template <unsigned Count, bool Full>
    PARPRIMS_DEVICE void answer_batch(const staged* stage, std::size_t index, std::size_t size, unsigned r,
                                      const uninitialized<T>* row_scans, const maybe<T>& prefix) const
    {
        const unsigned lane = simt::block::lane();
        const unsigned warps = simt::block::warps();
        uninitialized<T> t[Count][items];
        uninitialized<T> lane_scans[Count];
        unsigned live[Count];

        // Inside a lane serially, across lanes by Hillis-Steele.
#pragma unroll
        for (unsigned b = 0; b < Count; ++b) {
            const std::size_t begin = (r + b * warps) * row + lane * items;
            live[b] = Full || begin + items <= size ? items : begin < size ? static_cast<unsigned>(size - begin) : 0;
            read_lane(stage + (r + b * warps) * row, live[b], t[b]);
#pragma unroll
            for (unsigned k = 1; k < items; ++k)
                if (k < live[b])
                    t[b][k].value = warp::combine<T>(op, t[b][k - 1].value, t[b][k].value);
        }
#pragma unroll
        for (unsigned b = 0; b < Count; ++b)
            lane_scans[b].value = warp::scan_lanes(t[b][items - 1].value, live[b] == items, op);

#pragma unroll
        // What comes before a lane inside the tile: the rows above, then the lanes below.
        for (unsigned b = 0; b < Count; ++b) {
            const T lanes_before = simt::shuffle_up(lane_scans[b].value, 1);
            maybe<T> before;
            if (r + b * warps > 0)
                before.set(row_scans[r + b * warps - 1].value);
            if (lane > 0 && live[b] > 0)
                before.set(before.then(lanes_before, op));

            uninitialized<T> answers[items];
#pragma unroll
            for (unsigned k = 0; k < items; ++k)
                if (k < live[b])
                    answers[k].value = answer(prefix, before, t[b], k);
            write_lane(index * tile + (r + b * warps) * row + lane * items, live[b], answers);
        }
    }

    /// This lane's elements of a row, ready to be combined; the first `live` of them.
    PARPRIMS_DEVICE void read_lane(const staged* stage_row, unsigned live, uninitialized<T> (&x)[items]) const
    {
        const unsigned lane = simt::block::lane();
        if constexpr (in_packet * packets == items) {
            const auto* source = reinterpret_cast<const packet*>(stage_row) + lane * packets;
#pragma unroll
            for (unsigned p = 0; p < packets; ++p) {
                const packet words = source[p];
#pragma unroll
                for (unsigned k = 0; k < in_packet; ++k)
                    if (p * in_packet + k < live)
                        x[p * in_packet + k].value = ready(simt::element<staged>(words, k));
            }
        } else {
#pragma unroll
            for (unsigned k = 0; k < items; ++k)
                if (k < live)
                    x[k].value = ready(stage_row[lane * items + k]);
        }
    }

    PARPRIMS_DEVICE T ready(const staged& element) const
    {
        if constexpr (stages_raw)
            return static_cast<T>(transform(element));
        else
            return element;
    }

    PARPRIMS_DEVICE T answer(const maybe<T>& prefix, const maybe<T>& before, const uninitialized<T> (&t)[items],
                             unsigned k) const
    {
        if (!is_exclusive)
            return prefix.then(before.then(t[k].value, op), op);
        if (k > 0)
            return prefix.then(before.then(t[k - 1].value, op), op);
        return before.present ? prefix.then(before.get(), op) : prefix.get();
    }

    PARPRIMS_DEVICE void write_lane(std::size_t first, unsigned live, const uninitialized<T> (&answers)[items]) const
    {
        if constexpr (stores_packets) {
            if (output_aligned && live == items) {
                simt::packet<order::vector_bytes> words;
#pragma unroll
                for (unsigned k = 0; k < items; ++k)
                    simt::set_element(words, k, answers[k].value);
                simt::store_streaming(reinterpret_cast<simt::packet<order::vector_bytes>*>(output.data + first), words);
                return;
            }
        }
#pragma unroll
        for (unsigned k = 0; k < items; ++k)
            if (k < live)
                output.set(first + k, answers[k].value);
    }
};

}  // namespace parprims::detail::device
