/// @file
/// @brief  Folds the chunks of an input, each by a warp: from aligned packets, packets of a misaligned input, or elements.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/device/load/input.hpp>
#include <parprims/detail/device/tree/tuning.hpp>
#include <parprims/detail/device/tree/warp_tree.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace parprims::detail::device {

/// The input of a reduction, its operators, and the fold of its chunks. How a chunk is loaded cannot change its total.
template <class Input, class T, class Op, class Transform>
struct reduce_chunks {
    using value_type = typename Input::value_type;
    static constexpr unsigned items = order::lane_items<value_type>;
    static constexpr std::size_t row = order::row<value_type>;
    static constexpr std::size_t chunk = order::chunk<value_type>;
    static constexpr unsigned packet_bytes = packet_bytes_of<Input>(items);  // of a lane's columns of a row
    static constexpr bool has_packets = packet_bytes != 0;
    using packet = simt::packet<has_packets ? packet_bytes : 1>;

    static constexpr bool is_large = sizeof(T) > max_batched_bytes;

    /// Shared memory of a warp: the total of the tail.
    using warp_memory = uninitialized<T>;
    static constexpr std::size_t warp_bytes = sizeof(warp_memory);

    Input input;
    std::size_t n;
    Op op;
    Transform transform;
    bool aligned;            // the input is aligned to packets
    bool is_inside = false;  // of a longer array, which has at least `items` elements before it and after it

    PARPRIMS_HOST_DEVICE static bool has_aligned_packets(const Input& read)
    {
        if constexpr (has_packets)
            return device::is_aligned(read.data, packet_bytes);
        else
            return false;
    }

    static reduce_chunks make(const Input& input, std::size_t n, Op op, Transform transform)
    {
        return {input, n, op, transform, has_aligned_packets(input)};
    }

    /// The chunks of a segment: `size` elements from element `begin` on, of an input of `all` elements.
    PARPRIMS_DEVICE static reduce_chunks of_segment(const Input& whole, std::size_t begin, std::size_t size,
                                                    std::size_t all, Op op)
    {
        const Input elements = whole.from(begin);
        return {elements,
                size,
                op,
                Transform{},
                has_aligned_packets(elements),
                begin >= items && begin + size + items <= all};
    }

    /// Stores a total that lane 0 has.
    PARPRIMS_DEVICE static void store_total(uninitialized<T>* to, const T& total)
    {
        if (simt::block::lane() == 0)
            simt::store(to, total);
    }

    /// Folds up to `max_chunks` chunks from chunk `first` on, at least one; the result is in every lane. Only a warp that has an
    /// incomplete last chunk (the tail) uses `tail_total`.
    PARPRIMS_DEVICE T fold(std::size_t first, std::size_t max_chunks, warp_memory* tail_total) const
    {
        const std::size_t left = order::ceil_div(n, chunk) - first;
        const std::size_t count = left < max_chunks ? left : max_chunks;

        // The tail is folded first, and its total waits in shared memory: in the loop over the other chunks it would take
        // registers that the loads need.
        const std::size_t last = (first + count - 1) * chunk;
        const bool has_tail = n - last < chunk;
        const std::size_t whole = has_tail ? count - 1 : count;
        const auto tail = [&] { return load_tail(tail_total); };
        if (has_tail)
            store_total(tail_total, fold_tail(last));
        if constexpr (has_packets)
            if (aligned) {
                if constexpr (items > max_items_beside_tail) {
                    const auto leaf = [&](std::size_t i) {
                        return i < whole ? fold_packets((first + i) * chunk) : tail();
                    };
                    return warp::fold_leaves<T>(count, leaf, op);
                } else {
                    const auto leaf = [&](std::size_t i) { return fold_packets((first + i) * chunk); };
                    return warp::fold_leaves<T>(whole, leaf, has_tail, tail, op);
                }
            }
        const auto leaf = [&](std::size_t i) {
            const std::size_t begin = (first + i) * chunk;
            if constexpr (has_packets && sizeof(T) <= 16) {
                using source = typename Input::source_type;
                const auto misalignment = reinterpret_cast<std::uintptr_t>(input.data) % packet_bytes;
                // Aligned packets extend beyond both ends of a chunk; they must not extend beyond those of the input.
                const bool has_margins = is_inside || (begin != 0 && n - begin >= chunk + items);
                if (has_margins && misalignment % sizeof(source) == 0)
                    return fold_shifted(begin, static_cast<unsigned>(misalignment / sizeof(source)));
            }
            return fold_elements(begin);
        };
        return warp::fold_leaves<T>(whole, leaf, has_tail, tail, op);
    }

private:
    static constexpr std::size_t lane_bytes = order::chunk_rows * order::vector_bytes;  // of a chunk in packets
    static constexpr unsigned element_loads =  // in flight, where elements are loaded one by one
        is_large ? 1 : order::power_of_two_within(lane_bytes, sizeof(T), simt::warp_size);
    /// Rows in flight: all, for most types. With four, a warp would wait for memory once for every four rows, at the end of the kernel.
    static constexpr unsigned tail_rows =
        is_large ? 1 : order::power_of_two_within(lane_bytes, items * sizeof(T), order::chunk_rows);

