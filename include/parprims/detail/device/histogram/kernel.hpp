/// @file
/// @brief  The histogram kernels: counters in shared memory or in device memory.
///
/// @source  Podlozhnyuk, "Histogram calculation in CUDA" (replicas in shared memory)
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/device/histogram/samples.hpp>
#include <parprims/detail/device/histogram/tuning.hpp>
#include <parprims/detail/device/tree/ticket.hpp>
#include <parprims/detail/numeric/integers.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <cstddef>
#include <cstdint>

namespace parprims::detail::device {

/// Adds `count` to the counter of a slot, unless the axis drops it.
template <class Axis, class Counter>
PARPRIMS_DEVICE inline void add_to_slot(const Axis& axis, Counter* counts, std::size_t slot, std::uint32_t count)
{
    if (count != 0 && slot < axis.extent())
        simt::atomic_add(counts + slot, static_cast<Counter>(count));
}

/// Adds what counter `counter` of a block has counted. A count of 0 is skipped: the axis must be asked for values of samples only.
template <class Samples, class Counter>
PARPRIMS_DEVICE inline void add_counted(const Samples& samples, Counter* counts, std::size_t counter,
                                        std::uint32_t count)
{
    if (count != 0)
        device::add_to_slot(samples.axis, counts, samples.slot_of(counter), count);
}

/// A 32-bit number that differs much between neighbouring blocks. `hash * width >> 32` is below `width`, without a division.
PARPRIMS_DEVICE inline std::uint32_t hash_of(std::size_t block)
{
    return static_cast<std::uint32_t>(block) * 2654435769u;
}

/// 32-bit counters in shared memory, in `replicas` replicas side by side: replica c of counter i lies at
/// [i * replicas + c], so that lanes with equal samples add to different words. If not all counters fit, each block counts
/// one of `windows` ranges of them; blocks of all windows read the same samples at about the same time, so that device memory is
/// read once.
template <class Samples, class Counter, bool Windowed>
struct histogram_shared_kernel {
    static constexpr unsigned max_threads = 1024;
    struct shared_storage {
        simt::shared_array<std::uint32_t> counters;  // (window + 1) * replicas of them
    };

    Samples samples;
    Counter* counts;
    std::uint32_t window;  // counters of a block
    unsigned windows;      // the grid is a multiple of it
    unsigned replicas;     // a power of two
    bool overwrites;       // there is one block: the counts need not be zero before
    std::uint32_t*
        gathered;      // null, or the sums of the blocks: zero before and after, the last block stores the counts
    unsigned* ticket;  // for `gathered`: zero before and after

    PARPRIMS_DEVICE std::size_t resize(std::size_t n, std::size_t blocks)
    {
        samples.n = n;
        return n == 0 ? 0 : smaller_of(samples.blocks_at_most() * windows, blocks);
    }
    PARPRIMS_DEVICE void write_empty(simt::block block) const
    {
        if (overwrites || gathered != nullptr)
            for (std::size_t slot = block.thread(); slot < samples.axis.extent(); slot += block.threads())
                simt::store(counts, slot, Counter{});
    }

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage& shared) const
    {
        const std::uint32_t first = Windowed ? static_cast<std::uint32_t>(block.index() % windows) * window : 0;
        const std::uint32_t width = smaller_of(static_cast<std::uint32_t>(samples.counters()) - first, window);
        const unsigned sharing = Windowed ? windows : 1;  // blocks that read the same samples
        std::uint32_t* const counters = shared.counters.data();

        const std::size_t thread = block.index() / sharing * block.threads() + block.thread();
        const std::size_t threads = block.count() / sharing * block.threads();

        // 1. Zero the replicas, and the caller's counters that phase 3 does not store, while the first samples are in
        //    flight.
        typename Samples::packets_ahead ahead;
        samples.load_first(ahead, thread, threads);
        if (Samples::by_byte && overwrites)
            for (std::size_t slot = block.thread(); slot < samples.axis.extent(); slot += block.threads())
                simt::store(counts, slot, Counter{});
        for (std::uint32_t i = block.thread(); i < width * replicas; i += block.threads())
            simt::store(counters, i, 0u);
        block.sync();

        // 2. Count this block's share of the samples. Those outside are counted behind the others: a branch around the atomic operation
        //    takes longer. So does computing the address again for each sample, without kept_address.
        auto* const replica =
            reinterpret_cast<unsigned char*>(simt::kept_address(counters + (block.thread() & (replicas - 1))));
        const std::uint32_t step =
            (Windowed ? 1 : replicas) * sizeof(std::uint32_t);  // in bytes: one multiplication a sample
        const auto count = [&](const auto& position_of) {
            samples.for_each(ahead, thread, threads, [&](const auto& sample) {
                const detail::axis::window_position position = position_of(sample);
                auto* const address = replica + (position.inside ? position.offset : width) * step;
                simt::atomic_add(reinterpret_cast<std::uint32_t*>(address), 1u);
            });
        };
        if constexpr (Windowed)
            samples.with_window(first, width, count);
        else
            samples.with_all(count);
        const bool in_bulk = adds_in_bulk(first);
        if (in_bulk)
            simt::expose_words();
        block.sync();

        // 3. Add the replicas up, and the sums to the caller's counters. Blocks start at different counters, so that their atomics do not
        //    meet.
        if (in_bulk)
            return add_in_bulk(block, counters, first, width);
        const auto start = static_cast<std::uint32_t>(std::uint64_t{hash_of(block.index())} * width >> 32);
        const unsigned first_replica =
            block.thread() * replicas / simt::warp_size;  // so that lanes read from different banks
        for (std::uint32_t k = block.thread(); k < width; k += block.threads()) {
            const std::uint32_t i = k + start < width ? k + start : k + start - width;
            std::uint32_t sum = 0;
            for (unsigned c = 0; c < replicas; ++c)
                sum += simt::load(counters, i * replicas + ((first_replica + c) & (replicas - 1)));
            if (gathered != nullptr)
                device::add_counted(samples, gathered, first + i, sum);
            else if (Samples::by_byte || !overwrites)
                device::add_counted(samples, counts, first + i, sum);
            else
                simt::store(counts, first + i, static_cast<Counter>(sum));
        }
        block.sync();

        // 4. The last block stores what all blocks have gathered.
        if (gathered != nullptr)
            store_gathered(block, counters);
    }

private:
    /// Whether bulk additions of shared memory to the caller's counters are possible: one replica of 32-bit counters at a
    /// multiple of 16 bytes. They are not ordered after stores to the same counters.
    PARPRIMS_DEVICE bool adds_in_bulk(std::uint32_t first) const
    {
        if constexpr (simt::has_add_words && !Samples::by_byte && std::is_integral_v<Counter> && sizeof(Counter) == 4)
            return replicas == 1 && gathered == nullptr && !overwrites &&
                   reinterpret_cast<std::uintptr_t>(counts + first) % 16 == 0;
        else
            return false;
    }

