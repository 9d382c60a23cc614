/// @file
/// @brief  The second kernel of segmented reductions: folds the totals of the chunks of each segment of several chunks.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/device/segmented/totals.hpp>
#include <parprims/detail/device/segmented/tuning.hpp>
#include <parprims/detail/device/tree/warp_tree.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <cstddef>

namespace parprims::detail::device {

/// A warp folds the segments that began before one of its tiles and end in it. One of very many chunks is left to the whole block.
template <class Segments, class T, class Output, class Op, class Totals>
struct segmented_finish_kernel {
    static constexpr unsigned max_threads = max_finish_threads;
    static constexpr unsigned min_blocks = finish_blocks_per_sm;
    static constexpr unsigned items = finish_items<T>;
    static constexpr std::size_t leaf = std::size_t{items} * simt::warp_size;  // that a warp folds at a time

    struct shared_storage {
        uninitialized<T> folded[simt::warp_size];  // by the warps of a block
        std::size_t longest[simt::warp_size];      // for each tile, a segment of more than a leaf
    };

    Segments segments;
    Output output;
    T init;
    Op op;
    std::size_t tiles;
    unsigned warp_tiles;  // that a warp looks at, at most `finish_tiles`
    Totals totals;

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage& shared) const
    {
        // 1. Each warp folds those of a few tiles. At most one has more chunks than a leaf (`segmented_reduce_kernel::tile`).
        const std::size_t none = segments.count;
        const std::size_t tile = (block.index() * block.warps() + block.warp()) * warp_tiles + block.lane();
        const std::size_t ended = block.lane() < warp_tiles && tile < tiles ? totals.segment_of_tile(tile) : none;
        std::size_t longest = none;
        const simt::lane_mask found = simt::ballot(ended != none);
        for (unsigned i = 0; i < warp_tiles; ++i) {
            if ((found >> i & 1) == 0)
                continue;
            const std::size_t segment = simt::shuffle(ended, i);
            const totals_span chunks = totals.of(segments, segment);
            if (chunks.count > leaf)
                longest = segment;
            else
                finish(segment, fold_leaf(chunks, 0));
        }
        if (block.lane() == 0)
            simt::store(shared.longest, block.warp(), longest);
        block.sync();

        // 2. All warps fold what is left: each a power of two of leaves, so that its total is a node of the tree.
        for (unsigned w = 0; w < block.warps(); ++w) {
            const std::size_t segment = simt::load(shared.longest, w);
            if (segment == none)
                continue;
            const totals_span chunks = totals.of(segments, segment);
            const std::size_t leaves = order::ceil_div(chunks.count, leaf);
            std::size_t share = 1;
            while (share * block.warps() < leaves)
                share *= 2;
            const std::size_t first = block.warp() * share;
            if (first < leaves) {
                const T total = warp::fold_leaves<T>(
                    leaves - first < share ? leaves - first : share,
                    [&](std::size_t i) { return fold_leaf(chunks, (first + i) * leaf); }, op);
                if (block.lane() == 0)
                    simt::store(shared.folded, block.warp(), total);
            }
            block.sync();
            if (block.warp() == 0) {
                const auto live = static_cast<unsigned>(order::ceil_div(leaves, share));
                uninitialized<T> total;
                if (block.lane() < live)
                    total.value = simt::load(shared.folded, block.lane());
                finish(segment, warp::fold_lanes(total.value, live, op));
            }
            block.sync();
        }
    }

private:
    /// Folds up to a leaf of totals from number `from` on; the result is in lane 0.
    PARPRIMS_DEVICE T fold_leaf(const totals_span& chunks, std::size_t from) const
    {
        return warp::fold_stored<items, T>(
            from, chunks.count, [&](std::size_t i) { return totals.load(chunks, i); }, op);
    }

    PARPRIMS_DEVICE void finish(std::size_t segment, const T& total) const
    {
        if (simt::block::lane() == 0)
            output.set(segment, warp::combine<T>(op, init, total));
    }
};

}  // namespace parprims::detail::device
