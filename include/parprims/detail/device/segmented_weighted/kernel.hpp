/// @file
/// @brief  The kernel that adds weights in a histogram of each line of samples.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/device/segmented_histogram/lines.hpp>
#include <parprims/detail/device/segmented_histogram/tuning.hpp>
#include <parprims/detail/device/weighted/kernel.hpp>
#include <parprims/detail/device/weighted/samples.hpp>
#include <parprims/detail/device/weighted/tuning.hpp>
#include <parprims/detail/numeric/integers.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace parprims::detail::device {

/// Zeroes what the sums of segments need, whose number is in device memory.
template <class W, unsigned Values>
struct zero_segments_kernel {
    static constexpr unsigned max_threads = lines_block_threads;
    struct shared_storage {};

    weighted_memory<W, Values> memory;
    std::size_t all;     // slots that there is memory for
    std::size_t extent;  // of a segment
    std::size_t slots = 0;
    std::size_t rows = 0;  // of outliers, that these slots may take

    PARPRIMS_DEVICE std::size_t resize(std::size_t segments, std::size_t blocks)
    {
        slots = segments * extent;
        // Where there are more rows than slots, no slot takes another row than its own.
        rows = smaller_of(memory.outliers.rows, slots);
        const std::size_t items = larger_of(slots, rows * memory.outliers.row_limbs);
        return smaller_of(items / simt::block::threads() + 1, blocks);
    }

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage&) const
    {
        const std::size_t thread = block.index() * block.threads() + block.thread();
        const std::size_t threads = block.count() * block.threads();
        if (thread == 0)
            simt::store(memory.all, typename weighted_memory<W, Values>::state{});
        for (std::size_t i = thread; i < slots; i += threads) {
            simt::store(memory.flags, i, 0u);
#pragma unroll
            for (unsigned w = 0; w < bin_words<W, Values>::global_words; ++w)
                simt::store(memory.sums, w * all + i, std::uint64_t{0});
        }
        for (std::size_t i = thread; are_shared() && i < rows; i += threads)
            simt::store(memory.outliers.owners, i, std::uint64_t{0});
        for (std::size_t i = thread; i < rows * memory.outliers.row_limbs; i += threads)
            simt::store(memory.outliers.limbs, i, std::uint64_t{0});
    }

private:
    PARPRIMS_DEVICE bool are_shared() const { return memory.outliers.rows < memory.outliers.extent; }
};

/// Sums of several lines in a block's shared memory, in replicas as those of weighted_shared_kernel. `Weighted` are the samples of all
/// lines: their slots are those of one line, then those of another. `Strided`: the samples of a line do not follow one another, or their weights
/// do not.
template <class Weighted, class Samples, class Weights, class Lines, unsigned Values, bool Strided>
struct weighted_lines_kernel : weighted_kernel_base<Weighted, Values> {
    static constexpr unsigned max_threads = lines_sm_threads;
    using typename weighted_kernel_base<Weighted, Values>::weight_type;
    using typename weighted_kernel_base<Weighted, Values>::words;
    using numbers = typename words::numbers;
    using run_type = weighted_samples<Samples, Weights, false>;
    using sample_type = typename run_type::sample_type;
    struct shared_storage {
        std::uint32_t looked;
        unsigned long_runs;  // of block_runs
        simt::shared_array<std::uint32_t> words;
        // `room` numbers of long runs, if there may be any; then the planes of room * counters of a line * replicas sums. These and `long_runs`
        // fit, as lines_plan counts a counter more for each line
    };

    Lines lines;
    Samples samples;  // n is 0: `from` has the samples of a run
    Weights weights;
    std::size_t tiles;
    unsigned room;      // lines that are added together
    unsigned group;     // threads that add a run, or a line if `Strided`
    unsigned replicas;  // a power of two
    bool across;        // if `Strided`: neighbouring threads take neighbouring lines

