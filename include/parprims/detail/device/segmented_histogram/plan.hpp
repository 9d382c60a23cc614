/// @file
/// @brief  How many histograms are counted: the tiles, and the counters of a block. Pure: no GPU is asked.
#pragma once

#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/device/call/launcher.hpp>
#include <parprims/detail/device/histogram/plan.hpp>
#include <parprims/detail/device/segmented_histogram/lines.hpp>
#include <parprims/detail/device/segmented_histogram/tuning.hpp>
#include <parprims/detail/numeric/integers.hpp>

#include <cstddef>

namespace parprims::detail::device {

/// What a plan depends on, besides the GPU.
struct lines_size {
    std::size_t lines;
    std::size_t length;    ///< samples of a line; a mean, if lengths differ
    std::size_t run;       ///< samples of a run; a mean, if lengths differ
    std::size_t counters;  ///< of a line
    unsigned items;        ///< samples of a packet
    bool are_uneven;       ///< lines by offsets
    bool across;           ///< neighbouring threads take neighbouring lines
    unsigned words = 1;    ///< of a counter, 32 bits each
    std::size_t all = 0;   ///< samples of all lines, if lengths differ

    constexpr std::size_t counter_words() const { return counters * words; }
    constexpr std::size_t replica_words() const { return (counters + 1) * words; }
};

struct lines_plan {
    bool in_shared;
    unsigned room;          ///< lines that a block counts together
    unsigned group;         ///< threads that count a run
    unsigned replicas;      ///< private copies of the counters in a block
    lines_split split;      ///< of lines of one length
    std::size_t weight;     ///< of a line, in samples, if lengths differ
    std::size_t positions;  ///< of a tile, then
    unsigned block_threads;
    std::size_t shared_bytes;
    std::size_t blocks_per_sm;

