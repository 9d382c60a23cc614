/// @file
/// @brief  The order contract's tree over consecutive elements, walked by one lane.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/block/warp_tree.hpp>
#include <parprims/detail/simt/simt.hpp>
#include <parprims/detail/uninitialized.hpp>

namespace parprims::detail::device {

inline constexpr unsigned leaf_items = 8;  ///< elements that a lane folds at a time

/// Folds up to 8 elements of a tile from `first` on, at least one.
template <class T, class Tile, class Op>
PARPRIMS_DEVICE inline T fold_leaf(const Tile& tile, unsigned first, unsigned live, Op op)
{
    uninitialized<T> half[2];
#pragma unroll
    for (unsigned h = 0; h < 2; ++h) {
        if (h == 1 && live <= 4)  // skipped where all segments are short
            break;
        uninitialized<T> x[4];
#pragma unroll
        for (unsigned k = 0; k < 4; ++k)
            if (4 * h + k < live)
                x[k].value = tile.operand(first + 4 * h + k);
#pragma unroll
        for (unsigned d = 1; d < 4; d *= 2)
#pragma unroll
            for (unsigned k = 0; k < 4; k += 2 * d)
                if (4 * h + k + d < live)
                    x[k].value = warp::combine<T>(op, x[k].value, x[k + d].value);
        half[h].value = x[0].value;
    }
    return live <= 4 ? half[0].value : warp::combine<T>(op, half[0].value, half[1].value);
}

/// Folds `live` elements of a tile from `first` on: at least one, at most `Row`, a power of two.
template <unsigned Row, class T, class Tile, class Op>
PARPRIMS_DEVICE inline T fold_serially(const Tile& tile, unsigned first, unsigned live, Op op)
{
    if (live <= leaf_items)
        return fold_leaf<T>(tile, first, live, op);

    // levels[l] is the total of a complete subtree of 2^l leaves if bit l of the number of leaves so far is set.
    constexpr unsigned max_levels = [] {
        unsigned count = 0;
        while (leaf_items << count < Row)
            ++count;
        return count + 1;
    }();
    uninitialized<T> levels[max_levels];
    unsigned leaves = 0;
#pragma unroll 1
    for (; leaves * leaf_items < live; ++leaves) {
        T total = fold_leaf<T>(tile, first + leaves * leaf_items, live - leaves * leaf_items, op);
        bool carries = true;  // no break: the levels stay in registers
#pragma unroll
        for (unsigned l = 0; l < max_levels; ++l) {
            const bool is_set = (leaves >> l & 1) != 0;
            if (carries && !is_set)
                levels[l].value = total;
            carries = carries && is_set;
            if (carries)
                total = warp::combine<T>(op, levels[l].value, total);
        }
    }
    uninitialized<T> total;
    bool has_total = false;
#pragma unroll
    for (unsigned l = 0; l < max_levels; ++l)
        if ((leaves >> l & 1) != 0) {
            total.value = has_total ? warp::combine<T>(op, levels[l].value, total.value) : levels[l].value;
            has_total = true;
        }
    return total.value;
}

}  // namespace parprims::detail::device
