/// @file
/// @brief  The plan of a segmented reduction. Pure functions: no GPU is needed.
#pragma once

#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/device/call/launcher.hpp>
#include <parprims/detail/device/segmented/tuning.hpp>
#include <parprims/detail/numeric/integers.hpp>

#include <cstddef>

namespace parprims::detail::device {

/// The plan for few elements; no blocks where they are too many, or segments are.
struct small_segments_plan {
    std::size_t blocks;
    unsigned block_threads;
    unsigned block_segments;  ///< at most one for each warp
};

/// @param  max_chunks  most chunks of the input if segments may have several
inline small_segments_plan plan_small_segments(std::size_t n, std::size_t segments, bool searches, bool may_be_long,
                                               std::size_t chunk, std::size_t max_chunks, const gpu_properties& gpu)
{
    if ((may_be_long && n > clamped(segments, max_chunks / 4, max_chunks) * chunk) ||
        segments > (searches ? max_small_searched_per_sm : max_small_segments_per_sm) * gpu.multiprocessors)
        return {0, 0, 0};
    constexpr unsigned most = small_threads / 32;
    const std::size_t blocks = n <= few_small_blocks * chunk ? few_small_blocks : gpu.multiprocessors;
    unsigned block_segments = most;
    while (block_segments > 1 && order::ceil_div(segments, block_segments / 2) <= blocks)
        block_segments /= 2;
    return {order::ceil_div(segments, block_segments), 32 * (may_be_long ? most : block_segments), block_segments};
}

/// The plan for segments of one size, of several chunks.
struct long_segments_plan {
    std::size_t blocks;
    unsigned block_threads;
    unsigned group_warps;  ///< that take a run, a power of two
    unsigned run_chunks;   ///< a power of two, at most `max_rounds` for each warp of a group
    std::size_t runs;      ///< of a segment
};

inline long_segments_plan plan_long_segments(std::size_t segments, std::size_t size, std::size_t chunk,
                                             unsigned max_rounds, const gpu_properties& gpu)
{
    constexpr unsigned warps = long_threads / 32;
    const std::size_t chunks = order::ceil_div(size, chunk);
    const std::size_t resident = std::size_t{warps} * long_blocks_per_sm * gpu.multiprocessors;
    unsigned group = 1;
    while (group < warps && group < chunks && (chunks > group * max_rounds || segments * group < resident))
        group *= 2;
    // Shorter runs occupy more multiprocessors, but blocks that share a segment take longer to end.
    unsigned run = group * max_rounds;
    if (chunks > 4 * group)
        while (run > group && segments * order::ceil_div(chunks, run) * group < 4 * resident)
            run /= 2;
    const std::size_t runs = order::ceil_div(chunks, run);
    return {order::ceil_div(segments * runs, warps / group), long_threads, group, run, runs};
}

/// The plan for segments by offsets that are not many or short; no blocks for others.
struct long_offsets_plan {
    std::size_t blocks;
    unsigned block_threads;
    unsigned group_warps;    ///< for each segment of at most a run, a power of two
    unsigned run_chunks;     ///< a power of two, at most `max_rounds` for each warp of a group
    std::size_t boundaries;  ///< multiples of a run inside the input
    unsigned block_tasks;    ///< of a block that shares runs, at most one for each warp
};

inline long_offsets_plan plan_long_offsets(std::size_t n, std::size_t segments, std::size_t chunk, unsigned max_rounds,
                                           const gpu_properties& gpu)
{
    const std::size_t mean = n / segments;
    if (mean < chunk && (3 * mean < chunk || segments > max_small_searched_per_sm * gpu.multiprocessors))
        return {0, 0, 0, 0, 0, 0};
    constexpr unsigned warps = long_threads / 32;
    const std::size_t resident = std::size_t{warps} * long_blocks_per_sm * gpu.multiprocessors;
    unsigned group = 1;
    while (group < warps && group * chunk < 2 * mean && 2 * group * segments <= resident)
        group *= 2;
    while (group < warps && group * max_rounds * chunk < 2 * mean)
        group *= 2;
    // Shorter runs divide long segments more evenly, but groups should fold most segments: of up to twice the mean.
    unsigned run = group * max_rounds;
    const bool has_longer = run * chunk < 2 * mean;
    while (run > 4 * group && n < gpu.multiprocessors * run * chunk && (has_longer || 2 * mean <= run / 2 * chunk))
        run /= 2;
    const std::size_t boundaries = n == 0 ? 0 : (n - 1) / (run * chunk);
    unsigned tasks = 1;
    while (!has_longer && tasks < warps && tasks * gpu.multiprocessors < 4 * boundaries)
        tasks *= 2;
    return {order::ceil_div(segments, warps / group), long_threads, group, run, boundaries, tasks};
}

/// The plan for other segments.
struct segmented_plan {
    std::size_t tile;      ///< positions of a tile
    std::size_t tiles;     ///< a block each
    std::size_t elements;  ///< most that a tile may have
    unsigned block_threads;
    bool has_long;  ///< segments may have several chunks, which several blocks fold
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
    return {tile, order::ceil_div(positions, tile), tile + smaller_of(longest, chunk), segmented_threads,
            longest > chunk};
}

}  // namespace parprims::detail::device
