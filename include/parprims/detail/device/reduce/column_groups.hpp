/// @file
/// @brief  The column groups of a small reduction: how a warp folds the rows of one.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/device/load/input.hpp>
#include <parprims/detail/device/reduce/tuning.hpp>
#include <parprims/detail/device/tree/warp_tree.hpp>
#include <parprims/detail/numeric/integers.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <cstddef>
#include <cstdint>

namespace parprims::detail::device {

/// A column group is 32 columns of a chunk. Groups are numbered chunk by chunk, so their totals are, in this order, nodes of the order
/// contract's tree. Each warp folds one group.
template <class Input, class T, class Op, class Transform>
struct column_groups {
    using value_type = typename Input::value_type;
    static constexpr unsigned groups = order::lane_items<value_type>;  // of a chunk
    static constexpr unsigned row = order::row<value_type>;
    static constexpr std::size_t chunk = order::chunk<value_type>;

    Input input;
    std::uint32_t n;  // not 0
    Op op;
    Transform transform;

    /// Folds the rows of this lane's column of a group. Returns how many lanes of the warp have a column.
    PARPRIMS_DEVICE unsigned fold_column(std::uint32_t group, uninitialized<T>& column) const
    {
        if (is_complete(group)) {
            fold_complete(begin_of(group) + lane(), column);
            return simt::warp_size;
        } else {
            fold_incomplete(begin_of(group) + lane(), column);
            return live_of(group);
        }
    }

private:
    /// Whether the operator is applied also where its result is dropped.
    static constexpr bool is_quick = is_quick_operator<Op> && !is_wide<T>;
    // Rows that a lane loads before it combines the first one: of a complete chunk, and of one with up to `Most` rows.
    static constexpr unsigned full_batch = order::power_of_two_within(256, sizeof(T), order::chunk_rows);
    template <unsigned Most>
    static constexpr unsigned incomplete_batch =
        order::power_of_two_within(256, sizeof(T), is_quick ? Most : order::chunk_rows / 2);

    PARPRIMS_DEVICE T value(std::size_t i) const { return device::operand<T, Input>(transform, input[i]); }

    PARPRIMS_DEVICE static unsigned lane() { return simt::block::lane(); }

    /// Whether a group is of a complete chunk.
    PARPRIMS_DEVICE bool is_complete(std::uint32_t group) const
    {
        return (group / groups + 1) * static_cast<std::uint32_t>(chunk) <= n;
    }
    /// The first column of a group, in the first row.
    PARPRIMS_DEVICE static std::uint32_t begin_of(std::uint32_t group)
    {
        return group / groups * static_cast<std::uint32_t>(chunk) + group % groups * simt::warp_size;
    }
    /// Lanes that have a column of a group of an incomplete chunk.
    PARPRIMS_DEVICE unsigned live_of(std::uint32_t group) const
    {
        const std::uint32_t begin = begin_of(group);
        return smaller_of(begin < n ? n - begin : 0, simt::warp_size);
    }

    /// A column of a complete chunk, from element `first` on.
    PARPRIMS_DEVICE void fold_complete(std::size_t first, uninitialized<T>& column) const
    {
        constexpr unsigned batch = full_batch;
        for (unsigned r = 0; r < order::chunk_rows; r += batch) {
            uninitialized<T> values[batch];
#pragma unroll
            for (unsigned b = 0; b < batch; ++b)
                values[b].value = value(first + (r + b) * row);
#pragma unroll
            for (unsigned b = 0; b < batch; ++b)
                warp::accumulate(op, column, r + b == 0, values[b].value);
        }
    }

    /// A column of the last chunk, which is incomplete. If one batch holds all rows of a chunk, a warp with at most half of them runs code
    /// that loads half as many.
    PARPRIMS_DEVICE void fold_incomplete(std::uint32_t first, uninitialized<T>& column) const
    {
        constexpr unsigned most = order::chunk_rows;
        const unsigned count = first < n ? (n - first + row - 1) / row : 0;
        if constexpr (incomplete_batch<most> == most)
            if (first - lane() + most / 2 * row >= n)
                return fold_up_to<most / 2>(first, count, column);
        fold_up_to<most>(first, count, column);
    }

    /// `count` rows, `Most` at most. Behind its last row a lane loads that row again: with a condition for each load, ptxas waits for the
    /// first ones before it starts the last. 1536 integers of 4 bytes: 1.65 us with conditions, 1.32 without (H100, in a graph, beside
    /// 002ded1). A quick operator is applied there, too, and its result dropped, for the same reason: 768 integers of 8 bytes 1.36 us, with
    /// conditions, and in batches of eight rows, 1.68 (beside 6cc66a9).
    template <unsigned Most>
    PARPRIMS_DEVICE void fold_up_to(std::uint32_t first, unsigned count, uninitialized<T>& column) const
    {
        constexpr unsigned batch = incomplete_batch<Most>;
#pragma unroll 1
        for (unsigned r = 0; r < Most; r += batch) {
            if (r >= count)
                return;
            uninitialized<T> values[batch];
#pragma unroll
            for (unsigned b = 0; b < batch; ++b)
                values[b].value = value(std::size_t{first} + smaller_of(r + b, count - 1) * row);
            if (r == 0)
                column.value = values[0].value;
#pragma unroll
            for (unsigned b = 0; b < batch; ++b) {
                if (r + b == 0)
                    continue;
                if constexpr (is_quick) {
                    const T next = warp::combine<T>(op, column.value, values[b].value);
                    column.value = simt::select(r + b < count, next, column.value);
                } else if (r + b < count) {
                    column.value = warp::combine<T>(op, column.value, values[b].value);
                }
            }
        }
    }
};

}  // namespace parprims::detail::device
