/// @file
/// @brief  The order contract's binary tree, walked by a block.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/device/tree/warp_tree.hpp>
#include <parprims/detail/simt/simt.hpp>
#include <parprims/detail/uninitialized.hpp>

namespace parprims::detail::block {

/// Most leaves of a block's tree: one for each lane of the warp that folds their totals.
inline constexpr unsigned max_tree_leaves = simt::warp_size;

/// Tree over `count` values, at least one, in at most `max_tree_leaves` leaves of `leaf` values, a power of two. `fold_leaf(first, live)`
/// returns the total of `live` values from number `first` on, by a warp, in lane 0. `totals` is in shared memory and has room for the
/// leaves. The result is in the first thread. Has a barrier if there are several leaves.
template <class T, class Count, class FoldLeaf, class Op>
PARPRIMS_DEVICE inline T fold_values(simt::block block, uninitialized<T>* totals, Count count, Count leaf,
                                     FoldLeaf fold_leaf, Op op)
{
    const auto leaves = static_cast<unsigned>((count + leaf - 1) / leaf);
    uninitialized<T> total;
#pragma unroll 1
    for (unsigned i = block.warp(); i < leaves; i += block.warps()) {
        const Count first = i * leaf;
        total.value = fold_leaf(first, count - first < leaf ? count - first : leaf);
        if (leaves != 1 && block.lane() == 0)
            simt::store(totals, i, total.value);
    }
    if (leaves == 1)
        return total.value;
    block.sync();
    if (block.warp() == 0) {
        if (block.lane() < leaves)
            total.value = simt::load(totals, block.lane());
        total.value = warp::fold_lanes(total.value, leaves, op);
    }
    return total.value;
}

}  // namespace parprims::detail::block
