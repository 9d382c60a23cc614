/// @file
/// @brief  The order contract's binary tree, walked by one warp. Operators see values and partial results only.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <cstddef>

namespace parprims::detail::warp {

/// One operator call whose result has the accumulator's type.
template <class T, class Op>
PARPRIMS_HOST_DEVICE inline T combine(Op& op, const T& left, const T& right)
{
    return static_cast<T>(op(left, right));
}

/// Tree over the lanes' values, lane 0 first; lanes from `live` on hold none. The result is in lane 0.
template <class T, class Op>
PARPRIMS_DEVICE inline T fold_lanes(T value, unsigned live, Op op)
{
    const int after = static_cast<int>(live) - static_cast<int>(simt::block::lane());
#pragma unroll(sizeof(T) <= 32 ? 5 : 1)
    for (unsigned distance = 1; distance < simt::warp_size; distance *= 2) {
        const T above = simt::shuffle_down(value, distance);
        if (static_cast<int>(distance) < after)  // what is no node of the tree is of no use, but made of values
            value = combine<T>(op, value, above);
    }
    return value;
}

/// The same where every lane holds a value; what the other lanes compute on the way is of no use, but of values.
template <class T, class Op>
PARPRIMS_DEVICE inline T fold_full_lanes(T value, Op op)
{
#pragma unroll(sizeof(T) <= 32 ? 5 : 1)
    for (unsigned distance = 1; distance < simt::warp_size; distance *= 2)
        value = combine<T>(op, value, simt::shuffle_down(value, distance));
    return value;
}

/// The trees of several rows, a power of two of them, all lanes of which hold a value: at a distance below their number
/// half of the lanes go on with one row of two and half with the other. The total of row r is in lane r.
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
            rows[r].value = combine<T>(op, simt::select(is_right, other, lower), simt::select(is_right, upper, other));
        }
    }
    T value = rows[0].value;
#pragma unroll(sizeof(T) <= 32 ? 5 : 1)
    for (unsigned distance = Rows; distance < simt::warp_size; distance *= 2)
        value = combine<T>(op, value, simt::shuffle_down(value, distance));
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
                columns[k].value = combine<T>(op, columns[k].value, columns[k + distance].value);
    const unsigned lanes = full ? simt::warp_size : static_cast<unsigned>((live + Items - 1) / Items);
    return fold_lanes(columns[0].value, lanes, op);
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
        columns[k].value = fold_lanes(columns[k].value, here < width ? static_cast<unsigned>(here) : width, op);
    }
#pragma unroll
    for (unsigned distance = 1; distance < Items; distance *= 2)
#pragma unroll
        for (unsigned k = 0; k < Items; k += 2 * distance)
            if (std::size_t{k + distance} * width < live && simt::block::lane() == 0)
                columns[k].value = combine<T>(op, columns[k].value, columns[k + distance].value);
    return columns[0].value;
}

/// Tree over `count` leaves and, if `has_rest`, one more; at least one in all. `leaf(i)` gives leaf i in lane 0, `rest()` the
/// last one, which is asked for when the others are done. The result is in every lane.
///
/// As leaves come in order, finished subtrees wait in the lanes: lane l holds one of 2^l leaves, as the bits of a
/// counter do. So no register array is indexed at run time, and any number of leaves needs one register.
template <class T, class Leaf, class Rest, class Op>
PARPRIMS_DEVICE inline T fold_leaves(std::size_t count, Leaf leaf, bool has_rest, Rest rest, Op op)
{
    const unsigned lane = simt::block::lane();
    uninitialized<T> waiting;
    for (std::size_t i = 0; i < count; ++i) {
        T value = simt::shuffle<T>(leaf(i), 0);
        if (count == 1 && !has_rest)
            return value;
        unsigned level = 0;
        for (; (i >> level & 1) != 0; ++level)
            value = combine<T>(op, simt::shuffle<T>(waiting.value, level), value);
        if (lane == level || i == 0)
            waiting.value = value;
    }

    unsigned level = 0;
    uninitialized<T> total;
    if (has_rest) {
        total.value = simt::shuffle<T>(rest(), 0);
    } else {
        while ((count >> level & 1) == 0)
            ++level;
        total.value = simt::shuffle<T>(waiting.value, level++);
    }
    for (; count >> level != 0; ++level)
        if ((count >> level & 1) != 0)
            total.value = combine<T>(op, simt::shuffle<T>(waiting.value, level), total.value);
    return total.value;
}

/// The same without a last one.
template <class T, class Leaf, class Op>
PARPRIMS_DEVICE inline T fold_leaves(std::size_t count, Leaf leaf, Op op)
{
    return fold_leaves<T>(
        count, leaf, false, [&] { return leaf(0); }, op);
}

}  // namespace parprims::detail::warp
