/// @file
/// @brief  The kernels of the histogram of many bins: sort tiles of samples by the part of their counter, count each part.
///
/// @source  the block-level step of a radix sort, on the high bits of bin numbers: rank, scan, scatter
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/block/block_scan.hpp>
#include <parprims/detail/block/warp_scan.hpp>
#include <parprims/detail/block/warp_tree.hpp>
#include <parprims/detail/device/histogram/kernel.hpp>
#include <parprims/detail/device/histogram/partition_plan.hpp>
#include <parprims/detail/device/histogram/tuning.hpp>
#include <parprims/detail/order.hpp>
#include <parprims/detail/simt/simt.hpp>
#include <parprims/functional.hpp>

#include <cstddef>
#include <cstdint>

namespace parprims::detail::device {

/// Step 1: sorts the tiles of a slice by the part of each sample's counter.
template <class Samples>
struct partition_sort_kernel {
    static constexpr unsigned max_threads = max_partition_threads;
    static constexpr unsigned thread_samples = partition_thread_samples;
    static constexpr std::uint32_t no_counter = ~std::uint32_t{0};
    using value_type = typename Samples::value_type;
    using packet = simt::packet<16>;

    struct shared_storage {
        block::scan_storage<std::uint32_t> scan;
        simt::shared_array<packet> rest;  // a word for each part and replica, then the numbers of the tile
    };
    static_assert(sizeof(shared_storage) == partition::sort_storage_bytes);

    Samples samples;
    partitioned_slice slice;

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage& shared) const
    {
        const auto entries = static_cast<unsigned>(slice.parts) * slice.replicas;
        auto* const counts = reinterpret_cast<std::uint32_t*>(shared.rest.data());
        packet* const packets = shared.rest.data() + (entries + 3) / 4;
        auto* const numbers = reinterpret_cast<std::uint16_t*>(packets);
        const unsigned replica = block.thread() % slice.replicas;

        for (std::size_t tile = block.index(); tile < slice.tiles; tile += block.count()) {
            // 1. Zero the counts, and fill all runs up.
            for (unsigned i = block.thread(); i < entries; i += block.threads())
                simt::store(counts, i, 0u);
            const std::uint32_t both = slice.filler() | slice.filler() << 16;
            for (unsigned i = block.thread(); i < slice.tile_room() / partition::run_unit; i += block.threads())
                simt::store(packets, i, packet{both, both, both, both});
            block.sync();

            // 2. Rank each sample among those of its part and replica.
            std::uint32_t counters[thread_samples];
            std::uint32_t ranks[thread_samples];
            read(block, tile, counters);
#pragma unroll
            for (unsigned k = 0; k < thread_samples; ++k)
                if (counters[k] != no_counter)
                    ranks[k] = simt::atomic_add(counts + entry_of(counters[k], replica), 1u);
            block.sync();

            // 3. Scan the counts: where the samples of each part and replica start.
            const unsigned size = scan_counts(block, shared.scan, counts, entries, tile);

            // 4. Scatter in shared memory, then copy to device memory in order.
#pragma unroll
            for (unsigned k = 0; k < thread_samples; ++k)
                if (counters[k] != no_counter)
                    simt::at(numbers, simt::load(counts, entry_of(counters[k], replica)) + ranks[k]) =
                        static_cast<std::uint16_t>(counters[k] & (slice.part_counters() - 1));
            block.sync();
            auto* const sorted = reinterpret_cast<packet*>(slice.sorted + tile * slice.tile_room());
            for (unsigned i = block.thread(); i < size / partition::run_unit; i += block.threads())
                simt::store(sorted, i, simt::load(packets, i));
            block.sync();
        }
    }

private:
    PARPRIMS_DEVICE unsigned entry_of(std::uint32_t counter, unsigned replica) const
    {
        return (counter >> slice.part_bits) * slice.replicas + replica;
    }

    static constexpr unsigned items = Samples::items < thread_samples ? Samples::items : thread_samples;
    static constexpr unsigned loads = thread_samples / items;