    /// Adds the block's counters to the caller's from `first` on; a warp adds one piece at a time.
    PARPRIMS_DEVICE void add_in_bulk(simt::block block, const std::uint32_t* counters, std::uint32_t first,
                                     std::uint32_t width) const
    {
        auto* const targets = reinterpret_cast<std::uint32_t*>(counts) + first;
        const std::uint32_t whole = width / 4 * 4;
        const std::uint32_t pieces = (whole + bulk_words - 1) / bulk_words;
        if (block.lane() == 0) {
            for (std::uint32_t k = block.warp(); k < pieces; k += block.warps()) {
                const std::uint32_t begin = (k + static_cast<std::uint32_t>(block.index())) % pieces * bulk_words;
                simt::add_words(targets + begin, counters + begin, smaller_of(whole - begin, bulk_words));
            }
            simt::wait_added();
        }
        if (whole + block.thread() < width)
            simt::atomic_add(targets + whole + block.thread(), simt::load(counters, whole + block.thread()));
    }

    /// The block that draws the last ticket stores the counts. Its ticket acquires what the other blocks have added.
    PARPRIMS_DEVICE void store_gathered(simt::block block, std::uint32_t* is_last) const
    {
        if (block.thread() == 0)
            simt::store(is_last, block::takes_last_ticket<simt::order::acq_rel>(block, ticket) ? 1u : 0u);
        block.sync();
        if (simt::load(is_last) == 0)
            return;
        for (std::size_t slot = block.thread(); slot < samples.axis.extent(); slot += block.threads()) {
            simt::store(counts, slot, static_cast<Counter>(simt::load(gathered, slot)));
            simt::store(gathered, slot, 0u);
        }
    }
};

/// Counters in device memory, for more bins than the other placements hold.
template <class Samples, class Counter>
struct histogram_global_kernel {
    static constexpr unsigned max_threads = 1024;
    struct shared_storage {};

    Samples samples;
    Counter* counts;

    PARPRIMS_DEVICE std::size_t resize(std::size_t n, std::size_t blocks)
    {
        samples.n = n;
        return smaller_of(samples.blocks_at_most(), blocks);
    }

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage&) const
    {
        const std::size_t thread = block.index() * block.threads() + block.thread();
        // No packets: atomic operations on the counters dominate, and packets in flight take nvcc 0.06 to 0.09 s more.
        for (std::size_t i = thread; i < samples.n; i += block.count() * block.threads())
            device::add_to_slot(samples.axis, counts, samples.axis.slot(samples.sample(i)), 1);
    }
};

}  // namespace parprims::detail::device
