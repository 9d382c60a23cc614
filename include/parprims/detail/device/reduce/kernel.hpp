/// @file
/// @brief  The reduction kernel for many elements: a warp folds subtrees of chunks, a block folds runs of subtrees, and the
///         block that took the last ticket folds the partials of all blocks.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/device/reduce/partials.hpp>
#include <parprims/detail/device/reduce/tuning.hpp>
#include <parprims/detail/device/tree/chunks.hpp>
#include <parprims/detail/device/tree/ticket.hpp>
#include <parprims/detail/device/tree/warp_tree.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <cstddef>

namespace parprims::detail::device {

/// The tree over the chunks has `subtrees` aligned subtrees of `subtree_chunks` chunks; a warp folds one at a time. A run is
/// 2^`run_bits` consecutive subtrees, at least as many as a block has warps, and gives one partial. Consecutive runs belong to
/// different blocks. All these counts are powers of two, so every partial is a node of the tree.
template <class Input, class T, class Output, class Op, class Transform>
struct reduce_kernel {
    using chunks_type = reduce_chunks<Input, T, Op, Transform>;
    using partials_type = reduce_partials<T>;
    using value_type = typename Input::value_type;
    static constexpr std::size_t chunk = chunks_type::chunk;

    static constexpr unsigned max_threads = max_reduce_threads;
    static constexpr unsigned min_blocks = chunks_type::is_large ? 2 : 1;

    static constexpr bool has_few_words = partials_type::has_few_words;
    static constexpr unsigned max_totals = has_few_words ? 512 : 32;  // subtree totals between two barriers
    static constexpr unsigned max_run_subtrees = has_few_words ? 256 : 32;
    static constexpr std::size_t max_runs = partials_type::capacity;

    struct shared_storage {
        uninitialized<T> totals[max_totals];       // of subtrees, run by run
        uninitialized<T> folded[simt::warp_size];  // partials folded by the warps of the last block
        uninitialized<T> tail;                     // total of the incomplete last chunk
        bool is_last;
    };

    chunks_type chunks;
    Output output;
    T init;
    std::size_t subtrees;
    std::size_t subtree_chunks;
    unsigned run_bits;
    std::size_t runs;
    partials_type partials;  // of the runs; not used by a single block

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage& shared) const
    {
        if (chunks.n == 0) {
            if (block.thread() == 0)
                *output = init;
            return;
        }
        const bool is_alone = block.count() == 1;
        unsigned ticket = 0;  // taken now, and looked at in the end: its latency is hidden
        if (!is_alone && block.thread() == 0)
            ticket = partials.take_ticket(block);

        for (auto run = static_cast<unsigned>(block.index()); run < runs;) {
            // 1. Each warp folds a subtree in each round. Which warp folds which cannot change the result.
#pragma unroll 1
            for (unsigned entry = block.warp(); entry < max_totals; entry += block.warps()) {
                const std::size_t tree = subtree_at(block, run, entry);
                if (tree >= subtrees)
                    break;
                const T total = chunks.fold(tree * subtree_chunks, subtree_chunks, __builtin_addressof(shared.tail));
                if (subtrees == 1) {
                    if (block.lane() == 0)
                        *output = warp::combine<T>(chunks.op, init, total);
                    return;
                }
                chunks_type::store_total(shared.totals + entry, total);
            }
            block.sync();

            // 2. The subtrees of a run become one partial.
            for (unsigned entry = block.warp() << run_bits; entry < max_totals; entry += block.warps() << run_bits) {
                const std::size_t tree = subtree_at(block, run, entry);
                if (tree >= subtrees)
                    break;
                const std::size_t left = subtrees - tree;
                const unsigned count = 1u << run_bits;
                const T partial =
                    fold_totals(shared.totals + entry, left < count ? static_cast<unsigned>(left) : count);
                if (block.lane() == 0) {
                    if (is_alone)
                        *output = warp::combine<T>(chunks.op, init, partial);
                    else
                        partials.publish(tree >> run_bits, partial);
                }
            }
            run += (max_totals >> run_bits) * static_cast<unsigned>(block.count());
            if (run < runs)
                block.sync();
        }
        if (is_alone)
            return;

        // 3. The block that took the last ticket folds the partials of all blocks.
        if (block::told_by_first_thread(block, shared.is_last, partials.is_last(block, ticket)))
            fold_partials(block, shared);
    }

private:
    static constexpr unsigned lane_totals = max_run_subtrees / simt::warp_size;  // that a lane loads at a time
    static constexpr unsigned lane_partials = !has_few_words ? 1 : partials_type::words::count == 1 ? 8 : 4;
    static constexpr std::size_t leaf =
        std::size_t{lane_partials} * simt::warp_size;  // partials that a warp folds at a time

    /// The subtree whose total is `totals[entry]`, if the first entry is of run `run`.
    PARPRIMS_DEVICE std::size_t subtree_at(simt::block block, unsigned run, unsigned entry) const
    {
        const std::size_t of_entry = run + (entry >> run_bits) * static_cast<unsigned>(block.count());
        return (of_entry << run_bits) + (entry & ((1u << run_bits) - 1));
    }

    /// Folds up to `max_run_subtrees` totals; the result is in lane 0.
    PARPRIMS_DEVICE T fold_totals(const uninitialized<T>* totals, unsigned count) const
    {
        return warp::fold_stored<lane_totals, T>(
            0u, count, [&](unsigned i) { return simt::load(totals, i); }, chunks.op);
    }

    /// For the last block: folds the partials in index order, and combines the total with init.
    PARPRIMS_DEVICE void fold_partials(simt::block block, shared_storage& shared) const
    {
        // Each warp folds a power of two of leaves, so that the warps' totals are nodes of the tree.
        const std::size_t leaves = order::ceil_div(runs, leaf);
        std::size_t share = 1;
        while (share * block.warps() < leaves)
            share *= 2;

        const std::size_t first = block.warp() * share;
        uninitialized<T> total;
        if (first < leaves) {
            const std::size_t count = leaves - first < share ? leaves - first : share;
            total.value = warp::fold_leaves<T>(
                count, [&](std::size_t i) { return fold_leaf((first + i) * leaf); }, chunks.op);
        }
        if (leaves > 1) {
            if (first < leaves)
                chunks_type::store_total(shared.folded + block.warp(), total.value);
            block.sync();
            if (block.warp() == 0)
                total.value = fold_totals(shared.folded, static_cast<unsigned>(order::ceil_div(leaves, share)));
        }
        if (block.thread() == 0)
            *output = warp::combine<T>(chunks.op, init, total.value);
    }

    /// Folds up to `leaf` partials from `first` on; the result is in lane 0.
    PARPRIMS_DEVICE T fold_leaf(std::size_t first) const
    {
        const std::size_t left = runs - first;
        return partials.template fold<lane_partials>(first, static_cast<unsigned>(left < leaf ? left : leaf),
                                                     chunks.op);
    }
};

}  // namespace parprims::detail::device
