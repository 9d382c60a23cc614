/// @file
/// @brief  The order contract's binary tree, walked by one warp. Operators see values and partial results only.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <cstddef>

namespace parprims::detail::warp {

PARPRIMS_BEGIN_UNMARKED_CALLS
/// One operator call whose result has the accumulator's type.
template <class T, class Op>
PARPRIMS_HOST_DEVICE inline T combine(Op& op, const T& left, const T& right)
{
    return static_cast<T>(op(left, right));
}
PARPRIMS_END_UNMARKED_CALLS

/// Combines the next value of a column, if it is not the first, with those before it.
template <class T, class Op>
PARPRIMS_HOST_DEVICE inline void accumulate(Op& op, uninitialized<T>& column, bool is_first, const T& next)
{
    column.value = is_first ? next : warp::combine<T>(op, column.value, next);
}

/// Tree over the lanes' values, lane 0 first; lanes from `live` on hold none, `live` <= 32. The result is in lane 0.
template <class T, class Op>
PARPRIMS_DEVICE inline T fold_lanes(T value, unsigned live, Op op)
{
    const int after = static_cast<int>(live) - static_cast<int>(simt::block::lane());
    const unsigned width =
        sizeof(T) <= 32 ? simt::warp_size : live;  // a loop ends early, unrolled steps need no branch
#pragma unroll(sizeof(T) <= 32 ? 5 : 1)
    for (unsigned distance = 1; distance < width; distance *= 2) {
        const T above = simt::shuffle_down(value, distance);
        if (static_cast<int>(distance) < after)  // lanes outside the tree compute unused results, of values only
            value = warp::combine<T>(op, value, above);
    }
    return value;
}

/// Folds lanes that all hold a value. The results in the other lanes are not used; they are computed from values only.
template <class T, class Op>
PARPRIMS_DEVICE inline T fold_full_lanes(T value, Op op)
{
#pragma unroll(sizeof(T) <= 32 ? 5 : 1)
    for (unsigned distance = 1; distance < simt::warp_size; distance *= 2)
        value = warp::combine<T>(op, value, simt::shuffle_down(value, distance));
    return value;
}

/// The trees of several rows at once. `Rows` is a power of two, and every lane holds a value of each row. At each distance below
/// `Rows`, half of the lanes continue with one row of a pair and half with the other. The total of row r is in lane r.
template <unsigned Rows, class T, class Op>
PARPRIMS_DEVICE inline T fold_full_rows(uninitialized<T> (&rows)[Rows], Op op)
{
    const unsigned lane = simt::block::lane();
#pragma unroll
    for (unsigned distance = 1; distance < Rows; distance *= 2) {
        const bool is_right = (lane & distance) != 0;
#pragma unroll
        for (unsigned r = 0; r < Rows; r += 2 * distance) {
            const T lower = rows[r].value;
            const T upper = rows[r + distance].value;
            const T other = simt::shuffle(simt::select(is_right, lower, upper), lane ^ distance);
            rows[r].value =
                warp::combine<T>(op, simt::select(is_right, other, lower), simt::select(is_right, upper, other));
        }
    }
    T value = rows[0].value;
#pragma unroll(sizeof(T) <= 32 ? 5 : 1)
    for (unsigned distance = Rows; distance < simt::warp_size; distance *= 2)
        value = warp::combine<T>(op, value, simt::shuffle_down(value, distance));
    return value;
}

/// Tree over columns e = lane * Items + k, of which the first `live` hold a value. The result is in lane 0.
template <unsigned Items, class T, class Op>
PARPRIMS_DEVICE inline T fold_consecutive(uninitialized<T> (&columns)[Items], std::size_t live, Op op)
{
    const bool full = live >= std::size_t{Items} * simt::warp_size;
    const std::size_t first = std::size_t{simt::block::lane()} * Items;
#pragma unroll
    for (unsigned distance = 1; distance < Items; distance *= 2)
#pragma unroll
        for (unsigned k = 0; k < Items; k += 2 * distance)
            if (full || first + k + distance < live)
                columns[k].value = warp::combine<T>(op, columns[k].value, columns[k + distance].value);
    const unsigned lanes = full ? simt::warp_size : static_cast<unsigned>((live + Items - 1) / Items);
    return warp::fold_lanes(columns[0].value, lanes, op);
}

/// Folds stored values `[begin, end)`, of which `load(i)` returns number i to the lane that folds it.
template <unsigned Items, class T, class Index, class Load, class Op>
PARPRIMS_DEVICE inline T fold_stored(Index begin, Index end, Load load, Op op)
{
    uninitialized<T> columns[Items];
    const Index first = begin + simt::block::lane() * Items;
#pragma unroll
    for (unsigned k = 0; k < Items; ++k)
        if (first + k < end)
            columns[k].value = load(first + k);
    return warp::fold_consecutive(columns, end - begin, op);
}

/// Tree over columns e = lane + 32 * k, of which the first `live` hold a value. The result is in lane 0.
template <unsigned Items, class T, class Op>
PARPRIMS_DEVICE inline T fold_strided(uninitialized<T> (&columns)[Items], std::size_t live, Op op)
{
    constexpr unsigned width = simt::warp_size;
#pragma unroll
    for (unsigned k = 0; k < Items; ++k) {
        const std::size_t before = std::size_t{k} * width;
        const std::size_t here = live > before ? live - before : 0;
        columns[k].value = warp::fold_lanes(columns[k].value, here < width ? static_cast<unsigned>(here) : width, op);
    }
#pragma unroll
    for (unsigned distance = 1; distance < Items; distance *= 2)
#pragma unroll
        for (unsigned k = 0; k < Items; k += 2 * distance)
            if (std::size_t{k + distance} * width < live && simt::block::lane() == 0)
                columns[k].value = warp::combine<T>(op, columns[k].value, columns[k + distance].value);
    return columns[0].value;
}

/// Tree over `count` leaves and, if `has_last_leaf`, one more; at least one in all. `leaf(i)` returns leaf i in lane 0.
/// `last_leaf()` returns the last one in lane 0, and is called after the others. The result is in every lane.
///
/// Lane l holds the total of a complete subtree of 2^l leaves if bit l of the number of leaves so far is set. So no register
/// array is indexed at run time, and any number of leaves needs one register.
template <class T, class Leaf, class LastLeaf, class Op>
PARPRIMS_DEVICE inline T fold_leaves(std::size_t count, Leaf leaf, bool has_last_leaf, LastLeaf last_leaf, Op op)
{
    const unsigned lane = simt::block::lane();
    uninitialized<T> waiting;
    for (std::size_t i = 0; i < count; ++i) {
        T value = simt::shuffle<T>(leaf(i), 0);
        if (count == 1 && !has_last_leaf)
            return value;
        unsigned level = 0;
        for (; (i >> level & 1) != 0; ++level)
            value = warp::combine<T>(op, simt::shuffle<T>(waiting.value, level), value);
        if (lane == level || i == 0)
            waiting.value = value;
    }

    unsigned level = 0;
    uninitialized<T> total;
    if (has_last_leaf) {
        total.value = simt::shuffle<T>(last_leaf(), 0);
    } else {
        while ((count >> level & 1) == 0)
            ++level;
        total.value = simt::shuffle<T>(waiting.value, level++);
    }
    for (; count >> level != 0; ++level)
        if ((count >> level & 1) != 0)
            total.value = warp::combine<T>(op, simt::shuffle<T>(waiting.value, level), total.value);
    return total.value;
}

/// Folds `count` leaves, all of which come from `leaf`.
template <class T, class Leaf, class Op>
PARPRIMS_DEVICE inline T fold_leaves(std::size_t count, Leaf leaf, Op op)
{
    return warp::fold_leaves<T>(
        count, leaf, false, [&] { return leaf(0); }, op);
}

}  // namespace parprims::detail::warp
