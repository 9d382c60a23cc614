/// @file
/// @brief  The reduction kernel: warps fold subtrees of chunks, blocks fold what their warps leave, and the last block
///         folds what the blocks leave.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/block/warp_tree.hpp>
#include <parprims/detail/device/reduce/chunks.hpp>
#include <parprims/detail/device/reduce/plan.hpp>
#include <parprims/detail/device/reduce/words.hpp>
#include <parprims/detail/order.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <cstddef>

namespace parprims::detail::device {

/// What a reduction kernel works on. The tree over the chunks is cut into `subtrees` aligned subtrees of
/// `subtree_chunks` chunks, one for a warp at a time. A turn is 2^`turn_bits` neighbouring subtrees, at least as many as a
/// block has warps, and leaves one total; blocks take turns that are far apart. All of these are powers of two, so every
/// total is a node of the tree.
///
/// Why nobody waits for ever: see total_words.
template <class Input, class T, class Output, class Op, class Transform>
struct reduce_kernel {
    using chunks_type = reduce_chunks<Input, T, Op, Transform>;
    static constexpr std::size_t chunk = chunks_type::chunk;

    // With registers for all 16 rows of a chunk: on an H200 2^30 floats in 936 us by one block of 512 threads, and in 951 by two
    // that have 8 rows under way; halves in 471 and 501.
    static constexpr unsigned max_threads = max_reduce_threads;
    static constexpr unsigned min_blocks = chunks_type::is_large ? 2 : 1;

    static constexpr bool has_words = total_words<T>::fit;        // else totals are in memory, and a ticket orders them
    static constexpr unsigned max_totals = has_words ? 512 : 32;  // between two barriers
    static constexpr unsigned max_turn = has_words ? 256 : 32;    // subtrees of a turn
    static constexpr std::size_t max_turns = has_words ? total_words<T>::capacity : std::size_t{1} << 16;

    struct shared_storage {
        uninitialized<T> totals[max_totals];       // of the subtrees, turn by turn
        uninitialized<T> folded[simt::warp_size];  // by the last block's warps
        uninitialized<T> rest;                     // of the chunk that is not whole
        bool is_last;
    };

    chunks_type chunks;
    Output output;
    maybe<T> init;
    std::size_t subtrees;
    std::size_t subtree_chunks;
    unsigned turn_bits;
    std::size_t turns;
    total_words<T> words;        // of the turns
    uninitialized<T>* partials;  // of the turns, if they have no words
    unsigned* ticket;            // zero before and after; like words and partials not used by a single block

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage& shared) const
    {
        if (chunks.n == 0) {
            if (block.thread() == 0)
                *output = init.get();
            return;
        }
        const bool is_alone = block.count() == 1;
        bool is_last = false;  // drawn now, used at the end
        if (has_words && !is_alone && block.thread() == 0)
            is_last = words.draw_last(ticket, block.index(), block.count());

        for (auto turn = static_cast<unsigned>(block.index()); turn < turns;) {
            // 1. Each warp folds a subtree in each round. Which warp takes which cannot be seen in the result.
#pragma unroll 1
            for (unsigned place = block.warp(); place < max_totals; place += block.warps()) {
                const std::size_t tree = subtree_at(block, turn, place);
                if (tree >= subtrees)
                    break;
                const T total = chunks.fold(tree * subtree_chunks, subtree_chunks, &shared.rest);
                if (subtrees == 1) {
                    if (block.lane() == 0)
                        *output = init.then(total, chunks.op);
                    return;
                }
                chunks_type::keep(shared.totals + place, total);
            }
            block.sync();

            // 2. The subtrees of a turn become one total.
            for (unsigned place = block.warp() << turn_bits; place < max_totals; place += block.warps() << turn_bits) {
                const std::size_t tree = subtree_at(block, turn, place);
                if (tree >= subtrees)
                    break;
                const std::size_t after = subtrees - tree;
                const unsigned count = 1u << turn_bits;
                const T total = fold_leaf(shared.totals + place, after < count ? static_cast<unsigned>(after) : count);
                if (block.lane() == 0) {
                    if (is_alone)
                        *output = init.then(total, chunks.op);
                    else
                        leave(tree >> turn_bits, total);
                }
            }
            turn += (max_totals >> turn_bits) * static_cast<unsigned>(block.count());
            if (turn < turns)
                block.sync();
        }
        if (is_alone)
            return;

        // 3. The last block folds what all have.
        if constexpr (!has_words) {
            block.sync();  // all of the block's totals are there before the ticket
            if (block.thread() == 0) {
                const auto last = static_cast<unsigned>(block.count() - 1);
                is_last = simt::atomic_increment_wrapping(ticket, last) == last;
            }
        }
        if (block.thread() == 0)
            simt::store(&shared.is_last, is_last);
        block.sync();
        if (simt::load(&shared.is_last))
            fold_turns(block, shared);
    }

private:
    static constexpr unsigned leaf_items = max_turn / simt::warp_size;  // totals that a lane reads at a time
    static constexpr unsigned word_items = total_words<T>::of_total == 1 ? 8 : 4;
    static constexpr std::size_t leaf = std::size_t{has_words ? word_items : leaf_items} * simt::warp_size;

