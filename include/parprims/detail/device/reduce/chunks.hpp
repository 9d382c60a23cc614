/// @file
/// @brief  The chunks of an input, folded by a warp: as packets, as packets that begin elsewhere, or one by one.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/block/input.hpp>
#include <parprims/detail/block/warp_tree.hpp>
#include <parprims/detail/device/reduce/tuning.hpp>
#include <parprims/detail/order.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace parprims::detail::device {

/// What is reduced, chunk by chunk. How a chunk is read cannot be seen in its total.
template <class Input, class T, class Op, class Transform>
struct reduce_chunks {
    using value_type = typename Input::value_type;
    static constexpr unsigned items = order::lane_items<value_type>;
    static constexpr std::size_t row = order::row<value_type>;
    static constexpr std::size_t chunk = order::chunk<value_type>;
    static constexpr unsigned packet_bytes =
        packet_bytes_of<Input>(items);  // what a lane's columns of a row are in memory
    static constexpr bool has_packets = packet_bytes != 0;
    using packet = simt::packet<has_packets ? packet_bytes : 1>;

    static constexpr bool is_large = sizeof(T) > max_batched_bytes;

    Input input;
    std::size_t n;
    Op op;
    Transform transform;
    bool aligned;  // the input may be read in packets

    static bool has_aligned_packets(const Input& read)
    {
        if constexpr (has_packets)
            return is_aligned(read.data, packet_bytes);
        else
            return false;
    }

    /// Lane 0 writes a total that every lane has.
    PARPRIMS_DEVICE static void keep(uninitialized<T>* place, const T& total)
    {
        if (simt::block::lane() == 0)
            simt::store(place, total);
    }

    /// Folds up to `most` chunks from `first` on, which there is; the result is in every lane. `kept_rest` is in shared memory
    /// and of use to the one warp that has the last chunk.
    PARPRIMS_DEVICE T fold(std::size_t first, std::size_t most, uninitialized<T>* kept_rest) const
    {
        const std::size_t left = order::ceil_div(n, chunk) - first;
        const std::size_t count = left < most ? left : most;

        // A last chunk that is not whole is folded before the others and waits in shared memory: in their loop it would cost
        // registers that loads need.
        const std::size_t last = (first + count - 1) * chunk;
        const bool has_rest = n - last < chunk;
        const std::size_t whole = has_rest ? count - 1 : count;
        const auto rest = [&] { return rest_of(kept_rest); };
        if constexpr (has_packets)
            if (aligned) {
                if (has_rest)
                    keep(kept_rest, fold_packets_of(last, n - last));
                if constexpr (items > 8) {  // 2^30 bytes on an H200: 242 us, and 255 us the other way
                    const auto leaf = [&](std::size_t i) {
                        return i < whole ? fold_packets((first + i) * chunk) : rest();
                    };
                    return warp::fold_leaves<T>(count, leaf, op);
                } else {  // 2^30 ints: 950 us, and 1007 us the other way
                    const auto leaf = [&](std::size_t i) { return fold_packets((first + i) * chunk); };
                    return warp::fold_leaves<T>(whole, leaf, has_rest, rest, op);
                }
            }
        if (has_rest)
            keep(kept_rest, fold_tail(last));
        if constexpr (has_packets) {
            using source = typename Input::source_type;
            const auto past = reinterpret_cast<std::uintptr_t>(input.data) % packet_bytes;
            if (sizeof(T) <= 16 && past % sizeof(source) == 0) {
                const auto leaf = [&](std::size_t i) {
                    const std::size_t begin = (first + i) * chunk;
                    // Aligned packets reach over both ends of a chunk, but never over those of the input.
                    if (begin == 0 || n - begin < chunk + items)
                        return fold_elements(begin);
                    return fold_shifted(begin, static_cast<unsigned>(past / sizeof(source)));
                };
                return warp::fold_leaves<T>(whole, leaf, has_rest, rest, op);
            }
        }
        const auto leaf = [&](std::size_t i) { return fold_elements((first + i) * chunk); };
        return warp::fold_leaves<T>(whole, leaf, has_rest, rest, op);
    }

private:
    static constexpr std::size_t lane_bytes = order::chunk_rows * order::vector_bytes;  // of a chunk in packets
    static constexpr unsigned element_loads =  // in flight, where elements are loaded one by one
        is_large ? 1 : order::power_of_two_within(lane_bytes, sizeof(T), simt::warp_size);

