/// @file
/// @brief  Which threads fold which elements of the lines of an array. Pure.
#pragma once

#include <parprims/detail/contract/lines.hpp>
#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/device/along/tuning.hpp>
#include <parprims/detail/device/call/launcher.hpp>
#include <parprims/detail/numeric/integers.hpp>

#include <cstddef>

namespace parprims::detail::device {

struct along_plan {
    std::size_t lines;
    std::size_t length;           ///< elements of a line
    std::size_t positions;        ///< of a line
    std::size_t tiles;            ///< of neighbouring lines
    std::size_t shares;           ///< of a line, a block each
    std::size_t share_positions;  ///< a power of two, unless there is one share
    unsigned items;               ///< lines of a thread
    unsigned leaf;                ///< positions of a leaf
    unsigned tile_columns;        ///< threads that have neighbouring lines, or packets of them
    unsigned slots;               ///< threads that have parts of a line, a power of two
    unsigned leaves;              ///< of a thread, a power of two
    unsigned rounds;              ///< of a block, before the totals of its threads are folded; a power of two
    bool lanes_along_line;        ///< neighbouring lanes have one line
    bool is_direct;               ///< a thread has whole lines
    std::size_t blocks;
    unsigned block_threads;
    std::size_t shared_values;  ///< in shared memory
};

/// Which kernel folds the lines.
struct along_choice {
    bool may_be_short;      ///< columns of few elements
    bool is_short;          ///< a thread folds a whole line
    bool in_packets;        ///< neighbouring lines lie in packets
    bool has_wide_columns;  ///< a thread loads several positions
    bool lanes_along_line;
};

/// Columns of the chunks of a line.
inline std::size_t positions_of(std::size_t length, std::size_t row, std::size_t chunk)
{
    return length / chunk * row + smaller_of(length % chunk, row);
}

/// @param  items       lines of a packet, if `are_aligned`
/// @param  most_short  elements of a line that a thread can fold
inline along_choice choose_along(const array_lines& array, std::size_t value_bytes, unsigned items, bool are_aligned,
                                 std::size_t most_short, const gpu_properties& gpu)
{
    const std::size_t line_step = distance_of({2, array.line.stride(), 0});
    const std::size_t step = distance_of({2, array.lines.stride(), 0});
    const std::size_t neighbours = array.lines.count == 0 ? 1 : array.lines.at[array.lines.count - 1].extent;
    const bool lanes_along_line = line_step < step;
    const bool has_wide_columns =
        !lanes_along_line && array.line.count <= 1 && neighbours * value_bytes >= along_column_bytes;
    const bool may_be_short = !lanes_along_line && array.line.count <= 1 && array.line.size() <= most_short;
    return {may_be_short,
            may_be_short && array.lines.size() / gpu.multiprocessors * along_short_elements >= array.line.size(),
            has_wide_columns && are_aligned && items > 1 && neighbours >= 32 * items, has_wide_columns,
            lanes_along_line};
}

/// Divides lines among blocks: a block has a tile, and of its lines as many positions as its threads fold in `passes` passes.
inline void divide_lines(along_plan& plan, std::size_t passes)
{
    const std::size_t of_pass = std::size_t{plan.rounds} * plan.slots * plan.leaves * plan.leaf;
    plan.tiles = order::ceil_div(plan.lines, std::size_t{plan.tile_columns} * plan.items);
    plan.share_positions = of_pass * passes;
    plan.shares = larger_of<std::size_t>(order::ceil_div(plan.positions, plan.share_positions), 1);
    plan.block_threads = static_cast<unsigned>(order::ceil_div(plan.tile_columns * plan.slots, 32)) * 32;
    unsigned levels = 0;  // of the passes over elements, and over partials
    for (const std::size_t each : {passes, order::ceil_div(along_group, std::size_t{plan.slots} * along_partials)})
        while (each > 1 && each >> levels != 0)
            ++levels;
    plan.shared_values = std::size_t{plan.tile_columns} * plan.items * (plan.rounds * plan.slots + levels);
    plan.is_direct = plan.slots == 1 && plan.positions <= plan.leaves * plan.leaf;
}

/// Partials of a line, and groups of them, at all levels.
struct along_partials_count {
    std::size_t partials;
    std::size_t groups;
};
inline along_partials_count count_partials(std::size_t shares)
{
    along_partials_count all{0, 0};
    for (std::size_t count = shares; count > 1; count = order::ceil_div(count, along_group)) {
        all.partials += count;
        all.groups += order::ceil_div(count, along_group);
    }
    return all;
}

/// @param  items        lines of a thread
/// @param  leaf         positions of a leaf
/// @param  value_bytes  of a value that is combined
inline along_plan plan_along(std::size_t lines, std::size_t length, std::size_t row, std::size_t chunk, unsigned items,
                             unsigned leaf, bool lanes_along_line, std::size_t value_bytes, const gpu_properties& gpu)
{
    along_plan plan{};
    plan.lines = lines;
    plan.length = length;
    plan.positions = positions_of(length, row, chunk);
    plan.items = items;
    plan.leaf = leaf;
    plan.lanes_along_line = lanes_along_line;
    const unsigned threads = order::power_of_two_within(along_shared_bytes, items * value_bytes, along_threads);
    const std::size_t columns = order::ceil_div(lines, items);
    const std::size_t leaves = order::ceil_div(plan.positions, leaf);  // of a line

    // Columns of a tile: all, or about a warp's, of equal size. Short lines leave threads for more columns.
    unsigned most_slots = 1;
    while (most_slots < threads && most_slots < leaves)
        most_slots *= 2;
    if (lanes_along_line) {
        plan.slots = most_slots;
        plan.tile_columns = static_cast<unsigned>(smaller_of<std::size_t>(columns, threads / most_slots));
    } else {
        const std::size_t wanted =  // or up to twice as many
            items * value_bytes > along_large_bytes
                ? 1
                : larger_of<std::size_t>(items > 1 || leaf == 1 ? along_packet_columns : along_element_columns,
                                         threads / most_slots);
        const std::size_t tiles = larger_of<std::size_t>(columns / wanted, 1);
        plan.tile_columns = static_cast<unsigned>(smaller_of<std::size_t>(order::ceil_div(columns, tiles), threads));
        plan.slots = 1;
        while (2 * plan.slots * plan.tile_columns <= threads && 2 * plan.slots <= most_slots)
            plan.slots *= 2;
    }

    // As many leaves of a thread as leave enough work for all multiprocessors; then as many passes of a block. Lanes have neighbouring
    // positions where a leaf is one.
    const std::size_t tiles = order::ceil_div(columns, plan.tile_columns);
    const std::size_t enough = along_blocks_per_sm * gpu.multiprocessors;
    plan.leaves = plan.rounds = 1;
    const auto is_enough = [&](std::size_t of_slot) {  // leaves of a slot in a share
        return of_slot / 2 * plan.slots < leaves && tiles * order::ceil_div(leaves, of_slot * plan.slots) >= enough;
    };
    while (leaf != 1 && plan.leaves < along_leaves && is_enough(2 * plan.leaves))
        plan.leaves *= 2;
    while (leaf == 1 && plan.rounds < along_rounds &&
           2 * plan.rounds * threads * items * value_bytes <= along_shared_bytes && is_enough(2 * plan.rounds))
        plan.rounds *= 2;
    std::size_t passes = 1;
    while (is_enough(2 * passes * plan.leaves * plan.rounds))
        passes *= 2;
    divide_lines(plan, passes);
    plan.blocks = smaller_of(plan.tiles * plan.shares, max_along_blocks_per_sm * gpu.multiprocessors);
    return plan;
}

}  // namespace parprims::detail::device
