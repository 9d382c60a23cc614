/// @file
/// @brief  The kernel of reductions along dimensions: a thread folds columns of the order contract's rows, of one line or of neighbours.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/contract/lines.hpp>
#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/device/along/plan.hpp>
#include <parprims/detail/device/along/tuning.hpp>
#include <parprims/detail/device/load/input.hpp>
#include <parprims/detail/device/segmented/serial_tree.hpp>
#include <parprims/detail/device/tree/ticket.hpp>
#include <parprims/detail/device/tree/warp_tree.hpp>
#include <parprims/detail/numeric/integers.hpp>
#include <parprims/detail/simt/simt.hpp>
#include <parprims/detail/uninitialized.hpp>

#include <cstddef>
#include <type_traits>

namespace parprims::detail::device {

/// The type of the elements of an array that an input reads.
template <class Input>
struct source_of {};
template <class Input>
    requires(Input::has_source)
struct source_of<Input> {
    using type = typename Input::source_type;
};

/// The positions of a line are the columns of its chunks, one chunk after another: so many leaves has the order contract's tree over
/// the whole line. Position q of a line is the accumulator of its elements `q / row * chunk + q % row + r * row`.
///
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
    using value_type = typename Input::value_type;
    static constexpr unsigned row = order::row<value_type>;
    static constexpr std::size_t chunk = order::chunk<value_type>;
    static constexpr unsigned max_threads = along_threads;
    static constexpr unsigned min_blocks = Items > 1 ? 2 : 0;
    static constexpr unsigned rows_in_flight =
        along_loads<T, Items> / Leaf < order::chunk_rows ? along_loads<T, Items> / Leaf : order::chunk_rows;
    static_assert(rows_in_flight != 0 && row % Leaf == 0);

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
                     fold_positions(begin, end, tile.offset, total);
                 });

            // 2. The partials of other shares.
            if (plan.shares == 1 || fold_shares(block, shared, place, tile, item - share * plan.tiles, share))
                for_each_line(block, tile,
                              [&](unsigned j) { finish(out_offset(tile.first + j), simt::load(totals, j)); });
            block.sync();
        }
    }

