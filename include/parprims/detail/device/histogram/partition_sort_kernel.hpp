/// @file
/// @brief  The first of two kernels of a histogram with many bins. It sorts the samples of each tile by part: a range of counters that fits
///         in shared memory.
///
/// @source  the block-level step of a radix sort, on the high bits of bin numbers: rank, scan, scatter
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/device/histogram/kernel.hpp>
#include <parprims/detail/device/histogram/partition_plan.hpp>
#include <parprims/detail/device/histogram/tuning.hpp>
#include <parprims/detail/device/tree/block_scan.hpp>
#include <parprims/detail/numeric/integers.hpp>
#include <parprims/detail/simt/simt.hpp>
#include <parprims/functional.hpp>

#include <cstddef>
#include <cstdint>

namespace parprims::detail::device {

/// For samples without a payload.
struct no_payload {
    static constexpr unsigned bytes = 0;
    template <unsigned Count>
    struct of_thread {};
};

/// The payloads of a packet of numbers, or as much of them as a lane loads at a time.
template <unsigned Bytes>
using packet_of_payloads = simt::packet<smaller_of(16u, partition::run_unit* Bytes)>;

/// Sorts the tiles of a slice by the part of each sample's counter. A sample's number is its counter within its part, in 16 bits.
/// `Payload`: what is sorted with each sample.
template <class Samples, class Payload = no_payload>
struct partition_sort_kernel {
    static constexpr unsigned max_threads = max_partition_threads;
    static constexpr unsigned min_blocks = partition_threads_of(Payload::bytes) / max_threads;
    static constexpr unsigned thread_samples = partition_samples_of(Payload::bytes);
    static constexpr bool has_payload = Payload::bytes != 0;
    using value_type = typename Samples::value_type;
    using packet = simt::packet<16>;

    struct shared_storage {
        block::scan_storage<std::uint32_t> scan;
        simt::shared_array<packet> rest;  // the counts of each run, then the numbers and the payloads of the tile
    };
    static_assert(sizeof(shared_storage) == partition::sort_storage_bytes);

    Samples samples;
    partitioned_slice slice;
    Payload payload;

    PARPRIMS_DEVICE std::size_t resize(std::size_t n, std::size_t blocks)
    {
        slice.resize(n);
        return smaller_of(slice.tiles, blocks);
    }

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage& shared) const
    {
        const auto runs = static_cast<unsigned>(slice.runs());
        auto* const counts = reinterpret_cast<std::uint32_t*>(shared.rest.data());
        packet* const packets = shared.rest.data() + runs;
        auto* const numbers = reinterpret_cast<std::uint16_t*>(packets);
        packet* const payload_packets = packets + slice.tile_room() / partition::run_unit;
        // Four counters per run, to spread the atomics; together a packet.
        const unsigned replica = block.thread() % partition::replicas;

        for (std::size_t tile = block.index(); tile < slice.tiles; tile += block.count()) {
            // 1. Zero the counts, and fill all runs up.
            for (unsigned i = block.thread(); i < runs; i += block.threads())
                simt::store(shared.rest.data(), i, packet{});
            const std::uint32_t both = slice.filler() | slice.filler() << 16;
            for (unsigned i = block.thread(); i < slice.tile_room() / partition::run_unit; i += block.threads())
                simt::store(packets, i, packet{both, both, both, both});
            block.sync();

            // 2. Count the samples of each run and replica.
            std::uint32_t counters[thread_samples];
            [[maybe_unused]] typename Payload::template of_thread<thread_samples> payloads;
            read(block, tile, counters);
            if constexpr (has_payload)
                read_payloads(block, tile, payloads.values);
#pragma unroll
            for (unsigned k = 0; k < thread_samples; ++k)
                simt::atomic_add(counts + entry_of(counters[k], replica), 1u);
            block.sync();

            // 3. Scan the counts: where the samples of each run and replica start.
            const unsigned size = scan_counts(block, shared.scan, shared.rest.data(), tile);

            // 4. Scatter in shared memory, then copy to device memory in order. Ranks come from a second atomic
            //    add on the scanned counts: keeping those of step 2 would take registers.
#pragma unroll
            for (unsigned k = 0; k < thread_samples; ++k) {
                const auto number = static_cast<std::uint16_t>(counters[k] & (slice.part_counters() - 1));
                const std::uint32_t place = simt::atomic_add(counts + entry_of(counters[k], replica), 1u);
                simt::store(numbers, place, number);
                if constexpr (has_payload)
                    simt::store(reinterpret_cast<typename Payload::value_type*>(payload_packets), place,
                                payloads.values[k]);
            }
            block.sync();
            auto* const sorted = reinterpret_cast<packet*>(slice.sorted + tile * slice.tile_room());
            for (unsigned i = block.thread(); i < size / partition::run_unit; i += block.threads())
                simt::store(sorted, i, simt::load(packets, i));
            if constexpr (has_payload) {
                using payload_packet = packet_of_payloads<Payload::bytes>;
                const auto* const from = reinterpret_cast<const payload_packet*>(payload_packets);
                auto* const to = reinterpret_cast<payload_packet*>(slice.payloads) +
                                 tile * (slice.tile_room() * Payload::bytes / sizeof(payload_packet));
                for (unsigned i = block.thread(); i < size * Payload::bytes / sizeof(payload_packet);
                     i += block.threads())
                    simt::store(to, i, simt::load(from, i));
            }
            block.sync();
        }
    }

private:
    PARPRIMS_DEVICE unsigned entry_of(std::uint32_t counter, unsigned replica) const
    {
        return (counter >> slice.part_bits) * partition::replicas + replica;
    }

