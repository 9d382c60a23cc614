/// @file
/// @brief  The order contract's tree over consecutive elements, walked by one lane or by a few.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/device/load/input.hpp>
#include <parprims/detail/device/tree/warp_tree.hpp>
#include <parprims/detail/simt/simt.hpp>
#include <parprims/detail/uninitialized.hpp>

#include <cstddef>

namespace parprims::detail::device {

inline constexpr unsigned leaf_items = 8;  ///< columns that a lane folds at a time

/// Whether segments of at most `longest` elements are leaves: each is folded by one lane, element by element. Extremes are searched by packets
/// in longer segments; that takes longer if most elements lie before the first whole packet of a segment, or behind the last one.
template <class T, class Value>
PARPRIMS_DEVICE constexpr bool are_leaves(std::size_t longest)
{
    constexpr unsigned items = order::lane_items<Value>;
    return longest <= leaf_items || (is_located<T> && longest < 3 * items && longest % items != 0);
}

/// Loads elements `first` to `first + live` of a tile, at most 8, and calls `take(k, element)` with each.
template <class Tile, class Take>
PARPRIMS_DEVICE inline void load_leaf(const Tile& tile, unsigned first, unsigned live, Take take)
{
    if constexpr (requires { tile.load_leaf(first); }) {
        const auto elements = tile.load_leaf(first);
#pragma unroll
        for (unsigned k = 0; k < leaf_items; ++k)
            if (k < live)
                take(k, tile.operand(elements, k));
    } else {
#pragma unroll
        for (unsigned k = 0; k < leaf_items; ++k)
            if (k < live)
                take(k, tile.operand(first + k));
    }
}

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

/// Folds up to 8 columns of a segment, at least one. The first one begins with element `first` of a tile, and the segment ends
/// `left` elements after it: the next rows lie `Row` elements apart. `LoadsWholeRows`: where a row has all columns, no condition lies between
/// their loads, so that these are in flight together; it takes more registers.
template <unsigned Row, class T, bool LoadsWholeRows = false, class Tile, class Op>
PARPRIMS_DEVICE inline T fold_columns(const Tile& tile, unsigned first, unsigned live, unsigned left, Op op)
{
    uninitialized<T> x[leaf_items];
    device::load_leaf(tile, first, live, [&](unsigned k, const T& next) { x[k].value = next; });
    const auto take = [&](unsigned k, const T& next) { x[k].value = warp::combine<T>(op, x[k].value, next); };
    unsigned r = Row;
    if constexpr (LoadsWholeRows) {
#pragma unroll 1
        for (; r + leaf_items <= left; r += Row)
            device::load_leaf(tile, first + r, leaf_items, take);
    }
#pragma unroll 1
    for (; r < left; r += Row)
        device::load_leaf(tile, first + r, left - r, take);
#pragma unroll
    for (unsigned d = 1; d < leaf_items; d *= 2)
#pragma unroll
        for (unsigned k = 0; k < leaf_items; k += 2 * d)
            if (k + d < live)
                x[k].value = warp::combine<T>(op, x[k].value, x[k + d].value);
    return x[0].value;
}

/// The next complete subtree of one leaf, after `leaves` of them. levels[l] is the total of a complete subtree of 2^l leaves if
/// bit l of `leaves` is set. Recursive, so that the levels stay in registers.
template <unsigned Level, class T, unsigned Levels, class Op>
PARPRIMS_DEVICE inline void push_leaf(uninitialized<T> (&levels)[Levels], unsigned leaves, const T& total, Op op)
{
    if constexpr (Level < Levels) {
        if ((leaves >> Level & 1) == 0)
            levels[Level].value = total;
        else
            device::push_leaf<Level + 1>(levels, leaves, warp::combine<T>(op, levels[Level].value, total), op);
    }
}

/// Folds `live` columns of a segment: at least one, at most `Row`, a power of two. `first` and `left` are those of the first
/// column. `HasRows`: the segment may have more than one row.
template <unsigned Row, bool HasRows, class T, class Tile, class Op>
PARPRIMS_DEVICE inline T fold_serially(const Tile& tile, unsigned first, unsigned live, unsigned left, Op op)
{
    const auto fold = [&](unsigned before, unsigned columns) {
        if constexpr (HasRows || requires { tile.load_leaf(first); })
            return device::fold_columns<Row, T>(tile, first + before, columns, left - before, op);
        else
            return device::fold_leaf<T>(tile, first + before, columns, op);
    };
    const unsigned leaves = live / leaf_items;  // complete ones
    const unsigned rest = live % leaf_items;
    if (live <= leaf_items)
        return fold(0, live);

    constexpr unsigned level_count = [] {
        unsigned count = 1;
        while (leaf_items << (count - 1) < Row)
            ++count;
        return count;
    }();
    uninitialized<T> levels[level_count];
#pragma unroll 1
    for (unsigned leaf = 0; leaf < leaves; ++leaf)
        device::push_leaf<0>(levels, leaf, fold(leaf * leaf_items, leaf_items), op);

    uninitialized<T> total;
    bool has_total = rest != 0;
    if (has_total)
        total.value = fold(live - rest, rest);
#pragma unroll
    for (unsigned l = 0; l < level_count; ++l)
        if ((leaves >> l & 1) != 0) {
            total.value = has_total ? warp::combine<T>(op, levels[l].value, total.value) : levels[l].value;
            has_total = true;
        }
    return total.value;
}

/// For one lane: folds `live` columns of a segment, of which the first one begins at `begin`, `left` elements before the
/// segment ends.
template <unsigned Row, bool HasRows, bool MayBeAligned, class T, class Tile, class Op>
PARPRIMS_DEVICE inline T fold_by_lane(const Tile& elements, unsigned begin, unsigned live, unsigned left, Op op)
{
    if constexpr (Tile::is_copied)
        if (!elements.is_padded)
            return device::fold_serially<Row, HasRows, T>(elements.plain(), begin, live, left, op);
    if constexpr (Tile::can_be_padded && MayBeAligned)
        if (elements.shift == 0)
            return device::fold_serially<Row, HasRows, T>(elements.leaves(), begin, live, left, op);
    return device::fold_serially<Row, HasRows, T>(elements, begin, live, left, op);
}

/// For the lanes of a warp, of which each group of `lanes` has a segment: folds its `size` elements from `begin` on, or none. The
/// result is in the first lane of the group.
template <class Value, bool HasRows, bool MayBeAligned, class T, class Tile, class Op>
PARPRIMS_DEVICE inline uninitialized<T> fold_by_lanes(const Tile& elements, unsigned begin, unsigned size,
                                                      unsigned lanes, Op op)
{
    constexpr unsigned row = order::row<Value>;
    const unsigned lane = simt::block::lane() & (lanes - 1);
    // Each lane folds a power of two of columns, so that its total is a node of the tree.
    const unsigned columns = size < row ? size : row;
    unsigned width = leaf_items;
    while (width * lanes < columns)
        width *= 2;
    const unsigned before = lane * width;
    uninitialized<T> total;
    if (before < columns) {
        const unsigned live = columns - before < width ? columns - before : width;
        if (HasRows && size > row)
            total.value =
                fold_by_lane<row, HasRows, MayBeAligned, T>(elements, begin + before, live, size - before, op);
        else
            total.value = fold_by_lane<row, false, MayBeAligned, T>(elements, begin + before, live, live, op);
    }
    for (unsigned distance = 1; distance < lanes; distance *= 2) {
        const T above = simt::shuffle_down(total.value, distance);
        if (before + distance * width < columns && lane + distance < lanes)
            total.value = warp::combine<T>(op, total.value, above);
    }
    return total;
}

/// Extremes, which do not depend on the order of the operations. Elements of a copy without padding are loaded one by one.
template <unsigned Row, bool HasRows, bool MayBeAligned, is_located T, class Tile, class Op>
PARPRIMS_DEVICE inline T fold_by_lane(const Tile& elements, unsigned begin, unsigned live, unsigned, Op op)
{
    if constexpr (Tile::is_copied)
        if (!elements.is_padded)
            return T::find(elements.plain(), begin, live, 1, op);
    return T::find(elements, begin, live, 1, op);
}
template <class Value, bool HasRows, bool MayBeAligned, is_located T, class Tile, class Op>
PARPRIMS_DEVICE inline uninitialized<T> fold_by_lanes(const Tile& elements, unsigned begin, unsigned size,
                                                      unsigned lanes, Op op)
{
    return uninitialized<T>(T::find(elements, begin, size, lanes, op));
}

}  // namespace parprims::detail::device