    /// The total of the tail, in lane 0.
    PARPRIMS_DEVICE static T load_tail(const uninitialized<T>* kept)
    {
        uninitialized<T> tail;
        if (simt::block::lane() == 0)
            tail.value = simt::load(kept);
        return tail.value;
    }

    template <class Element>
    PARPRIMS_DEVICE T value(Element&& element) const
    {
        return device::operand<T, Input>(transform, std::forward<Element>(element));
    }

    /// Element k of a packet, as an operand.
    PARPRIMS_DEVICE T value_of(const packet& elements, unsigned k) const
    {
        return value(input.value_of(simt::element<typename Input::source_type>(elements, k)));
    }

    /// Called between loads and their use. Without it the compiler issues some loads later, to save registers.
    PARPRIMS_DEVICE static void pin_loads() { simt::sync_warp(); }

    /// Rows of packets in flight: with 16 columns a lane has registers for half a chunk.
    static constexpr unsigned packet_rows = items <= 8 ? order::chunk_rows : order::chunk_rows / 2;

    /// Accumulates the rows of a complete chunk in this lane's columns, from its packets on. The first `skipped` elements are
    /// no part of the chunk: their columns begin in the second row.
    PARPRIMS_DEVICE void accumulate_rows(const packet* packets, unsigned skipped,
                                         uninitialized<T> (&columns)[items]) const
    {
#pragma unroll
        for (unsigned r = 0; r < order::chunk_rows; r += packet_rows) {
            packet rows[packet_rows];
#pragma unroll
            for (unsigned b = 0; b < packet_rows; ++b)
                rows[b] = simt::load_streaming(packets + (r + b) * simt::warp_size);
            pin_loads();  // all packets are loaded before any is used
#pragma unroll
            for (unsigned b = 0; b < packet_rows; ++b)
#pragma unroll
                for (unsigned k = 0; k < items; ++k)
                    if (r + b != 0 || k >= skipped)
                        warp::accumulate(op, columns[k], r + b == (k < skipped ? 1 : 0), value_of(rows[b], k));
        }
    }

    /// Folds a complete chunk by packets: a lane has consecutive columns.
    PARPRIMS_DEVICE T fold_packets(std::size_t first) const
    {
        const auto* const packets = reinterpret_cast<const packet*>(input.data + first) + simt::block::lane();
        uninitialized<T> columns[items];
        accumulate_rows(packets, 0, columns);
        return warp::fold_consecutive(columns, row, op);
    }

