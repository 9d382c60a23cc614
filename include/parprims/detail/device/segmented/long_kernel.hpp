/// @file
/// @brief  The kernel of segmented reductions for segments of several chunks each: warps fold chunks where they lie. Before it,
///         the kernel that finds where tiles begin.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/device/load/input.hpp>
#include <parprims/detail/device/segmented/plan.hpp>
#include <parprims/detail/device/segmented/segments.hpp>
#include <parprims/detail/device/segmented/subtrees.hpp>
#include <parprims/detail/device/segmented/tuning.hpp>
#include <parprims/detail/device/tree/chunks.hpp>
#include <parprims/detail/device/tree/ticket.hpp>
#include <parprims/detail/device/tree/warp_tree.hpp>
#include <parprims/detail/numeric/integers.hpp>
#include <parprims/detail/simt/simt.hpp>
#include <parprims/functional.hpp>

#include <cstddef>
#include <cstdint>

namespace parprims::detail::device {

/// Each warp finds where a tile begins. The blocks of the next kernel could search for that themselves, but a search waits for about five
/// loads, one after another, and only many warps hide that. Also zeroes the counters of the segments that several tiles share.
template <class Segments, std::size_t Chunk>
struct segmented_ends_kernel {
    static constexpr unsigned max_threads = ends_threads;
    static constexpr std::size_t sized_blocks_per_sm = sized_ends_blocks_per_sm;

    struct shared_storage {};

    Segments segments;
    unsigned positions;  // of a tile
    unsigned resident;   // tiles that the GPU has room for
    std::size_t count;   // of ends
    piece_position* ends;
    unsigned* counters;
    std::size_t counter_count;

    PARPRIMS_DEVICE std::size_t resize(std::size_t segment_count, std::size_t)
    {
        segments.count = segment_count;
        if (segment_count == 0)
            return 0;
        const std::size_t all = device::positions_of(segments);
        positions = static_cast<unsigned>(segmented_tile(all, resident, positions));
        count = order::ceil_div(all, std::size_t{positions}) + 1;
        counter_count = smaller_of(counter_count, all / Chunk);  // those behind the last segment are not used
        if (simt::block::index() == 0 && simt::block::thread() == 0)
            simt::store(device::tiles_before(ends), static_cast<unsigned>(count - 1));
        return order::ceil_div(count, simt::block::warps());
    }

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage&, std::size_t index = simt::block::index()) const
    {
        const std::size_t thread = index * block.threads() + block.thread();
        for (std::size_t c = thread; c < counter_count; c += block.count() * block.threads())
            simt::store(counters, c, 0u);
        const std::size_t i = thread / simt::warp_size;
        if (i >= count)
            return;
        const piece_position end = find_piece<Chunk>(segments, i * positions);
        if (block.lane() == 0)
            simt::store(ends, i, end);
    }
};

/// What folds the chunks of a segment. Extremes bring their own code, because they do not depend on the order of the operations.
template <class Input, class T, class Op>
struct segment_chunks {
    using type = reduce_chunks<Input, T, Op, identity>;
    static constexpr unsigned blocks_per_sm = long_blocks_per_sm;
};
template <class Input, class T, class Op>
    requires is_located<T>
struct segment_chunks<Input, T, Op> {
    using type = typename T::template chunks<Input>;
    static constexpr unsigned blocks_per_sm = type::blocks_per_sm;
};

/// Segments of one size: each group of warps folds a subtree, often a whole segment. Segments by offsets: a group folds a segment of at
/// most a subtree, and the first blocks fold the subtrees of longer segments, which they find from the boundaries (see `segment_subtrees`):
/// so the work is divided evenly, however long segments are.
template <class Segments, class Input, class T, class Output, class Op>
struct long_segments_kernel {
    using chunks_type = typename segment_chunks<Input, T, Op>::type;
    static constexpr std::size_t chunk = chunks_type::chunk;
    static constexpr unsigned max_threads = long_threads;
    static constexpr unsigned min_blocks = segment_chunks<Input, T, Op>::blocks_per_sm;
    static constexpr std::size_t sized_blocks_per_sm = sized_long_blocks_per_sm;
    static constexpr bool draws_numbers = true;
    static constexpr unsigned warps = max_threads / simt::warp_size;
    static constexpr unsigned rounds = long_rounds<T>;
    static constexpr unsigned lane_chunks =
        larger_of(rounds * warps / simt::warp_size, 1u);  // whose totals a lane folds

