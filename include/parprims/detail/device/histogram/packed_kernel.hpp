/// @file
/// @brief  The histogram kernel with two counters of 16 bits in a word of shared memory: twice as many bins in one pass.
///
/// The top bit of a counter is its flag. A thread that has added to a flagged counter takes the flag away, and adds 2^15 to the
/// caller's counter, before it adds its next samples. So the threads of a block can add at most 1024 * max_packed_samples to a
/// flagged counter until one of them takes its flag: it never wraps.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/device/histogram/kernel.hpp>
#include <parprims/detail/device/histogram/samples.hpp>
#include <parprims/detail/device/histogram/tuning.hpp>
#include <parprims/detail/numeric/integers.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <cstddef>
#include <cstdint>

namespace parprims::detail::device {

template <class Samples, class Counter>
struct histogram_packed_kernel {
    static_assert(1024 * max_packed_samples < 0x8000);
    static constexpr unsigned max_threads = 1024;
    struct shared_storage {
        simt::shared_array<std::uint32_t> words;
    };

    Samples samples;
    Counter* counts;

    PARPRIMS_DEVICE std::size_t resize(std::size_t n, std::size_t blocks)
    {
        samples.n = n;
        return smaller_of(samples.blocks_at_most(), blocks);
    }

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage& shared) const
    {
        const auto counters = static_cast<std::uint32_t>(samples.counters());
        std::uint32_t* const words = shared.words.data();

        // 1. Zero the counters.
        for (std::uint32_t i = block.thread(); i < (counters + 1) / 2; i += block.threads())
            simt::store(words, i, 0u);
        block.sync();

        // 2. Count this block's share of the samples.
        samples.with_counter_of([&](auto find) {
            Samples::packets::read(samples.input, 0, samples.n, [&](auto reader, std::size_t head, std::size_t body) {
                count_packets(block, words, reader, body, find);
                const std::size_t thread = block.index() * block.threads() + block.thread();
                const std::size_t tail = head + body * Samples::items;
                if (thread < head)
                    add(words, find(samples.input[thread]), 1);
                if (thread < samples.n - tail)
                    add(words, find(samples.input[tail + thread]), 1);
            });
        });
        block.sync();

        // 3. Add the counters to the caller's. Blocks start at different ones.
        const auto start = static_cast<std::uint32_t>(std::uint64_t{hash_of(block.index())} * counters >> 32);
        for (std::uint32_t k = block.thread(); k < counters; k += block.threads()) {
            const std::uint32_t slot = k + start < counters ? k + start : k + start - counters;
            device::add_to_slot(samples.axis, counts, slot, simt::load(words, slot / 2) >> slot % 2 * 16 & 0xffff);
        }
    }

private:
    static constexpr std::uint32_t flags = 0x80008000;
    static constexpr std::uint32_t flag_worth = 0x8000;

    /// Adds to a counter; returns its word before.
    PARPRIMS_DEVICE static std::uint32_t add_one(std::uint32_t* words, std::uint32_t slot, std::uint32_t count)
    {
        return simt::atomic_add(words + slot / 2, ((slot & 1) * 0xffff + 1) * count);
    }
    PARPRIMS_DEVICE void add(std::uint32_t* words, std::uint32_t slot, std::uint32_t count) const
    {
        if ((add_one(words, slot, count) & flags) != 0)
            take_flags(words, slot);
    }
    PARPRIMS_DEVICE void take_flags(std::uint32_t* words, std::uint32_t slot) const
    {
        const std::uint32_t taken = simt::atomic_and(words + slot / 2, ~flags) & flags;
        if ((taken & 0xffff) != 0)
            device::add_to_slot(samples.axis, counts, slot / 2 * 2, flag_worth);
        if (taken >> 16 != 0)
            device::add_to_slot(samples.axis, counts, slot / 2 * 2 + 1, flag_worth);
    }

