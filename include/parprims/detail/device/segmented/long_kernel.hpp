/// @file
/// @brief  The kernel of segmented reductions for segments of several chunks each: warps fold chunks where they lie.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/contract/segments.hpp>
#include <parprims/detail/device/segmented/segments.hpp>
#include <parprims/detail/device/segmented/shared_runs.hpp>
#include <parprims/detail/device/segmented/tuning.hpp>
#include <parprims/detail/device/tree/chunks.hpp>
#include <parprims/detail/device/tree/warp_tree.hpp>
#include <parprims/detail/numeric/integers.hpp>
#include <parprims/detail/simt/simt.hpp>
#include <parprims/functional.hpp>

#include <cstddef>
#include <type_traits>

namespace parprims::detail::device {

/// A segment is divided into runs of a power of two of chunks, often only one. The warps of a group take the chunks of a run in
/// turn. Of segments by offsets, those of at most a run belong to a group each, and the runs of longer ones to further blocks.
template <class Segments, class Input, class T, class Output, class Op>
struct long_segments_kernel {
    using chunks_type = reduce_chunks<Input, T, Op, identity>;
    static constexpr std::size_t chunk = chunks_type::chunk;
    static constexpr unsigned max_threads = long_threads;
    static constexpr unsigned min_blocks = long_blocks_per_sm;
    static constexpr unsigned warps = max_threads / simt::warp_size;
    static constexpr unsigned rounds = long_rounds<T>;
    static constexpr unsigned lane_chunks =
        larger_of(rounds * warps / simt::warp_size, 1u);  // whose totals a lane folds

    struct shared_storage {
        uninitialized<T> totals[warps * rounds];  // of chunks
        uninitialized<T> tails[warps];            // of incomplete chunks
        segment_run runs[warps];                  // of a block that shares runs
        bool is_last;                             // of these blocks
    };
    using runs_type = std::conditional_t<Segments::is_searched, offset_runs<T>, fixed_runs<T>>;

    Segments segments;
    Input input;
    Output output;
    T init;
    Op op;
    unsigned group_warps;    // that take a run, a power of two
    unsigned shared_blocks;  // the first ones: they share runs, and take longer to begin
    runs_type runs;          // of at most `rounds` chunks for each warp of the group

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage& shared) const
    {
        const bool is_shared = Segments::is_searched && block.index() < shared_blocks;  // with others, for one segment
        const unsigned width = is_shared ? block.warps() : group_warps;
        const unsigned group = block.warp() / width;
        const unsigned member = block.warp() % width;
        const std::size_t first_task = is_shared
                                           ? block.index() * block_tasks()
                                           : (block.index() - shared_blocks) * (block.warps() / group_warps) + group;
        const unsigned tasks = is_shared ? block_tasks() : 1;
        if constexpr (Segments::is_searched)
            if (is_shared)
                find_runs(block, shared, first_task);

#pragma unroll 1
        for (unsigned t = 0; t < tasks; ++t) {
            const segment_run run =
                is_shared ? simt::load(shared.runs, t) : run_of(first_task, member == 0 && block.lane() == 0);
            const unsigned count =
                limited_difference(order::ceil_div(run.size, chunk), run.first / chunk, runs.run / chunk);
            if (is_shared && count == 0)
                continue;

            // 1. Each warp folds a chunk in each round.
            uninitialized<T>* const found = shared.totals + group * width * rounds;
            const Input elements = input.from(run.begin);
            const chunks_type chunks{elements,
                                     run.size,
                                     op,
                                     identity{},
                                     chunks_type::has_aligned_packets(elements),
                                     run.begin >= chunks_type::items &&
                                         run.begin + run.size + chunks_type::items <= segments.n};
#pragma unroll 1
            for (unsigned i = member; i < count; i += width)
                chunks_type::store_total(found + i, chunks.fold(run.first / chunk + i, 1, shared.tails + block.warp()));
            block.sync();

            // 2. One warp folds the chunks of a run.
            if (member == 0 && count != 0) {
                const T total = warp::fold_stored<lane_chunks, T>(
                    0u, count, [&](unsigned i) { return simt::load(found, i); }, op);
                finish_run(block, first_task + t, is_shared || has_several_runs(), run, total);
            }
            if (is_shared)
                block.sync();
        }
        if constexpr (Segments::is_searched)
            if (is_shared)
                runs.depart(block, shared.is_last);
    }

private:
    /// Whether all segments may have several runs.
    PARPRIMS_DEVICE bool has_several_runs() const
    {
        if constexpr (Segments::is_searched)
            return false;
        else
            return runs.runs != 1;
    }

    /// Of a block that shares runs.
    PARPRIMS_DEVICE unsigned block_tasks() const
    {
        if constexpr (Segments::is_searched)
            return runs.block_tasks;
        else
            return 1;
    }

    /// The runs of the tasks of a block that shares runs, one found by each warp.
    PARPRIMS_DEVICE void find_runs(simt::block block, shared_storage& shared, std::size_t first_task) const
    {
        for (unsigned t = block.warp(); t < block_tasks(); t += block.warps()) {
            const segment_run run = runs.find(segments, first_task + t);
            if (block.lane() == 0)
                simt::store(shared.runs, t, run);
        }
        block.sync();
    }

    /// The run of a group's task; of no elements if there is none. The first thread of a group sets the result of an empty segment.
    PARPRIMS_DEVICE segment_run run_of(std::size_t task, [[maybe_unused]] bool is_first_thread) const
    {
        if constexpr (Segments::is_searched) {
            if (task >= segments.count)
                return {};
            const std::size_t begin = segments.begin(task);
            const std::size_t end = segments.begin(task + 1);
            if (end <= begin && is_first_thread)
                output.set(task, init);
            const std::size_t size = end > begin ? end - begin : 0;
            return {task, begin, runs.counters == 0 || size <= runs.run ? size : 0, 0};
        } else {
            const std::size_t segment = runs.runs == 1 ? task : task / runs.runs;
            const std::size_t begin = segments.begin(segment);
            const std::size_t first = runs.runs == 1 ? 0 : task % runs.runs * runs.run;
            return {segment, begin, segments.begin(segment + 1) - begin, first};  // of size 0 behind the last segment
        }
    }

    /// For one warp: takes the total of a run, which lane 0 has.
    PARPRIMS_DEVICE void finish_run(simt::block block, std::size_t task, bool is_one_of_several, const segment_run& run,
                                    T total) const
    {
        if (is_one_of_several) {
            const bool is_last = block.lane() == 0 && runs.publish(task, run, total);
            if (simt::ballot(is_last) == 0)
                return;
            simt::sync_warp();  // lane 0 has acquired what the other lanes load
            total = runs.fold(run, op);
            simt::sync_warp();  // the block departs when all lanes have loaded
        }
        if (block.lane() == 0)
            output.set(run.segment, warp::combine<T>(op, init, total));
    }
};

}  // namespace parprims::detail::device
