/// @file
/// @brief  The runs of segments that several blocks fold, and how they share the totals.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/device/call/launcher.hpp>
#include <parprims/detail/device/segmented/segments.hpp>
#include <parprims/detail/device/segmented/totals.hpp>
#include <parprims/detail/device/tree/ticket.hpp>
#include <parprims/detail/simt/simt.hpp>
#include <parprims/detail/uninitialized.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace parprims::detail::device {

/// A run of a segment: a power of two of its chunks.
struct segment_run {
    std::size_t segment;
    std::size_t begin;  // of the segment
    std::size_t size;   // of the segment
    std::size_t first;  // element of the segment
};

/// Counts for segments and the totals of runs, in memory that is zero before and after the launch.
template <class T>
struct run_totals {
    std::size_t run;       // elements
    std::size_t counters;  // 0 if no segment has more than a run
    std::byte* memory;

    /// For one lane: stores a total in its place. Returns whether it was the last one of `count` of its segment.
    PARPRIMS_DEVICE bool publish(std::size_t place, std::size_t counter, std::size_t count, const T& total) const
    {
        simt::store(totals(), place, total);
        return simt::atomic_add_acq_rel(counts() + counter, 1u) == static_cast<unsigned>(count - 1);
    }

protected:
    PARPRIMS_HOST_DEVICE static constexpr std::size_t bytes_of(std::size_t counters, std::size_t places)
    {
        return counters == 0 ? 0 : head_bytes(counters) + aligned_bytes(places * sizeof(T));
    }

    PARPRIMS_DEVICE unsigned* counts() const { return reinterpret_cast<unsigned*>(memory + memory_alignment); }
    PARPRIMS_DEVICE uninitialized<T>* totals() const
    {
        return reinterpret_cast<uninitialized<T>*>(memory + head_bytes(counters));
    }

private:
    PARPRIMS_HOST_DEVICE static constexpr std::size_t head_bytes(std::size_t counters)
    {
        return memory_alignment + aligned_bytes(counters * sizeof(unsigned));
    }
};

/// The runs of segments of one size.
template <class T>
struct fixed_runs : run_totals<T> {
    std::size_t runs;  // of a segment

    static constexpr std::size_t bytes(std::size_t segments, std::size_t runs)
    {
        return run_totals<T>::bytes_of(runs == 1 ? 0 : segments, segments * runs);
    }

    PARPRIMS_DEVICE bool publish(std::size_t task, const segment_run& found, const T& total) const
    {
        return run_totals<T>::publish(task, found.segment, order::ceil_div(found.size, this->run), total);
    }

    /// For one warp: folds the totals of all runs of a segment, and zeroes them and their count.
    template <class Op>
    PARPRIMS_DEVICE T fold(const segment_run& found, Op op) const
    {
        const std::size_t count = order::ceil_div(found.size, this->run);
        uninitialized<T>* const from = this->totals() + found.segment * runs;
        const T total = device::fold_totals<T>(
            0, count, [&](std::size_t r) { return simt::load(from, r); }, op);
        simt::sync_warp();
        using unit = std::conditional_t<sizeof(T) % 4 == 0, std::uint32_t, std::uint8_t>;
        for (std::size_t i = simt::block::lane(); i < count * sizeof(T) / sizeof(unit); i += simt::warp_size)
            simt::store(reinterpret_cast<unit*>(from), i, unit{0});
        if (simt::block::lane() == 0)
            simt::store(this->counts(), found.segment, 0u);
        return total;
    }
};

/// Segments by offsets: run r of a segment of more than a run begins r runs after its first element. Two tasks belong to each multiple b
/// of a run inside the input, and to the segment of element b - 1: one folds its run 0 if that begins at most a run before b, the other
/// one the run that begins at b or less than a run later. So each run belongs to one task, however long segments are and wherever they
/// begin, and a task finds its run by one search.
template <class T>
struct offset_runs : run_totals<T> {
    // A counter for each multiple of a run inside the input.

    unsigned block_tasks;  // of a block

    PARPRIMS_HOST_DEVICE static constexpr std::size_t bytes(std::size_t boundaries)
    {
        return run_totals<T>::bytes_of(boundaries, 2 * boundaries);
    }

    PARPRIMS_HOST_DEVICE std::size_t blocks() const { return order::ceil_div(2 * this->counters, block_tasks); }

    /// For one warp: the run of a task, in every lane; of no elements if there is none.
    template <class Segments>
    PARPRIMS_DEVICE segment_run find(const Segments& segments, std::size_t task) const
    {
        const std::size_t run = this->run;
        if (task >= 2 * this->counters)
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

    PARPRIMS_DEVICE bool publish(std::size_t task, const segment_run& found, const T& total) const
    {
        return run_totals<T>::publish(task, found.begin / this->run, order::ceil_div(found.size, this->run), total);
    }

    /// For one warp: folds the totals of all runs of a segment.
    template <class Op>
    PARPRIMS_DEVICE T fold(const segment_run& found, Op op) const
    {
        uninitialized<T>* const from = this->totals() + 2 * (found.begin / this->run);
        return device::fold_totals<T>(
            0, order::ceil_div(found.size, this->run),
            [&](std::size_t r) { return simt::load(from, 2 * r - (r == 0 ? 0 : 1)); }, op);
    }

    /// For all threads of a block, when its tasks are done. The last one zeroes the memory, also where offsets do not ascend.
    PARPRIMS_DEVICE void depart(simt::block block, bool& shared) const
    {
        const bool is_last =
            block.thread() == 0 &&
            block::takes_last_ticket<simt::order::acq_rel>(blocks(), reinterpret_cast<unsigned*>(this->memory));
        if (!block::told_by_first_thread(block, shared, is_last))
            return;
        const std::size_t words = bytes(this->counters) / sizeof(std::uint64_t);
        for (std::size_t i = block.thread(); i < words; i += block.threads())
            simt::store(reinterpret_cast<std::uint64_t*>(this->memory), i, std::uint64_t{0});
    }
};

}  // namespace parprims::detail::device