    /// What lane 0 has kept, in lane 0.
    PARPRIMS_DEVICE static T rest_of(const uninitialized<T>* kept)
    {
        uninitialized<T> rest;
        if (simt::block::lane() == 0)
            rest.value = simt::load(kept);
        return rest.value;
    }

    template <class Element>
    PARPRIMS_DEVICE T value(Element&& element) const
    {
        return enter<T, Input>(transform, std::forward<Element>(element));
    }

    /// What place k of a packet holds, as it enters.
    PARPRIMS_DEVICE T value_of(const packet& elements, unsigned k) const
    {
        return value(input.of(simt::element<typename Input::source_type>(elements, k)));
    }

    /// Between loads and their use: otherwise the compiler issues some loads later, to save registers.
    PARPRIMS_DEVICE static void pin_loads() { simt::sync_warp(); }

    /// Rows of packets that are asked for before any is added: with sixteen columns a lane has registers for half a chunk.
    static constexpr unsigned packet_rows = items <= 8 ? order::chunk_rows : order::chunk_rows / 2;

    /// Asks for this lane's packets of so many rows, all of them before any is used.
    PARPRIMS_DEVICE static void ask_for(const packet* packets, packet (&rows)[packet_rows])
    {
#pragma unroll
        for (unsigned b = 0; b < packet_rows; ++b)
            rows[b] = simt::load_streaming(packets + b * simt::warp_size);
        pin_loads();
    }

    /// A whole chunk, 16 bytes a lane and row: a lane holds neighbouring columns.
    PARPRIMS_DEVICE T fold_packets(std::size_t first) const
    {
        const auto* const packets = reinterpret_cast<const packet*>(input.data + first) + simt::block::lane();
        uninitialized<T> columns[items];
#pragma unroll
        for (unsigned r = 0; r < order::chunk_rows; r += packet_rows) {
            packet rows[packet_rows];
            ask_for(packets + r * simt::warp_size, rows);
#pragma unroll
            for (unsigned b = 0; b < packet_rows; ++b)
#pragma unroll
                for (unsigned k = 0; k < items; ++k)
                    accumulate(columns[k], r + b == 0, value_of(rows[b], k));
        }
        return warp::fold_consecutive(columns, row, op);
    }

    /// The same where elements lie `shift` past a 16-byte boundary. What a lane finds at one place of its packets belongs to
    /// one column nevertheless; only in lane 0 the first `shift` do to the row before. Columns go to their lanes last.
    PARPRIMS_DEVICE T fold_shifted(std::size_t first, unsigned shift) const
    {
        const unsigned lane = simt::block::lane();
        const unsigned late = lane == 0 ? shift : 0;
        const auto* const packets = reinterpret_cast<const packet*>(input.data + first - shift) + lane;
        uninitialized<T> columns[items];
        packet behind{};
        if (late != 0)
            behind = simt::load_streaming(packets + order::chunk_rows * simt::warp_size);
#pragma unroll
        for (unsigned r = 0; r < order::chunk_rows; r += packet_rows) {
            packet rows[packet_rows];
            ask_for(packets + r * simt::warp_size, rows);
#pragma unroll
            for (unsigned b = 0; b < packet_rows; ++b)
#pragma unroll
                for (unsigned k = 0; k < items; ++k)
                    if (r + b != 0 || k >= late)
                        accumulate(columns[k], r + b == (k < late ? 1 : 0), value_of(rows[b], k));
        }
#pragma unroll
        for (unsigned k = 0; k + 1 < items; ++k)
            if (k < late)
                accumulate(columns[k], false, value_of(behind, k));
        rotate(columns, shift);
        return warp::fold_consecutive(columns, row, op);
    }

