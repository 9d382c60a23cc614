/// @file
/// @brief  The kernel of segmented reductions for segments of one size, of several chunks each: warps fold chunks where they lie.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/block/warp_tree.hpp>
#include <parprims/detail/device/reduce/chunks.hpp>
#include <parprims/detail/device/segmented/packet_sums.hpp>
#include <parprims/detail/device/segmented/segments.hpp>
#include <parprims/detail/device/segmented/totals.hpp>
#include <parprims/detail/device/segmented/tuning.hpp>
#include <parprims/detail/numeric/integers.hpp>
#include <parprims/detail/order.hpp>
#include <parprims/detail/segments.hpp>
#include <parprims/detail/simt/simt.hpp>
#include <parprims/functional.hpp>

#include <cstddef>

namespace parprims::detail::device {

/// A segment is divided into runs of a power of two of chunks, often only one. The warps of a group take the chunks of a run in
/// turn.
template <class Input, class T, class Output, class Op>
struct long_segments_kernel {
    using chunks_type = reduce_chunks<Input, T, Op, identity>;
    static constexpr std::size_t chunk = chunks_type::chunk;
    static constexpr unsigned max_threads = long_threads;
    static constexpr unsigned min_blocks = long_blocks_per_sm;
    static constexpr unsigned warps = max_threads / simt::warp_size;
    static constexpr unsigned rounds = long_rounds<T>;
    static constexpr unsigned lane_totals = larger_of(rounds * warps / simt::warp_size, 1u);  // that a lane folds

    struct shared_storage {
        uninitialized<T> totals[warps * rounds];  // of chunks
        uninitialized<T> tails[warps];            // of incomplete chunks
    };

    fixed_segments segments;
    Input input;
    Output output;
    T init;
    Op op;
    unsigned group_warps;  // that take a run, a power of two
    unsigned run_chunks;   // at most `rounds` for each warp of the group
    run_totals<T> totals;  // null if a segment is one run

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage& shared) const
    {
        const unsigned group = block.warp() / group_warps;
        const unsigned member = block.warp() % group_warps;
        uninitialized<T>* const found = shared.totals + group * group_warps * rounds;
        const std::size_t task = block.index() * (block.warps() / group_warps) + group;
        const std::size_t segment = totals.runs == 1 ? task : task / totals.runs;
        const std::size_t first = totals.runs == 1 ? 0 : task % totals.runs * run_chunks;
        const std::size_t begin = segments.begin(segment);
        const std::size_t size = segments.begin(segment + 1) - begin;  // 0 behind the last segment
        const unsigned count = limited_difference(order::ceil_div(size, chunk), first, run_chunks);

        // 1. Each warp folds a chunk in each round.
        const Input elements = input.from(begin);
        const chunks_type chunks{elements,
                                 size,
                                 op,
                                 identity{},
                                 chunks_type::has_aligned_packets(elements),
                                 begin != 0 && begin + size + chunks_type::items <= segments.n};
#pragma unroll 1
        for (unsigned i = member; i < count; i += group_warps)
            chunks_type::store_total(found + i, fold_chunk(block, shared, chunks, first + i));
        block.sync();

        // 2. One warp folds the chunks of a run.
        if (member != 0 || count == 0)
            return;
        const T total = warp::fold_stored<lane_totals, T>(
            0u, count, [&](unsigned i) { return simt::load(found, i); }, op);
        if (block.lane() != 0)
            return;
        if (totals.runs == 1)
            output.set(segment, warp::combine<T>(op, init, total));
        else
            simt::store(totals.totals, task, total);
    }

private:
    PARPRIMS_DEVICE static T fold_chunk(simt::block block, shared_storage& shared, const chunks_type& chunks,
                                        std::size_t i)
    {
        if constexpr (is_sum_of_packets<Input, T, Op>)
            return static_cast<T>(
                sum_in_place(chunks.input.data + i * chunk, limited_difference(chunks.n, i * chunk, chunk)));
        else
            return chunks.fold(i, 1, shared.tails + block.warp());
    }
};

}  // namespace parprims::detail::device
