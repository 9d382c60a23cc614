/// @file
/// @brief  The kernel that counts many histograms, one for each line of samples.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/axis/sample.hpp>
#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/device/histogram/kernel.hpp>
#include <parprims/detail/device/histogram/samples.hpp>
#include <parprims/detail/device/segmented_histogram/lines.hpp>
#include <parprims/detail/device/segmented_histogram/tuning.hpp>
#include <parprims/detail/numeric/integers.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace parprims::detail::device {

/// Zeroes the counters of segments whose number is in device memory.
template <class Counter>
struct zero_counters_kernel {
    static constexpr unsigned max_threads = lines_block_threads;
    struct shared_storage {};

    Counter* counts;
    std::size_t extent;  // counters of a segment
    std::size_t all = 0;

    PARPRIMS_DEVICE std::size_t resize(std::size_t segments, std::size_t blocks)
    {
        all = segments * extent;
        return smaller_of(order::ceil_div(all, simt::block::threads()), blocks);
    }

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage&) const
    {
        for (std::size_t i = block.index() * std::size_t{max_threads} + block.thread(); i < all;
             i += block.count() * std::size_t{max_threads})
            simt::store(counts, i, Counter{0});
    }
};

/// Counters of several lines in a block's shared memory, in replicas as those of histogram_shared_kernel; or in device memory if a
/// line has too many. `Strided`: the samples of a line do not follow one another, but those of neighbouring lines may.
template <class Lines, class Samples, class Counter, bool Strided, bool Shared>
struct line_histograms_kernel {
    static constexpr unsigned max_threads = lines_sm_threads;
    struct shared_storage {
        unsigned long_runs;  // that all threads of the block count; of lines whose lengths differ
        simt::shared_array<std::uint32_t> words;
        // `room` numbers of long runs, if there may be any; then room * (counters of a line + 1) * replicas counters
    };

    Lines lines;
    Samples samples;  // n is 0: `from` has the samples of a run
    Counter* counts;
    std::size_t tiles;
    unsigned room;      // lines that are counted together
    unsigned group;     // threads that count a run, or a line if `Strided`
    unsigned replicas;  // a power of two
    bool overwrites;    // no two blocks count one line: counters need not be zero before
    bool across;        // if `Strided`: neighbouring threads take neighbouring lines

    PARPRIMS_DEVICE std::size_t resize(std::size_t segments, std::size_t blocks)
        requires Lines::is_uneven
    {
        lines.resize(segments, blocks, simt::block::threads());
        tiles = lines.tiles();
        return smaller_of(tiles, blocks);
    }

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage& shared) const
    {
        std::uint32_t* const counters = shared.words.data() + (Lines::is_uneven ? room : 0);
        const auto width = static_cast<std::uint32_t>(samples.counters());
        if constexpr (Shared)
            for (std::uint32_t i = block.thread(); i < room * (width + 1) * replicas; i += block.threads())
                simt::store(counters, i, 0u);
        const block_runs<Lines> runs{lines, group, &shared.long_runs, shared.words.data()};
        runs.for_each_room(block, tiles, room, [&](const line_tile& tile, std::size_t first, unsigned now) {
            if constexpr (Shared) {
                // 1. Count in shared memory, which is zero. Samples outside are counted behind the others, as in
                //    histogram_shared_kernel.
                auto* const replica = counters + (block.thread() & (replicas - 1));
                const std::uint32_t step = replicas * sizeof(std::uint32_t);
                samples.with_all([&](const auto& position_of) {
                    count(block, runs, tile, first, now, [&](unsigned line) {
                        auto* const of_line = reinterpret_cast<unsigned char*>(
                            simt::kept_address(replica + line * (width + 1) * replicas));
                        return [=, &position_of](const auto& sample) {
                            const detail::axis::window_position position = position_of(sample);
                            auto* const address = of_line + (position.inside ? position.offset : width) * step;
                            simt::atomic_add(reinterpret_cast<std::uint32_t*>(address), 1u);
                        };
                    });
                });
                block.sync();
                // 2. Write the counts, and zero the counters again.
                write(block, counters, width, first, now);
            } else {
                count(block, runs, tile, first, now, [&](unsigned line) {
                    return [this, target = counts + lines.counters_at(first + line)](const auto& sample) {
                        device::add_to_slot(samples.axis, target, samples.axis.slot(sample), 1);
                    };
                });
                if constexpr (Lines::is_uneven)
                    block.sync();
            }
        });
    }

private:
    /// Calls `count_in(line)(sample)` for the samples of `now` lines from `first` on.
    template <class CountIn>
    PARPRIMS_DEVICE void count(simt::block block, const block_runs<Lines>& runs, const line_tile& tile,
                               std::size_t first, unsigned now, CountIn count_in) const
    {
        if constexpr (Strided) {
            runs.for_each_line(block, now, across, [&](unsigned line, unsigned from, unsigned step) {
                count_line(tile.begin + from, step, tile.end, first + line, count_in(line));
            });
        } else {
            runs.for_each(block, tile, first, now, [&](const sample_run& run, unsigned thread, unsigned threads) {
                const Samples part = samples.from(run.first, run.size);
                typename Samples::packets_ahead ahead;
                part.load_first(ahead, thread, threads);
                part.for_each(ahead, thread, threads, count_in(run.line));
            });
        }
    }

    /// Counts each `step`-th sample of a line. Some are in flight while earlier ones are counted: any one in the place of a sample that is
    /// not there.
    template <class Count>
    PARPRIMS_DEVICE void count_line(std::size_t position, unsigned step, std::size_t end, std::size_t line,
                                    Count count) const
    {
        const std::size_t base = lines.template begin_of<max_rank>(line);
        const auto count_batch = [&]<unsigned... B>(std::integer_sequence<unsigned, B...>) {
            const auto load = [&](std::size_t at) {
                const std::size_t k = smaller_of(at, end - 1);
                return samples.at(base + static_cast<std::size_t>(lines.array.line.template offset<max_rank>(k)), k);
            };
            const typename Samples::value_type loaded[] = {load(position + B * step)...};
            ((position + B * step < end ? count(loaded[B]) : void()), ...);
        };
        for (; position < end; position += strided_loads * step)
            count_batch(std::make_integer_sequence<unsigned, strided_loads>());
    }

    PARPRIMS_DEVICE void write(simt::block block, std::uint32_t* counters, std::uint32_t width, std::size_t first,
                               unsigned now) const
    {
        const unsigned first_replica =
            block.thread() * replicas / simt::warp_size;  // so that lanes read from different banks
        for (std::uint32_t k = block.thread(); k < now * width; k += block.threads()) {
            const std::uint32_t line = k / width;
            const std::uint32_t i = k - line * width;
            std::uint32_t sum = 0;
            for (unsigned c = 0; c < replicas; ++c) {
                const std::uint32_t at = (k + line) * replicas + ((first_replica + c) & (replicas - 1));
                sum += simt::load(counters, at);
                simt::store(counters, at, 0u);
            }
            Counter* const target = counts + lines.counters_at(first + line);
            if (!Samples::by_byte && overwrites)
                simt::store(target, i, static_cast<Counter>(sum));
            else
                device::add_counted(samples, target, i, sum);
        }
    }
};

}  // namespace parprims::detail::device
