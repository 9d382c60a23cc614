/// @file
/// @brief  Which blocks and threads fold which positions of the lines of an array. Pure.
#pragma once

#include <parprims/detail/contract/lines.hpp>
#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/device/along/tuning.hpp>
#include <parprims/detail/device/call/launcher.hpp>
#include <parprims/detail/numeric/integers.hpp>

#include <cstddef>

namespace parprims::detail::device {

/// What the division of lines depends on.
struct along_shape {
    std::size_t lines;
    std::size_t length;
    std::size_t row;
    std::size_t chunk;
    std::size_t value_bytes;  ///< of a value that is combined
    std::size_t group_lines;  ///< lines of a group: neighbours, if units are packets or leaves; otherwise all lines
    bool are_dense;           ///< packets, and the lines of a group fill the distance between two elements of a line
    bool are_aligned;         ///< the elements of a group begin with a packet; if not dense, at each position
    unsigned items;           ///< elements of a packet; 1 for single positions
    unsigned leaf_positions;  ///< of a leaf, if threads fold leaves; otherwise 1
    bool lanes_along_line;
};

struct along_plan {
    along_shape shape;
    std::size_t positions;  ///< of a line. If threads fold leaves, all positions of a plan and of its tiles are leaves
    std::size_t group_tiles;
    std::size_t tiles;
    std::size_t shares;        ///< of a line; a block folds one at a time
    unsigned share_positions;  ///< a power of two, unless there is one share
    unsigned tile_lines;
    bool has_whole_rows;  ///< a run has all positions of a row: a tile's lines fill the distance between two elements
    unsigned run_units;   ///< packets, or single positions, that cover a run of elements without gaps, at most
    unsigned units;       ///< of a share
    unsigned group;       ///< shares whose totals one block folds, a power of two
    std::size_t blocks;
    unsigned block_threads;
    std::size_t shared_values;  ///< totals that a block has room for in shared memory
};

/// Neighbouring lines, and the positions of them that a block folds.
struct along_tile {
    std::size_t first_line;
    std::size_t from;  // offset of the first line in the array
    std::size_t first_position;
    unsigned lines;
    unsigned positions;
    unsigned shift;  // elements between the begin of its packet and the tile's first element; not for leaves
};

/// Which kernel folds the lines.
struct along_choice {
    bool may_be_short;      ///< a thread could fold whole lines
    bool is_short;          ///< a thread folds whole lines
    bool folds_neighbours;  ///< if so, it folds neighbouring lines together
    bool in_packets;        ///< packets of neighbouring lines
    bool has_run_packets;   ///< lines have several dimensions, and their runs consist of aligned packets
    bool in_run_packets;    ///< which are loaded
    bool lanes_along_line;
};

/// Whether the elements of a line lie closer together than lines do.
inline bool lanes_go_along_line(const array_lines& array)
{
    return distance_of({2, array.line.stride(), 0}) < distance_of({2, array.lines.stride(), 0});
}

/// @param  items            elements of a packet
/// @param  has_run_packets  lines have several dimensions, and their runs consist of aligned packets
/// @param  longest_whole    elements of a line, at most, that a thread folds
inline along_choice choose_along(const array_lines& array, unsigned items, bool has_run_packets,
                                 std::size_t longest_whole, const gpu_properties& gpu)
{
    const bool lanes_along_line = lanes_go_along_line(array);
    const bool has_one_dimension = array.line.count <= 1;
    const bool may_be_short = has_one_dimension && array.line.size() <= longest_whole;
    const bool is_longer = array.line.size() > along_short_length;
    const std::size_t elements = lanes_along_line ? (is_longer ? 0 : along_short_row_elements)
                                                  : (is_longer ? along_long_sum_elements : along_short_elements);
    return {may_be_short,
            may_be_short && array.lines.size() / gpu.multiprocessors * elements >= array.line.size(),
            array.line.size() > along_packet_elements && array.lines.stride() == 1 &&
                array.lines.size() / gpu.multiprocessors >= along_packet_lines_per_sm,
            has_one_dimension && !lanes_along_line && items > 1 && array.lines.stride() == 1,
            has_run_packets,
            has_run_packets && array.line.size() >= along_run_packet_elements &&
                (array.line.size() <= along_run_packet_long_elements ||
                 array.lines.size() * array.line.size() / gpu.multiprocessors >= along_run_packet_elements_per_sm),
            lanes_along_line};
}

/// Which lines the threads of a block fold, if each thread folds whole lines. All lines of a block belong to one group, so the lines of a
/// thread that has several lie at equal distances.
struct short_lines_plan {
    std::size_t lines;
    std::size_t neighbours;      ///< lines in a row that lie at equal distances
    unsigned most_thread_lines;  ///< 1, unless lines have few elements
    unsigned thread_lines;
    unsigned packet_lines;  ///< neighbouring lines that a thread folds together, or 1
    unsigned block_threads;
    std::size_t group_lines;  ///< of a group: `neighbours`, or all lines if a thread has one line or packet at a time
    std::size_t group_tiles;  ///< a tile has the lines of a block
    std::size_t tiles;
};

/// Sets the groups and tiles, from `thread_lines` and `block_threads`.
inline void divide_short_lines(short_lines_plan& plan)
{
    plan.group_lines = plan.thread_lines == 1 ? plan.lines : plan.neighbours;
    plan.group_tiles =
        order::ceil_div(plan.group_lines, std::size_t{plan.block_threads} * plan.thread_lines * plan.packet_lines);
    plan.tiles = plan.lines / plan.group_lines * plan.group_tiles;
}

/// @param  few_lines     lines of a thread, if lines have few elements
/// @param  packet_lines  lines of a packet
inline short_lines_plan plan_short_lines(const array_lines& array, unsigned few_lines, unsigned packet_lines,
                                         const gpu_properties& gpu)
{
    short_lines_plan plan{};
    plan.lines = array.lines.size();
    plan.neighbours = array.lines.neighbours();
    plan.most_thread_lines = array.line.size() >= 2 && array.line.size() <= along_few_elements ? few_lines : 1;
    plan.packet_lines = packet_lines;
    plan.block_threads = along_threads;
    const std::size_t tile = std::size_t{along_threads} * few_lines;
    const bool fill_tiles = plan.neighbours == plan.lines || plan.neighbours >= tile;
    plan.thread_lines = fill_tiles && plan.lines / gpu.multiprocessors >= tile ? plan.most_thread_lines : 1;
    divide_short_lines(plan);
    return plan;
}

/// How many totals of shares a line has, and how many groups of them, over all levels of groups.
struct along_partials_count {
    std::size_t partials;
    std::size_t groups;
};
inline along_partials_count count_partials(const along_plan& plan)
{
    along_partials_count all{0, 0};
    for (std::size_t count = plan.shares; count > 1; count = order::ceil_div(count, plan.group)) {
        all.partials += count;
        all.groups += order::ceil_div(count, plan.group);
    }
    return all;
}

/// The number of positions of a line, which are the columns of all its chunks, or of its leaves.
inline std::size_t positions_of(const along_shape& shape)
{
    return shape.length / shape.chunk * (shape.row / shape.leaf_positions) +
           order::ceil_div(smaller_of(shape.length % shape.chunk, shape.row), shape.leaf_positions);
}

/// The number of elements of a position, at most.
inline std::size_t position_rows(const along_shape& shape)
{
    return smaller_of(order::ceil_div(shape.length, shape.row), shape.chunk / shape.row);
}

/// Whether threads fold leaves.
struct along_leaves {
    bool are_folded;
};

/// @param  element_bytes  of an element, in memory or transformed, whichever is larger
/// @param  longest_whole  elements of a line, at most, that a thread folds
inline along_leaves choose_leaves(const along_shape& shape, std::size_t element_bytes, std::size_t longest_whole,
                                  const gpu_properties& gpu)
{
    const std::size_t leaves = positions_of(shape) * (shape.lines / shape.items);
    const std::size_t group_bytes = shape.group_lines * element_bytes;
    const bool is_small = shape.lines * shape.length / gpu.multiprocessors <= along_small_elements_per_sm;
    const bool is_narrow = element_bytes < 4;
    const bool is_group_wide = shape.items > 1 ? is_narrow || group_bytes >= along_packet_group_bytes
                               : is_small      ? group_bytes >= along_small_group_bytes
                                               : !is_narrow && group_bytes >= along_large_group_bytes;
    const bool are_whole =
        shape.length <= longest_whole && shape.lines / gpu.multiprocessors >= along_whole_lines * shape.length;
    return {is_group_wide && !are_whole && leaves / gpu.multiprocessors >= along_leaves_per_row * position_rows(shape)};
}

/// Whether a thread loads all elements of a column of a chunk before it folds them.
struct along_depth {
    bool is_deep;
};
inline along_depth choose_depth(const along_shape& shape, const gpu_properties& gpu)
{
    const std::size_t positions = positions_of(shape);
    const std::size_t whole = shape.length / shape.chunk * shape.row;  // positions of complete chunks
    return {(positions - whole) * along_deep_positions <= positions &&
            shape.lines * shape.length / shape.items / gpu.multiprocessors >= along_deep_packets_per_sm};
}

/// Packets, or single positions, that cover a run of `elements`, wherever it begins.
inline std::size_t units_of(const along_plan& plan, std::size_t elements)
{
    const along_shape& shape = plan.shape;
    const bool begins_aligned = shape.are_aligned && elements % shape.items == 0 &&
                                (plan.has_whole_rows || !shape.are_dense || shape.group_lines % shape.items == 0);
    return order::ceil_div(elements + (begins_aligned ? 0 : shape.items - 1), shape.items);
}

/// Sets what follows from `tile_lines`, `share_positions` and `has_whole_rows`.
inline void divide_lines(along_plan& plan)
{
    const along_shape& shape = plan.shape;
    plan.group_tiles = order::ceil_div(shape.group_lines, plan.tile_lines);
    plan.tiles = shape.lines / shape.group_lines * plan.group_tiles;
    plan.shares = order::ceil_div(plan.positions, plan.share_positions);

    // Units, and shared memory for their totals or for the partly folded totals of a group of shares.
    const std::size_t run_positions =
        plan.has_whole_rows ? smaller_of<std::size_t>(plan.share_positions, shape.row) : 1;
    plan.run_units = static_cast<unsigned>(units_of(plan, run_positions * plan.tile_lines));
    plan.units = static_cast<unsigned>(order::ceil_div(plan.share_positions, run_positions)) * plan.run_units;
    plan.group =
        larger_of(order::power_of_two_within(along_group_bytes, plan.tile_lines * shape.value_bytes, along_most_shares),
                  along_radix);
    plan.shared_values = std::size_t{larger_of(plan.share_positions, plan.group / along_radix)} * plan.tile_lines;

    // The number of threads that leaves the fewest threads without a unit in the last round.
    const unsigned most = smaller_of((plan.units + 31) / 32 * 32, along_threads);
    std::size_t least = ~std::size_t{0};
    for (unsigned threads = most; 2 * threads >= most; threads -= 32)
        if (const std::size_t all = order::ceil_div(plan.units, threads) * threads; all < least) {
            least = all;
            plan.block_threads = threads;
        }
    plan.blocks = plan.tiles * plan.shares;
}

/// Divides the lines among about `along_small_blocks_per_sm` blocks a multiprocessor, each with all positions of its lines: then there are
/// no shares to fold. Returns false if a block would have too many loads or totals.
inline bool divide_small(along_plan& plan, const gpu_properties& gpu)
{
    const along_shape& shape = plan.shape;
    const std::size_t wanted = order::ceil_div(shape.lines, along_small_blocks_per_sm * gpu.multiprocessors);
    const std::size_t step = shape.lanes_along_line ? 1 : larger_of<std::size_t>(shape.items, along_sector_lines);
    const std::size_t lines = smaller_of(order::ceil_div(wanted, step) * step, shape.group_lines);
    plan.has_whole_rows = shape.are_dense && lines == shape.group_lines;
    const std::size_t loads =
        plan.has_whole_rows ? units_of(plan, shape.length * lines) : units_of(plan, lines) * shape.length;
    if (wanted > shape.group_lines || loads > along_small_loads ||
        plan.positions * lines * shape.value_bytes > along_shared_bytes)
        return false;
    plan.tile_lines = static_cast<unsigned>(lines);
    plan.share_positions = static_cast<unsigned>(plan.positions);
    divide_lines(plan);
    return true;
}

/// How many lines a tile has, and how many positions of each.
struct tile_size {
    std::size_t lines;
    std::size_t positions;  // a power of two
};

/// Lines of a tile, about `limit` at most: tiles of nearly equal size that begin with a sector of memory, if the array does.
inline std::size_t limited_lines(std::size_t lines, std::size_t limit)
{
    const std::size_t each = order::ceil_div(lines, order::ceil_div(lines, larger_of<std::size_t>(limit, 1)));
    return smaller_of(lines, order::ceil_div(each, along_sector_lines) * along_sector_lines);
}

/// The largest tile whose totals fit shared memory: all lines of a group, if these are few, otherwise as many as leave room for
/// `along_positions` positions of each, or for all positions. Sets `has_whole_rows`.
inline tile_size choose_largest_tile(along_plan& plan)
{
    const along_shape& shape = plan.shape;
    const std::size_t most = smaller_of(shape.items > 1 ? along_packets * shape.items : along_singles,
                                        larger_of<std::size_t>(along_shared_bytes / shape.value_bytes, shape.items));
    plan.has_whole_rows = shape.are_dense && shape.group_lines <= most / along_positions;
    tile_size tile{shape.group_lines, 1};
    if (!plan.has_whole_rows) {
        const std::size_t live = smaller_of(plan.positions, shape.lanes_along_line ? most : along_positions);
        const std::size_t room = most / live, excess = units_of(plan, room) * shape.items - room;
        tile.lines = limited_lines(tile.lines, (room - excess) / along_sector_lines * along_sector_lines);
    }
    const std::size_t width =  // elements that are loaded at a position
        plan.has_whole_rows ? tile.lines : units_of(plan, tile.lines) * shape.items;
    while (2 * tile.positions * width <= most + most / 2 && tile.positions < plan.positions)
        tile.positions *= 2;
    return tile;
}

/// Shrinks the tile until there are enough blocks for all multiprocessors, or each thread has one unit of at most a chunk.
inline tile_size shrink_tile(const along_plan& plan, tile_size tile, const gpu_properties& gpu)
{
    const along_shape& shape = plan.shape;
    const auto are_enough = [&] {
        return shape.lines / shape.group_lines * order::ceil_div(shape.group_lines, tile.lines) *
                   order::ceil_div(plan.positions, tile.positions) >=
               along_blocks_per_sm * gpu.multiprocessors;
    };
    const std::size_t elements = position_rows(shape) * shape.leaf_positions;  // of a position, or of a leaf
    const std::size_t least = std::size_t{along_threads} * shape.items * (shape.chunk / shape.row);
    while (tile.positions * tile.lines * elements > least && !are_enough()) {
        const bool can_narrow = !plan.has_whole_rows && tile.lines > 32 * shape.items;
        if (tile.positions > 1 && (tile.positions > along_positions || !can_narrow))
            tile.positions /= 2;
        else if (can_narrow)
            tile.lines = limited_lines(tile.lines, tile.lines / 2);
        else
            break;
    }
    return tile;
}

inline along_plan plan_along(const along_shape& shape, const gpu_properties& gpu)
{
    along_plan plan{};
    plan.shape = shape;
    plan.positions = positions_of(shape);
    if (divide_small(plan, gpu))
        return plan;
    const tile_size tile = shrink_tile(plan, choose_largest_tile(plan), gpu);
    plan.tile_lines = static_cast<unsigned>(tile.lines);
    plan.share_positions = static_cast<unsigned>(smaller_of(tile.positions, plan.positions));
    divide_lines(plan);
    plan.blocks = smaller_of(plan.blocks, max_along_blocks_per_sm * gpu.multiprocessors);
    return plan;
}

}  // namespace parprims::detail::device
