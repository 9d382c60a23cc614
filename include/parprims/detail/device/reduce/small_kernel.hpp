/// @file
/// @brief  The reduction kernel for few elements: as many warps and as little code as possible.
///
/// The input is in the cache, but the code of a kernel that starts is not: each 128 bytes of code cost up to 0.1 us before their
/// first instruction. So a warp folds 32 columns of a chunk, with one load a row and lane, and the same code folds the columns
/// of a warp, the totals of a block's warps and the partials of the blocks. 2^12 floats in a CUDA graph on an H200: 1.3 us, and
/// 1.5 us if a warp folds a whole chunk in 16-byte loads.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/device/reduce/column_groups.hpp>
#include <parprims/detail/device/reduce/plan.hpp>
#include <parprims/detail/device/reduce/tuning.hpp>
#include <parprims/detail/device/tree/partials.hpp>
#include <parprims/detail/device/tree/warp_tree.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace parprims::detail::device {

/// Each warp folds a column group. If there are several blocks, each folds a power of two of groups.
///
/// @tparam  IsOneLoop  std::true_type: see `fold_in_loop`; otherwise `fold_in_steps`, and blocks exchange no words
template <class Input, class T, class Output, class Op, class Transform, class IsOneLoop>
struct small_reduce_kernel {
    using columns_type = column_groups<Input, T, Op, Transform>;
    using value_type = typename Input::value_type;
    static constexpr std::size_t lane_bytes = sizeof(T) < sizeof(value_type) ? sizeof(value_type) : sizeof(T);
    static constexpr bool is_available = lane_bytes <= max_small_bytes;
    /// Values of more than 8 bytes need more registers a lane, so blocks are smaller; they form no clusters (`small_limits`).
    static constexpr unsigned max_threads = lane_bytes <= 8 ? 1024 : lane_bytes <= 16 ? 256 : 128;
    static constexpr unsigned min_blocks = 2;  // or as many as fit

    static constexpr small_reduce_limits limits = small_limits(lane_bytes);
    /// Most blocks that exchange partials in words.
    static constexpr std::size_t max_blocks = limits.lane_partials * simt::warp_size;
    using partials_type = flagged_partials<T>;
    static constexpr std::size_t word_bytes = partials_type::bytes(max_blocks);

    static constexpr bool is_staged = columns_type::is_staged;
    /// Whether blocks that exchange no words fold in one loop, too.
    static constexpr bool always_loops = is_staged || is_wide<T>;
    static_assert(!always_loops || limits.cluster_warps == 0);  // the loop has no step for a cluster

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

    columns_type columns;
    std::uint32_t group_count;
    Output output;
    T init;
    groups_of_block block_groups;
    partials_exchange exchange;
    std::byte* partials_memory;  // of the blocks, where they are exchanged in words

    PARPRIMS_HOST_DEVICE partials_type words() const { return {partials_memory, max_blocks}; }

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage& shared) const
    {
        unsigned ticket = 0;  // taken now, and looked at in the end: its latency is hidden
        if (IsOneLoop::value && exchange == partials_exchange::words && block.thread() == 0)
            ticket = words().take_ticket(block);
        if (!IsOneLoop::value && exchange == partials_exchange::cluster)
            block.cluster_start();

        const unsigned groups_here = groups_of(block);
        const auto first_group = static_cast<std::uint32_t>(block.index()) * groups_here;
        uninitialized<T> total;
        if constexpr (is_staged)
            columns.copy_chunks(block, chunk_of(shared, 0), first_group, groups_here);
        bool has_result;
        if constexpr (IsOneLoop::value)
            has_result = fold_in_loop(block, shared, first_group, groups_here, ticket, total);
        else
            has_result = fold_in_steps(block, shared, first_group, groups_here, total);
        if (has_result && block.thread() == 0)
            *output = warp::combine<T>(columns.op, init, total.value);
    }

