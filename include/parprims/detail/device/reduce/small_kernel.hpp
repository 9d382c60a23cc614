/// @file
/// @brief  The reduction kernel for few elements: as many warps and as little code as possible.
///
/// The input is in the cache, but the code of a kernel that starts is not: each 128 bytes of code cost up to 0.1 us before their
/// first instruction. So a warp folds 32 columns of a chunk, with one load a row and lane, and the same code folds the columns
/// of a warp, the totals of a block's warps and the partials of the blocks. 2^12 floats in a CUDA graph on an H200: 1.3 us, and
/// 1.5 us if a warp folds a whole chunk in 16-byte loads.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/block/input.hpp>
#include <parprims/detail/block/row_ring.hpp>
#include <parprims/detail/block/warp_tree.hpp>
#include <parprims/detail/device/reduce/plan.hpp>
#include <parprims/detail/device/reduce/tuning.hpp>
#include <parprims/detail/device/reduce/wide_partials.hpp>
#include <parprims/detail/order.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <cstddef>
#include <cstdint>

namespace parprims::detail::device {

/// A column group is 32 columns of a chunk. The groups of all chunks are consecutive nodes of the order contract's tree: the low
/// bits of their index are bits of the column, the others the chunk. Each warp folds one group. If there are several blocks,
/// each folds a power of two of groups.
template <class Input, class T, class Output, class Op, class Transform>
struct small_reduce_kernel {
    using value_type = typename Input::value_type;
    static constexpr std::size_t lane_bytes = sizeof(T) < sizeof(value_type) ? sizeof(value_type) : sizeof(T);
    static constexpr bool is_available = lane_bytes <= max_small_bytes;
    /// Values of more than 8 bytes need more registers a lane, so blocks are smaller; they form no clusters (`small_limits`).
    static constexpr unsigned max_threads = lane_bytes <= 8 ? 1024 : lane_bytes <= 16 ? 256 : 128;
    static constexpr unsigned min_blocks = 2;  // or as many as fit

    static constexpr unsigned groups = order::lane_items<value_type>;  // of a chunk
    static constexpr unsigned row = order::row<value_type>;
    static constexpr std::size_t chunk = order::chunk<value_type>;

    static constexpr small_reduce_limits limits = small_limits(lane_bytes);
    /// Most blocks that exchange partials in words.
    static constexpr std::size_t max_blocks = limits.lane_partials * simt::warp_size;
    using partials_type = wide_partials<T>;
    static constexpr bool in_columns = !partials_type::has_few_words;
    static constexpr std::size_t word_bytes(std::size_t blocks)
    {
        return partials_type::bytes(in_columns ? std::size_t{simt::warp_size} : blocks);
    }

    /// Whether rows go through shared memory: lanes that load wide values themselves touch as many cache lines in each load. All
    /// warps of a block copy its chunks, and some have no group to fold. 512 values of 40 bytes: 1.90 us with four warps for a
    /// chunk, 2.08 with two, 2.38 with one (H200, in a graph, 78e79d1).
    static constexpr bool is_staged = [] {
        if constexpr (Input::has_source)
            return is_wide<value_type> && is_wide<typename Input::source_type> &&
                   sizeof(typename Input::source_type) <= max_small_bytes &&
                   block::fits_ring<typename Input::source_type>;
        return false;
    }();
    static constexpr auto ring_of()
    {
        if constexpr (is_staged)
            return block::row_ring<typename Input::source_type, order::chunk_rows, 1>{};
    }
    using ring_type = decltype(ring_of());
    /// Shared memory of a group: a chunk.
    static constexpr std::size_t group_bytes = [] {
        if constexpr (is_staged)
            return std::size_t{ring_type::bytes};
        return std::size_t{0};
    }();

    struct shared_storage {
        alignas(128) uninitialized<T> warps[simt::warp_size];
        uninitialized<T> blocks[max_reduce_cluster_blocks];  // in the first block of a cluster
    };
    // It is followed by room for the groups of the block.

    /// The groups of a block, where they are not its warps. Parameters of other kernels are no longer for it: a line more of them
    /// costs 0.03 us.
    struct of_warps {
        explicit of_warps(std::uint32_t) {}
    };
    using groups_of_block = std::conditional_t<is_staged, std::uint32_t, of_warps>;

