/// @file
/// @brief  The tree over the positions of lines: over totals in shared memory, and over the shares of several blocks.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/device/along/plan.hpp>
#include <parprims/detail/device/along/tuning.hpp>
#include <parprims/detail/device/tree/ticket.hpp>
#include <parprims/detail/device/tree/warp_tree.hpp>
#include <parprims/detail/numeric/integers.hpp>
#include <parprims/detail/simt/simt.hpp>
#include <parprims/detail/uninitialized.hpp>

#include <cstddef>

namespace parprims::detail::device {

/// Folds up to `Most` values: `load(k)` returns value k, and `exists(k)` whether there is a value k. Value 0 always exists, and there are no
/// gaps.
template <class T, unsigned Most = along_radix, class Exists, class Load, class Op>
PARPRIMS_DEVICE inline T fold_radix(Exists exists, Load load, Op op)
{
    uninitialized<T> x[Most];
#pragma unroll
    for (unsigned k = 0; k < Most; ++k)
        if (exists(k))
            x[k].value = load(k);
#pragma unroll
    for (unsigned d = 1; d < Most; d *= 2)
#pragma unroll
        for (unsigned k = 0; k < Most; k += 2 * d)
            if (exists(k + d))
                x[k].value = warp::combine<T>(op, x[k].value, x[k + d].value);
    return x[0].value;
}

/// For all threads of a block: folds `count` totals of each of `lines` lines. Total i of line l is `totals[i * lines + l]`. The result of line
/// l is in `totals[l]`, for the thread that `for_each_line` gives line l to; other threads need a barrier.
template <class T, class Op>
PARPRIMS_DEVICE inline void fold_totals(simt::block block, uninitialized<T>* totals, unsigned count, unsigned lines,
                                        Op op)
{
#pragma unroll 1
    for (unsigned distance = 1; distance < count; distance *= along_radix) {
        const unsigned groups = (count + along_radix * distance - 1) / (along_radix * distance);
#pragma unroll 1
        for (unsigned u = block.thread(); u < groups * lines; u += block.threads()) {
            const unsigned group = groups == 1 ? 0 : u / lines;
            const unsigned first = group * along_radix * distance, line = u - group * lines;
            const T total = device::fold_radix<T>(
                [&](unsigned k) { return first + k * distance < count; },
                [&](unsigned k) { return simt::load(totals, (first + k * distance) * lines + line); }, op);
            simt::store(totals, first * lines + line, total);
        }
        if (groups != 1)
            block.sync();
    }
}

/// Calls `use(l)` for each line of a tile, by the thread that has its total.
template <class Use>
PARPRIMS_DEVICE inline void for_each_line(simt::block block, unsigned lines, Use use)
{
    for (unsigned l = block.thread(); l < lines; l += block.threads())
        use(l);
}

/// The totals of shares of lines, in global memory. Shares form groups, these form larger groups, and so on: the last block to arrive for a
/// group folds its totals. No block waits.
template <class T>
struct along_shares {
    uninitialized<T>* partials;  // of shares, then of groups, and so on; each with all lines
    unsigned* tickets;           // one for each group of each tile; then of groups of groups

    /// For all threads of a block: adds the totals of its share, `totals[0]` to `totals[lines - 1]`. Returns whether this block was the last
    /// to arrive; then `totals` holds the totals of the whole lines.
    template <class Op>
    PARPRIMS_DEVICE bool fold(simt::block block, bool& is_last_block, uninitialized<T>* totals, const along_plan& plan,
                              std::size_t tile_number, const along_tile& tile, std::size_t share, Op op) const
    {
        const unsigned lines = tile.lines;
        uninitialized<T>* level = partials;
        unsigned* level_tickets = tickets;
        for (std::size_t count = plan.shares; count > 1;) {
            device::for_each_line(block, lines, [&](unsigned l) {
                simt::store(level + share * plan.shape.lines, tile.first_line + l, simt::load(totals, l));
            });
            block.sync();
            const std::size_t groups = order::ceil_div(count, plan.group);
            const std::size_t group = share / plan.group;
            const std::size_t begin = group * plan.group;
            const auto members = static_cast<unsigned>(smaller_of<std::size_t>(count - begin, plan.group));
            const bool is_last =
                block.thread() == 0 &&
                block::takes_last_ticket<simt::order::acq_rel>(members, level_tickets + tile_number * groups + group);
            if (!block::broadcast_first(block, is_last_block, is_last))
                return false;
            const unsigned folded = (members + along_radix - 1) / along_radix;
#pragma unroll 1
            for (unsigned u = block.thread(); u < folded * lines; u += block.threads()) {
                const unsigned first = u / lines * along_radix, line = u % lines;
                const T total = device::fold_radix<T>(
                    [&](unsigned k) { return first + k < members; },
                    [&](unsigned k) {
                        return simt::load(level + (begin + first + k) * plan.shape.lines, tile.first_line + line);
                    },
                    op);
                simt::store(totals, u, total);
            }
            block.sync();
            device::fold_totals(block, totals, folded, lines, op);
            level += count * plan.shape.lines;
            level_tickets += plan.tiles * groups;
            share = group;
            count = groups;
        }
        return true;
    }
};

}  // namespace parprims::detail::device
