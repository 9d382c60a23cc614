/// @file
/// @brief  The kernel of reductions along dimensions: threads fold positions of lines, and blocks the totals of their threads.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/contract/lines.hpp>
#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/device/along/plan.hpp>
#include <parprims/detail/device/along/thread_positions.hpp>
#include <parprims/detail/device/along/tile_tree.hpp>
#include <parprims/detail/device/along/tuning.hpp>
#include <parprims/detail/device/tree/ticket.hpp>
#include <parprims/detail/device/tree/warp_tree.hpp>
#include <parprims/detail/numeric/integers.hpp>
#include <parprims/detail/simt/simt.hpp>
#include <parprims/detail/uninitialized.hpp>

#include <cstddef>

namespace parprims::detail::device {

/// A thread folds consecutive positions of a line, or of `Items` neighbouring lines that lie in one packet. Threads of a block have
/// `tile_columns` neighbours and `slots` parts of the line; their totals become one in shared memory. If several blocks share lines, the
/// last to be done folds the partials of all; no block waits.
///
/// @tparam Lift       makes a value of an element and its position in the line
/// @tparam Finish     writes the result of a line
/// @tparam Leaf       positions that a thread loads at a time
/// @tparam IsStrided  the line has one dimension
template <class Input, class T, class Op, class Lift, class Finish, unsigned Items, unsigned Leaf, bool IsStrided>
struct along_kernel {
    using positions_type = thread_positions<Input, T, Op, Lift, Items, Leaf, IsStrided>;
    static constexpr unsigned row = positions_type::row;
    static constexpr std::size_t chunk = positions_type::chunk;
    static constexpr unsigned max_threads = along_threads;
    static constexpr unsigned min_blocks = Items > 1 ? 2 : 0;

    struct shared_storage {
        bool is_last;
        alignas(
            simt::shared_line_bytes) simt::shared_array<unsigned char> memory;  // `along_plan::shared_values` values
    };

    Input input;  // from the lowest element on
    array_lines array;
    std::size_t start;  // offset of the first element, and of its result
    std::size_t out_start;
    Op op;
    Lift lift;
    Finish finish;
    along_plan plan;
    uninitialized<T>* partials;  // of shares, then of groups, and so on: of each the lines
    unsigned* tickets;           // of the groups of each tile, then of groups of groups

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage& shared) const
    {
        auto* const totals = reinterpret_cast<uninitialized<T>*>(shared.memory.data());
        const thread_place place = place_of(block.thread());
        const std::size_t items = plan.tiles * plan.shares;
#pragma unroll 1
        for (std::size_t item = block.index(); item < items; item += block.count()) {
            const std::size_t share = plan.shares == 1 ? 0 : item / plan.tiles;
            const tile_lines tile = lines_of(item - share * plan.tiles, place);
            if (plan.is_direct) {  // a thread has whole lines
                fold_lines(tile);
                continue;
            }

            // 1. The elements of the share.
            const std::size_t from = share * plan.share_positions;
            const std::size_t left = plan.positions - from;
            const std::size_t to = left < plan.share_positions ? plan.positions : from + plan.share_positions;
            fold(block, totals, place, tile, from, to, plan.leaves * Leaf, plan.rounds,
                 [&](std::size_t begin, std::size_t end, uninitialized<T>(&total)[Items]) {
                     positions().fold(begin, end, tile.offset, total);
                 });

            // 2. The partials of other shares.
            if (plan.shares == 1 || fold_shares(block, shared, place, tile, item - share * plan.tiles, share))
                for_each_line(block, tile,
                              [&](unsigned j) { finish(out_offset(tile.first + j), simt::load(totals, j)); });
            block.sync();
        }
    }

private:
    PARPRIMS_DEVICE positions_type positions() const { return {input, array.line, plan.length, plan.leaves, op, lift}; }

    struct thread_place {
        unsigned column;
        unsigned slot;
    };
    struct tile_lines {
        std::size_t first;   // of the tile
        std::size_t line;    // the first one of the thread
        std::size_t offset;  // of its first element
        bool has_line;
    };

    PARPRIMS_DEVICE thread_place place_of(unsigned thread) const
    {
        if (plan.lanes_along_line)
            return {thread / plan.slots, thread % plan.slots};
        return {thread % plan.tile_columns, thread / plan.tile_columns};
    }

    PARPRIMS_DEVICE tile_lines lines_of(std::size_t tile, const thread_place& place) const
    {
        const std::size_t first = tile * (plan.tile_columns * Items);
        const std::size_t line = first + place.column * Items;
        const bool has_line = place.column < plan.tile_columns && place.slot < plan.slots && line < plan.lines;
        const std::size_t offset = has_line ? start + static_cast<std::size_t>(array.lines.offset(line)) : 0;
        return {first, line, offset, has_line};
    }

    PARPRIMS_DEVICE std::size_t out_offset(std::size_t line) const
    {
        return out_start + static_cast<std::size_t>(array.lines.out_offset(line));
    }

    /// Calls `use(j)` for line j of the tile, by the thread that has its total.
    template <class Use>
    PARPRIMS_DEVICE void for_each_line(simt::block block, const tile_lines& tile, Use use) const
    {
        for (unsigned j = block.thread(); j < plan.tile_columns * Items && tile.first + j < plan.lines;
             j += block.threads())
            use(j);
    }