    Input input;
    std::uint32_t n;  // not 0
    std::uint32_t group_count;
    Output output;
    T init;
    Op op;
    Transform transform;
    groups_of_block block_groups;
    partials_exchange exchange;
    partials_type partials;  // of the blocks, where they are exchanged in words

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage& shared) const
    {
        bool is_last = false;  // the ticket is taken now, and used at the end: its latency is hidden
        if (exchange == partials_exchange::words) {
            if (block.thread() == 0)
                is_last = partials.takes_last_ticket(block);
            if constexpr (in_columns)
                partials.prefetch_column(block);
        }
        if (exchange == partials_exchange::cluster)
            block.cluster_start();

        uninitialized<T> total;
        if constexpr (is_staged) {
            if (!fold_staged_groups(block, shared, total))
                return;
        } else {
            // 1. Each warp folds a column group.
            const auto first_group = static_cast<std::uint32_t>(block.index()) * block.warps();
            total.value = fold_group(first_group + block.warp());

            // 2. The first warp folds the totals of the block's warps.
            if (block.warps() != 1) {
                if (block.lane() == 0)
                    simt::store(shared.warps, block.warp(), total.value);
                block.sync();
                if (block.warp() != 0)
                    return;
                fold_warps(shared, first_group, block.warps(), total);
            }

            // 3. One block folds the partials of all blocks.
            if (exchange == partials_exchange::cluster && !fold_in_cluster(block, shared, total))
                return;
        }
        if (exchange == partials_exchange::words && !fold_words(block, is_last, total))
            return;
        if (block.lane() == 0)
            *output = warp::combine<T>(op, init, total.value);
    }

private:
    // Rows that a lane reads at a time: of a complete chunk, and of the last one.
    static constexpr unsigned full_batch = order::power_of_two_within(256, sizeof(T), order::chunk_rows);
    static constexpr unsigned last_batch = order::power_of_two_within(128, sizeof(T), 8);
    /// Rows in the code of a loop over those in shared memory. 4096 values of 40 bytes: 2.69 us with four, 2.74 with two, 2.79 with
    /// one; 3.08 if four rows are read before they are combined, with a condition for each (H200, in a graph, 3fc5a21).
    static constexpr unsigned staged_rows = 4;

    PARPRIMS_DEVICE T value(std::size_t i) const { return enter<T, Input>(transform, input[i]); }

    /// The total of a column group, in lane 0. A warp may have no group.
    PARPRIMS_DEVICE T fold_group(std::uint32_t group) const
    {
        const std::uint32_t chunk_begin = group / groups * static_cast<std::uint32_t>(chunk);
        const std::uint32_t begin = chunk_begin + group % groups * simt::warp_size;
        uninitialized<T> column;
        if (chunk_begin + static_cast<std::uint32_t>(chunk) <= n) {
            fold_rows(begin + lane(), column);
            return warp::fold_full_lanes(column.value, op);
        }
        fold_last_rows(begin + lane(), column);
        const std::uint32_t left = begin < n ? n - begin : 0;
        return warp::fold_lanes(column.value, smaller_of(left, simt::warp_size), op);
    }

    PARPRIMS_DEVICE static unsigned lane() { return simt::block::lane(); }

    /// A column of a complete chunk, from element `first` on.
    PARPRIMS_DEVICE void fold_rows(std::size_t first, uninitialized<T>& column) const
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

    /// The same for the last chunk, which is incomplete.
    PARPRIMS_DEVICE void fold_last_rows(std::uint32_t first, uninitialized<T>& column) const
    {
        constexpr unsigned batch = last_batch;
        const unsigned count = first < n ? (n - first + row - 1) / row : 0;
#pragma unroll 1
        for (unsigned r = 0; r < count; r += batch) {
            uninitialized<T> values[batch];
#pragma unroll
            for (unsigned b = 0; b < batch; ++b)
                if (r + b < count)
                    values[b].value = value(std::size_t{first} + (r + b) * row);
#pragma unroll
            for (unsigned b = 0; b < batch; ++b)
                if (r + b < count)
                    warp::accumulate(op, column, r + b == 0, values[b].value);
        }
    }