    /// A block has a tile of one line, or several tiles of more: see tuning.hpp.
    launch_shape shape(std::size_t tiles, const gpu_properties& gpu) const
    {
        const std::size_t most = room == 1 ? max_line_blocks : gpu.multiprocessors * blocks_per_sm;
        return {larger_of<std::size_t>(smaller_of(tiles, most), 1), block_threads, shared_bytes};
    }
};

/// Private copies of the counters: as many as fit, but where lines are short no more than their samples are worth.
inline unsigned replicas_of_lines(const lines_size& size, std::size_t fit)
{
    if (size.across || (size.words == 1 && size.items <= max_unreplicated_items))
        return 1;  // neighbouring threads count in different lines
    const std::size_t worth = (size.words == 1 ? counters_per_sample : sum_words_per_sample) * size.length;
    unsigned replicas = 32;
    while (replicas > 1 && (size.replica_words() * replicas > fit || size.counter_words() * replicas > worth))
        replicas /= 2;
    return replicas;
}

/// Threads that count a run: a power of two or all, not fewer than there may be samples before and after its packets.
inline unsigned group_of_runs(const lines_size& size, unsigned block_threads)
{
    const unsigned least = larger_of(8u, smaller_of(2 * size.items, 32u));
    if (!size.are_uneven && size.length / size.run >= many_runs)
        return larger_of(least, 32u);
    unsigned group = least;
    while (group < block_threads && std::size_t{group} * group_packets * size.items < size.run)
        group = 2 * group <= block_threads / 2 ? 2 * group : block_threads;
    return group;
}

/// Lines that a block should count together: at least two for each group of threads; more, if all resident blocks then have the same number
/// of tiles.
inline std::size_t wanted_lines(const lines_size& size, std::size_t groups, std::size_t line_bytes,
                                std::size_t resident)
{
    if (size.across)
        return across_lines;
    if (groups == 1 || size.run != size.length)
        return 1;
    const std::size_t most = clamped(max_lines_bytes / line_bytes, 2 * groups, group_lines * groups);
    const std::size_t tiles = order::ceil_div(size.lines, most * resident) * resident;
    return larger_of(order::ceil_div(size.lines, tiles), 2 * groups);
}

/// Parts of a line, or of lines that are counted together, at most `most`. A block takes a part at a time: there are as few as leave few blocks
/// idle in the last round.
inline std::size_t parts_of_line(std::size_t lines, std::size_t blocks, std::size_t most)
{
    std::size_t parts = clamped<std::size_t>(blocks / lines, 1, most);
    const auto places = [&] { return order::ceil_div(lines * parts, blocks) * blocks; };
    while (parts < most && (places() - lines * parts) * max_idle_blocks > places())
        ++parts;
    return parts;
}

inline lines_plan plan_lines(const lines_size& size, const gpu_properties& gpu)
{
    lines_plan plan{};
    plan.replicas = 1;
    // A word is left for how many runs are long, and for each line one for the number of a long run.
    const std::size_t fit = max_shared_counters(gpu) - (size.are_uneven ? 1 : 0);
    plan.in_shared = size.replica_words() <= fit;
    if (plan.in_shared)
        plan.replicas = replicas_of_lines(size, smaller_of(fit, max_replicated_bytes / sizeof(std::uint32_t)));

    // A block for a third of a multiprocessor, or one for all of it.
    const std::size_t line_bytes =
        plan.in_shared ? (size.replica_words() * plan.replicas + (size.are_uneven ? 1 : 0)) * sizeof(std::uint32_t) : 0;
    const auto room_of = [&](unsigned threads) {
        const std::size_t blocks = lines_sm_threads / threads;
        return smaller_of(gpu.shared_bytes_per_multiprocessor / blocks - reserved_shared_bytes,
                          gpu.shared_bytes_per_block);
    };
    const bool is_wide = size.across && line_bytes * min_wide_lines <= room_of(lines_sm_threads);
    const std::size_t least_lines = is_wide ? smaller_of(across_lines, size.lines) : 1;
    plan.block_threads =
        line_bytes * least_lines <= room_of(lines_block_threads) ? lines_block_threads : lines_sm_threads;

    // As many lines as there is room for.
    plan.group = group_of_runs(size, plan.block_threads);
    const std::size_t groups = plan.block_threads / plan.group;
    const std::size_t resident = std::size_t{gpu.multiprocessors} * (lines_sm_threads / plan.block_threads);
    const std::size_t wanted = wanted_lines(size, groups, larger_of<std::size_t>(line_bytes, 1), resident);
    const std::size_t room = larger_of<std::size_t>(
        (room_of(plan.block_threads) - sizeof(std::uint32_t)) / larger_of<std::size_t>(line_bytes, 1), 1);
    plan.room = static_cast<unsigned>(smaller_of(smaller_of(wanted, size.lines), room));
    if (size.run == size.length)
        while (plan.group < plan.block_threads && plan.block_threads / plan.group > plan.room)
            plan.group = 2 * plan.group <= plan.block_threads / 2 ? 2 * plan.group : plan.block_threads;
    plan.shared_bytes = sizeof(std::uint32_t) + plan.room * larger_of(line_bytes, sizeof(std::uint32_t));
    plan.blocks_per_sm =
        larger_of(1u, smaller_of(lines_sm_threads, gpu.threads_per_multiprocessor) / plan.block_threads);

    const std::size_t blocks = gpu.multiprocessors * plan.blocks_per_sm;
    const std::size_t least = plan.block_threads * max_line_samples;
    plan.weight =
        larger_of<std::size_t>(plan.in_shared ? size.counter_words() * plan.replicas / counters_per_sample : 0, 8);
    plan.positions = tile_positions(size.all, size.lines, plan.weight, blocks, plan.block_threads);
    const std::size_t most_parts = larger_of<std::size_t>(order::ceil_div(size.length * plan.room, least), 1);
    const std::size_t large_tiles = (size.lines + plan.room / 2) / plan.room;  // a last one of few lines ends early
    const std::size_t least_parts = order::ceil_div(size.length, max_counted_samples / 2);
    plan.split = {plan.room, larger_of(parts_of_line(large_tiles, blocks, most_parts), least_parts), 0};
    plan.split.share =
        order::ceil_div(order::ceil_div(size.length, plan.split.parts), 192) * 192;  // whole packets and pixels
    plan.split.parts = larger_of<std::size_t>(order::ceil_div(size.length, plan.split.share), 1);
    return plan;
}

}  // namespace parprims::detail::device
