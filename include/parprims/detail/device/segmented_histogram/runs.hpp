/// @file
/// @brief  The lines that a block takes together, and how its threads share their runs.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/device/segmented_histogram/lines.hpp>
#include <parprims/detail/device/segmented_histogram/tuning.hpp>
#include <parprims/detail/numeric/integers.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <cstddef>
#include <cstdint>

namespace parprims::detail::device {

/// A group of threads takes a run. Then all threads of the block take those that are too long for a group, where lengths differ.
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
