/// @file
/// @brief  Which samples of which lines a block counts: tiles of lines of one length, and of segments by offsets.
///
/// A line has a histogram of its own. A tile is what a block counts at a time: neighbouring lines, or a part of one. Samples that follow
/// one another in memory are a run.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/contract/lines.hpp>
#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/contract/segments.hpp>
#include <parprims/detail/device/segmented/segments.hpp>
#include <parprims/detail/device/segmented_histogram/tuning.hpp>
#include <parprims/detail/numeric/integers.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <cstddef>
#include <cstdint>

namespace parprims::detail::device {

struct line_tile {
    std::size_t first;  // line
    std::size_t lines;
    std::size_t begin;  // its samples: positions in each line, or in the input
    std::size_t end;
};

struct sample_run {
    std::size_t first;  // offset in the input
    std::size_t size;
    unsigned line;             // of the lines that are counted together
    std::size_t position = 0;  // of its first sample in the line, of an array
};

/// Samples of a line in a tile, at most: a block counts them in 32 bits.
inline constexpr std::size_t max_counted_samples = std::size_t{1} << 31;

/// How lines of one length are divided.
struct lines_split {
    std::size_t tile_lines;
    std::size_t parts;  // of a line, each in another tile
    std::size_t share;  // samples of a part
};

/// Lines of one length. The out strides of `array` count counters.
struct uniform_lines {
    static constexpr bool is_uneven = false;

    array_lines array;
    std::size_t start;   // offset of the first element
    std::size_t count;   // lines
    std::size_t length;  // samples of a line
    std::size_t run;     // of a run; a line has whole ones
    std::size_t gap;     // samples at the end of a run that are not counted
    std::size_t end;     // of the input: the last line may be shorter
    lines_split split;

    std::size_t tiles() const { return order::ceil_div(count, split.tile_lines) * split.parts; }

    PARPRIMS_DEVICE line_tile tile(std::size_t t) const
    {
        const std::size_t above = split.parts == 1 ? t : t / split.parts;
        const std::size_t first = above * split.tile_lines;
        const std::size_t begin = (t - above * split.parts) * split.share;
        return {first, smaller_of(split.tile_lines, count - first), smaller_of(begin, length),
                smaller_of(begin + split.share, length)};
    }

    PARPRIMS_DEVICE unsigned runs(const line_tile& tile, unsigned lines) const { return lines * runs_of_line(tile); }

    /// Run i of the lines from `first` on.
    PARPRIMS_DEVICE sample_run run_at(const line_tile& tile, std::size_t first, unsigned i) const
    {
        const unsigned runs = runs_of_line(tile);
        const unsigned line = runs == 1 ? i : i / runs;
        const std::size_t number = run == length ? 0 : tile.begin / run + (i - line * runs);
        const std::size_t from = larger_of(tile.begin, number * run);
        const std::size_t size = smaller_of(tile.end, (number + 1) * run - gap) - from;
        const std::size_t offset = begin_of(first + line) + static_cast<std::size_t>(array.line.offset(from));
        return {offset, offset < end ? smaller_of(size, end - offset) : 0, line, from};
    }

    /// Where a line begins in the input.
    template <unsigned Unrolled = 1>
    PARPRIMS_DEVICE std::size_t begin_of(std::size_t line) const
    {
        return start + static_cast<std::size_t>(array.lines.offset<Unrolled>(line));
    }
    PARPRIMS_DEVICE std::size_t counters_at(std::size_t line) const
    {
        return static_cast<std::size_t>(array.lines.out_offset(line));
    }
    /// Where the weights of a run begin: sample i of the input has weight i.
    PARPRIMS_DEVICE static std::size_t weights_of(std::size_t, const sample_run& run) { return run.first; }

private:
    PARPRIMS_DEVICE unsigned runs_of_line(const line_tile& tile) const
    {
        if (run == length)
            return 1;
        return static_cast<unsigned>(order::ceil_div(tile.end, run) - tile.begin / run);
    }
};

/// Positions of a tile of segments by offsets: enough to be worth zeroing and writing the counters. A block has one tile, or a few of
/// many samples.
PARPRIMS_HOST_DEVICE inline std::size_t tile_positions(std::size_t samples, std::size_t lines, std::size_t weight,
                                                       std::size_t blocks, unsigned block_threads)
{
    const std::size_t least = larger_of(block_threads * min_tile_samples, min_tile_weights * weight);
    const std::size_t of_block = order::ceil_div(samples + lines * weight, blocks);
    const std::size_t of_one = smaller_of(of_block, block_threads * max_line_samples);
    const std::size_t of_few = order::ceil_div(samples, blocks * block_tiles);
    return smaller_of(larger_of(least, larger_of(of_one, of_few)) + weight, max_counted_samples);
}

/// Segments by offsets. A tile has as many positions as another: each line counts for `weight` of them, then each of its samples for one.
/// So the lengths of segments may differ as much as they like.
template <class Offsets>
struct offset_lines {
    static constexpr bool is_uneven = true;

    offset_segments<Offsets> segments;
    std::size_t extent;  // counters of a line
    std::size_t weight;
    std::size_t positions;  // of a tile

    PARPRIMS_HOST_DEVICE std::size_t tiles() const
    {
        return order::ceil_div(segments.n + segments.count * weight, positions);
    }