    /// The subtree of a place among the totals that a block holds from `turn` on.
    PARPRIMS_DEVICE std::size_t subtree_at(simt::block block, unsigned turn, unsigned place) const
    {
        const std::size_t of_place = turn + (place >> turn_bits) * static_cast<unsigned>(block.count());
        return (of_place << turn_bits) + (place & ((1u << turn_bits) - 1));
    }

    /// For one lane: the total of a turn goes to the block that is last.
    PARPRIMS_DEVICE void leave(std::size_t turn, const T& total) const
    {
        if constexpr (has_words)
            words.publish(turn, total);
        else
            simt::store(partials, turn, total);
    }

    /// For the last block: folds the turns' totals in index order, and adds init.
    PARPRIMS_DEVICE void fold_turns(simt::block block, shared_storage& shared) const
    {
        // Aligned runs of leaves, so that the warps' totals are nodes of the same tree.
        const std::size_t leaves = order::ceil_div(turns, leaf);
        std::size_t run = 1;
        while (run * block.warps() < leaves)
            run *= 2;

        const std::size_t first = block.warp() * run;
        uninitialized<T> total;
        if (first < leaves) {
            const std::size_t count = leaves - first < run ? leaves - first : run;
            total.value = warp::fold_leaves<T>(
                count, [&](std::size_t i) { return fold_turn_leaf((first + i) * leaf); }, chunks.op);
        }
        if (leaves > 1) {
            if (first < leaves)
                chunks_type::keep(shared.folded + block.warp(), total.value);
            block.sync();
            if (block.warp() == 0)
                total.value = fold_leaf(shared.folded, static_cast<unsigned>(order::ceil_div(leaves, run)));
        }
        if (block.thread() == 0)
            *output = init.then(total.value, chunks.op);
    }

    /// Folds up to `leaf` totals of turns from `first` on; the result is in lane 0.
    PARPRIMS_DEVICE T fold_turn_leaf(std::size_t first) const
    {
        const std::size_t left = turns - first;
        const auto count = static_cast<unsigned>(left < leaf ? left : leaf);
        if constexpr (has_words)
            return words.template fold<word_items>(first, count, chunks.op);
        else
            return fold_leaf(partials + first, count);
    }

    /// Folds up to `max_turn` totals; the result is in lane 0.
    PARPRIMS_DEVICE T fold_leaf(const uninitialized<T>* totals, unsigned count) const
    {
        const unsigned mine = simt::block::lane() * leaf_items;
        uninitialized<T> columns[leaf_items];
#pragma unroll
        for (unsigned k = 0; k < leaf_items; ++k)
            if (mine + k < count)
                columns[k].value = simt::load(totals, mine + k);
        return warp::fold_consecutive(columns, count, chunks.op);
    }
};

}  // namespace parprims::detail::device