    /// All lanes of a warp take the same number of steps.
    template <class Reader, class Find>
    PARPRIMS_DEVICE void count_packets(simt::block block, std::uint32_t* words, const Reader& reader, std::size_t body,
                                       const Find& find) const
    {
        constexpr unsigned batch = smaller_of(Reader::batch, larger_of(max_packed_samples / Samples::items, 1u));
        const std::size_t threads = block.count() * block.threads();
        const auto absent = static_cast<std::uint32_t>(samples.axis.bins());  // a counter of no bin
        typename Reader::packet ahead[batch];
        const auto load = [&](std::size_t i) {
#pragma unroll
            for (unsigned b = 0; b < batch; ++b)
                if (i + b * threads < body)
                    ahead[b] = reader.load(i + b * threads);
        };
        std::size_t i = block.index() * block.threads() + block.thread();
        load(i);
        for (std::size_t first = block.index() * block.threads(); first < body; first += batch * threads) {
            std::uint32_t slots[batch * Samples::items];
#pragma unroll
            for (unsigned b = 0; b < batch; ++b) {
                unsigned k = b * Samples::items;
                const auto keep = [&](const auto& sample) { slots[k++] = find(sample); };
                reader.for_each(ahead[b], keep);
                if (i + b * threads >= body)
                    for (k = b * Samples::items; k < (b + 1) * Samples::items;)
                        slots[k++] = absent;
            }
            i += batch * threads;
            load(i);
            if (lanes_agree(slots[0]))
                add_of_warp(block, words, slots);
            else
                add_all(words, slots);
        }
    }

    /// Whether so many lanes have the slot of the first lane that their additions would take longer than to compare lanes.
    PARPRIMS_DEVICE static bool lanes_agree(std::uint32_t slot)
    {
        return simt::count_lanes(simt::ballot(slot == simt::shuffle(slot, 0))) >= min_merged_lanes;
    }

    template <unsigned N>
    PARPRIMS_DEVICE void add_all(std::uint32_t* words, const std::uint32_t (&slots)[N]) const
    {
        std::uint32_t flagged = 0;
#pragma unroll
        for (unsigned k = 0; k < N; ++k)
            flagged |= add_one(words, slots[k], 1);
        take_all_flags(words, slots, flagged);
    }

    /// Adds samples of which many are equal: one lane adds all that its warp has of one slot, until few samples are left.
    template <unsigned N>
    PARPRIMS_DEVICE void add_of_warp(simt::block block, std::uint32_t* words, const std::uint32_t (&slots)[N]) const
    {
        constexpr unsigned samples = N * simt::warp_size;
        std::uint32_t flagged = 0;
        std::uint32_t added = 0;  // a bit for each sample of this lane
        unsigned added_by_warp = 0;
#pragma unroll
        for (unsigned i = 0; i < N; ++i) {
            const unsigned k = i % 2 * (N / 2) + i / 2;  // of both packets in turn
            const simt::lane_mask lanes = simt::ballot((added >> k & 1) == 0);
            if (lanes == 0)
                continue;
            const unsigned leader = simt::highest_lane(lanes);
            const std::uint32_t slot = simt::shuffle(slots[k], leader);
            std::uint32_t equal = 0;
#pragma unroll
            for (unsigned j = 0; j < N; ++j)
                equal |= slots[j] == slot ? 1u << j : 0;
            const unsigned count = simt::sum_lanes(simt::count_lanes(equal));
            if (block.lane() == leader)
                flagged |= add_one(words, slot, count);
            added |= equal;
            added_by_warp += count;
            if (added_by_warp > samples - samples / min_merged_part)
                break;
        }
#pragma unroll
        for (unsigned k = 0; k < N; ++k)
            if ((added >> k & 1) == 0)
                flagged |= add_one(words, slots[k], 1);
        take_all_flags(words, slots, flagged);
    }

    template <unsigned N>
    PARPRIMS_DEVICE void take_all_flags(std::uint32_t* words, const std::uint32_t (&slots)[N],
                                        std::uint32_t flagged) const
    {
        if ((flagged & flags) != 0)
#pragma unroll
            for (unsigned k = 0; k < N; ++k)
                take_flags(words, slots[k]);
    }
};

}  // namespace parprims::detail::device
