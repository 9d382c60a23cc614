/// @file
/// @brief  The kernel that adds weights in a histogram of each line of samples.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/axis/sample.hpp>
#include <parprims/detail/device/segmented_histogram/lines.hpp>
#include <parprims/detail/device/segmented_histogram/runs.hpp>
#include <parprims/detail/device/segmented_histogram/tuning.hpp>
#include <parprims/detail/device/weighted/kernel.hpp>
#include <parprims/detail/device/weighted/samples.hpp>
#include <parprims/detail/device/weighted/tuning.hpp>
#include <parprims/detail/numeric/integers.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <cstddef>
#include <cstdint>

namespace parprims::detail::device {

/// Sums of several lines in a block's shared memory, in replicas as those of weighted_shared_kernel. `Weighted` are the samples of all
/// lines: their slots are those of the first line, then those of the next one.
template <class Weighted, class Samples, class Lines, unsigned Values>
struct weighted_lines_kernel : weighted_kernel_base<Weighted, Values> {
    static constexpr unsigned max_threads = lines_sm_threads;
    using typename weighted_kernel_base<Weighted, Values>::weight_type;
    using typename weighted_kernel_base<Weighted, Values>::words;
    using numbers = typename words::numbers;
    using run_type = weighted_samples<Samples, decltype(Weighted::weights), false>;
    struct shared_storage {
        std::uint32_t looked;
        unsigned long_runs;  // of block_runs
        simt::shared_array<std::uint32_t> words;
        // `room` numbers of long runs, if there may be any; then the planes of room * counters of a line * replicas sums. These and `long_runs`
        // fit, as lines_plan counts a counter more for each line
    };

    Lines lines;
    Samples samples;  // n is 0: `from` has the samples of a run
    std::size_t tiles;
    unsigned room;      // lines that are added together
    unsigned group;     // threads that add a run
    unsigned replicas;  // a power of two

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage& shared) const
    {
        const auto width = static_cast<std::uint32_t>(samples.counters());
        const std::uint32_t plane = room * width * replicas;
        std::uint32_t* const sums = shared.words.data() + (Lines::is_uneven ? room : 0);

        // 1. Zero the private sums; find the digits that they hold.
        for (std::uint32_t i = block.thread(); i < words::shared_words * plane; i += block.threads())
            simt::store(sums, i, 0u);
        const auto digits = this->find_windows(block, &shared.looked);

        const block_runs<Lines> runs{lines, group, &shared.long_runs, shared.words.data()};
        runs.for_each_room(block, tiles, room, [&](const line_tile& tile, std::size_t first, unsigned now) {
            // 2. Add the weights of these lines to sums that are zero.
            samples.with_all([&](const auto& find) {
                std::uint32_t* const replica = simt::kept_address(sums + (block.thread() & (replicas - 1)));
                runs.for_each(block, tile, first, now, [&](const sample_run& run, unsigned thread, unsigned threads) {
                    add_run(run, first + run.line, thread, threads, digits, find, replica + run.line * width * replicas,
                            plane);
                });
            });
            block.sync();
            // 3. Add the copies up, and the sums to those of all blocks.
            flush(block, sums, plane, width, first, now);
        });
    }

private:
    /// The slot of all lines that is `slot` of one line; none of them if that is none of its own.
    PARPRIMS_DEVICE std::size_t slot_in(std::size_t line, std::size_t slot) const
    {
        const std::size_t extent = samples.axis.extent();
        return slot < extent ? line * extent + slot : this->input.samples.axis.extent();
    }

    template <class Digits, class Find>
    PARPRIMS_DEVICE void add_run(const sample_run& run, std::size_t line, unsigned thread, unsigned threads,
                                 const Digits& digits, const Find& find, std::uint32_t* sums, std::uint32_t plane) const
    {
        const run_type part{samples.from(run.first, run.size), this->input.weights.from(run.first)};
        part.template for_each_group<weighted_together>(
            thread, threads,
            [&]<unsigned Count>(const typename run_type::sample_type(&those)[Count],
                                const weight_type(&weights)[Count]) {
                std::uint32_t bins[Count];
                numbers added[Count];
#pragma unroll
                for (unsigned j = 0; j < Count; ++j) {
                    const detail::axis::window_position at = find(those[j]);
                    bins[j] = at.inside ? at.offset * replicas : words::none;
                    added[j] = this->numbers_of(
                        digits, weights[j], [&] { return slot_in(line, slot_of(at.offset, those[j])); }, !at.inside);
                }
                words::template add_to_shared<true>(sums, plane, bins, added);
            });
    }

    PARPRIMS_DEVICE std::size_t slot_of([[maybe_unused]] std::uint32_t counter,
                                        [[maybe_unused]] const typename Samples::value_type& sample) const
    {
        if constexpr (Samples::by_byte)
            return samples.axis.slot(sample);
        else
            return counter;
    }

    PARPRIMS_DEVICE void flush(simt::block block, std::uint32_t* sums, std::uint32_t plane, std::uint32_t width,
                               std::size_t first, unsigned now) const
    {
        const std::size_t all = this->input.samples.axis.extent();
        const unsigned start = block.thread() * replicas / simt::warp_size;  // so that lanes read from different banks
        for (std::uint32_t k = block.thread(); k < now * width; k += block.threads()) {
            std::uint32_t* const of_counter = sums + k * replicas;
            words sum;
            sum.load_shared(of_counter, plane, replicas, start);
            std::uint32_t any = 0;
#pragma unroll
            for (unsigned w = 0; w < words::shared_words; ++w) {
                any |= sum.words[w];
                for (unsigned c = 0; c < replicas; ++c)
                    simt::store(of_counter + w * plane, (start + c) & (replicas - 1), 0u);
            }
            if (any == 0)  // the axis is asked about values of samples only
                continue;
            const std::uint32_t line = k / width;
            if (const std::size_t slot = slot_in(first + line, samples.slot_of(k - line * width)); slot < all)
                sum.add_to_global(this->memory.sums + slot, all, false);
        }
    }
};

}  // namespace parprims::detail::device
