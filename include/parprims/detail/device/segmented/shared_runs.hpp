/// @file
/// @brief  What the blocks of a segmented reduction share of a segment that several of them fold.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/device/call/launcher.hpp>
#include <parprims/detail/device/segmented/segments.hpp>
#include <parprims/detail/device/segmented/tuning.hpp>
#include <parprims/detail/device/tree/ticket.hpp>
#include <parprims/detail/device/tree/warp_tree.hpp>
#include <parprims/detail/simt/simt.hpp>
#include <parprims/detail/uninitialized.hpp>

#include <cstddef>
#include <cstdint>

namespace parprims::detail::device {

/// A run of a segment.
struct segment_run {
    std::size_t segment;
    std::size_t begin;  // of the segment
    std::size_t size;   // of the segment
    std::size_t first;  // element of the segment
};

/// Segments of more than a run, a power of two of chunks, are folded in runs: run r of a segment begins r runs after its first
/// element. Two tasks belong to each multiple b of a run inside the input, and to the segment of element b - 1: one folds its
/// run 0 if that begins at most a run before b, the other one the run that begins at b or less than a run later. So each run
/// belongs to one task, however long segments are and wherever they begin, and a task finds its run by one search.
///
/// Forward progress: no block waits. The block that stores the last total of a segment folds its totals.
template <class T>
struct shared_runs {
    unsigned block_tasks;    // of a block
    std::size_t run;         // elements
    std::size_t boundaries;  // multiples of a run inside the input; 0 if no segment has more than a run
    std::byte* memory;       // zero before and after the launch: a ticket, counts for boundaries, totals of tasks

    PARPRIMS_HOST_DEVICE static constexpr std::size_t bytes(std::size_t boundaries)
    {
        return boundaries == 0 ? 0 : head_bytes(boundaries) + aligned_bytes(2 * boundaries * sizeof(T));
    }

    PARPRIMS_HOST_DEVICE std::size_t blocks() const { return order::ceil_div(2 * boundaries, block_tasks); }

    /// For one warp: the run of a task, in every lane; of no elements if there is none.
    template <class Segments>
    PARPRIMS_DEVICE segment_run find(const Segments& segments, std::size_t task) const
    {
        if (task >= 2 * boundaries)
            return {};
        const std::size_t boundary = (task / 2 + 1) * run;
        const std::size_t after =
            find_first(segments.count, [&](std::size_t s) { return segments.begin(s) < boundary; });
        if (after == 0)
            return {};
        const std::size_t begin = segments.begin(after - 1);
        const std::size_t end = segments.begin(after);
        // The first two comparisons fail for elements of no segment, and for offsets that do not ascend.
        if (begin >= boundary || end < boundary || end - begin <= run)
            return {};
        const std::size_t size = end - begin;
        const std::size_t next = order::ceil_div(boundary - begin, run) * run;
        const bool is_mine = task % 2 != 0 ? next < size : next == run;
        return {after - 1, begin, is_mine ? size : 0, task % 2 != 0 ? next : 0};
    }

    /// For one lane: stores the total of a task's run, and returns whether the totals of all runs of the segment are there.
    PARPRIMS_DEVICE bool publish(std::size_t task, const segment_run& found, const T& total) const
    {
        simt::store(totals(), task, total);
        const auto last = static_cast<unsigned>(order::ceil_div(found.size, run) - 1);
        return simt::atomic_add_acq_rel(counts() + found.begin / run, 1u) == last;
    }

    /// For one warp: folds the totals of all runs of a segment. The result is in lane 0.
    template <class Op>
    PARPRIMS_DEVICE T fold(const segment_run& found, Op op) const
    {
        constexpr std::size_t leaf = finish_items<T> * simt::warp_size;
        const std::size_t place = 2 * (found.begin / run);
        const std::size_t count = order::ceil_div(found.size, run);
        const auto load = [&](std::size_t r) { return simt::load(totals(), place + 2 * r - (r == 0 ? 0 : 1)); };
        return warp::fold_leaves<T>(
            order::ceil_div(count, leaf),
            [&](std::size_t i) { return warp::fold_stored<finish_items<T>, T>(i * leaf, count, load, op); }, op);
    }

    /// For all threads of a block, when its tasks are done. The last one zeroes the memory, also where offsets do not ascend.
    PARPRIMS_DEVICE void depart(simt::block block, bool& shared) const
    {
        const bool is_last =
            block.thread() == 0 &&
            block::takes_last_ticket<simt::order::acq_rel>(blocks(), reinterpret_cast<unsigned*>(memory));
        if (!block::told_by_first_thread(block, shared, is_last))
            return;
        const std::size_t words = bytes(boundaries) / sizeof(std::uint64_t);
        for (std::size_t i = block.thread(); i < words; i += block.threads())
            simt::store(reinterpret_cast<std::uint64_t*>(memory), i, std::uint64_t{0});
    }

private:
    PARPRIMS_HOST_DEVICE static constexpr std::size_t head_bytes(std::size_t boundaries)
    {
        return memory_alignment + aligned_bytes(boundaries * sizeof(unsigned));
    }
    PARPRIMS_DEVICE unsigned* counts() const { return reinterpret_cast<unsigned*>(memory + memory_alignment); }
    PARPRIMS_DEVICE uninitialized<T>* totals() const
    {
        return reinterpret_cast<uninitialized<T>*>(memory + head_bytes(boundaries));
    }
};

}  // namespace parprims::detail::device