    /// A segment; size 0: there is none.
    struct found_segment {
        std::size_t number;
        std::size_t begin;
        std::size_t size;
    };
    struct found_subtree {
        found_segment segment;
        std::size_t number;
    };
    struct shared_storage {
        uninitialized<T> totals[warps * rounds];            // of chunks
        uninitialized<T> tails[warps];                      // of incomplete chunks
        found_segment segments[(max_block_tasks + 1) / 2];  // of the boundaries of a block
        bool is_last;                                       // this block, of those that have boundaries
    };

    Segments segments;
    Input input;
    Output output;
    T init;
    Op op;
    unsigned group_warps;        // a power of two
    unsigned boundary_blocks;    // come first, because they take longer to begin
    unsigned block_tasks;        // of each of these: two for a boundary
    segment_subtrees<T> shares;  // of at most `rounds` chunks for each warp of a group

    /// Drops the boundaries behind the last segment, which no segment crosses.
    PARPRIMS_DEVICE std::size_t resize(std::size_t count, std::size_t)
    {
        segments.count = count;
        if (count == 0)
            return 0;
        shares.boundaries = smaller_of(shares.boundaries, shares.boundaries_before(segments.begin(count)));
        while (block_tasks > 1 && 2 * shares.boundaries <= std::size_t{block_tasks / 2} * boundary_blocks)
            block_tasks /= 2;  // planned for the bound: if boundaries are fewer, a few blocks would get them all
        boundary_blocks =
            smaller_of(boundary_blocks, static_cast<unsigned>(blocks_for(2 * shares.boundaries, block_tasks)));
        return boundary_blocks + blocks_for(count, simt::block::warps() >> simt::highest_lane(group_warps));
    }

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage& shared,
                                    std::size_t index = simt::block::index()) const
    {
        const bool has_boundaries = Segments::is_searched && index < boundary_blocks;
        const unsigned width = has_boundaries ? block.warps() : group_warps;
        const unsigned group = block.warp() / width;
        const unsigned member = block.warp() % width;
        const std::size_t first_task = (index - boundary_blocks) * (block.warps() / width) + group;
        if constexpr (Segments::is_searched)
            if (has_boundaries)
                find_segments(block, shared, index);

        const unsigned tasks = has_boundaries ? block_tasks : 1;
#pragma unroll 1
        for (unsigned t = 0; t < tasks; ++t) {
            const auto [segment, r] = has_boundaries ? subtree_of_boundary(shared, index, t)
                                                     : subtree_of_group(first_task, member == 0 && block.lane() == 0);
            const std::size_t first = r * shares.elements();
            const unsigned count =
                limited_difference(order::ceil_div(segment.size, chunk), first / chunk, shares.elements() / chunk);
            if (has_boundaries && count == 0)
                continue;

            // 1. Each warp folds a chunk in each round.
            uninitialized<T>* const totals = shared.totals + group * width * rounds;
            const auto chunks = chunks_type::of_segment(input, segment.begin, segment.size, segments.n, op);
#pragma unroll 1
            for (unsigned i = member; i < count; i += width)
                chunks_type::store_total(totals + i, chunks.fold(first / chunk + i, 1, shared.tails + block.warp()));
            block.sync();

            // 2. One warp folds the totals of the chunks.
            if (member == 0 && count != 0) {
                const T total = warp::fold_stored<lane_chunks, T>(
                    0u, count, [&](unsigned i) { return simt::load(totals, i); }, op);
                finish(block, segment, r, total);
            }
            if (has_boundaries)
                block.sync();
        }
        if constexpr (Segments::is_searched)
            if (has_boundaries)
                zero_shares(block, shared);
    }