    /// Sets the number of segments to one that is not planned for. Samples behind the last segment are left out.
    PARPRIMS_DEVICE void resize(std::size_t count, std::size_t blocks, unsigned block_threads)
    {
        segments.count = count;
        segments.n = count == 0 ? 0 : segments.begin(count);
        positions = device::tile_positions(segments.n, count, weight, blocks, block_threads);
    }

    /// Of offsets that do not ascend it is any tile of samples of the input.
    PARPRIMS_DEVICE line_tile tile(std::size_t t) const
    {
        const std::size_t low = t * positions;
        const std::size_t high = low + positions;
        std::size_t first = find(low);
        const std::size_t last = find(high);
        std::size_t begin = 0;
        if (first != 0) {  // the line before may have samples in this tile
            begin = low - smaller_of(low, first * weight);
            --first;
        }
        return {first, last > first ? last - first : 0, begin, high - smaller_of(high, last * weight)};
    }

    PARPRIMS_DEVICE unsigned runs(const line_tile&, unsigned lines) const { return lines; }

    PARPRIMS_DEVICE sample_run run_at(const line_tile& tile, std::size_t first, unsigned i) const
    {
        std::size_t begin = segments.begin(first + i);
        std::size_t end = segments.begin(first + i + 1);
        if (first + i == tile.first)
            begin = larger_of(begin, tile.begin);
        if (first + i + 1 == tile.first + tile.lines)
            end = smaller_of(end, tile.end);
        return {begin, end > begin ? end - begin : 0, i};
    }

    PARPRIMS_DEVICE std::size_t counters_at(std::size_t line) const { return line * extent; }
    PARPRIMS_DEVICE static std::size_t weights_of(std::size_t, const sample_run& run) { return run.first; }

private:
    /// The first line whose position is not less than `position`.
    PARPRIMS_DEVICE std::size_t find(std::size_t position) const
    {
        return find_first(segments.count, [&](std::size_t s) { return s * weight + segments.begin(s) < position; });
    }
};

/// The lines that a block takes together, and how its threads share their runs: a group of threads takes a run. Then all threads of the block take those that are too long for a group, where lengths differ.
template <class Lines>
struct block_runs {
    const Lines& lines;
    unsigned group;               // threads
    unsigned* long_runs;          // in shared memory: how many are too long
    std::uint32_t* long_numbers;  // in shared memory: which

    /// Calls `use(tile, first, now)` for the block's tiles: for `now` lines from `first` on, of at most `room`. Each time, a barrier comes before.
    /// `use` ends with a barrier behind `for_each`, if lengths differ.
    template <class Use>
    PARPRIMS_DEVICE void for_each_room(simt::block block, std::size_t tiles, unsigned room, Use use) const
    {
        const auto clear_long_runs = [&] {
            if (Lines::is_uneven && block.thread() == 0)
                simt::store(long_runs, 0u);
        };
        clear_long_runs();
        for (std::size_t t = block.index(); t < tiles; t += block.count()) {
            const line_tile tile = lines.tile(t);
            for (std::size_t done = 0; done < tile.lines; done += room) {
                block.sync();
                use(tile, tile.first + done, static_cast<unsigned>(smaller_of<std::size_t>(room, tile.lines - done)));
                clear_long_runs();
            }
        }
    }

    /// Calls `use(run, thread, threads)` for the runs of `now` lines from `first` on, in each of the threads that take it.
    template <class Use>
    PARPRIMS_DEVICE void for_each(simt::block block, const line_tile& tile, std::size_t first, unsigned now,
                                  Use use) const
    {
        // One loop for short and long runs, so that the code of `use` is there once.
#pragma unroll 1
        for (bool are_long = false;; are_long = true) {
            const unsigned size = are_long ? block.threads() : group;
            const unsigned thread = are_long ? block.thread() : block.thread() % group;
            const unsigned runs = are_long ? simt::load(long_runs) : lines.runs(tile, now);
            for (unsigned i = are_long ? 0 : block.thread() / group; i < runs; i += block.threads() / size) {
                const sample_run run = lines.run_at(tile, first, are_long ? simt::load(long_numbers, i) : i);
                if (!Lines::is_uneven || are_long || run.size <= std::size_t{group} * max_group_samples)
                    use(run, thread, size);
                else if (thread == 0)
                    simt::store(long_numbers, simt::atomic_add(long_runs, 1u), i);
            }
            if (!Lines::is_uneven || are_long)
                return;
            block.sync();
        }
    }

    /// Calls `use(line, first, step)` for those of `now` lines of which this thread takes samples: each `step`-th one from sample `first` on.
    /// `across`: neighbouring threads take neighbouring lines, not neighbouring samples.
    template <class Use>
    PARPRIMS_DEVICE void for_each_line(simt::block block, unsigned now, bool across, Use use) const
    {
        const unsigned step = across ? block.threads() / now : group;
        const unsigned from = across ? block.thread() / now : block.thread() % group;
        const unsigned ahead = across ? now : block.threads() / group;
        for (unsigned line = across ? block.thread() % now : block.thread() / group; line < now; line += ahead)
            if (from < step)
                use(line, from, step);
    }
};

}  // namespace parprims::detail::device
