/// @file
/// @brief  The reduction kernel for few elements: as many warps and as little code as possible.
///
/// The input is in the cache, but the code of a kernel that starts is not: a warp waits for each 128 bytes of it before
/// their first instruction. So a warp folds 32 columns of a chunk, with one load a row and lane, and the same code folds the columns
/// of a warp, the totals of a block's warps and the partials of the blocks.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/device/load/input.hpp>
#include <parprims/detail/device/reduce/plan.hpp>
#include <parprims/detail/device/reduce/tuning.hpp>
#include <parprims/detail/device/tree/partials.hpp>
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
    /// first ones before it starts the last. A quick operator is applied there, too, and its result dropped, for the same reason.
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

/// Each warp folds a column group. If there are several blocks, each folds a power of two of groups, and the block with the last ticket
/// folds the partials of all.
template <class Input, class T, class Output, class Op, class Transform>
struct small_reduce_kernel {
    using columns_type = column_groups<Input, T, Op, Transform>;
    using value_type = typename Input::value_type;
    static constexpr std::size_t lane_bytes = sizeof(T) < sizeof(value_type) ? sizeof(value_type) : sizeof(T);
    static constexpr bool is_available = lane_bytes <= max_small_bytes;
    /// Values of more than 8 bytes need more registers a lane, so blocks are smaller.
    static constexpr unsigned max_threads = lane_bytes <= 8 ? 1024 : lane_bytes <= 16 ? 256 : 128;
    static constexpr unsigned min_blocks = 2;  // or as many as fit

    static constexpr small_reduce_limits limits = small_limits(lane_bytes);
    static constexpr std::size_t max_blocks = limits.lane_partials * simt::warp_size;
    using partials_type = flagged_partials<T>;

    struct shared_storage {
        alignas(128) uninitialized<T> warps[simt::warp_size];
    };

    columns_type columns;
    std::uint32_t group_count;
    Output output;
    T init;
    std::byte* partials_memory;  // of the blocks, if there are several

    PARPRIMS_DEVICE void set_init(const T& value) { init = value; }
    PARPRIMS_DEVICE std::size_t resize(std::size_t n, std::size_t)
    {
        columns.n = static_cast<std::uint32_t>(n);
        group_count = static_cast<std::uint32_t>(column_groups_of(n, columns_type::chunk, columns_type::row));
        return order::ceil_div(group_count, simt::block{}.warps());
    }
    PARPRIMS_DEVICE void write_empty(simt::block block) const
    {
        if (block.thread() == 0)
            *output = init;
    }

    PARPRIMS_HOST_DEVICE partials_type partials() const { return {partials_memory, max_blocks}; }

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage& shared) const
    {
        const bool is_alone = block.count() == 1;
        unsigned ticket = 0;  // taken now, and looked at in the end: its latency is hidden
        if (!is_alone && block.thread() == 0)
            ticket = partials().take_ticket(block);

        // 1. Each warp folds the rows of its group.
        const auto first_group = static_cast<std::uint32_t>(block.index()) * block.warps();
        uninitialized<T> total;
        unsigned live = columns.fold_column(first_group + block.warp(), total);  // lanes with a total

#pragma unroll 1
        // 2. Lanes, warps and blocks, in one loop: only the last block folds partials, and code that few multiprocessors have run must be
        // fetched, even from DRAM.
        for (unsigned step = block.warps() == 1 ? 1 : 0;; ++step) {
            simt::sync_warp();  // in a warp that has diverged in a loop shuffles take several times as long
            total.value = warp::fold_lanes(total.value, live, columns.op);
            if (step == 0)
                live = take_warps(block, shared, first_group, total);
            else if (step == 1 && !is_alone)
                live = take_partials(block, ticket, total);
            else
                break;
            if (live == 0 || block.warp() != 0)
                return;
        }
        if (block.thread() == 0)
            *output = warp::combine<T>(columns.op, init, total.value);
    }

private:
    // Each of the following leaves the totals of one step, and takes those of the next one to the lanes of the first warp. Returns how many
    // lanes have one; 0 where another block goes on.

    /// The totals of a block's groups, from group `first_group` on. Has a barrier.
    PARPRIMS_DEVICE unsigned take_warps(simt::block block, shared_storage& shared, std::uint32_t first_group,
                                        uninitialized<T>& total) const
    {
        if (block.lane() == 0)
            simt::store(shared.warps, block.warp(), total.value);
        block.sync();
        const unsigned live = smaller_of(group_count - first_group, block.warps());
        if (block.warp() == 0 && block.lane() < live)
            total.value = simt::load(shared.warps, block.lane());
        return live;
    }

    /// The partials of all blocks, in the block with the last ticket.
    PARPRIMS_DEVICE unsigned take_partials(simt::block block, unsigned ticket, uninitialized<T>& total) const
    {
        constexpr unsigned each = limits.lane_partials;
        const auto count = static_cast<unsigned>(block.count());
        if (block.lane() == 0)
            partials().publish(block.index(), total.value);
        if (!partials_type::is_last(block, simt::shuffle(ticket, 0)))
            return 0;
        total.value = partials().template take<each>(0, count, columns.op);
        return (count + each - 1) / each;
    }
};

}  // namespace parprims::detail::device