    /// The counters of this thread's samples of a tile; `no_counter` where there is no sample.
    PARPRIMS_DEVICE void read(simt::block block, std::size_t tile, std::uint32_t (&counters)[thread_samples]) const
    {
        const std::size_t count = slice.end - slice.begin;
        const std::size_t first = tile * slice.tile;
        const std::size_t thread_first = first + block.thread() * items;
        if constexpr (Samples::has_packets) {
            if (first >= slice.leading_samples && first - slice.leading_samples + slice.tile <= count) {
                packet words[loads];
                const auto* const from = reinterpret_cast<const packet*>(samples.input.data + slice.begin +
                                                                         (thread_first - slice.leading_samples));
#pragma unroll
                for (unsigned j = 0; j < loads; ++j)
                    words[j] = simt::load_streaming(from + j * block.threads());
                samples.with_counter_of([&](auto counter_of) {
#pragma unroll
                    for (unsigned j = 0; j < loads; ++j)
#pragma unroll
                        for (unsigned k = 0; k < items; ++k)
                            counters[j * items + k] =
                                static_cast<std::uint32_t>(counter_of(simt::element<value_type>(words[j], k)));
                });
                return;
            }
        }
#pragma unroll
        for (unsigned j = 0; j < loads; ++j)
#pragma unroll
            for (unsigned k = 0; k < items; ++k) {
                const std::size_t position = thread_first + std::size_t{j} * block.threads() * items + k;
                const bool is_there = position >= slice.leading_samples && position - slice.leading_samples < count;
                counters[j * items + k] =
                    is_there ? samples.counter_of(samples.sample(slice.begin + (position - slice.leading_samples)))
                             : no_counter;
            }
    }

    /// Replaces the counts by the position where each part and replica starts, runs filled up to whole packets. Stores where the
    /// runs start, and adds to the totals of the parts. Returns where the last run ends. Ends with a barrier.
    PARPRIMS_DEVICE unsigned scan_counts(simt::block block, block::scan_storage<std::uint32_t>& storage,
                                         std::uint32_t* counts, unsigned entries, std::size_t tile) const
    {
        const unsigned lane = simt::block::lane();
        const unsigned replica = lane % slice.replicas;
        unsigned before = 0;
        for (unsigned first = 0; first < entries; first += block.threads()) {
            const unsigned entry = first + block.thread();
            const std::uint32_t count = entry < entries ? simt::load(counts, entry) : 0;

            // Inside a part, whose replicas are neighbouring lanes.
            std::uint32_t in_part = count;
            for (unsigned distance = 1; distance < slice.replicas; distance *= 2) {
                const std::uint32_t below = simt::shuffle_up(in_part, distance);
                in_part += replica >= distance ? below : 0;
            }
            const std::uint32_t part_total = simt::shuffle(in_part, lane - replica + slice.replicas - 1);

            // Across the parts of the block: the last lane of a part holds its run.
            const std::uint32_t filled =
                (part_total + partition::run_unit - 1) / partition::run_unit * partition::run_unit;
            const std::uint32_t run = replica == slice.replicas - 1 ? filled : 0;
            const auto runs = block::inclusive_scan(block, storage, run, plus{});
            const std::uint32_t start = before + runs.inclusive - run;
            if (entry < entries) {
                simt::store(counts, entry, start + in_part - count);
                if (replica == 0) {
                    const unsigned part = entry / slice.replicas;
                    simt::store(slice.starts, part * slice.tiles + tile, static_cast<std::uint16_t>(start));
                    if (part_total != 0)
                        simt::atomic_add(slice.totals + part, part_total);
                }
            }
            before += runs.total;
            block.sync();
        }
        if (block.thread() == 0)
            simt::store(slice.starts, slice.parts * slice.tiles + tile, static_cast<std::uint16_t>(before));
        return before;
    }
};

/// Step 2: counts the runs of each part in shared memory. Parts get jobs in proportion to their samples. A job of a part that
/// has j jobs counts every j-th tile's run of it.
template <class Samples, class Counter>
struct partition_count_kernel {
    static constexpr unsigned max_threads = 1024;
    static constexpr unsigned batch = partition_batch;
    using packet = simt::packet<16>;

    struct shared_storage {
        simt::shared_array<std::uint32_t>
            words;  // 2^part_bits + 1 counters, then where the jobs of each part start and end
    };

    Samples samples;
    partitioned_slice slice;
    Counter* counts;

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage& shared) const
    {
        // 1. Distribute the jobs; zero the totals of the next slice.
        std::uint32_t* const counters = shared.words.data();
        std::uint32_t* const job_starts = shared.words.data() + slice.part_counters() + 1;
        if (block.warp() == 0)
            distribute_jobs(static_cast<std::uint32_t>(block.count()), job_starts);
        if (block.index() == 0)
            for (std::size_t p = block.thread(); p < slice.parts; p += block.threads())
                simt::store(slice.next_totals, p, 0u);
        block.sync();

        const std::uint32_t jobs = simt::load(job_starts, slice.parts);
        for (auto job = static_cast<std::uint32_t>(block.index()); job < jobs;
             job += static_cast<std::uint32_t>(block.count())) {
            const std::size_t part = part_of(job, job_starts);
            const std::size_t base = part << slice.part_bits;
            const std::size_t left = samples.counters() - base;
            const auto width = static_cast<std::uint32_t>(left < slice.part_counters() ? left : slice.part_counters());

            // 2. Zero the private counters.
            for (std::uint32_t i = block.thread(); i <= slice.filler(); i += block.threads())
                simt::store(counters, i, 0u);
            block.sync();

            // 3. Count this job's runs.
            count_runs(block, part, job - simt::load(job_starts, part),
                       simt::load(job_starts, part + 1) - simt::load(job_starts, part), counters);
            block.sync();

            // 4. Add them to the caller's counters. Jobs start at different counters.
            const std::uint32_t start = job * job_stagger % width;
            for (std::uint32_t k = block.thread(); k < width; k += block.threads()) {
                const std::uint32_t i = k + start < width ? k + start : k + start - width;
                add_counted(samples, counts, base + i, simt::load(counters, i));
            }
            block.sync();
        }
    }