    /// Folds the totals of `warps` warps, or as many as have groups, from group `first_group` on.
    PARPRIMS_DEVICE void fold_warps(const shared_storage& shared, std::uint32_t first_group, unsigned warps,
                                    uninitialized<T>& total) const
    {
        const unsigned left = group_count - first_group;
        const unsigned live = left < warps ? left : warps;
        if (lane() < live)
            total.value = simt::load(shared.warps, lane());
        total.value = warp::fold_lanes(total.value, live, op);
    }

    /// The same two steps by way of shared memory; the first warp gets the total and returns true, the others false.
    PARPRIMS_DEVICE bool fold_staged_groups(simt::block block, shared_storage& shared, uninitialized<T>& total) const
    {
        const auto first_group = static_cast<std::uint32_t>(block.index()) * block_groups;
        const std::uint32_t begin = first_group * static_cast<std::uint32_t>(chunk);
        const std::uint32_t most = block_groups * static_cast<std::uint32_t>(chunk);
        auto* const chunks = reinterpret_cast<std::byte*>(&shared + 1);
        ring_type::copy(block, chunks, input.data + begin, n - begin < most ? n - begin : most,
                        ring_type::packet_bytes_of(input.data));
        simt::wait_copies<0>();
        block.sync();
        const bool has_group = block.warp() < block_groups;
        if (has_group)
            total.value = fold_staged(first_group + block.warp(), chunks + block.warp() * group_bytes);
        if (block_groups == 1)
            return has_group;
        if (has_group && block.lane() == 0)
            simt::store(shared.warps, block.warp(), total.value);
        block.sync();
        if (block.warp() != 0)
            return false;
        fold_warps(shared, first_group, block_groups, total);
        return true;
    }

    /// The total of a group, a chunk in shared memory. A warp may have no group.
    PARPRIMS_DEVICE T fold_staged(std::uint32_t group, const std::byte* ring) const
    {
        const std::uint32_t begin = group * static_cast<std::uint32_t>(chunk);
        const std::uint32_t left = begin < n ? n - begin : 0;
        const unsigned live = left < chunk ? left : static_cast<unsigned>(chunk);
        const unsigned count = lane() < live ? (live - lane() + row - 1) / row : 0;
        const auto read = [&](unsigned r) -> T {
            return enter<T, Input>(transform, input.of(ring_type::read(ring, 0, r)));
        };
        uninitialized<T> column;
        if (count != 0)
            column.value = read(0);
#pragma unroll(staged_rows)
        for (unsigned r = 1; r < count; ++r)
            column.value = warp::combine<T>(op, column.value, read(r));
        return warp::fold_lanes(column.value, live < row ? live : row, op);
    }

    /// Folds the partials of a cluster; the first block gets the total and returns true, the others false.
    PARPRIMS_DEVICE bool fold_in_cluster(simt::block block, shared_storage& shared, uninitialized<T>& total) const
    {
        const auto rank = static_cast<unsigned>(block.index());
        const auto blocks = static_cast<unsigned>(block.count());
        block.cluster_wait();  // all have started
        if (block.lane() == 0)
            simt::store_in_block(&shared.blocks[rank].value, 0, total.value);
        block.cluster_arrive();
        if (rank != 0)
            return false;
        block.cluster_wait();
        if (block.lane() < blocks)
            total.value = simt::load(shared.blocks, block.lane());
        total.value = warp::fold_lanes(total.value, blocks, op);
        return true;
    }

    /// Folds the partials in words; the block with the last ticket gets the total and returns true, the others false.
    PARPRIMS_DEVICE bool fold_words(simt::block block, bool is_last, uninitialized<T>& total) const
    {
        const auto count = static_cast<unsigned>(block.count());
        if (block.lane() == 0) {
            if constexpr (in_columns)
                partials.publish_column(block.index(), total.value);
            else
                partials.reduce_partials<T>::publish(block.index(), total.value);
        }
        if (!simt::shuffle(is_last, 0))
            return false;
        if constexpr (in_columns)
            total.value = partials.fold_columns(count, op);
        else
            total.value = partials.reduce_partials<T>::template fold<limits.lane_partials>(0, count, op);
        return true;
    }
};

}  // namespace parprims::detail::device
