/// @file
/// @brief  The plan of a segmented reduction. Pure functions: no GPU is needed.
#pragma once

#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/device/call/launcher.hpp>
#include <parprims/detail/device/segmented/tuning.hpp>
#include <parprims/detail/numeric/integers.hpp>

#include <cstddef>

namespace parprims::detail::device {

enum class segments_kernel {
    few,    ///< `small_segments_kernel`
    tiles,  ///< `segmented_reduce_kernel`
    longer  ///< `long_segments_kernel`
};
struct segments_choice {
    segments_kernel kernel;
};

/// @param  longest           elements that a segment may have
/// @param  max_small_chunks  most chunks of the input in `small_segments_kernel` if segments may have several
inline segments_choice choose_segments_kernel(std::size_t n, std::size_t segments, std::size_t longest, bool searches,
                                              std::size_t chunk, std::size_t max_small_chunks,
                                              const gpu_properties& gpu)
{
    if (searches ? n > segments * chunk : longest > chunk)
        return {segments_kernel::longer};
    if (segments > (searches ? max_small_searched_per_sm : max_small_segments_per_sm) * gpu.multiprocessors)
        return {segments_kernel::tiles};
    if (longest <= chunk || n <= clamped(segments, max_small_chunks / 4, max_small_chunks) * chunk)
        return {segments_kernel::few};
    return {3 * (n / segments) >= chunk ? segments_kernel::longer : segments_kernel::tiles};
}

/// The plan for few elements.
struct small_segments_plan {
    std::size_t blocks;
    unsigned block_threads;
    unsigned block_segments;  ///< at most one for each warp
};

inline small_segments_plan plan_small_segments(std::size_t n, std::size_t segments, std::size_t longest,
                                               std::size_t chunk, const gpu_properties& gpu)
{
    constexpr unsigned most = small_threads / 32;
    const std::size_t blocks = n <= few_small_blocks * chunk ? few_small_blocks : gpu.multiprocessors;
    unsigned block_segments = most;
    while (block_segments > 1 && order::ceil_div(segments, block_segments / 2) <= blocks)
        block_segments /= 2;
    return {order::ceil_div(segments, block_segments), 32 * (longest > chunk ? most : block_segments), block_segments};
}

/// The plan for segments that are not many or short: groups of warps fold those of at most a subtree, blocks the subtrees of longer ones.
struct long_segments_plan {
    std::size_t blocks;  ///< of groups
    unsigned block_threads;
    unsigned group_warps;       ///< a power of two
    unsigned subtree_chunks;    ///< a power of two, at most `max_rounds` for each warp of a group
    std::size_t boundaries;     ///< multiples of a subtree inside the input; 0 if no segment has several subtrees
    unsigned block_boundaries;  ///< of a block that has boundaries
};

/// @param  most     elements that most segments have at most
/// @param  longest  elements that any may have
inline long_segments_plan plan_long_segments(std::size_t n, std::size_t segments, std::size_t most, std::size_t longest,
                                             std::size_t chunk, unsigned max_rounds, const gpu_properties& gpu)
{
    constexpr unsigned warps = long_threads / 32;
    const std::size_t resident = std::size_t{warps} * long_blocks_per_sm * gpu.multiprocessors;
    unsigned group = 1;
    while (group < warps && group * chunk < most && 2 * group * segments <= resident)
        group *= 2;
    while (group < warps && group * max_rounds * chunk < most)
        group *= 2;
    // Smaller subtrees divide long segments more evenly among the multiprocessors, but groups should fold most segments.
    unsigned subtree = group * max_rounds;
    const bool are_longer = subtree * chunk < most;
    const std::size_t least = (are_longer ? 4 : 1) * std::size_t{gpu.multiprocessors};  // subtrees of the input
    while (subtree > group && n < least * subtree * chunk && (are_longer || most <= subtree / 2 * chunk))
        subtree /= 2;
    const std::size_t boundaries = n == 0 || longest <= subtree * chunk ? 0 : (n - 1) / (subtree * chunk);
    unsigned block_boundaries = 1;
    while (!are_longer && block_boundaries < max_block_boundaries &&
           2 * block_boundaries * std::size_t{gpu.multiprocessors} <= boundaries)
        block_boundaries *= 2;
    return {order::ceil_div(segments, warps / group), long_threads, group, subtree, boundaries, block_boundaries};
}

/// The plan for segments in tiles.
struct segmented_plan {
    std::size_t tile;      ///< positions of a tile
    std::size_t tiles;     ///< a block each
    std::size_t elements;  ///< most that a tile may have
    unsigned block_threads;
};

/// @param  longest   most elements of a segment
/// @param  chunk     elements of a chunk
/// @param  max_tile  most positions of a tile
inline segmented_plan plan_segmented(std::size_t n, std::size_t segments, std::size_t longest, std::size_t chunk,
                                     std::size_t max_tile, const gpu_properties& gpu)
{
    const std::size_t positions = n + segments;
    const std::size_t resident = segmented_blocks_per_sm * std::size_t{gpu.multiprocessors};
    const std::size_t tile = smaller_of(max_tile, larger_of(min_segmented_tile, order::ceil_div(positions, resident)));
    return {tile, order::ceil_div(positions, tile), tile + smaller_of(longest, chunk), segmented_threads};
}

}  // namespace parprims::detail::device
