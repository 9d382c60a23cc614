/// @file
/// @brief  The order contract's scan of a line by one thread: over the lanes of a row, the rows of a tile, the tiles of a line.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/device/tree/warp_tree.hpp>
#include <parprims/detail/simt/simt.hpp>
#include <parprims/detail/uninitialized.hpp>

namespace parprims::detail::device {

/// The order contract's Hillis-Steele scan by one thread, value after value. Step k combines with the value 2^k before, so the last 2^k
/// results of the step before are kept. In loops that are unrolled, the indices are constants and the values stay in registers.
template <class T, unsigned Steps>
struct online_scan {
    uninitialized<T> kept[(1u << Steps) - 1];  // the last 2^k results before step k, from index 2^k - 1 on

    /// Takes value i, and returns result i. `slot` is i, or any number with the same lower bits.
    template <class Op>
    PARPRIMS_DEVICE T push(unsigned i, unsigned slot, T value, Op op)
    {
#pragma unroll
        for (unsigned k = 0; k < Steps; ++k) {
            const unsigned distance = 1u << k;
            uninitialized<T>& place = kept[distance - 1 + slot % distance];
            const T before = value;
            if (i >= distance)
                value = warp::combine<T>(op, place.value, value);
            place.value = before;
        }
        return value;
    }
};

/// A binary tree over up to 2^Levels values that come one after another, in registers.
template <class T, unsigned Levels>
struct tree_counter {
    uninitialized<T> levels[Levels + 1];  // of level k: a complete subtree of 2^k values

    /// Takes value i.
    template <class Op>
    PARPRIMS_DEVICE void push(unsigned i, T value, Op op)
    {
#pragma unroll
        for (unsigned k = 0; k <= Levels; ++k) {
            if ((i >> k & 1) == 0) {
                levels[k].value = value;
                return;
            }
            value = warp::combine<T>(op, levels[k].value, value);
        }
    }

    /// The tree over the first `count` values, at least one.
    template <class Op>
    PARPRIMS_DEVICE T total(unsigned count, Op op) const
    {
        maybe<T> right;
#pragma unroll
        for (unsigned k = 0; k <= Levels; ++k)
            if ((count >> k & 1) != 0)
                right.set(right.present ? warp::combine<T>(op, levels[k].value, right.get()) : levels[k].value);
        return right.get();
    }
};

/// The prefix of each tile of a line, found tile after tile. The tree is built in loops, which need few registers: where threads have few,
/// `tree_counter` spills them (ed4cd1af), and where they have more, it is faster than this (11386a30).
template <class T, class Op>
class line_tile_prefix {
public:
    /// The prefix of the first tile: `init`, or nothing.
    PARPRIMS_DEVICE explicit line_tile_prefix(const maybe<T>& init) : anchor_(init), before_(init) {}

    /// The prefix of the current tile.
    PARPRIMS_DEVICE const maybe<T>& before() const { return before_; }

    /// Moves on to the next tile. `total` is that of the current one.
    PARPRIMS_DEVICE void next(const T& total, Op op)
    {
        T value = total;
        unsigned level = 0;
        for (; (tiles_ >> level & 1) != 0; ++level)
            value = warp::combine<T>(op, levels_[level].value, value);
        levels_[level].value = value;
        ++tiles_;
        // The tree over the tiles of the group so far.
        unsigned low = 0;
        while ((tiles_ >> low & 1) == 0)
            ++low;
        value = levels_[low].value;
        for (++low; tiles_ >> low != 0; ++low)
            if ((tiles_ >> low & 1) != 0)
                value = warp::combine<T>(op, levels_[low].value, value);
        before_.set(anchor_.then(value, op));
        if (tiles_ == order::group_tiles) {
            anchor_ = before_;
            tiles_ = 0;
        }
    }

private:
    maybe<T> anchor_;             // the prefix of the group of tiles
    maybe<T> before_;             // the prefix of the tile
    uninitialized<T> levels_[6];  // level k: a complete subtree of 2^k tiles of the group
    unsigned tiles_ = 0;          // tiles of the group before this one
};

}  // namespace parprims::detail::device
