/// @file
/// @brief  The reduction kernel for many elements: a warp folds subtrees of chunks, a block folds branches of subtrees, and the
///         block that took the last ticket folds the partials of all blocks.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/device/reduce/tuning.hpp>
#include <parprims/detail/device/reduce/wide_chunks.hpp>
#include <parprims/detail/device/tree/block_tree.hpp>
#include <parprims/detail/device/tree/chunks.hpp>
#include <parprims/detail/device/tree/partials.hpp>
#include <parprims/detail/device/tree/ticket.hpp>
#include <parprims/detail/device/tree/warp_tree.hpp>
#include <parprims/detail/numeric/integers.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <cstddef>
#include <type_traits>

namespace parprims::detail::device {

/// The tree over the chunks has `subtrees` aligned subtrees of `subtree_chunks` chunks; a warp folds one at a time. A branch is
/// 2^`branch_bits` consecutive subtrees, at least as many as a block has warps, and gives one partial. Consecutive branches belong to
/// different blocks. All these counts are powers of two, so every partial is a node of the tree.
template <class Input, class T, class Output, class Op, class Transform>
struct reduce_kernel {
    using value_type = typename Input::value_type;
    using chunks_type = std::conditional_t<is_wide<value_type>, wide_chunks<Input, T, Op, Transform>,
                                           reduce_chunks<Input, T, Op, Transform>>;
    using partials_type = flagged_partials<T>;
    static constexpr std::size_t chunk = chunks_type::chunk;

    static constexpr unsigned max_threads = is_wide<value_type> ? max_wide_threads : max_reduce_threads;
    // Without a number, nvcc would save registers of wide values, and spill.
    static constexpr unsigned min_blocks = !is_wide<value_type> && sizeof(T) > max_batched_bytes ? 2 : 1;

    static constexpr bool has_long_branches = !is_wide<value_type> && partials_type::has_few_words;
    static constexpr unsigned max_totals = has_long_branches ? 512 : 32;  // subtree totals between two barriers
    static constexpr unsigned max_branch_subtrees = has_long_branches ? 256 : 32;
    static constexpr std::size_t max_branches = sizeof(T) <= 16 ? branches_in_workspace<T> : max_large_branches;
    /// Of wide values, unless subtrees would be too long.
    static constexpr std::size_t usual_branches =
        clamped(branches_in_workspace<T>, min_wide_branches, max_large_branches);

    struct shared_storage {
        alignas(simt::shared_line_bytes)
            uninitialized<T> totals[max_totals];  // of subtrees, branch by branch; then of warps
        bool is_last;
    };
    // Memory for each warp follows the storage, with the same alignment.

    chunks_type chunks;
    Output output;
    T init;
    std::size_t subtrees;
    std::size_t subtree_chunks;
    unsigned branch_bits;
    unsigned branches;
    partials_type partials;  // of the branches; not used if there is one

    PARPRIMS_DEVICE void set_init(const T& value) { init = value; }
    /// For n elements at most as many as planned: branches are as short as the memory of the partials allows.
    PARPRIMS_DEVICE std::size_t resize(std::size_t n, std::size_t blocks)
    {
        const std::size_t all = order::ceil_div(n, chunk);
        unsigned bits = branch_bits;  // of the chunks of a branch
        for (std::size_t planned = subtree_chunks; planned > 1; planned /= 2)
            ++bits;
        while (bits != 0 && (all - 1) >> (bits - 1) < branches)
            --bits;
        chunks.n = n;
        branch_bits = smaller_of(bits, branch_bits);
        subtree_chunks = std::size_t{1} << (bits - branch_bits);
        subtrees = order::ceil_div(all, subtree_chunks);
        branches = static_cast<unsigned>(order::ceil_div(subtrees, std::size_t{1} << branch_bits));
        return larger_of<std::size_t>(smaller_of<std::size_t>(branches, blocks), 1);
    }

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage& shared) const
    {
        if (chunks.n == 0) {
            if (block.thread() == 0)
                *output = init;
            return;
        }
        const bool is_alone = branches == 1;
        unsigned ticket = 0;  // taken now, and looked at in the end: its latency is hidden
        if (!is_alone && block.thread() == 0)
            ticket = partials.take_ticket(block);

        for (auto branch = static_cast<unsigned>(block.index()); branch < branches;) {
            // 1. Each warp folds a subtree in each round. Which warp folds which cannot change the result.
#pragma unroll 1
            for (unsigned entry = block.warp(); entry < max_totals; entry += block.warps()) {
                const std::size_t tree = subtree_at(block, branch, entry);
                if (tree >= subtrees)
                    break;
                const T total = chunks.fold(tree * subtree_chunks, subtree_chunks, memory_of_warp(block, shared));
                if (block.lane() == 0) {
                    if (subtrees == 1)
                        *output = warp::combine<T>(chunks.op, init, total);
                    else
                        simt::store(shared.totals, entry, total);
                }
            }
            if (subtrees == 1)
                return;
            block.sync();

            // 2. The subtrees of a branch become one partial.
            for (unsigned entry = block.warp() << branch_bits; entry < max_totals;
                 entry += block.warps() << branch_bits) {
                const std::size_t tree = subtree_at(block, branch, entry);
                if (tree >= subtrees)
                    break;
                const std::size_t left = subtrees - tree;
                const unsigned count = 1u << branch_bits;
                const T partial =
                    fold_totals(shared.totals + entry, left < count ? static_cast<unsigned>(left) : count);
                if (block.lane() == 0) {
                    if (is_alone)
                        *output = warp::combine<T>(chunks.op, init, partial);
                    else
                        partials.publish(tree >> branch_bits, partial);
                }
            }
            branch += (max_totals >> branch_bits) * static_cast<unsigned>(block.count());
            if (branch < branches)
                block.sync();
        }
        if (is_alone)
            return;

        // 3. The block that took the last ticket folds the partials of all blocks in index order.
        if (!block::broadcast_first(block, shared.is_last, partials.is_last(block, ticket)))
            return;
        const auto leaf = [&](unsigned first, unsigned live) { return partials.fold(first, live, chunks.op); };
        const T total = block::fold_values(block, shared.totals, branches, partials_type::warp_items, leaf, chunks.op);
        if (block.thread() == 0)
            *output = warp::combine<T>(chunks.op, init, total);
    }

private:
    using warp_memory = typename chunks_type::warp_memory;

    PARPRIMS_DEVICE static warp_memory* memory_of_warp(simt::block block, shared_storage& shared)
    {
        auto* const all = reinterpret_cast<std::byte*>(&shared + 1);
        return reinterpret_cast<warp_memory*>(all + block.warp() * chunks_type::warp_bytes);
    }

    /// The subtree whose total is `totals[entry]`, if the first entry is of branch `branch`.
    PARPRIMS_DEVICE std::size_t subtree_at(simt::block block, unsigned branch, unsigned entry) const
    {
        const std::size_t of_entry = branch + (entry >> branch_bits) * static_cast<unsigned>(block.count());
        return (of_entry << branch_bits) + (entry & ((1u << branch_bits) - 1));
    }

    /// Folds up to `max_branch_subtrees` totals; the result is in lane 0.
    PARPRIMS_DEVICE T fold_totals(const uninitialized<T>* totals, unsigned count) const
    {
        return warp::fold_stored<max_branch_subtrees / simt::warp_size, T>(
            0u, count, [&](unsigned i) { return simt::load(totals, i); }, chunks.op);
    }
};

}  // namespace parprims::detail::device