    /// Moves what columns hold `shift` columns down: e gets what e + shift had, the last ones what the first had.
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

    /// The last chunk, of `count` elements, where it is not whole: a shorter row and a shorter tree.
    PARPRIMS_DEVICE T fold_packets_of(std::size_t first, std::size_t count) const
    {
        constexpr unsigned batch = items == 4 ? 4 : 2;  // rows in flight
        const auto rest = static_cast<unsigned>(count % row);
        const auto full = static_cast<unsigned>(count / row);
        const std::size_t mine = first + simt::block::lane() * items;
        uninitialized<T> columns[items];
#pragma unroll 1
        for (unsigned r = 0; r < full; r += batch) {
            packet rows[batch];
#pragma unroll
            for (unsigned b = 0; b < batch; ++b)
                if (r + b < full)
                    rows[b] = simt::load_streaming(reinterpret_cast<const packet*>(input.data + mine + (r + b) * row));
#pragma unroll
            for (unsigned b = 0; b < batch; ++b)
#pragma unroll
                for (unsigned k = 0; k < items; ++k)
                    if (r + b < full)
                        accumulate(columns[k], r + b == 0, value_of(rows[b], k));
        }
#pragma unroll
        for (unsigned k = 0; k < items; ++k)
            if (simt::block::lane() * items + k < rest)
                accumulate(columns[k], full == 0, value(input[mine + full * row + k]));
        return warp::fold_consecutive(columns, full == 0 ? rest : row, op);
    }

    /// A whole chunk, an element a lane and load: a lane holds every 32nd column.
    PARPRIMS_DEVICE T fold_elements(std::size_t first) const
    {
        constexpr unsigned wanted = element_loads > items ? element_loads / items : 1;
        constexpr unsigned batch = wanted < order::chunk_rows ? wanted : order::chunk_rows;  // rows in flight
        static_assert(order::chunk_rows % batch == 0);
        uninitialized<T> columns[items];
        const std::size_t mine = first + simt::block::lane();
#pragma unroll 1
        for (unsigned r = 0; r < order::chunk_rows; r += batch) {
            uninitialized<T> values[batch * items];
#pragma unroll
            for (unsigned j = 0; j < batch * items; ++j)
                values[j].value = value(input[mine + r * row + j * simt::warp_size]);
            pin_loads();
#pragma unroll
            for (unsigned j = 0; j < batch * items; ++j)
                accumulate(columns[j % items], r + j / items == 0, values[j].value);
        }
        return warp::fold_strided(columns, row, op);
    }

    /// The last chunk where it is not whole: a shorter row and a shorter tree.
    PARPRIMS_DEVICE T fold_tail(std::size_t first) const
    {
        constexpr unsigned batch = sizeof(T) > 16 || items > 4 ? 1 : 2;  // rows in flight
        const auto count = static_cast<unsigned>(n - first);
        const std::size_t mine = first + simt::block::lane();
        const auto live = [&](unsigned r, unsigned k) {
            return r * static_cast<unsigned>(row) + k * simt::warp_size + simt::block::lane() < count;
        };
        uninitialized<T> columns[items];
#pragma unroll 1
        for (unsigned r = 0; r * row < count; r += batch) {
            uninitialized<T> values[batch][items];
#pragma unroll
            for (unsigned b = 0; b < batch; ++b)
#pragma unroll
                for (unsigned k = 0; k < items; ++k)
                    if (live(r + b, k))
                        values[b][k].value = value(input[mine + (r + b) * row + k * simt::warp_size]);
#pragma unroll
            for (unsigned b = 0; b < batch; ++b)
#pragma unroll
                for (unsigned k = 0; k < items; ++k)
                    if (live(r + b, k))
                        accumulate(columns[k], r + b == 0, values[b][k].value);
        }
        return warp::fold_strided(columns, count < row ? count : row, op);
    }

    PARPRIMS_DEVICE void accumulate(uninitialized<T>& column, bool is_first, const T& next) const
    {
        column.value = is_first ? next : warp::combine<T>(op, column.value, next);
    }
};

}  // namespace parprims::detail::device