    /// For all threads of a block that has the totals of a share: whether it is the last one of its lines. Shares form groups, groups of
    /// groups, and so on; the block that is last of a group folds the partials of the group.
    PARPRIMS_DEVICE bool fold_shares(simt::block block, shared_storage& shared, const thread_place& place,
                                     const tile_lines& tile, std::size_t tile_number, std::size_t share) const
    {
        auto* const totals = reinterpret_cast<uninitialized<T>*>(shared.memory.data());
        uninitialized<T>* level = partials;
        unsigned* level_tickets = tickets;
        for (std::size_t count = plan.shares; count > 1;) {
            for_each_line(block, tile, [&](unsigned j) {
                simt::store(level + share * plan.lines, tile.first + j, simt::load(totals, j));
            });
            block.sync();
            const std::size_t groups = order::ceil_div(count, along_group);
            const std::size_t group = share / along_group;
            const std::size_t begin = group * along_group;
            const std::size_t end = smaller_of(begin + along_group, count);
            const bool is_last = block.thread() == 0 && block::takes_last_ticket<simt::order::acq_rel>(
                                                            end - begin, level_tickets + tile_number * groups + group);
            if (!block::broadcast_first(block, shared.is_last, is_last))
                return false;
            fold(block, totals, place, tile, begin, end, along_partials, 1,
                 [&](std::size_t first, std::size_t last, uninitialized<T>(&total)[Items]) {
                     fold_partials(level, first, last, tile.line, total);
                 });
            level += count * plan.lines;
            level_tickets += plan.tiles * groups;
            share = group;
            count = groups;
        }
        return true;
    }

    /// For one thread: folds its lines, and writes their results.
    PARPRIMS_DEVICE void fold_lines(const tile_lines& tile) const
    {
        if (!tile.has_line)
            return;
        uninitialized<T> total[Items];
        positions().fold(0, plan.positions, tile.offset, total);
#pragma unroll
        for (unsigned k = 0; k < Items; ++k)
            finish(out_offset(tile.line + k), total[k].value);
    }

    /// For all threads of a block: folds positions [from, to) of the lines of a tile, `per` of a thread at a time, in so many rounds before
    /// their totals are folded. The total of line j is in `totals[j]`, for the thread that `for_each_line` gives it to.
    template <class FoldThread>
    PARPRIMS_DEVICE void fold(simt::block block, uninitialized<T>* totals, const thread_place& place,
                              const tile_lines& tile, std::size_t from, std::size_t to, unsigned per, unsigned rounds,
                              FoldThread fold_thread) const
    {
        const unsigned width = plan.tile_columns * Items;
        const auto lines = static_cast<unsigned>(smaller_of<std::size_t>(plan.lines - tile.first, width));
        const unsigned parts = rounds * plan.slots;
        const std::size_t of_pass = std::size_t{parts} * per;
        uninitialized<T>* const levels = totals + plan.rounds * plan.slots * width;  // of passes, as those of push_leaf
        unsigned passes = 0;
#pragma unroll 1
        for (std::size_t begin = from; begin < to; begin += of_pass, ++passes) {
#pragma unroll 1
            for (unsigned part = place.slot; part < parts; part += plan.slots) {
                const std::size_t mine = begin + std::size_t{part} * per;
                if (!tile.has_line || mine >= to)
                    break;
                uninitialized<T> total[Items];
                fold_thread(mine, to, total);
#pragma unroll
                for (unsigned k = 0; k < Items; ++k)
                    simt::store(totals, part * width + place.column * Items + k, total[k].value);
            }
            block.sync();
            const std::size_t live = (to - begin + per - 1) / per;
            device::fold_totals(block, totals, width, lines, live < parts ? static_cast<unsigned>(live) : parts, op);
            if (to - from > of_pass) {
                for_each_line(block, tile, [&](unsigned j) {
                    T total = simt::load(totals, j);
                    unsigned level = 0;
                    for (; (passes >> level & 1) != 0; ++level)
                        total = warp::combine<T>(op, simt::load(levels, level * width + j), total);
                    simt::store(levels, level * width + j, total);
                });
                block.sync();
            }
        }
        if (to - from > of_pass)
            for_each_line(block, tile, [&](unsigned j) {
                unsigned level = 0;
                while ((passes >> level & 1) == 0)
                    ++level;
                T total = simt::load(levels, level * width + j);
                for (++level; passes >> level != 0; ++level)
                    if ((passes >> level & 1) != 0)
                        total = warp::combine<T>(op, simt::load(levels, level * width + j), total);
                simt::store(totals, j, total);
            });
    }

    /// For one thread: folds the partials [begin, end) of a level, at most `along_partials`, of its lines.
    PARPRIMS_DEVICE void fold_partials(const uninitialized<T>* level, std::size_t begin, std::size_t end,
                                       std::size_t line, uninitialized<T> (&total)[Items]) const
    {
        for (unsigned m = 0; m < Items && line + m < plan.lines; ++m)
            total[m].value = device::fold_few<along_partials, T>(
                [&](unsigned k) { return begin + k < end; },
                [&](unsigned k) { return simt::load(level + (begin + k) * plan.lines, line + m); }, op);
    }
};

}  // namespace parprims::detail::device
