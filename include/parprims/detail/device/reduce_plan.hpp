/// @file
/// @brief  How a reduction of n values is launched. Pure: no GPU is asked.
#pragma once

#include <parprims/detail/device/plan.hpp>
#include <parprims/detail/launch_table.hpp>
#include <parprims/detail/numbers.hpp>
#include <parprims/detail/order.hpp>

#include <bit>
#include <cstddef>

namespace parprims::detail::device {

struct reduce_plan {
    std::size_t blocks;
    unsigned block_threads;      ///< a power of two of warps, if there are several blocks
    std::size_t subtrees;        ///< of the tree over the chunks; each is folded by a warp
    std::size_t subtree_chunks;  ///< chunks under each of them: a power of two
    unsigned turn_bits;          ///< 2^turn_bits subtrees are a turn: at least one for each warp of the block
    std::size_t turns;
};

inline void check_reduce_config(const char* function, const reduce_config& config)
{
    check_common_config(function, config);
    check_config(function, config.subtree_chunks == 0 || is_power_of_two(config.subtree_chunks), "subtree_chunks",
                 config.subtree_chunks, "a power of two, or 0");
}

/// @param  chunk        elements of a chunk
/// @param  value_bytes  of an element
/// @param  max_turn     subtrees of a turn, a power of two of at least 32
/// @param  max_turns    that there is room for
inline reduce_plan plan_reduce(std::size_t n, std::size_t chunk, std::size_t value_bytes, const reduce_config& config,
                               const machine& gpu, std::size_t max_turn, std::size_t max_turns)
{
    const std::size_t chunks = order::ceil_div(n, chunk);
    const std::size_t max_warps = config.block_threads / 32;
    std::size_t subtree_chunks = larger_of<std::size_t>(config.subtree_chunks, 1);

    // So few subtrees that a block's own warps are enough.
    constexpr std::size_t single_block_subtrees = 16;
    const std::size_t few = order::ceil_div(chunks, subtree_chunks);
    if (few <= smaller_of(single_block_subtrees, max_warps))
        return {1, static_cast<unsigned>(32 * larger_of<std::size_t>(few, 1)), few, subtree_chunks, 5, 1};

    // A turn for each block, of up to eight rounds; then several turns. On an H200, 2^24 floats: 18.8 us, and 18.9 to 20 in
    // more turns of fewer rounds. As long as that is enough, large values like to have a multiprocessor for each block: 2^22
    // doubles 10.8 us, and 11.6 with two.
    constexpr std::size_t most_rounds = 8;
    constexpr std::size_t large_value_bytes = 8;
    constexpr std::size_t large_subtree_chunks = 4;
    const std::size_t resident = std::size_t{gpu.multiprocessors} * config.blocks_per_sm;
    const std::size_t one_turn_each = value_bytes < large_value_bytes ? resident : gpu.multiprocessors;
    std::size_t warps = std::bit_floor(max_warps);
    while (warps > 4 && order::ceil_div(chunks, warps * subtree_chunks) < gpu.multiprocessors * std::size_t{2} / 3)
        warps /= 2;  // few subtrees: rather on all multiprocessors than in few blocks
    std::size_t turn = warps;
    const auto turns = [&] { return order::ceil_div(chunks, turn * subtree_chunks); };
    while (turn < smaller_of(most_rounds * warps, max_turn) && turns() > one_turn_each)
        turn *= 2;
    // Larger subtrees where every block has several turns: 2^28 doubles 466 us, and 468 in subtrees of one.
    if (config.subtree_chunks == 0 && turn >= large_subtree_chunks * warps && turns() >= 2 * resident) {
        subtree_chunks = large_subtree_chunks;
        turn /= large_subtree_chunks;
    }
    while (turn < max_turn && turns() > max_turns)
        turn *= 2;
    while (turns() > max_turns)
        subtree_chunks *= 2;

    // As many turns for each block: with one more for some of them, the others would wait.
    const std::size_t blocks =
        turns() == 1 ? 1 : larger_of<std::size_t>(order::ceil_div(turns(), order::ceil_div(turns(), resident)), 2);
    return {blocks,
            static_cast<unsigned>(32 * warps),
            order::ceil_div(chunks, subtree_chunks),
            subtree_chunks,
            static_cast<unsigned>(std::countr_zero(turn)),
            turns()};
}

/// A reduction of few elements: a warp for each strip of 32 columns of a chunk.
struct columns_plan {
    std::size_t blocks;  ///< 0: there are too many elements
    unsigned block_threads;
    std::size_t strips;
    unsigned cluster_blocks;  ///< all of the blocks, or 1
};

/// @param  chunk        elements of a chunk
/// @param  row          elements of a row
/// @param  max_threads  of a block
/// @param  max_blocks   that can leave totals in memory for each other
inline columns_plan plan_columns(std::size_t n, std::size_t chunk, std::size_t row, unsigned max_threads,
                                 std::size_t max_blocks, const machine& gpu)
{
    constexpr std::size_t no_plan = 0;
    const std::size_t last = n % chunk;
    const std::size_t strips = n / chunk * (row / 32) + order::ceil_div(smaller_of(last, row), 32);
    const std::size_t max_warps = std::bit_floor(max_threads / 32);
    if (n == 0)
        return {no_plan, 0, 0, 1};
    if (strips <= max_warps)
        return {1, static_cast<unsigned>(32 * strips), strips, 1};

    // Each has a power of two of strips, so that its total is a node of the tree.
    const unsigned most = std::bit_floor(gpu.cluster_blocks);
    if (strips <= most * max_warps) {
        const std::size_t warps = std::bit_ceil(order::ceil_div(strips, most));
        const std::size_t blocks = order::ceil_div(strips, warps);
        return {blocks, static_cast<unsigned>(32 * warps), strips, static_cast<unsigned>(blocks)};
    }
    const std::size_t warps = smaller_of<std::size_t>(max_warps, strips <= 1024 ? 16 : 32);
    const std::size_t blocks = order::ceil_div(strips, warps);
    if (blocks > smaller_of<std::size_t>(max_blocks, gpu.multiprocessors))
        return {no_plan, 0, strips, 1};
    return {blocks, static_cast<unsigned>(32 * warps), strips, 1};
}

}  // namespace parprims::detail::device