    /// Folds a complete chunk that begins `shift` elements after a packet boundary. Element k of a lane's packets still belongs to one
    /// column, but in lane 0 the first `shift` elements belong to the previous row. `rotate` moves the columns to their lanes.
    PARPRIMS_DEVICE T fold_shifted(std::size_t first, unsigned shift) const
    {
        const unsigned lane = simt::block::lane();
        const unsigned previous_row_items = lane == 0 ? shift : 0;
        const auto* const packets = reinterpret_cast<const packet*>(input.data + first - shift) + lane;
        uninitialized<T> columns[items];
        packet following{};
        if (previous_row_items != 0)
            following = simt::load_streaming(packets + order::chunk_rows * simt::warp_size);
        accumulate_rows(packets, previous_row_items, columns);
#pragma unroll
        for (unsigned k = 0; k + 1 < items; ++k)
            if (k < previous_row_items)
                warp::accumulate(op, columns[k], false, value_of(following, k));
        rotate(columns, shift);
        return warp::fold_consecutive(columns, row, op);
    }

    /// Rotates the columns by `shift`: column e gets the value of column e + shift, modulo the row.
    PARPRIMS_DEVICE static void rotate(uninitialized<T> (&columns)[items], unsigned shift)
    {
        const unsigned above = (simt::block::lane() + 1) % simt::warp_size;
#pragma unroll
        for (unsigned d = 1; d < items; d *= 2) {
            if ((shift & d) == 0)
                continue;
            uninitialized<T> moved[items];
#pragma unroll
            for (unsigned k = 0; k < items; ++k)
                moved[k].value = k + d < items ? columns[(k + d) % items].value
                                               : simt::shuffle<T>(columns[(k + d) % items].value, above);
#pragma unroll
            for (unsigned k = 0; k < items; ++k)
                columns[k].value = moved[k].value;
        }
    }

    /// Folds a complete chunk, each load one element of a lane: a lane has every 32nd column.
    PARPRIMS_DEVICE T fold_elements(std::size_t first) const
    {
        constexpr unsigned wanted = element_loads > items ? element_loads / items : 1;
        constexpr unsigned batch = wanted < order::chunk_rows ? wanted : order::chunk_rows;  // rows in flight
        static_assert(order::chunk_rows % batch == 0);
        uninitialized<T> columns[items];
        const std::size_t lane_first = first + simt::block::lane();
#pragma unroll 1
        for (unsigned r = 0; r < order::chunk_rows; r += batch) {
            uninitialized<T> values[batch * items];
#pragma unroll
            for (unsigned j = 0; j < batch * items; ++j)
                values[j].value = value(input[lane_first + r * row + j * simt::warp_size]);
            pin_loads();
#pragma unroll
            for (unsigned j = 0; j < batch * items; ++j)
                warp::accumulate(op, columns[j % items], r + j / items == 0, values[j].value);
        }
        return warp::fold_strided(columns, row, op);
    }

    /// Folds the tail as `fold_elements` does, at any alignment.
    PARPRIMS_DEVICE T fold_tail(std::size_t first) const
    {
        using in_flight = element_in_flight<Input, T>;
        const auto count = static_cast<unsigned>(n - first);
        const std::size_t lane_first = first + simt::block::lane();
        const auto live = [&](unsigned r, unsigned k) {
            return r * static_cast<unsigned>(row) + k * simt::warp_size + simt::block::lane() < count;
        };
        uninitialized<T> columns[items];
#pragma unroll 1
        for (unsigned r = 0; r * row < count; r += tail_rows) {
            uninitialized<typename in_flight::type> elements[tail_rows][items];
#pragma unroll
            for (unsigned b = 0; b < tail_rows; ++b)
#pragma unroll
                for (unsigned k = 0; k < items; ++k)
                    if (live(r + b, k))
                        elements[b][k].value =
                            in_flight::load(input, transform, lane_first + (r + b) * row + k * simt::warp_size);
            pin_loads();
#pragma unroll
            for (unsigned b = 0; b < tail_rows; ++b)
#pragma unroll
                for (unsigned k = 0; k < items; ++k)
                    if (live(r + b, k))
                        warp::accumulate(op, columns[k], r + b == 0,
                                         in_flight::operand(input, transform, elements[b][k].value));
        }
        return warp::fold_strided(columns, count < row ? count : row, op);
    }
};

}  // namespace parprims::detail::device
