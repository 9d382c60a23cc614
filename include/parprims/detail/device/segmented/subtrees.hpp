/// @file
/// @brief  The totals of segments that several blocks fold. No block waits for another one: the last block to finish folds the totals.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/device/call/launcher.hpp>
#include <parprims/detail/device/segmented/tuning.hpp>
#include <parprims/detail/device/tree/block_tree.hpp>
#include <parprims/detail/device/tree/warp_tree.hpp>
#include <parprims/detail/simt/simt.hpp>
#include <parprims/detail/uninitialized.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace parprims::detail::device {

/// The subtrees of segments. All have the same size, a power of two of chunks, but the last one of a segment may be shorter. Subtree r begins
/// r of these sizes behind the segment's first element. For each segment of several subtrees, memory holds their totals and a count of the
/// totals that have been stored.
///
/// A boundary is a multiple of the size of a subtree, inside the input. A segment of several subtrees is the only such segment that begins
/// less than a subtree before its first boundary. So this boundary stands for the segment's counter and for subtree 0, and each boundary
/// of the segment for the subtree that begins at it or less than a subtree behind it.
template <class T>
struct segment_subtrees {
    unsigned log_elements;   ///< of a subtree
    std::size_t boundaries;  ///< 0 if no segment has several subtrees
    std::byte* memory;       ///< a ticket; counters, zero at the start; totals

    /// @param  elements  of a subtree, a power of two
    static segment_subtrees make(std::size_t boundaries, std::size_t elements, std::byte* memory)
    {
        return {static_cast<unsigned>(std::countr_zero(elements)), boundaries, memory};
    }
    static constexpr std::size_t boundaries_of(std::size_t n, std::size_t elements)
    {
        return n == 0 ? 0 : (n - 1) / elements;
    }
    PARPRIMS_HOST_DEVICE static constexpr std::size_t bytes(std::size_t boundaries)
    {
        return boundaries == 0 ? 0 : head_bytes(boundaries) + aligned_bytes(2 * boundaries * sizeof(T));
    }

    PARPRIMS_DEVICE std::size_t elements() const { return std::size_t{1} << log_elements; }
    PARPRIMS_DEVICE std::size_t count(std::size_t size) const { return (size + elements() - 1) >> log_elements; }
    /// Boundaries before the first one of a segment that begins at element `begin`.
    PARPRIMS_DEVICE std::size_t boundaries_before(std::size_t begin) const { return begin >> log_elements; }

    /// Where the total of subtree r lies, for a segment that begins at element `begin`.
    PARPRIMS_DEVICE uninitialized<T>* place(std::size_t begin, std::size_t r) const
    {
        return reinterpret_cast<uninitialized<T>*>(memory + head_bytes(boundaries)) + 2 * boundaries_before(begin) +
               (r == 0 ? 0 : 2 * r - 1);
    }

    /// For one thread: counts `mine` totals that have been stored, for a segment of `all` subtrees. Returns whether that was the last of them.
    PARPRIMS_DEVICE bool completes(std::size_t begin, std::size_t mine, std::size_t all) const
    {
        return simt::atomic_add_acq_rel(counters() + boundaries_before(begin), static_cast<unsigned>(mine)) ==
               static_cast<unsigned>(all - mine);
    }

    /// For one warp: the tree over the totals [first, end) of a segment. The result is in every lane.
    template <class Op>
    PARPRIMS_DEVICE T fold(std::size_t begin, std::size_t first, std::size_t end, Op op) const
    {
        constexpr std::size_t leaf = lane_totals<T> * simt::warp_size;
        return warp::fold_leaves<T>(
            order::ceil_div(end - first, leaf),
            [&](std::size_t i) {
                const std::size_t from = first + i * leaf;
                return warp::fold_stored<lane_totals<T>, T>(
                    from, end - from < leaf ? end : from + leaf,
                    [&](std::size_t r) { return simt::load(place(begin, r)); }, op);
            },
            op);
    }

    /// For all threads of a block: the tree over all totals. `folded` is in shared memory, with room for `block::max_tree_leaves`. The
    /// result is in the first thread.
    template <class Op>
    PARPRIMS_DEVICE T fold_all(simt::block block, uninitialized<T>* folded, std::size_t begin, std::size_t all,
                               Op op) const
    {
        std::size_t leaf = lane_totals<T> * simt::warp_size;
        while (leaf * block::max_tree_leaves < all)
            leaf *= 2;
        const auto fold_leaf = [&](std::size_t first, std::size_t live) {
            return fold(begin, first, first + live, op);
        };
        return block::fold_values(block, folded, all, leaf, fold_leaf, op);
    }

    /// For one warp: zeroes the totals of a segment and their count.
    PARPRIMS_DEVICE void zero(std::size_t begin, std::size_t all) const
    {
        using unit = std::conditional_t<sizeof(T) % 4 == 0, std::uint32_t, std::uint8_t>;
        for (std::size_t r = simt::block::lane(); r < all; r += simt::warp_size)
            for (std::size_t i = 0; i < sizeof(T) / sizeof(unit); ++i)
                simt::store(reinterpret_cast<unit*>(place(begin, r)), i, unit{0});
        if (simt::block::lane() == 0)
            simt::store(counters(), boundaries_before(begin), 0u);
    }

    PARPRIMS_DEVICE unsigned* tickets() const { return reinterpret_cast<unsigned*>(memory); }
    PARPRIMS_HOST_DEVICE unsigned* counters() const { return reinterpret_cast<unsigned*>(memory + memory_alignment); }

private:
    PARPRIMS_HOST_DEVICE static constexpr std::size_t head_bytes(std::size_t boundaries)
    {
        return memory_alignment + aligned_bytes(boundaries * sizeof(unsigned));
    }
};

}  // namespace parprims::detail::device
