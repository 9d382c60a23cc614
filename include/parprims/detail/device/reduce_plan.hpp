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
    unsigned block_threads;
    std::size_t subtrees;        ///< of the tree over the chunks; each is folded by a warp
    std::size_t subtree_chunks;  ///< chunks under each of them: a power of two
    unsigned group_bits;  ///< 2^group_bits subtrees leave one partial: a power of two that divides the warps of a block

    std::size_t partials() const { return order::ceil_div(subtrees, std::size_t{1} << group_bits); }
};

inline void check_reduce_config(const char* function, const reduce_config& config)
{
    check_common_config(function, config);
    check_config(function, config.subtree_chunks == 0 || is_power_of_two(config.subtree_chunks), "subtree_chunks",
                 config.subtree_chunks, "a power of two, or 0");
}

/// @param  chunk  elements of a chunk
inline reduce_plan plan_reduce(std::size_t n, std::size_t chunk, const reduce_config& config, const machine& gpu)
{
    const std::size_t chunks = order::ceil_div(n, chunk);
    const std::size_t max_warps = config.block_threads / 32;
    const std::size_t max_blocks = std::size_t{gpu.multiprocessors} * config.blocks_per_sm;

    // Small subtrees keep what the grid reads at a time together, which memory likes, and let all warps end together. On an
    // H200, 2^30 floats: 951 us with 4 chunks, 952 us with 2, 960 us with 8. Warps that are a whole group leave one partial
    // for many subtrees, so there may be more of these.
    constexpr std::size_t warp_subtrees = 8;
    constexpr std::size_t small_subtree_chunks = 4;
    constexpr std::size_t max_partials = std::size_t{1} << 16;
    const bool one_group = is_power_of_two(max_warps) && max_blocks * max_warps <= max_partials;
    const std::size_t max_subtrees = max_partials * (one_group ? smaller_of<std::size_t>(max_warps, 4) : 1);
    std::size_t subtree_chunks = config.subtree_chunks;
    if (subtree_chunks == 0) {
        subtree_chunks = 1;
        const auto too_many = [&](std::size_t most) { return order::ceil_div(chunks, subtree_chunks) > most; };
        while (too_many(subtree_chunks < small_subtree_chunks ? warp_subtrees * max_blocks * max_warps : max_subtrees))
            subtree_chunks *= 2;
    }
    const std::size_t subtrees = order::ceil_div(chunks, subtree_chunks);

    // So few subtrees that a block's own warps are enough: no partials in memory, no ticket.
    constexpr std::size_t single_block_subtrees = 16;
    if (subtrees <= smaller_of(single_block_subtrees, max_warps))
        return {1, static_cast<unsigned>(32 * larger_of<std::size_t>(subtrees, 1)), subtrees, subtree_chunks, 0};

    // Otherwise spread them over the multiprocessors before filling the blocks.
    const std::size_t warps =
        clamped(order::ceil_div(subtrees, max_blocks), smaller_of<std::size_t>(4, max_warps), max_warps);
    // As many rounds for each block: with one more for some of them, the others would wait (2^28 floats: 248 us, not 244).
    const std::size_t rounds = order::ceil_div(subtrees, warps);
    const std::size_t blocks = order::ceil_div(rounds, order::ceil_div(rounds, max_blocks));
    return {larger_of<std::size_t>(blocks, 2), static_cast<unsigned>(32 * warps), subtrees, subtree_chunks,
            static_cast<unsigned>(std::countr_zero(warps))};
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
