/// @file
/// @brief  The totals of a segment that several blocks fold: no block waits for another one, but the last to be done folds them.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/device/call/launcher.hpp>
#include <parprims/detail/device/segmented/tuning.hpp>
#include <parprims/detail/device/tree/block_tree.hpp>
#include <parprims/detail/device/tree/warp_tree.hpp>
#include <parprims/detail/simt/simt.hpp>
#include <parprims/detail/uninitialized.hpp>

#include <cstddef>

namespace parprims::detail::device {

/// For one warp: the tree over the totals [begin, end) of a segment, of which `load(i)` returns number i. The result is in every lane.
template <class T, class Load, class Op>
PARPRIMS_DEVICE inline T fold_totals(std::size_t begin, std::size_t end, Load load, Op op)
{
    constexpr std::size_t leaf = lane_totals<T> * simt::warp_size;
    return warp::fold_leaves<T>(
        order::ceil_div(end - begin, leaf),
        [&](std::size_t i) {
            const std::size_t first = begin + i * leaf;
            return warp::fold_stored<lane_totals<T>, T>(first, end - first < leaf ? end : first + leaf, load, op);
        },
        op);
}

/// The totals of the chunks of segments that several tiles have chunks of.
///
/// A complete chunk that begins at element e has place e / Chunk: complete chunks do not overlap, so their places differ. The last
/// chunk of a segment may be shorter, and has its place in an array of its own: before it lies a complete chunk of the same
/// segment. A segment that lies in one tile has no totals here: its block folds them.
template <class T, std::size_t Chunk>
struct chunk_totals {
    uninitialized<T>* complete;  // null if no segment has several chunks
    uninitialized<T>* last;
    unsigned* tiles_done;  // for the tile that a segment begins in: tiles that have folded their chunks of it

    static constexpr std::size_t bytes(std::size_t n, std::size_t tiles)
    {
        return 2 * array_bytes(n) + tiles * sizeof(unsigned);
    }

    static chunk_totals at(std::byte* memory, std::size_t n)
    {
        return {reinterpret_cast<uninitialized<T>*>(memory),
                reinterpret_cast<uninitialized<T>*>(memory + array_bytes(n)),
                reinterpret_cast<unsigned*>(memory + 2 * array_bytes(n))};
    }

    /// Where the total of chunk `i` of a segment is that begins at element `begin`.
    PARPRIMS_DEVICE uninitialized<T>* place(std::size_t begin, std::size_t i, bool is_last) const
    {
        return (is_last ? last : complete) + begin / Chunk + i;
    }

    /// For all threads of a block: the tree over the totals of a segment of `chunks` chunks. `folded` is in shared memory, with room for
    /// `block::max_tree_leaves`. The result is in the first thread.
    template <class Op>
    PARPRIMS_DEVICE T fold(simt::block block, uninitialized<T>* folded, std::size_t begin, std::size_t chunks,
                           Op op) const
    {
        std::size_t leaf = lane_totals<T> * simt::warp_size;
        while (leaf * block::max_tree_leaves < chunks)
            leaf *= 2;
        const auto load = [&](std::size_t i) { return simt::load(place(begin, i, i + 1 == chunks)); };
        const auto fold_leaf = [&](std::size_t first, std::size_t live) {
            return device::fold_totals<T>(first, first + live, load, op);
        };
        return block::fold_values(block, folded, chunks, leaf, fold_leaf, op);
    }

private:
    static constexpr std::size_t array_bytes(std::size_t n) { return aligned_bytes((n / Chunk + 1) * sizeof(T)); }
};

}  // namespace parprims::detail::device
