/// @file
/// @brief  How a reduction of n values is launched. Pure: no GPU is asked.
#pragma once

#include <parprims/detail/device/launch/config_checks.hpp>
#include <parprims/detail/device/reduce/tuning.hpp>
#include <parprims/detail/numeric/integers.hpp>
#include <parprims/detail/order.hpp>

#include <bit>
#include <cstddef>

namespace parprims::detail::device {

/// Threads of a block of the kernel for many elements, at most: more would not have the registers for its loads.
inline constexpr unsigned max_reduce_threads = 512;

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
/// @param  max_turn     subtrees of a turn, a power of two of at least 32
/// @param  max_turns    that there is room for
inline reduce_plan plan_reduce(std::size_t n, std::size_t chunk, const reduce_config& config, const machine& gpu,
                               std::size_t max_turn, std::size_t max_turns)
{
    const std::size_t chunks = order::ceil_div(n, chunk);
    const std::size_t max_warps = smaller_of(config.block_threads, max_reduce_threads) / 32;
    std::size_t subtree_chunks = larger_of<std::size_t>(config.subtree_chunks, 1);

    // So few subtrees that a block's own warps are enough.
    constexpr std::size_t single_block_subtrees = 16;
    const std::size_t few = order::ceil_div(chunks, subtree_chunks);
    if (few <= smaller_of(single_block_subtrees, max_warps))
        return {1, static_cast<unsigned>(32 * larger_of<std::size_t>(few, 1)), few, subtree_chunks, 5, 1};

    std::size_t warps = std::bit_floor(max_warps);
    while (warps > 4 && order::ceil_div(chunks, warps * subtree_chunks) < gpu.multiprocessors * std::size_t{2} / 3)
        warps /= 2;  // few subtrees: rather on all multiprocessors than in few blocks

    // As many turns for each block: with one more for some of them, the others would wait.
    const std::size_t resident = std::size_t{gpu.multiprocessors} * config.blocks_per_sm;
    const auto turns_of = [&](std::size_t turn) { return order::ceil_div(chunks, turn * subtree_chunks); };
    const auto blocks_of = [&](std::size_t turn) {
        return order::ceil_div(turns_of(turn), order::ceil_div(turns_of(turn), resident));
    };

    // Turns of up to eight rounds, but of fewer where that makes more blocks. On an H200 3 * 2^25 halves take 49.4 us in 96
    // blocks of two turns of eight rounds, and 47.6 in 128 of three turns of four.
    constexpr std::size_t most_rounds = 8;
    std::size_t turn = warps;
    for (std::size_t larger = 2 * warps; larger <= smaller_of(most_rounds * warps, max_turn); larger *= 2)
        if (8 * blocks_of(larger) >= 7 * blocks_of(turn))
            turn = larger;
    while (turn < max_turn && turns_of(turn) > max_turns)
        turn *= 2;
    while (turns_of(turn) > max_turns)
        subtree_chunks *= 2;

    const std::size_t turns = turns_of(turn);
    const std::size_t blocks = turns == 1 ? 1 : larger_of<std::size_t>(blocks_of(turn), 2);
    return {blocks,
            static_cast<unsigned>(32 * warps),
            order::ceil_div(chunks, subtree_chunks),
            subtree_chunks,
            static_cast<unsigned>(std::countr_zero(turn)),
            turns};
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