    PARPRIMS_DEVICE std::size_t resize(std::size_t segments, std::size_t blocks)
        requires Lines::is_uneven
    {
        this->input.resize(segments);
        lines.resize(segments, blocks, simt::block::threads());
        tiles = lines.tiles();
        return smaller_of(tiles, blocks);
    }

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage& shared) const
    {
        const auto width = static_cast<std::uint32_t>(samples.counters());
        const std::uint32_t plane = room * width * replicas;
        std::uint32_t* const sums = shared.words.data() + (Lines::is_uneven ? room : 0);

        // 1. Zero the private sums; find the digits that they hold.
        for (std::uint32_t i = block.thread(); i < words::shared_words * plane; i += block.threads())
            simt::store(sums, i, 0u);
        const auto digits = this->find_windows(block, &shared.looked, this->adds_zeros);

        const block_runs<Lines> runs{lines, group, &shared.long_runs, shared.words.data()};
        runs.for_each_room(block, tiles, room, [&](const line_tile& tile, std::size_t first, unsigned now) {
            // 2. Add the weights of these lines to sums that are zero.
            samples.with_all([&](const auto& find) {
                std::uint32_t* const replica = simt::kept_address(sums + (block.thread() & (replicas - 1)));
                add_lines(block, runs, tile, first, now, [&](unsigned number) {
                    return [&, line = first + number, to = replica + number * width * replicas]<unsigned Count>(
                               const sample_type(&those)[Count], const weight_type(&of_those)[Count], auto exists) {
                        this->add_group(
                            digits, those, of_those, find, exists,
                            [&](unsigned j, std::uint32_t counter) {
                                return slot_in(line, samples.slot_of(counter, those[j]));
                            },
                            to, plane, replicas);
                    };
                });
            });
            block.sync();
            // 3. Add the copies up, and the sums to those of all blocks.
            this->template flush<true>(block, sums, plane, now * width, replicas, [&](std::uint32_t counter) {
                const std::uint32_t line = counter / width;
                return slot_in(first + line, samples.slot_of(counter - line * width));
            });
        });
    }

private:
    /// The slot of all lines that is `slot` of one line; none of them if that is none of its own.
    PARPRIMS_DEVICE std::size_t slot_in(std::size_t line, std::size_t slot) const
    {
        return slot < samples.axis.extent() ? lines.counters_at(line) + slot : this->input.samples.axis.extent();
    }

    /// Calls `add_in(line)(those, weights, exists)` with arrays of the samples and weights of `now` lines from `first` on. Number j is one of
    /// the line if `exists(j)`.
    template <class AddIn>
    PARPRIMS_DEVICE void add_lines(simt::block block, const block_runs<Lines>& runs, const line_tile& tile,
                                   std::size_t first, unsigned now, AddIn add_in) const
    {
        if constexpr (Strided) {
            runs.for_each_line(block, now, across, [&](unsigned line, unsigned from, unsigned step) {
                add_line(tile.begin + from, step, tile.end, first + line, add_in(line));
            });
        } else {
            runs.for_each(block, tile, first, now, [&](const sample_run& run, unsigned thread, unsigned threads) {
                const auto add_to_line = add_in(run.line);
                const run_type part{samples.from(run.first, run.size),
                                    weights.from(lines.weights_of(first + run.line, run))};
                part.template for_each_group<weighted_together>(
                    thread, threads, [&](const auto& those, const auto& of_those) {
                        add_to_line(those, of_those, [](unsigned) { return true; });
                    });
            });
        }
    }

    /// Adds each `step`-th weight of a line. Some are in flight while earlier ones are added: any one in the place of a weight that is not there.
    template <class Add>
    PARPRIMS_DEVICE void add_line(std::size_t position, unsigned step, std::size_t end, std::size_t line, Add add) const
    {
        const std::size_t base = lines.template begin_of<max_rank>(line);
        const std::size_t base_of_weights = lines.weights_begin(line);
        const auto add_batch = [&]<unsigned... B>(std::integer_sequence<unsigned, B...>) {
            const auto load_sample = [&](std::size_t at) -> sample_type {
                const std::size_t k = smaller_of(at, end - 1);
                return samples.at(base + static_cast<std::size_t>(lines.array.line.template offset<max_rank>(k)), k);
            };
            const auto load_weight = [&](std::size_t at) -> weight_type {
                const std::size_t k = smaller_of(at, end - 1);
                return weights[base_of_weights +
                               static_cast<std::size_t>(lines.array.line.template out_offset<max_rank>(k))];
            };
            const sample_type those[] = {load_sample(position + B * step)...};
            const weight_type of_those[] = {load_weight(position + B * step)...};
            const auto add_some = [&]<unsigned... J>(unsigned first, std::integer_sequence<unsigned, J...>) {
                const sample_type some[] = {those[first + J]...};
                const weight_type of_some[] = {of_those[first + J]...};
                add(some, of_some, [&](unsigned j) { return position + (first + j) * step < end; });
            };
#pragma unroll
            for (unsigned b = 0; b < strided_weights; b += weighted_together)
                add_some(b, std::make_integer_sequence<unsigned, weighted_together>());
        };
        for (; position < end; position += strided_weights * step)
            add_batch(std::make_integer_sequence<unsigned, strided_weights>());
    }
};

}  // namespace parprims::detail::device
