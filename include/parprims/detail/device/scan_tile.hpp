/// @file
/// @brief  One tile of a scan in one block: fetch, totals of the rows, scan of the totals, answers.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/device/input.hpp>
#include <parprims/detail/device/output.hpp>
#include <parprims/detail/device/packed_sums.hpp>
#include <parprims/detail/device/scan_stage.hpp>
#include <parprims/detail/order.hpp>
#include <parprims/detail/simt/simt.hpp>
#include <parprims/detail/warp/scan.hpp>
#include <parprims/detail/warp/tree.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace parprims::detail::device {

/// What a scan works on, and the steps on one tile that both methods share. A warp reads and writes its own rows of a
/// stage only, so it needs no barrier with the others between fetching, reading and fetching again.
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
    /// What a lane holds of a row where it stays in registers: elements, and what comes before them.
    static constexpr unsigned row_registers = is_packed ? 5 : (items + 1) * ((sizeof(T) + 3) / 4);

    /// Values wait in shared memory as they are read, unless they are larger, or somewhere else, than what is combined.
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
        is_packed ? 4 : order::power_of_two_within(128, items * (sizeof(T) < 4 ? 4 : sizeof(T)), rows < 4 ? rows : 4);
    using layout = scan_stage<staged, items, batch>;
    static constexpr unsigned packet_bytes = layout::copy_bytes;
    static constexpr bool copies = stages_raw && packet_bytes != 0;
    static constexpr bool reads_packets = copies && layout::packet_bytes != 0;  // a lane, its part of a row

    /// Answers leave as packets: those of a lane at once, or a batch through the stage.
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

    /// The same, slower and shorter.
    PARPRIMS_DEVICE void total_rows_by_row(const staged* stage, std::size_t size, uninitialized<T>* row_totals) const
    {
        const auto full = static_cast<unsigned>(size / row);
        for_each_batch(
            [&](unsigned first) { total_each(stage, first, full < first + batch ? full : first + batch, row_totals); });
    }

    /// For one warp: the inclusive Hillis-Steele scan of the totals of a tile's first `live` rows.
    PARPRIMS_DEVICE void scan_rows(const uninitialized<T>* row_totals, unsigned live, uninitialized<T>* row_scans) const
    {
        if (live == 0)
            return;
        const unsigned lane = simt::block::lane();
        // Behind the last total its copies.
        const auto total = [&](unsigned r) { return simt::load(row_totals, r < live ? r : live - 1); };
        T low = total(lane);
        T high = rows > simt::warp_size ? total(lane + simt::warp_size) : low;
        warp::scan_rows<rows>(low, high, op);
        if (lane < live)
            simt::store(row_scans, lane, low);
        if (lane + simt::warp_size < live)
            simt::store(row_scans, lane + simt::warp_size, high);
    }

    /// Scans the rows once more, now knowing what comes before, and writes the answers. Calls `refill(first)` as soon as
    /// the warp needs the batch of rows from `first` on no more.
    template <class Refill>
    PARPRIMS_DEVICE void write_answers(staged* stage, std::size_t index, const uninitialized<T>* row_scans,
                                       const maybe<T>& prefix, Refill refill) const
    {
        const std::size_t size = tile_size(index);
        const auto full = static_cast<unsigned>(size / row);
        for_each_batch([&](unsigned first) {
            // All lanes have answers, and all but the very first row have something before them.
            if (first + batch <= full && (first > 0 || prefix.present)) {
                if constexpr (is_packed)
                    answer_packed(stage, index, first, row_scans, prefix, refill);
                else
                    answer_batch(stage, index, first, row_scans, prefix, refill);
                return;
            }
            answer_rows(stage, index, size, first, row_scans, prefix);
            simt::sync_warp();
            refill(first);
        });
    }

    /// The same, slower and shorter.
    PARPRIMS_DEVICE void write_answers_by_row(const staged* stage, std::size_t index, const uninitialized<T>* row_scans,
                                              const maybe<T>& prefix) const
    {
        const std::size_t size = tile_size(index);
        for_each_batch([&](unsigned first) { answer_rows(stage, index, size, first, row_scans, prefix); });
    }

    /// The first `live` answers of a lane, which begin at `place`.
    PARPRIMS_DEVICE void write_lane(std::size_t place, unsigned live, const uninitialized<T> (&answers)[items]) const
    {
        if constexpr (stores_packets) {
            if (output_aligned && live == items) {
                store_packet(place, answers);
                return;
            }
        }
#pragma unroll
        for (unsigned k = 0; k < items; ++k)
            if (k < live)
                output.set(place + k, answers[k].value);
    }

    /// An element of a stage, ready to be combined.
    PARPRIMS_DEVICE T ready(const staged& element) const
    {
        if constexpr (stages_raw)
            return enter<T, Input>(transform, input.of(element));
        else
            return element;
    }

private:
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

    /// The answers of a batch of full rows. There is a prefix, or rows before.
    template <class Refill>
    PARPRIMS_DEVICE void answer_batch(staged* stage, std::size_t index, unsigned first,
                                      const uninitialized<T>* row_scans, const maybe<T>& prefix, Refill refill) const
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
        if (!goes_through_stage()) {
            simt::sync_warp();
            refill(first);
        }