    static constexpr unsigned items =  // that follow each other
        Samples::has_packets ? smaller_of(Samples::items, thread_samples) : 1;
    static constexpr unsigned loads = thread_samples / items;

    /// The counter of places without a sample: it falls into the last run.
    PARPRIMS_DEVICE std::uint32_t behind_all() const
    {
        return static_cast<std::uint32_t>(slice.parts << slice.part_bits);
    }

    /// The counters of this thread's samples of a tile; one behind all parts where there is no sample, or no counter counts it.
    PARPRIMS_DEVICE void read(simt::block block, std::size_t tile, std::uint32_t (&counters)[thread_samples]) const
    {
        // Places `[begin, end)` of the tile have samples.
        const std::size_t first = tile * slice.tile;
        const std::size_t behind = slice.end - slice.begin + slice.leading_samples;
        const auto begin = static_cast<unsigned>(larger_of<std::size_t>(first, slice.leading_samples) - first);
        const auto end = static_cast<unsigned>(smaller_of(first + slice.tile, behind) - first);
        const auto place_of = [&](unsigned k) {
            return (k / items * block.threads() + block.thread()) * items + k % items;
        };
        const auto is_there = [&](unsigned k) { return place_of(k) - begin < end - begin; };
        const std::size_t before = slice.begin + first - slice.leading_samples;  // the sample of place 0
        if constexpr (!Samples::has_packets) {
#pragma unroll
            for (unsigned k = 0; k < thread_samples; ++k)
                counters[k] = is_there(k) ? samples.counter_of(samples.sample(before + place_of(k))) : behind_all();
        } else {
            const bool is_whole = end - begin == slice.tile;
            packet words[loads];
            if (is_whole) {
                const auto* const from = reinterpret_cast<const packet*>(samples.input.data + before) + block.thread();
#pragma unroll
                for (unsigned j = 0; j < loads; ++j)
                    words[j] = simt::load_streaming(from + j * block.threads());
            } else {  // the axis gets values of samples only: where there is none, that of the first one
#pragma unroll
                for (unsigned k = 0; k < thread_samples; ++k)
                    simt::set_element<value_type>(words[k / items], k % items,
                                                  samples.input[before + (is_there(k) ? place_of(k) : begin)]);
            }
            samples.with_all([&](auto position_of) {
#pragma unroll
                for (unsigned k = 0; k < thread_samples; ++k) {
                    const auto position = position_of(simt::element<value_type>(words[k / items], k % items));
                    counters[k] = position.inside ? position.offset : behind_all();
                }
            });
            if (is_whole)
                return;
#pragma unroll
            for (unsigned k = 0; k < thread_samples; ++k)
                if (!is_there(k))
                    counters[k] = behind_all();
        }
    }

    /// The payloads of the samples of `read`; none where there is no sample.
    template <class Value>
    PARPRIMS_DEVICE void read_payloads(simt::block block, std::size_t tile, Value (&values)[thread_samples]) const
    {
        const std::size_t count = slice.end - slice.begin;
        const std::size_t thread_first = tile * slice.tile + block.thread() * items;
#pragma unroll
        for (unsigned j = 0; j < loads; ++j) {
            const std::size_t position = thread_first + std::size_t{j} * block.threads() * items;
            if (position >= slice.leading_samples && position + items - slice.leading_samples <= count) {
                payload.template load<items>(slice.begin + (position - slice.leading_samples), values + j * items);
                continue;
            }
#pragma unroll
            for (unsigned k = 0; k < items; ++k)
                if (position + k >= slice.leading_samples && position + k - slice.leading_samples < count)
                    payload.template load<1>(slice.begin + (position + k - slice.leading_samples),
                                             values + j * items + k);
        }
    }

    /// Replaces the counts by the position where each run and replica starts, runs filled up to whole packets. Stores where the
    /// runs start, and adds to the totals of the parts. Returns how many numbers to copy out. Ends with a barrier.
    PARPRIMS_DEVICE unsigned scan_counts(simt::block block, block::scan_storage<std::uint32_t>& storage, packet* counts,
                                         std::size_t tile) const
    {
        const auto runs = static_cast<unsigned>(slice.runs());
        unsigned before = 0;
        for (unsigned first = 0; first < runs; first += block.threads()) {
            const unsigned run = first + block.thread();
            const packet own = run < runs ? simt::load(counts, run) : packet{};
            const std::uint32_t total = own.words[0] + own.words[1] + own.words[2] + own.words[3];
            // The last run holds places without a sample, and samples that no counter counts; its numbers are not copied out.
            const std::uint32_t filled =
                run < slice.parts ? (total + partition::run_unit - 1) / partition::run_unit * partition::run_unit : 0;
            const auto scan = block::inclusive_scan(block, storage, filled, plus{});
            const std::uint32_t start = before + scan.inclusive - filled;
            if (run < runs) {
                const std::uint32_t second = start + own.words[0];
                const std::uint32_t third = second + own.words[1];
                simt::store(counts, run, packet{start, second, third, third + own.words[2]});
                simt::store(slice.starts, run * slice.tiles + tile, static_cast<std::uint16_t>(start));
                if (run < slice.parts && total != 0)
                    simt::atomic_add(slice.totals + run, total);
            }
            before += scan.total;
            block.sync();
        }
        return before;
    }
};

}  // namespace parprims::detail::device