private:
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
        fold_positions(0, plan.positions, tile.offset, total);
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
            fold_slots(block, totals, tile, live < parts ? static_cast<unsigned>(live) : parts);
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

    /// Folds the tree over the first `live` totals of each line of the tile.
    PARPRIMS_DEVICE void fold_slots(simt::block block, uninitialized<T>* totals, const tile_lines& tile,
                                    unsigned live) const
    {
        const unsigned width = plan.tile_columns * Items;
#pragma unroll 1
        for (unsigned distance = 1; distance < live; distance *= along_radix) {
            const unsigned groups = (live + along_radix * distance - 1) / (along_radix * distance);
#pragma unroll 1
            for (unsigned u = block.thread(); u < groups * width; u += block.threads()) {
                const unsigned group = groups == 1 ? 0 : u / width;
                const unsigned j = u - group * width;
                if (tile.first + j >= plan.lines)
                    continue;
                uninitialized<T> x[along_radix];
                const auto slot = [&](unsigned k) { return (group * along_radix + k) * distance; };
#pragma unroll
                for (unsigned k = 0; k < along_radix; ++k)
                    if (slot(k) < live)
                        x[k].value = simt::load(totals, slot(k) * width + j);
#pragma unroll
                for (unsigned d = 1; d < along_radix; d *= 2)
#pragma unroll
                    for (unsigned k = 0; k < along_radix; k += 2 * d)
                        if (slot(k + d) < live)
                            x[k].value = warp::combine<T>(op, x[k].value, x[k + d].value);
                simt::store(totals, slot(0) * width + j, x[0].value);
            }
            if (groups != 1)
                block.sync();
        }
    }

    /// For one thread: folds the positions from `begin` on, before `end`, at most `leaves * Leaf`, of its lines.
    PARPRIMS_DEVICE void fold_positions(std::size_t begin, std::size_t end, std::size_t offset,
                                        uninitialized<T> (&total)[Items]) const
    {
        const std::size_t left = (end - begin + Leaf - 1) / Leaf;
        const unsigned count = left < plan.leaves ? static_cast<unsigned>(left) : plan.leaves;
        uninitialized<T> levels[Items][along_levels];
#pragma unroll 1
        for (unsigned leaf = 0; leaf < count; ++leaf) {
            const std::size_t position = begin + leaf * Leaf;
            uninitialized<T> x[Leaf][Items];
            fold_leaf(position / row * chunk, position % row, offset, x);
#pragma unroll
            for (unsigned k = 0; k < Items; ++k) {
                if (count == 1)
                    total[k].value = x[0][k].value;
                else
                    device::push_leaf<0>(levels[k], leaf, x[0][k].value, op);
            }
        }
        if (count == 1)
            return;
#pragma unroll
        for (unsigned k = 0; k < Items; ++k) {
            bool has_total = false;
#pragma unroll
            for (unsigned l = 0; l < along_levels; ++l)
                if ((count >> l & 1) != 0) {
                    total[k].value =
                        has_total ? warp::combine<T>(op, levels[k][l].value, total[k].value) : levels[k][l].value;
                    has_total = true;
                }
        }
    }

    /// Folds columns `column` to `column + Leaf` of the chunk from element `first` on, of which at least the first one has an element.
    /// The results are in x[0].
    PARPRIMS_DEVICE void fold_leaf(std::size_t first, std::size_t column, std::size_t offset,
                                   uninitialized<T> (&x)[Leaf][Items]) const
    {
        const std::size_t behind = plan.length - first - column;
        const unsigned left = static_cast<unsigned>(behind < chunk - column ? behind : chunk - column);
        const std::size_t begin = first + column;
        const std::size_t from = offset + (IsStrided ? begin * static_cast<std::size_t>(array.line.stride()) : 0);
#pragma unroll 1
        for (unsigned r = 0; r * row < left; r += rows_in_flight) {
            loaded elements[rows_in_flight][Leaf];
#pragma unroll
            for (unsigned b = 0; b < rows_in_flight; ++b)
#pragma unroll
                for (unsigned k = 0; k < Leaf; ++k)
                    if ((r + b) * row + k < left)
                        load(elements[b][k], offset, from, begin, (r + b) * row + k);
#pragma unroll
            for (unsigned b = 0; b < rows_in_flight; ++b)
#pragma unroll
                for (unsigned k = 0; k < Leaf; ++k)
                    if ((r + b) * row + k < left)
#pragma unroll
                        for (unsigned m = 0; m < Items; ++m)
                            warp::accumulate(op, x[k][m], r + b == 0,
                                             value_of(elements[b][k], m, begin + (r + b) * row + k));
        }
#pragma unroll
        for (unsigned d = 1; d < Leaf; d *= 2)
#pragma unroll
            for (unsigned k = 0; k < Leaf; k += 2 * d)
                if (k + d < left)
#pragma unroll
                    for (unsigned m = 0; m < Items; ++m)
                        x[k][m].value = warp::combine<T>(op, x[k][m].value, x[k + d][m].value);
    }

    static constexpr bool has_packets = Items > 1;
    static constexpr unsigned packet_bytes = packet_bytes_of<Input>(Items);
    static_assert(!has_packets || packet_bytes != 0);
    /// What a thread loads at a time: a packet, an element of an array as it lies in memory, or what an iterator makes of it.
    using element_type = typename std::conditional_t<Input::has_source, source_of<Input>, std::type_identity<T>>::type;
    using loaded =
        std::conditional_t<has_packets, simt::packet<has_packets ? packet_bytes : 1>, uninitialized<element_type>>;

    /// Element `begin + i` of the line whose elements `begin` and 0 lie at `from` and `offset`.
    PARPRIMS_DEVICE void load(loaded& to, std::size_t offset, std::size_t from, std::size_t begin, unsigned i) const
    {
        const std::size_t at = IsStrided ? from + i * static_cast<std::size_t>(array.line.stride())
                                         : offset + static_cast<std::size_t>(array.line.offset(begin + i));
        if constexpr (has_packets)
            to = simt::load_streaming(reinterpret_cast<const loaded*>(input.data + at));
        else if constexpr (Input::has_source)
            to.value = simt::load(input.data, at);
        else
            to.value = lift.template operator()<Input>(input[at], begin + i);
    }

    PARPRIMS_DEVICE T value_of(const loaded& from, [[maybe_unused]] unsigned m, [[maybe_unused]] std::size_t i) const
    {
        if constexpr (has_packets)
            return lift.template operator()<Input>(input.value_of(simt::element<typename Input::source_type>(from, m)),
                                                   i);
        else if constexpr (Input::has_source)
            return lift.template operator()<Input>(input.value_of(from.value), i);
        else
            return from.value;
    }

    /// For one thread: folds the partials [begin, end) of a level, at most `along_partials`, of its lines.
    PARPRIMS_DEVICE void fold_partials(const uninitialized<T>* level, std::size_t begin, std::size_t end,
                                       std::size_t line, uninitialized<T> (&total)[Items]) const
    {
        for (unsigned m = 0; m < Items; ++m) {
            if (line + m >= plan.lines)
                return;
            uninitialized<T> x[along_partials];
#pragma unroll
            for (unsigned k = 0; k < along_partials; ++k)
                if (begin + k < end)
                    x[k].value = simt::load(level + (begin + k) * plan.lines, line + m);
#pragma unroll
            for (unsigned d = 1; d < along_partials; d *= 2)
#pragma unroll
                for (unsigned k = 0; k < along_partials; k += 2 * d)
                    if (begin + k + d < end)
                        x[k].value = warp::combine<T>(op, x[k].value, x[k + d].value);
            total[m].value = x[0].value;
        }
    }
};

/// Makes an operand of an element.
template <class T, class Transform>
struct lift_operand {
    Transform transform;

    template <class Input, class Element>
    PARPRIMS_DEVICE T operator()(Element&& element, std::size_t) const
    {
        return device::operand<T, Input>(transform, static_cast<Element&&>(element));
    }
};

/// Combines the total of a line with init, and writes it.
template <class Output, class T, class Op>
struct finish_reduction {
    Output output;
    T init;
    Op op;

    PARPRIMS_DEVICE void operator()(std::size_t at, const T& total) const
    {
        output.set(at, warp::combine<T>(op, init, total));
    }
};

/// Writes one value for each line, where lines have no elements.
template <class T, class Output>
struct fill_lines_kernel {
    static constexpr unsigned max_threads = along_threads;
    struct shared_storage {};

    dimension_list lines;
    std::size_t count;
    std::size_t out_start;
    Output output;
    T value;

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage&) const
    {
        for (std::size_t l = block.index() * block.threads() + block.thread(); l < count;
             l += block.count() * block.threads())
            output.set(out_start + static_cast<std::size_t>(lines.out_offset(l)), value);
    }
};

}  // namespace parprims::detail::device
