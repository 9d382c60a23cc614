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
        const std::size_t begin = index * tile;
        const std::size_t size = tile_size(index);
        for_each_batch([&](unsigned first) {
            if constexpr (copies) {
                if (input_aligned && (first + batch) * row <= size) {
                    auto* const to = reinterpret_cast<packet*>(stage + first * row) + simt::block::lane() * packets;
                    const auto* const from = reinterpret_cast<const packet*>(input.data + begin + first * row) +
                                             simt::block::lane() * packets;
#pragma unroll
                    for (unsigned b = 0; b < batch; ++b)
#pragma unroll
                        for (unsigned p = 0; p < packets; ++p)
                            simt::copy_async(to + b * row_packets + p, from + b * row_packets + p);
                    return;
                }
            }
            fetch_elements(stage, begin, size, first);
        });
        simt::commit_copies();
    }

    /// The total of every full row, written by lane 0 of the row's warp.
    PARPRIMS_DEVICE void total_rows(const staged* stage, std::size_t size, uninitialized<T>* row_totals) const
    {
        const auto full = static_cast<unsigned>(size / row);
        for_each_batch([&](unsigned first) {
            if (first + batch <= full)
                total_batch<batch>(stage, first, row_totals);
            else
                for (unsigned r = first; r < full; ++r)
                    total_batch<1>(stage, r, row_totals);
        });
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
            low.value = simt::load(row_totals, lane);
        if (lane + simt::warp_size < live)
            high.value = simt::load(row_totals, lane + simt::warp_size);
        warp::scan_rows<rows>(low, high, live, op);
        if (lane < live)
            simt::store(row_scans, lane, low.value);
        if (lane + simt::warp_size < live)
            simt::store(row_scans, lane + simt::warp_size, high.value);
    }

    /// Scans the rows once more, now knowing what comes before, and writes the answers.
    PARPRIMS_DEVICE void write_answers(const staged* stage, std::size_t index, const uninitialized<T>* row_scans,
                                       const maybe<T>& prefix) const
    {
        const std::size_t size = tile_size(index);
        const auto full = static_cast<unsigned>(size / row);
        for_each_batch([&](unsigned first) {
            // All lanes have answers, and all but the very first row have something before them.
            if (first + batch <= full && (first > 0 || prefix.present)) {
                answer_batch(stage, index, first, row_scans, prefix);
                return;
            }
#pragma unroll 1
            for (unsigned r = first; r < first + batch && r * row < size; ++r)
                answer_row(stage, index, size, r, row_scans, prefix);
        });
    }

