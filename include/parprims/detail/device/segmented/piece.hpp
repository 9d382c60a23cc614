/// @file
/// @brief  The order contract's fold of a chunk of a segment, or of a part of one, by a warp, and of a segment of a
///         few rows, by eight lanes.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/device/load/input.hpp>
#include <parprims/detail/device/segmented/tuning.hpp>
#include <parprims/detail/device/tree/warp_tree.hpp>
#include <parprims/detail/simt/simt.hpp>
#include <parprims/detail/uninitialized.hpp>

namespace parprims::detail::device {

/// Accumulates `size` elements from element `begin` on in this lane's columns, from shared memory.
template <class Value, class T, class Elements, class Op>
PARPRIMS_DEVICE inline void accumulate_copied(const Elements& elements, unsigned begin, unsigned size,
                                              uninitialized<T> (&columns)[order::lane_items<Value>], Op& op)
{
    constexpr unsigned items = order::lane_items<Value>;
    constexpr unsigned row = order::row<Value>;
    const unsigned column = simt::block::lane() * items;
    constexpr unsigned batch = copied_rows_in_flight<Value>;
    unsigned r = 0;
    if constexpr (Elements::has_packets) {
#pragma unroll 1
        for (; r + batch * row <= size; r += batch * row) {
            typename Elements::packet packets[batch];
#pragma unroll
            for (unsigned b = 0; b < batch; ++b)
                packets[b] = elements.load_packet(begin + r + b * row + column);
#pragma unroll
            for (unsigned b = 0; b < batch; ++b)
#pragma unroll
                for (unsigned k = 0; k < items; ++k)
                    warp::accumulate(op, columns[k], r == 0 && b == 0, elements.operand(packets[b], k));
        }
    }
#pragma unroll 1
    for (; r < size; r += row) {
        if constexpr (Elements::has_packets) {
            if (r + column < size) {
                const typename Elements::packet packet = elements.load_packet(begin + r + column);
#pragma unroll
                for (unsigned k = 0; k < items; ++k)
                    if (r + column + k < size)
                        warp::accumulate(op, columns[k], r == 0, elements.operand(packet, k));
            }
        } else {
#pragma unroll
            for (unsigned k = 0; k < items; ++k)
                if (r + column + k < size)
                    warp::accumulate(op, columns[k], r == 0, elements.operand(begin + r + column + k));
        }
    }
}

/// Accumulates elements where they lie in memory: several rows, the last ones too, are loaded before one is combined.
template <class Value, class T, class Elements, class Op>
PARPRIMS_DEVICE inline void accumulate_in_place(const Elements& elements, unsigned begin, unsigned size,
                                                uninitialized<T> (&columns)[order::lane_items<Value>], Op& op)
{
    constexpr unsigned items = order::lane_items<Value>;
    constexpr unsigned row = order::row<Value>;
    constexpr unsigned batch = rows_in_flight<Value, T>;
    const unsigned column = simt::block::lane() * items;
#pragma unroll 1
    for (unsigned r = 0; r < size; r += batch * row) {
        uninitialized<T> rows[batch][items];
#pragma unroll
        for (unsigned b = 0; b < batch; ++b)
            if (b == 0 || r + b * row < size)
#pragma unroll
                for (unsigned k = 0; k < items; ++k) {
                    // Lanes past the end load the last element and discard it: with conditional loads, fewer are in flight.
                    const unsigned i = r + b * row + column + k;
                    rows[b][k].value = elements.operand(begin + (i < size ? i : size - 1));
                }
        simt::sync_warp();  // otherwise the compiler issues some loads later, to save registers
#pragma unroll
        for (unsigned b = 0; b < batch; ++b)
#pragma unroll
            for (unsigned k = 0; k < items; ++k)
                if (r + b * row + column + k < size)
                    warp::accumulate(op, columns[k], r + b == 0, rows[b][k].value);
    }
}

/// Folds `size` elements, from 1 to a chunk of them, from element `begin` on. The result is in all lanes.
/// @tparam Value  of the input: the order contract's rows are rows of it
template <class Value, class T, class Elements, class Op>
PARPRIMS_DEVICE inline T fold_piece(const Elements& elements, unsigned begin, unsigned size, Op op)
{
    constexpr unsigned row = order::row<Value>;
    if constexpr (is_located<T>) {
        return T::find(elements, begin, size, simt::warp_size, op);
    } else {
        uninitialized<T> columns[order::lane_items<Value>];
        if constexpr (Elements::is_in_place)
            device::accumulate_in_place<Value>(elements, begin, size, columns, op);
        else
            device::accumulate_copied<Value>(elements, begin, size, columns, op);
        return simt::shuffle(warp::fold_consecutive(columns, size < row ? size : row, op), 0);
    }
}

/// Folds `size` elements from `begin` on, of at most `max_group_rows` rows. All lanes of a warp must call this, each group for a
/// segment of its own, or for none with `size` 0. The result is in the group's first lane. A lane takes `lane_items` neighbouring
/// columns of each quarter of a row: so the group's lanes read from different banks.
template <class Value, class T, class Elements, class Op>
PARPRIMS_DEVICE inline uninitialized<T> fold_by_group(const Elements& elements, unsigned begin, unsigned size, Op op)
{
    constexpr unsigned items = order::lane_items<Value>;
    constexpr unsigned row = order::row<Value>;
    constexpr unsigned parts = order::lanes / group_lanes;  // of a row
    constexpr unsigned part = row / parts;
    const unsigned column = simt::block::lane() % group_lanes * items;
    uninitialized<T> columns[parts][items];
#pragma unroll
    for (unsigned p = 0; p < parts; ++p)
#pragma unroll
        for (unsigned k = 0; k < items; ++k)
            if (p * part + column + k < size)
                columns[p][k].value = elements.operand(begin + p * part + column + k);
#pragma unroll 1
    for (unsigned r = row; r < size; r += row)
#pragma unroll
        for (unsigned p = 0; p < parts; ++p)
#pragma unroll
            for (unsigned k = 0; k < items; ++k)
                if (r + p * part + column + k < size)
                    columns[p][k].value =
                        warp::combine<T>(op, columns[p][k].value, elements.operand(begin + r + p * part + column + k));

#pragma unroll
    // Columns of a lane, lanes of a part, parts.
    for (unsigned p = 0; p < parts; ++p) {
#pragma unroll
        for (unsigned d = 1; d < items; d *= 2)
#pragma unroll
            for (unsigned k = 0; k < items; k += 2 * d)
                if (p * part + column + k + d < size)
                    columns[p][k].value = warp::combine<T>(op, columns[p][k].value, columns[p][k + d].value);
#pragma unroll
        for (unsigned d = items; d < part; d *= 2) {
            const T above = simt::shuffle_down(columns[p][0].value, d / items);
            if (column % (2 * d) == 0 && p * part + column + d < size)
                columns[p][0].value = warp::combine<T>(op, columns[p][0].value, above);
        }
    }
#pragma unroll
    for (unsigned d = 1; d < parts; d *= 2)
#pragma unroll
        for (unsigned p = 0; p < parts; p += 2 * d)
            if (column == 0 && (p + d) * part < size)
                columns[p][0].value = warp::combine<T>(op, columns[p][0].value, columns[p + d][0].value);
    return columns[0][0];
}

}  // namespace parprims::detail::device
