/// @file
/// @brief  The plan of a reduction of n values. Pure functions: no GPU is needed.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/device/call/launcher.hpp>
#include <parprims/detail/device/call/validate.hpp>
#include <parprims/detail/device/reduce/tuning.hpp>
#include <parprims/detail/numeric/integers.hpp>

#include <bit>
#include <cstddef>

namespace parprims::detail::device {

inline void check_reduce_config(const char* function, const reduce_config& config)
{
    check_common_config(function, config);
    check_config(function, config.subtree_chunks == 0 || is_power_of_two(config.subtree_chunks), "subtree_chunks",
                 config.subtree_chunks, "a power of two, or 0");
}

/// How branches of chunks are divided among blocks.
struct branch_division {
    std::size_t chunks;
    std::size_t resident;  ///< blocks at most

    std::size_t branches(std::size_t branch) const { return order::ceil_div(chunks, branch); }
    /// Each block has the same number of branches: if some had one more, the others would idle.
    std::size_t blocks(std::size_t branch) const
    {
        return order::ceil_div(branches(branch), order::ceil_div(branches(branch), resident));
    }
    /// Longer branches, of at most `most` chunks, as long as most blocks remain.
    std::size_t lengthened(std::size_t branch, std::size_t most) const
    {
        for (std::size_t larger = 2 * branch; larger <= most; larger *= 2)
            if (8 * blocks(larger) >= min_remaining_eighths * blocks(branch))
                branch = larger;
        return branch;
    }
};

/// The plan for many elements. Subtrees and branches are powers of two, so every partial is a node of the order contract's tree.
struct reduce_plan {
    std::size_t blocks;
    unsigned block_threads;      ///< a power of two of warps if there are several blocks
    std::size_t subtrees;        ///< of the tree over the chunks; a warp folds one at a time
    std::size_t subtree_chunks;  ///< chunks of a subtree
    unsigned branch_bits;  ///< 2^branch_bits consecutive subtrees are a branch: at least one for each warp of a block
    std::size_t branches;  ///< each gives a partial
};

/// @param  chunk             elements of a chunk
/// @param  max_branch_subtrees  of a branch: a power of two, at least 32
/// @param  max_branches          most branches: the partials that memory is planned for
inline reduce_plan plan_reduce(std::size_t n, std::size_t chunk, const reduce_config& config, const gpu_properties& gpu,
                               std::size_t max_branch_subtrees, std::size_t max_branches)
{
    const std::size_t chunks = order::ceil_div(n, chunk);
    const std::size_t max_warps = smaller_of(config.block_threads, max_reduce_threads) / 32;
    std::size_t subtree_chunks = larger_of<std::size_t>(config.subtree_chunks, 1);

    // One block: few subtrees, at most one for each warp.
    const std::size_t few = order::ceil_div(chunks, subtree_chunks);
    if (few <= smaller_of(max_single_block_subtrees, max_warps))
        return {1, static_cast<unsigned>(32 * larger_of<std::size_t>(few, 1)), few, subtree_chunks, 5, 1};

    // With few subtrees, smaller blocks occupy more multiprocessors.
    std::size_t warps = std::bit_floor(max_warps);
    while (warps > min_reduce_warps &&
           order::ceil_div(chunks, warps * subtree_chunks) < gpu.multiprocessors * min_occupied_thirds / 3)
        warps /= 2;

    // Runs of several rounds, but of fewer if that occupies more multiprocessors.
    const branch_division division{chunks, std::size_t{gpu.multiprocessors} * config.blocks_per_sm};
    const std::size_t most = smaller_of(max_branch_rounds * warps, max_branch_subtrees) * subtree_chunks;
    std::size_t branch = division.lengthened(warps * subtree_chunks, most) / subtree_chunks;
    while (branch < max_branch_subtrees && division.branches(branch * subtree_chunks) > max_branches)
        branch *= 2;
    while (division.branches(branch * subtree_chunks) > max_branches)
        subtree_chunks *= 2;

    const std::size_t branches = division.branches(branch * subtree_chunks);
    const std::size_t blocks = branches == 1 ? 1 : larger_of<std::size_t>(division.blocks(branch * subtree_chunks), 2);
    return {blocks,
            static_cast<unsigned>(32 * warps),
            order::ceil_div(chunks, subtree_chunks),
            subtree_chunks,
            static_cast<unsigned>(std::countr_zero(branch)),
            branches};
}

/// The plan of a reduction of wide values: a branch has at most 32 subtrees.
/// @param  chunk        elements of a chunk
/// @param  value_bytes  of an element
/// @param  max_warps    that fit a block
/// @param  usual_branches   most branches, unless that makes subtrees too long: then there are up to `max_large_branches`
inline reduce_plan plan_wide_reduce(std::size_t n, std::size_t chunk, std::size_t value_bytes,
                                    const reduce_config& config, const gpu_properties& gpu, std::size_t max_warps,
                                    std::size_t usual_branches)
{
    const std::size_t chunks = order::ceil_div(n, chunk);
    const std::size_t subtree_chunks = larger_of<std::size_t>(config.subtree_chunks, 1);
    max_warps = larger_of<std::size_t>(smaller_of<std::size_t>(config.block_threads / 32, max_warps), 1);

    const std::size_t few = larger_of<std::size_t>(order::ceil_div(chunks, subtree_chunks), 1);
    if (few <= smaller_of(max_alone_chunks, max_warps))
        return {1, static_cast<unsigned>(32 * few), few, subtree_chunks, 5, 1};

    // Small blocks occupy more multiprocessors, but the last block's warps should fold all partials at once.
    max_warps = std::bit_floor(max_warps);
    std::size_t warps = 1;
    while (warps < max_warps && few > 32 * warps * warps)
        warps *= 2;

    // Branches as long as short subtrees allow. More branches than usual, and then longer subtrees, only where there are too many.
    const branch_division division{chunks, std::size_t{gpu.multiprocessors} * config.blocks_per_sm};
    const std::size_t fitting =
        larger_of(std::bit_floor(max_wide_subtree_bytes / (chunk * value_bytes)), subtree_chunks);
    const std::size_t most = max_wide_branch_subtrees * fitting;
    std::size_t branch = division.lengthened(warps * subtree_chunks, smaller_of(most, chunks - 1));
    while (division.branches(branch) > (branch < most ? usual_branches : max_large_branches))
        branch *= 2;
    const std::size_t subtree = larger_of(smaller_of(branch / warps, fitting), branch / max_wide_branch_subtrees);
    return {division.blocks(branch),
            static_cast<unsigned>(32 * warps),
            order::ceil_div(chunks, subtree),
            subtree,
            static_cast<unsigned>(std::countr_zero(branch / subtree)),
            division.branches(branch)};
}

/// Groups of 32 columns of n elements.
PARPRIMS_HOST_DEVICE constexpr std::size_t column_groups_of(std::size_t n, std::size_t chunk, std::size_t row)
{
    return n / chunk * (row / 32) + order::ceil_div(smaller_of(n % chunk, row), 32);
}

/// The plan for few elements: a warp for each group of 32 columns of a chunk.
struct small_reduce_plan {
    std::size_t blocks;  ///< 0: too many elements for the small kernel
    unsigned block_threads;
    std::size_t column_groups;
};

/// @param  chunk        elements of a chunk
/// @param  row          elements of a row
/// @param  max_threads  of a block
/// @param  max_blocks   most blocks
/// @param  limits       that depend on the values
inline small_reduce_plan plan_small_reduce(std::size_t n, std::size_t chunk, std::size_t row, unsigned max_threads,
                                           std::size_t max_blocks, const small_reduce_limits& limits,
                                           const gpu_properties& gpu)
{
    const std::size_t groups = column_groups_of(n, chunk, row);
    const std::size_t max_warps = std::bit_floor(max_threads / 32);
    if (n == 0)
        return {0, 0, 0};
    if (groups <= max_warps)
        return {1, static_cast<unsigned>(32 * groups), groups};

    // Each block folds a power of two of groups, so that its partial is a node of the tree.
    std::size_t warps = smaller_of<std::size_t>(max_warps, limits.warps);
    while (warps < smaller_of<std::size_t>(max_warps, limits.max_warps) &&
           order::ceil_div(groups, warps) > smaller_of(max_blocks, usual_small_blocks))
        warps *= 2;
    const std::size_t blocks = order::ceil_div(groups, warps);
    if (blocks > smaller_of<std::size_t>(max_blocks, gpu.multiprocessors))
        return {0, 0, groups};
    return {blocks, static_cast<unsigned>(32 * warps), groups};
}

}  // namespace parprims::detail::device