private:
    /// For a power of two of tasks of a block. Divisions of 64 bits in each block that starts made short calls slower.
    PARPRIMS_DEVICE static std::size_t blocks_for(std::size_t tasks, unsigned block_tasks)
    {
        return (tasks + block_tasks - 1) >> simt::highest_lane(block_tasks);
    }

    /// Each warp looks for the segment of several subtrees that crosses a boundary.
    PARPRIMS_DEVICE void find_segments(simt::block block, shared_storage& shared, std::size_t index) const
    {
        const std::size_t first = index * block_tasks / 2;
        for (unsigned i = block.warp(); 2 * i < block_tasks; i += block.warps()) {
            const std::size_t boundary = (first + i + 1) * shares.elements();
            found_segment found{};
            if (boundary < segments.n) {
                const std::size_t after = device::find_segment_from(segments, boundary);
                const std::size_t begin = after == 0 ? boundary : segments.begin(after - 1);
                const std::size_t end = segments.begin(after);
                // The first two comparisons fail for elements of no segment. Where offsets do not ascend, any of the four may fail.
                if (begin < boundary && end >= boundary && end - begin > shares.elements() &&
                    shares.boundaries_before(end - 1) <= shares.boundaries)
                    found = {after - 1, begin, end - begin};
            }
            if (block.lane() == 0)
                simt::store(shared.segments, i, found);
        }
        block.sync();
    }

    /// The subtree of task t of a block that has boundaries. A boundary has two tasks: subtree 0 of the segment that crosses it, if it is the
    /// segment's first boundary; and the segment's subtree that begins at the boundary or less than a subtree behind it.
    PARPRIMS_DEVICE found_subtree subtree_of_boundary(const shared_storage& shared, std::size_t index, unsigned t) const
    {
        const std::size_t task = index * block_tasks + t;
        const found_segment segment = simt::load(shared.segments, t / 2);
        const std::size_t before = shares.boundaries_before(segment.begin);
        return {segment, task % 2 != 0 ? task / 2 + 1 - before : before == task / 2 ? 0 : shares.count(segment.size)};
    }

    /// The subtree of a group. For segments by offsets it is a whole segment of at most a subtree, or none; the first thread sets the result
    /// of an empty segment.
    PARPRIMS_DEVICE found_subtree subtree_of_group(std::size_t task, [[maybe_unused]] bool is_first_thread) const
    {
        if constexpr (Segments::is_searched) {
            if (task >= segments.count)
                return {};
            const std::size_t begin = segments.begin(task);
            const std::size_t end = segments.begin(task + 1);
            if (end <= begin && is_first_thread)
                output.set(task, init);
            const std::size_t size = end > begin ? end - begin : 0;
            return {{task, begin, size <= shares.elements() ? size : 0}, 0};
        } else {
            const std::size_t subtrees = shares.count(segments.length);
            const std::size_t s = subtrees == 1 ? task : task / subtrees;
            const std::size_t begin = segments.begin(s);
            return {{s, begin, segments.end(s) - begin}, task - s * subtrees};  // size 0 behind the last segment
        }
    }

    /// For one warp: completes a segment with the total of its subtree r, which lane 0 has, if it is the last one.
    PARPRIMS_DEVICE void finish(simt::block block, const found_segment& segment, std::size_t r, T total) const
    {
        const std::size_t all = shares.count(segment.size);
        if (all > 1) {
            bool is_last = false;
            if (block.lane() == 0) {
                simt::store(shares.place(segment.begin, r), total);
                is_last = shares.completes(segment.begin, 1, all);
            }
            if (simt::ballot(is_last) == 0)
                return;
            simt::sync_warp();  // lane 0 has acquired what the other lanes load
            total = shares.fold(segment.begin, 0, all, op);
            simt::sync_warp();  // all lanes have loaded before one zeroes, here or when the block departs
            if constexpr (!Segments::is_searched)
                shares.zero(segment.begin, all);
        }
        if (block.lane() == 0)
            output.set(segment.number, warp::combine<T>(op, init, total));
    }

    /// For all threads of a block that has finished its boundaries. The last such block zeroes the memory, even if offsets do not ascend.
    PARPRIMS_DEVICE void zero_shares(simt::block block, shared_storage& shared) const
    {
        const bool is_last =
            block.thread() == 0 && block::takes_last_ticket<simt::order::acq_rel>(boundary_blocks, shares.tickets());
        if (!block::broadcast_first(block, shared.is_last, is_last))
            return;
        const std::size_t words = shares.bytes(shares.boundaries) / sizeof(std::uint64_t);
        for (std::size_t i = block.thread(); i < words; i += block.threads())
            simt::store(reinterpret_cast<std::uint64_t*>(shares.memory), i, std::uint64_t{0});
    }
};

}  // namespace parprims::detail::device
