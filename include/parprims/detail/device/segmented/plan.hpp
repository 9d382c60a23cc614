/// @file
/// @brief  The plan of a segmented reduction. Pure functions: no GPU is needed.
#pragma once

#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/contract/segments.hpp>
#include <parprims/detail/device/call/launcher.hpp>
#include <parprims/detail/device/segmented/tuning.hpp>
#include <parprims/detail/numeric/integers.hpp>

#include <cstddef>

namespace parprims::detail::device {

enum class segments_kernel {
    few,           ///< `small_segments_kernel`
    tiles,         ///< `segmented_reduce_kernel`
    long_segments  ///< `long_segments_kernel`
};
struct segments_choice {
    segments_kernel kernel;
};

/// What a plan knows of segments.
struct segment_sizes {
    std::size_t n;        ///< elements of the input
    std::size_t count;    ///< segments
    std::size_t longest;  ///< most elements from one begin to the next; of wide rows in place, of a row
    bool are_in_place;    ///< rows are read where they lie, because tiles would have the gaps, too
};

/// Rows are wide if their elements have at least `min_in_place_bytes`. A warp loads elements one by one. For narrow ones that takes longer than to
/// copy the gaps, too, or than the kernel of long segments.
inline segment_sizes sizes_of(const fixed_segments& rows, std::size_t value_bytes)
{
    if (value_bytes < min_in_place_bytes)
        return {rows.n, rows.count, rows.longest(), rows.are_far_apart()};
    const bool is_long = rows.length * value_bytes > max_line_bytes;
    const bool are_in_place = rows.are_far_apart() || (is_long && 8 * rows.gap() >= rows.length);
    return {rows.n, rows.count, are_in_place ? rows.length : rows.longest(), are_in_place};
}
template <class Offsets>
segment_sizes sizes_of(const offset_segments<Offsets>& segments, std::size_t)
{
    return {segments.n, segments.count, segments.longest(), false};
}

/// @param  max_small_chunks  most chunks of the input for `small_segments_kernel`, if segments may have several chunks
inline segments_choice choose_segments_kernel(const segment_sizes& of, bool searches, std::size_t chunk,
                                              std::size_t max_small_chunks, const gpu_properties& gpu)
{
    const auto [n, segments, longest, are_in_place] = of;
    if (are_in_place)
        return {longest > chunk ? segments_kernel::long_segments : segments_kernel::few};
    if (searches ? n > segments * chunk : longest > chunk)
        return {segments_kernel::long_segments};
    if (segments > (searches ? max_small_searched_per_sm : max_small_segments_per_sm) * gpu.multiprocessors)
        return {searches && 4 * n > min_long_mean_quarters * segments * chunk ? segments_kernel::long_segments
                                                                              : segments_kernel::tiles};
    if (longest <= chunk || n <= clamped(segments, max_small_chunks / 4, max_small_chunks) * chunk)
        return {segments_kernel::few};
    return {3 * (n / segments) >= chunk ? segments_kernel::long_segments : segments_kernel::tiles};
}

/// The plan of `small_segments_kernel`.
struct small_segments_plan {
    std::size_t blocks;
    unsigned block_threads;
    unsigned block_segments;  ///< at most one for each warp
};

inline small_segments_plan plan_small_segments(const segment_sizes& of, std::size_t chunk, const gpu_properties& gpu)
{
    constexpr unsigned most = small_threads / 32;
    const std::size_t blocks = of.n <= few_small_blocks * chunk ? few_small_blocks : gpu.multiprocessors;
    unsigned block_segments = most;
    while (block_segments > 1 && order::ceil_div(of.count, block_segments / 2) <= blocks)
        block_segments /= 2;
    return {order::ceil_div(of.count, block_segments), 32 * (of.longest > chunk ? most : block_segments),
            block_segments};
}

/// The plan of `long_segments_kernel`. Segments of one size: a group of warps folds a subtree. Segments by offsets: groups fold segments of
/// at most a subtree, and blocks that have boundaries fold the subtrees of longer segments.
struct long_segments_plan {
    std::size_t blocks;  ///< that groups form, without blocks that have boundaries
    unsigned block_threads;
    unsigned group_warps;     ///< a power of two
    unsigned subtree_chunks;  ///< a power of two, at most `max_rounds` for each warp of a group
    std::size_t boundaries;   ///< multiples of a subtree inside the input; 0 if no segment has several subtrees
    unsigned block_tasks;     ///< of a block that has boundaries: two for each boundary, or one; a power of two
};

inline long_segments_plan plan_long_segments(const fixed_segments& segments, std::size_t chunk, unsigned max_rounds,
                                             const gpu_properties& gpu)
{
    constexpr unsigned warps = long_threads / 32;
    const std::size_t chunks = order::ceil_div(segments.length, chunk);
    const std::size_t resident = std::size_t{warps} * long_blocks_per_sm * gpu.multiprocessors;
    unsigned group = 1;
    while (group < warps && group < chunks && (chunks > group * max_rounds || segments.count * group < resident))
        group *= 2;
    // Smaller subtrees occupy more multiprocessors, but blocks that share a segment take longer to end.
    unsigned subtree = group * max_rounds;
    if (chunks > 4 * group)
        while (subtree > group && segments.count * order::ceil_div(chunks, subtree) * group < 4 * resident)
            subtree /= 2;
    const std::size_t subtrees = order::ceil_div(chunks, subtree);
    return {order::ceil_div(segments.count * subtrees, warps / group),
            long_threads,
            group,
            subtree,
            subtrees == 1 ? 0 : (segments.n - 1) / (subtree * chunk),
            0};
}

template <class Offsets>
long_segments_plan plan_long_segments(const offset_segments<Offsets>& segments, std::size_t chunk, unsigned max_rounds,
                                      const gpu_properties& gpu)
{
    constexpr unsigned warps = long_threads / 32;
    const std::size_t most = 2 * (segments.n / segments.count);  // twice the mean: few segments are longer
    const std::size_t resident = std::size_t{warps} * long_blocks_per_sm * gpu.multiprocessors;
    unsigned group = 1;
    while (group < warps && group * chunk < most && 2 * group * segments.count <= resident)
        group *= 2;
    while (group < warps && group * max_rounds * chunk < most)
        group *= 2;
    // Smaller subtrees divide long segments more evenly among the multiprocessors, but groups should fold most segments.
    unsigned subtree = group * max_rounds;
    const bool are_longer = subtree * chunk < most;
    while (subtree > 4 * group && segments.n < gpu.multiprocessors * subtree * chunk &&
           (are_longer || most <= subtree / 2 * chunk))
        subtree /= 2;
    const std::size_t boundaries = segments.n == 0 ? 0 : (segments.n - 1) / (subtree * chunk);
    // A block of few warps ends sooner after its longest segment.
    const unsigned used = larger_of(group, warps / 2);
    // Blocks with boundaries are few, as most find no segment, but enough to occupy the GPU with a long one if boundaries are many.
    unsigned tasks = 1;
    const std::size_t least = std::size_t{gpu.multiprocessors} * (warps / used);
    while (!are_longer && tasks < max_block_tasks && tasks * least < (tasks < 8 ? 4 * boundaries : boundaries / 2))
        tasks *= 2;
    return {order::ceil_div(segments.count, used / group), 32 * used, group, subtree, boundaries, tasks};
}

/// The plan of `segmented_reduce_kernel`.
struct segmented_plan {
    std::size_t tile;      ///< positions of a tile
    std::size_t tiles;     ///< a block has one
    std::size_t elements;  ///< of a tile, at most
    unsigned block_threads;
    unsigned resident;  ///< blocks that run at a time: no more tiles, unless they have the largest size
};

/// Positions of a tile, at most `most`.
PARPRIMS_HOST_DEVICE inline std::size_t segmented_tile(std::size_t positions, std::size_t resident, std::size_t most)
{
    return smaller_of(most, larger_of(min_segmented_tile, order::ceil_div(positions, resident)));
}

/// @param  longest   most elements of a segment
/// @param  chunk     elements of a chunk
/// @param  max_tile  most positions of a tile
inline segmented_plan plan_segmented(std::size_t n, std::size_t segments, std::size_t longest, std::size_t chunk,
                                     std::size_t max_tile, const gpu_properties& gpu)
{
    const std::size_t positions = n + segments;
    const unsigned resident = segmented_blocks_per_sm * gpu.multiprocessors;
    const std::size_t tile = segmented_tile(positions, resident, max_tile);
    return {tile, order::ceil_div(positions, tile), tile + smaller_of(longest, chunk), segmented_threads, resident};
}

}  // namespace parprims::detail::device