#pragma unroll
        for (unsigned b = 0; b < batch; ++b)
            before[b].value = simt::shuffle_up(warp::scan_full_lanes(t[b][items - 1].value, op), 1);

            // What comes before a lane: the tiles before, the rows above, the lanes below.
#pragma unroll
        for (unsigned b = 0; b < batch; ++b) {
            const T carry = before_row(first + b, row_scans, prefix);
            const T with_lanes = warp::combine<T>(op, carry, before[b].value);
            before[b].value = lane > 0 ? with_lanes : carry;
        }
        const std::size_t place = index * tile + first * row + lane * items;
        write_batch(stage + first * row, place, before, t);
        if (goes_through_stage()) {
            simt::sync_warp();
            refill(first);
        }
    }

    /// Whether answers are put into the stage on their way.
    PARPRIMS_DEVICE bool goes_through_stage() const { return stores_staged && output_aligned; }

    PARPRIMS_DEVICE void write_batch(staged* rows_begin, std::size_t place, const uninitialized<T> (&before)[batch],
                                     uninitialized<T> (&t)[batch][items]) const
    {
#pragma unroll
        for (unsigned b = 0; b < batch; ++b) {
#pragma unroll
            for (unsigned k = items; k-- > 0;) {
                if (is_exclusive && k == 0)
                    t[b][0].value = before[b].value;
                else
                    t[b][k].value = warp::combine<T>(op, before[b].value, t[b][is_exclusive ? k - 1 : k].value);
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
        if constexpr (stores_staged) {
            if (output_aligned) {
                store_staged(rows_begin, place, t);
                return;
            }
        }
#pragma unroll
        for (unsigned b = 0; b < batch; ++b)
#pragma unroll
            for (unsigned k = 0; k < items; ++k)
                output.set(place + b * row + k, t[b][k].value);
    }

    /// The same for sums in packed words.
    template <class Refill>
    PARPRIMS_DEVICE void answer_packed(const staged* stage, std::size_t index, unsigned first,
                                       const uninitialized<T>* row_scans, const maybe<T>& prefix, Refill refill) const
    {
        simt::packet<16> x[batch];
        std::uint32_t before[batch];
#pragma unroll
        for (unsigned b = 0; b < batch; ++b) {
            x[b] = read_packet(stage, first + b);
            before[b] = packed_total<T>(x[b]);
        }
        simt::sync_warp();
        refill(first);
        // Across the lanes two rows at a time; a lane's own sum leaves again what the lanes below have.
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
        write_packed(place, before, x);
    }

    PARPRIMS_DEVICE void write_packed(std::size_t place, const std::uint32_t (&before)[batch],
                                      const simt::packet<16> (&x)[batch]) const
    {
        const bool as_packets = stores_packets && output_aligned;
#pragma unroll
        for (unsigned b = 0; b < batch; ++b) {
            const simt::packet<16> answers = packed_answers<T, is_exclusive>(x[b], before[b]);
            if constexpr (stores_packets)
                if (as_packets)
                    simt::store_streaming(reinterpret_cast<simt::packet<16>*>(output.data + place + b * row), answers);
            if (!as_packets)
#pragma unroll
                for (unsigned k = 0; k < items; ++k)
                    output.set(place + b * row + k, simt::element<T>(answers, k));
        }
    }

    /// What comes before a row: there is a prefix, or a row before.
    PARPRIMS_DEVICE T before_row(unsigned r, const uninitialized<T>* row_scans, const maybe<T>& prefix) const
    {
        return r == 0 ? prefix.get() : prefix.then(simt::at(row_scans, r - 1), op);
    }

    /// This lane's part of a row.
    PARPRIMS_DEVICE static simt::packet<16> read_packet(const staged* stage, unsigned r)
    {
        return simt::load(reinterpret_cast<const simt::packet<16>*>(stage + r * row), simt::block::lane());
    }

    /// The answers of a batch of any rows: it may end early, and there may be nothing before it.
    PARPRIMS_DEVICE void answer_rows(const staged* stage, std::size_t index, std::size_t size, unsigned first,
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
            for (unsigned k = items; k-- > 0;) {
                if (k >= live)
                    continue;
                if (is_exclusive && k == 0)
                    t[k].value = before.get();
                else
                    t[k].value = before.then(t[is_exclusive ? k - 1 : k].value, op);
            }
            write_lane(index * tile + begin, live, t);
        }
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

    /// Leaves the answers where the warp's elements were, and writes them from there in the order of the memory.
    PARPRIMS_DEVICE void store_staged(staged* rows_begin, std::size_t place,
                                      const uninitialized<T> (&t)[batch][items]) const
    {
        simt::sync_warp();
#pragma unroll
        for (unsigned b = 0; b < batch; ++b)
            layout::write_lane(rows_begin + b * row, t[b]);
        simt::sync_warp();
        layout::write(rows_begin, output.data + (place - simt::block::lane() * items));
    }

    /// This lane's elements of a row, ready to be combined; the first `live` of them.
    PARPRIMS_DEVICE void read_lane(const staged* stage_row, unsigned live, uninitialized<T> (&x)[items]) const
    {
        layout::read_lane(stage_row, live, [&](unsigned k, const staged& element) { x[k].value = ready(element); });
    }
};

}  // namespace parprims::detail::device