private:
    /// For one warp: about as many jobs as blocks, in proportion to the parts' samples, and at least one for each part that has
    /// any.
    PARPRIMS_DEVICE void distribute_jobs(std::uint32_t blocks, std::uint32_t* job_starts) const
    {
        const unsigned lane = simt::block::lane();
        const auto total_of = [&](std::size_t p) { return p < slice.parts ? simt::load(slice.totals + p) : 0u; };
        std::uint32_t all = 0;
        for (std::size_t first = 0; first < slice.parts; first += simt::warp_size)
            all += simt::shuffle(warp::fold_full_lanes(total_of(first + lane), plus{}), 0);

        std::uint32_t before = 0;
        for (std::size_t first = 0; first <= slice.parts; first += simt::warp_size) {
            const std::uint32_t total = total_of(first + lane);
            const auto share = static_cast<std::uint32_t>(std::uint64_t{total} * blocks / (all != 0 ? all : 1));
            const std::uint32_t jobs = total == 0 ? 0 : share == 0 ? 1 : share;
            const std::uint32_t scan = warp::scan_full_lanes(jobs, plus{});
            if (first + lane <= slice.parts)
                simt::store(job_starts, first + lane, before + scan - jobs);
            before += simt::shuffle(scan, simt::warp_size - 1);
        }
    }

    /// The part that a job counts.
    PARPRIMS_DEVICE std::size_t part_of(std::uint32_t job, const std::uint32_t* job_starts) const
    {
        std::size_t low = 0;
        std::size_t high = slice.parts;
        while (high - low > 1) {
            const std::size_t middle = low + (high - low) / 2;
            (simt::load(job_starts, middle) <= job ? low : high) = middle;
        }
        return low;
    }

    /// Counts every `jobs`-th run of a part from tile `first` on; the warps of the block take turns.
    PARPRIMS_DEVICE void count_runs(simt::block block, std::size_t part, std::size_t first, std::size_t jobs,
                                    std::uint32_t* counters) const
    {
        const unsigned lane = simt::block::lane();
        const std::size_t stride = jobs * block.warps();
        const auto* const packets = reinterpret_cast<const packet*>(slice.sorted);
        const std::size_t tile_packets = slice.tile_room() / partition::run_unit;
        for (std::size_t tile = first + jobs * block.warp(); tile < slice.tiles; tile += stride * simt::warp_size) {
            // Each lane looks up one run, so that the loads of 32 look-ups are in flight together.
            const std::size_t lane_tile = tile + stride * lane;
            std::size_t begin = 0;
            unsigned size = 0;
            if (lane_tile < slice.tiles) {
                const unsigned start = simt::load(slice.starts + part * slice.tiles + lane_tile);
                size = (simt::load(slice.starts + (part + 1) * slice.tiles + lane_tile) - start) / partition::run_unit;
                begin = lane_tile * tile_packets + start / partition::run_unit;
            }
            for (unsigned r = 0; r < simt::warp_size; r += batch) {
                packet head[batch];
                std::size_t run_begin[batch];
                unsigned count[batch];
#pragma unroll
                for (unsigned a = 0; a < batch; ++a) {
                    run_begin[a] = simt::shuffle(begin, r + a);
                    count[a] = simt::shuffle(size, r + a);
                    if (lane < count[a])
                        head[a] = simt::load(packets, run_begin[a] + lane);
                }
#pragma unroll
                for (unsigned a = 0; a < batch; ++a) {
                    if (lane < count[a])
                        count_packet(head[a], counters);
                    for (unsigned i = lane + simt::warp_size; i < count[a]; i += simt::warp_size)
                        count_packet(simt::load(packets, run_begin[a] + i), counters);
                }
            }
        }
    }

    PARPRIMS_DEVICE static void count_packet(const packet& numbers, std::uint32_t* counters)
    {
#pragma unroll
        for (unsigned k = 0; k < partition::run_unit; ++k)
            simt::atomic_add(counters + simt::element<std::uint16_t>(numbers, k), 1u);
    }
};

}  // namespace parprims::detail::device
