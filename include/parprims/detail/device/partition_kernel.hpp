/// @file
/// @brief  The kernels of the histogram of many bins: count, scatter, count each part.
///
/// @source  the first pass of a radix sort, on bin numbers: count, scan, scatter
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/device/histogram_kernel.hpp>
#include <parprims/detail/order.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <cstddef>
#include <cstdint>

namespace parprims::detail::device {

/// A slice of the samples, cut into one run for each block, and the bins cut into parts of 2^part_bits.
struct partition {
    std::size_t begin;
    std::size_t end;
    std::size_t run;  // samples of a block
    std::size_t parts;
    unsigned part_bits;

    PARPRIMS_HOST_DEVICE std::size_t runs() const { return order::ceil_div(end - begin, run); }

    /// Calls `use(counter)` for the samples of this block's run.
    template <class Samples, class Use>
    PARPRIMS_DEVICE void for_each(simt::block block, const Samples& samples, Use use) const
    {
        const std::size_t first = begin + block.index() * run;
        const std::size_t last = end - first < run ? end : first + run;
        for (std::size_t i = first + block.thread(); i < last; i += block.threads()) {
            use(samples.counter_of(samples.input[i]));
        }
    }
};

/// Step 1: how many samples of each run fall into each part. Part p of run r is counted at [p * runs + r].
template <class Samples>
struct partition_count_kernel {
    static constexpr unsigned max_threads = 1024;
    struct shared_storage {
        std::uint32_t counts[1];  // one for each part
    };

    Samples samples;
    partition cut;
    std::uint32_t* offsets;

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage& shared) const
    {
        std::uint32_t* const counts = shared.counts;
        for (std::size_t p = block.thread(); p < cut.parts; p += block.threads())
            counts[p] = 0;
        block.sync();
        cut.for_each(block, samples,
                     [&](std::uint32_t counter) { simt::atomic_add(counts + (counter >> cut.part_bits), 1u); });
        block.sync();
        for (std::size_t p = block.thread(); p < cut.parts; p += block.threads())
            offsets[p * block.count() + block.index()] = counts[p];
        if (block.index() == 0 && block.thread() == 0)
            offsets[cut.parts * block.count()] = 0;  // its scan is the total
    }
};

/// Step 2, after a scan of the counts: every sample becomes two bytes, its bin inside its part, in the part's place.
template <class Samples>
struct partition_scatter_kernel {
    static constexpr unsigned max_threads = 1024;
    struct shared_storage {
        std::uint32_t places[1];  // one for each part: where its next sample goes
    };

    Samples samples;
    partition cut;
    const std::uint32_t* offsets;
    std::uint16_t* sorted;

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage& shared) const
    {
        std::uint32_t* const places = shared.places;
        for (std::size_t p = block.thread(); p < cut.parts; p += block.threads())
            places[p] = offsets[p * block.count() + block.index()];
        block.sync();
        const std::size_t mask = (std::size_t{1} << cut.part_bits) - 1;
        cut.for_each(block, samples, [&](std::uint32_t counter) {
            sorted[simt::atomic_add(places + (counter >> cut.part_bits), 1u)] =
                static_cast<std::uint16_t>(counter & mask);
        });
    }
};

/// Step 3: the sorted samples are shared out evenly, whatever their distribution; a block counts its share of each part.
template <class Samples, class Counter>
struct partition_histogram_kernel {
    static constexpr unsigned max_threads = 1024;
    struct shared_storage {
        std::uint32_t counters[1];  // 2^part_bits of them
    };

    Samples samples;
    partition cut;
    const std::uint32_t* offsets;
    const std::uint16_t* sorted;
    Counter* counts;

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage& shared) const
    {
        std::uint32_t* const counters = shared.counters;
        const std::size_t total = offsets[cut.parts * cut.runs()];
        const std::size_t share = order::ceil_div(total, block.count());
        const std::size_t first = block.index() * share < total ? block.index() * share : total;
        const std::size_t last = total - first < share ? total : first + share;
        if (first == last)
            return;

        for (std::size_t part = part_of(first); part < cut.parts && start_of(part) < last; ++part) {
            const std::size_t begin = start_of(part) < first ? first : start_of(part);
            const std::size_t end = start_of(part + 1) < last ? start_of(part + 1) : last;
            if (begin >= end)
                continue;
            const std::size_t base = part << cut.part_bits;
            const std::size_t left = samples.counters() - base;
            const std::size_t width = left >> cut.part_bits == 0 ? left : std::size_t{1} << cut.part_bits;

            for (std::size_t i = block.thread(); i < width; i += block.threads())
                counters[i] = 0;
            block.sync();
            for (std::size_t i = begin + block.thread(); i < end; i += block.threads())
                simt::atomic_add(counters + sorted[i], 1u);
            block.sync();
            for (std::size_t i = block.thread(); i < width; i += block.threads())
                add_to_slot(samples.axis, counts, samples.slot_of(base + i), counters[i]);
            block.sync();
        }
    }

private:
    PARPRIMS_DEVICE std::size_t start_of(std::size_t part) const { return offsets[part * cut.runs()]; }

    /// The last part that starts at or before a place.
    PARPRIMS_DEVICE std::size_t part_of(std::size_t place) const
    {
        std::size_t low = 0;
        std::size_t high = cut.parts;
        while (high - low > 1) {
            const std::size_t middle = low + (high - low) / 2;
            (start_of(middle) <= place ? low : high) = middle;
        }
        return low;
    }
};

}  // namespace parprims::detail::device