private:
    /// Neighbouring rows that a warp works on at a time, so that their loads and shuffles overlap.
    static constexpr unsigned batch =
        order::power_of_two_within(128, items * (sizeof(T) < 4 ? 4 : sizeof(T)), rows < 4 ? rows : 4);
    static constexpr unsigned row_packets = simt::warp_size * packets;

    /// Calls `work(first)` for the batches of rows of this warp.
    template <class Work>
    PARPRIMS_DEVICE static void for_each_batch(Work work)
    {
        for (unsigned first = simt::block::warp() * batch; first < rows; first += simt::block::warps() * batch)
            work(first);
    }

    PARPRIMS_DEVICE void fetch_elements(staged* stage, std::size_t begin, std::size_t size, unsigned first) const
    {
        const std::size_t end = (first + batch) * row < size ? (first + batch) * row : size;
        for (std::size_t e = first * row + simt::block::lane(); e < end; e += simt::warp_size) {
            if constexpr (stages_raw)
                simt::store(stage, e, input[begin + e]);
            else
                simt::store(stage, e, enter<T, Input>(transform, input[begin + e]));
        }
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
#pragma unroll
        for (unsigned b = 0; b < Count; ++b)
            totals[b].value = warp::fold_full_lanes(totals[b].value, op);
        if (simt::block::lane() == 0)
#pragma unroll
            for (unsigned b = 0; b < Count; ++b)
                simt::store(row_totals, first + b, totals[b].value);
    }

    /// The answers of a batch of full rows. There is a prefix, or rows before.
    PARPRIMS_DEVICE void answer_batch(const staged* stage, std::size_t index, unsigned first,
                                      const uninitialized<T>* row_scans, const maybe<T>& prefix) const
    {
        const unsigned lane = simt::block::lane();
        uninitialized<T> t[batch][items];
        uninitialized<T> before[batch];

        // Inside a lane serially, across lanes by Hillis-Steele.
#pragma unroll
        for (unsigned b = 0; b < batch; ++b) {
            read_lane(stage + (first + b) * row, items, t[b]);
#pragma unroll
            for (unsigned k = 1; k < items; ++k)
                t[b][k].value = warp::combine<T>(op, t[b][k - 1].value, t[b][k].value);
        }
#pragma unroll
        for (unsigned b = 0; b < batch; ++b)
            before[b].value = simt::shuffle_up(warp::scan_full_lanes(t[b][items - 1].value, op), 1);

            // What comes before a lane: the tiles before, the rows above, the lanes below.
#pragma unroll
        for (unsigned b = 0; b < batch; ++b) {
            uninitialized<T> carry;
            if (first + b == 0)
                carry.value = prefix.get();
            else
                carry.value = prefix.then(simt::at(row_scans, first + b - 1), op);
            const T with_lanes = warp::combine<T>(op, carry.value, before[b].value);
            before[b].value = lane > 0 ? with_lanes : carry.value;
        }
        // Branches around the whole rest are cheaper than a choice for each element.
        const std::size_t place = index * tile + first * row + lane * items;
        if (is_exclusive)
            write_batch<true>(place, before, t);
        else
            write_batch<false>(place, before, t);
    }

    template <bool Exclusive>
    PARPRIMS_DEVICE void write_batch(std::size_t place, const uninitialized<T> (&before)[batch],
                                     uninitialized<T> (&t)[batch][items]) const
    {
#pragma unroll
        for (unsigned b = 0; b < batch; ++b) {
#pragma unroll
            for (unsigned k = items; k-- > 0;) {
                if (Exclusive && k == 0)
                    t[b][0].value = before[b].value;
                else
                    t[b][k].value = warp::combine<T>(op, before[b].value, t[b][Exclusive ? k - 1 : k].value);
            }
        }
        if constexpr (stores_packets) {
            if (output_aligned) {
#pragma unroll
                for (unsigned b = 0; b < batch; ++b)
                    store_packet(place + b * row, t[b]);
                return;
            }
        }
#pragma unroll
        for (unsigned b = 0; b < batch; ++b)
#pragma unroll
            for (unsigned k = 0; k < items; ++k)
                output.set(place + b * row + k, t[b][k].value);
    }

    /// The answers of any row: it may end early, and there may be nothing before it.
    PARPRIMS_DEVICE void answer_row(const staged* stage, std::size_t index, std::size_t size, unsigned r,
                                    const uninitialized<T>* row_scans, const maybe<T>& prefix) const
    {
        const unsigned lane = simt::block::lane();
        const std::size_t begin = r * row + lane * items;
        const unsigned live = begin + items <= size ? items : begin < size ? static_cast<unsigned>(size - begin) : 0;
        uninitialized<T> t[items];
        read_lane(stage + r * row, live, t);
#pragma unroll
        for (unsigned k = 1; k < items; ++k)
            if (k < live)
                t[k].value = warp::combine<T>(op, t[k - 1].value, t[k].value);
        const T lanes = simt::shuffle_up(warp::scan_lanes(t[items - 1].value, live == items, op), 1);

        maybe<T> before = prefix;
        if (r > 0)
            before.set(before.then(simt::at(row_scans, r - 1), op));
        if (lane > 0 && live > 0)
            before.set(before.then(lanes, op));
#pragma unroll
        for (unsigned k = 0; k < items; ++k)
            if (k < live)
                output.set(index * tile + begin + k, answer(before, t, k));
    }

    PARPRIMS_DEVICE T answer(const maybe<T>& before, const uninitialized<T> (&t)[items], unsigned k) const
    {
        if (!is_exclusive)
            return before.then(t[k].value, op);
        return k > 0 ? before.then(t[k - 1].value, op) : before.get();
    }

    PARPRIMS_DEVICE void store_packet(std::size_t place, const uninitialized<T> (&values)[items]) const
    {
        using words = simt::packet<order::vector_bytes>;
        words answers;
#pragma unroll
        for (unsigned k = 0; k < items; ++k)
            simt::set_element(answers, k, values[k].value);
        simt::store_streaming(reinterpret_cast<words*>(output.data + place), answers);
    }

    /// This lane's elements of a row, ready to be combined; the first `live` of them.
    PARPRIMS_DEVICE void read_lane(const staged* stage_row, unsigned live, uninitialized<T> (&x)[items]) const
    {
        const unsigned lane = simt::block::lane();
        if constexpr (in_packet * packets == items) {
            const auto* source = reinterpret_cast<const packet*>(stage_row) + lane * packets;
#pragma unroll
            for (unsigned p = 0; p < packets; ++p) {
                const packet words = simt::load(source, p);
#pragma unroll
                for (unsigned k = 0; k < in_packet; ++k)
                    if (p * in_packet + k < live)
                        x[p * in_packet + k].value = ready(simt::element<staged>(words, k));
            }
        } else {
#pragma unroll
            for (unsigned k = 0; k < items; ++k)
                if (k < live)
                    x[k].value = ready(simt::load(stage_row, lane * items + k));
        }
    }

    PARPRIMS_DEVICE T ready(const staged& element) const
    {
        if constexpr (stages_raw)
            return enter<T, Input>(transform, element);
        else
            return element;
    }
};

}  // namespace parprims::detail::device
