/// @file
/// @brief  The order contract's tree over a segment of a few rows, walked by eight lanes.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/device/segmented/tuning.hpp>
#include <parprims/detail/device/tree/warp_tree.hpp>
#include <parprims/detail/simt/simt.hpp>
#include <parprims/detail/uninitialized.hpp>

namespace parprims::detail::device {

/// Folds `size` elements from `begin` on, of at most `max_group_rows` rows. All lanes of a warp must call this, each group for a
/// segment of its own, or for none with `size` 0. The result is in the group's first lane. Each lane takes as many neighbouring
/// columns as a lane of a warp that folds a whole row: lanes that read neighbouring columns use different banks.
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