private:
    /// Folds columns, then the lanes of each warp, then the totals of the block's warps, then those of a cluster. In the first thread of
    /// one block `total` is the result, for which it returns true.
    PARPRIMS_DEVICE bool fold_in_steps(simt::block block, shared_storage& shared, std::uint32_t first_group,
                                       unsigned groups_here, uninitialized<T>& total) const
    {
        total.value = columns.fold_group(first_group + block.warp());
        if (groups_here != 1) {
            const unsigned live = take_warps(block, shared, first_group, groups_here, total);
            if (block.warp() != 0)
                return false;
            total.value = warp::fold_lanes(total.value, live, columns.op);
        }
        if (exchange == partials_exchange::cluster) {
            const unsigned live = take_cluster(block, shared, total);
            if (live == 0)
                return false;
            total.value = warp::fold_lanes(total.value, live, columns.op);
        }
        return true;
    }

    /// The same, and the totals of all blocks in words. Only the last block folds these, and code that few multiprocessors have run must be
    /// fetched, even from DRAM. So one loop folds everything. Sums of values that no cache has: 2^14 of 24 bytes 2.2 us, in steps 3.6;
    /// 2^16 doubles 2.7 and 3.3; 2^17 floats 2.2 and 2.6. Without words, 2048 values of 24 bytes take 0.92 of the time in a loop, but
    /// 2^13 floats 1.05 (H200, in a graph, beside 7dbae45).
    PARPRIMS_DEVICE bool fold_in_loop(simt::block block, shared_storage& shared, std::uint32_t first_group,
                                      unsigned groups_here, unsigned ticket, uninitialized<T>& total) const
    {
        unsigned live = 0;  // lanes with a total; warps that only copy have none
        if (block.warp() < groups_here)
            live = columns.fold_column(first_group + block.warp(), chunk_of(shared, block.warp()), total);
        else if (groups_here == 1)
            return false;
#pragma unroll 1
        for (unsigned step = groups_here == 1 ? 1 : 0;; ++step) {
            simt::sync_warp();  // lanes that parted in a loop before would shuffle several times as slowly
            total.value = warp::fold_lanes(total.value, live, columns.op);
            if (step == 0)
                live = take_warps(block, shared, first_group, groups_here, total);
            else if (step == 1 && exchange == partials_exchange::words)
                live = take_words(block, ticket, total);
            else
                return true;
            if (live == 0 || block.warp() != 0)
                return false;
        }
    }

    /// The column groups of a block: of its warps, or some of them.
    PARPRIMS_DEVICE unsigned groups_of(simt::block block) const
    {
        if constexpr (is_staged)
            return block_groups;
        else
            return block.warps();
    }

    PARPRIMS_DEVICE static unsigned lane() { return simt::block::lane(); }

    /// Where shared memory has the chunk of a group of the block.
    PARPRIMS_DEVICE static std::byte* chunk_of(shared_storage& shared, unsigned group)
    {
        return reinterpret_cast<std::byte*>(&shared + 1) + group * columns_type::group_bytes;
    }

    // Each of the following leaves the totals of one step, and takes those of the next one to the lanes of the first warp. Returns how many
    // lanes have one; 0 where another block goes on.

    /// The totals of the `groups_here` groups of a block from group `first_group` on, or as many as there are. Has a barrier.
    PARPRIMS_DEVICE unsigned take_warps(simt::block block, shared_storage& shared, std::uint32_t first_group,
                                        unsigned groups_here, uninitialized<T>& total) const
    {
        if (block.warp() < groups_here && lane() == 0)
            simt::store(shared.warps, block.warp(), total.value);
        block.sync();
        const unsigned live = smaller_of(group_count - first_group, groups_here);
        if (block.warp() == 0 && lane() < live)
            total.value = simt::load(shared.warps, lane());
        return live;
    }

    /// The partials of a cluster, in its first block.
    PARPRIMS_DEVICE unsigned take_cluster(simt::block block, shared_storage& shared, uninitialized<T>& total) const
    {
        const auto rank = static_cast<unsigned>(block.index());
        const auto blocks = static_cast<unsigned>(block.count());
        block.cluster_wait();  // all have started
        if (block.lane() == 0)
            simt::store_in_block(__builtin_addressof(shared.blocks[rank].value), 0, total.value);
        block.cluster_arrive();
        if (rank != 0)
            return 0;
        block.cluster_wait();
        if (block.lane() < blocks)
            total.value = simt::load(shared.blocks, block.lane());
        return blocks;
    }

    /// The partials of all blocks, in the block with the last ticket.
    PARPRIMS_DEVICE unsigned take_words(simt::block block, unsigned ticket, uninitialized<T>& total) const
    {
        constexpr unsigned each = limits.lane_partials;
        const auto count = static_cast<unsigned>(block.count());
        if (lane() == 0)
            words().publish(block.index(), total.value);
        if (!partials_type::is_last(block, simt::shuffle(ticket, 0)))
            return 0;
        total.value = words().template take<each>(0, count, columns.op);
        return (count + each - 1) / each;
    }
};

}  // namespace parprims::detail::device
