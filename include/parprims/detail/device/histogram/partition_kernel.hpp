/// @file
/// @brief  The kernels of the histogram of many bins: sort tiles of samples by the part of their bin, count each part.
///
/// @source  the block-level step of a radix sort, on the high bits of bin numbers: rank, scan, scatter
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/block/block_scan.hpp>
#include <parprims/detail/block/warp_scan.hpp>
#include <parprims/detail/block/warp_tree.hpp>
#include <parprims/detail/device/histogram/kernel.hpp>
#include <parprims/detail/device/histogram/partition_plan.hpp>
#include <parprims/detail/order.hpp>
#include <parprims/detail/simt/simt.hpp>
#include <parprims/functional.hpp>

#include <cstddef>
#include <cstdint>

namespace parprims::detail::device {

/// Step 1: sorts the tiles of a slice.
template <class Samples>
struct partition_kernel {
    static constexpr unsigned max_threads = 512;
    static constexpr unsigned samples_of_thread = partition::thread_samples;
    static constexpr std::uint32_t no_counter = ~std::uint32_t{0};
    using value_type = typename Samples::value_type;
    using packet = simt::packet<16>;

    struct shared_storage {
        block::scan_storage<std::uint32_t> scan;
        packet rest[1];  // a word for each part and replica, then the numbers of the tile
    };
    static_assert(sizeof(shared_storage) == partition::sort_storage_bytes);

    Samples samples;
    partition cut;

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage& shared) const
    {
        const auto entries = static_cast<unsigned>(cut.parts) * cut.replicas;
        auto* const counts = reinterpret_cast<std::uint32_t*>(shared.rest);
        packet* const packets = shared.rest + (entries + 3) / 4;
        auto* const numbers = reinterpret_cast<std::uint16_t*>(packets);
        const unsigned replica = block.thread() % cut.replicas;

        for (std::size_t tile = block.index(); tile < cut.tiles; tile += block.count()) {
            // 1. No counts yet, and numbers that nobody counts.
            for (unsigned i = block.thread(); i < entries; i += block.threads())
                simt::store(counts, i, 0u);
            const std::uint32_t both = cut.filler() | cut.filler() << 16;
            for (unsigned i = block.thread(); i < cut.tile_room() / partition::run_unit; i += block.threads())
                simt::store(packets, i, packet{both, both, both, both});
            block.sync();

            // 2. The rank of each sample among those of its part and replica.
            std::uint32_t counters[samples_of_thread];
            std::uint32_t ranks[samples_of_thread];
            read(block, tile, counters);
#pragma unroll
            for (unsigned k = 0; k < samples_of_thread; ++k)
                if (counters[k] != no_counter)
                    ranks[k] = simt::atomic_add(counts + place_of(counters[k], replica), 1u);
            block.sync();

            // 3. Where each part and replica starts.
            const unsigned size = scan_counts(block, shared.scan, counts, entries, tile);

            // 4. Scatter in shared memory, then copy in order.
#pragma unroll
            for (unsigned k = 0; k < samples_of_thread; ++k)
                if (counters[k] != no_counter)
                    simt::at(numbers, simt::load(counts, place_of(counters[k], replica)) + ranks[k]) =
                        static_cast<std::uint16_t>(counters[k] & (cut.filler() - 1));
            block.sync();
            auto* const to = reinterpret_cast<packet*>(cut.sorted + tile * cut.tile_room());
            for (unsigned i = block.thread(); i < size / partition::run_unit; i += block.threads())
                simt::store(to, i, simt::load(packets, i));
            block.sync();
        }
    }

private:
    PARPRIMS_DEVICE unsigned place_of(std::uint32_t counter, unsigned replica) const
    {
        return (counter >> cut.part_bits) * cut.replicas + replica;
    }

    static constexpr unsigned items = Samples::items < samples_of_thread ? Samples::items : samples_of_thread;
    static constexpr unsigned loads = samples_of_thread / items;

    /// The counters of this thread's samples; `no_counter` where there is no sample.
    PARPRIMS_DEVICE void read(simt::block block, std::size_t tile, std::uint32_t (&counters)[samples_of_thread]) const
    {
        const std::size_t count = cut.end - cut.begin;
        const std::size_t first = tile * cut.tile;
        const std::size_t mine = first + block.thread() * items;
        if constexpr (Samples::has_packets) {
            if (first >= cut.lead && first - cut.lead + cut.tile <= count) {
                packet words[loads];
                const auto* const from =
                    reinterpret_cast<const packet*>(samples.input.data + cut.begin + (mine - cut.lead));
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
                const std::size_t place = mine + std::size_t{j} * block.threads() * items + k;
                const bool is_there = place >= cut.lead && place - cut.lead < count;
                counters[j * items + k] =
                    is_there ? samples.counter_of(samples.sample(cut.begin + (place - cut.lead))) : no_counter;
            }
    }

    /// Turns counts into starts, parts filled up to whole packets; leaves the starts of the runs and adds to the totals.
    /// Returns where the last run ends. Ends with a barrier.
    PARPRIMS_DEVICE unsigned scan_counts(simt::block block, block::scan_storage<std::uint32_t>& storage,
                                         std::uint32_t* counts, unsigned entries, std::size_t tile) const
    {
        const unsigned lane = simt::block::lane();
        const unsigned within = lane % cut.replicas;
        unsigned before = 0;
        for (unsigned first = 0; first < entries; first += block.threads()) {
            const unsigned e = first + block.thread();
            const std::uint32_t mine = e < entries ? simt::load(counts, e) : 0;

            // Inside a part, whose replicas are neighbouring lanes.
            std::uint32_t inside = mine;
            for (unsigned distance = 1; distance < cut.replicas; distance *= 2) {
                const std::uint32_t below = simt::shuffle_up(inside, distance);
                inside += within >= distance ? below : 0;
            }
            const std::uint32_t samples_of_part = simt::shuffle(inside, lane - within + cut.replicas - 1);
            const std::uint32_t filled =
                (samples_of_part + partition::run_unit - 1) / partition::run_unit * partition::run_unit;

            // Across the parts of the block: the last lane of a part holds its run.
            const std::uint32_t run = within == cut.replicas - 1 ? filled : 0;
            const auto runs = block::inclusive_scan(block, storage, run, plus{});
            const std::uint32_t start = before + runs.inclusive - run;
            if (e < entries) {
                simt::store(counts, e, start + inside - mine);
                if (within == 0) {
                    const unsigned part = e / cut.replicas;
                    simt::store(cut.starts, part * cut.tiles + tile, static_cast<std::uint16_t>(start));
                    if (samples_of_part != 0)
                        simt::atomic_add(cut.totals + part, samples_of_part);
                }
            }
            before += runs.total;
            block.sync();
        }
        if (block.thread() == 0)
            simt::store(cut.starts, cut.parts * cut.tiles + tile, static_cast<std::uint16_t>(before));
        return before;
    }
};

/// Step 2: counts the runs of each part. Parts get jobs in proportion to their samples; a job counts every so manieth
/// tile's run of its part in shared memory.
template <class Samples, class Counter>
struct partition_histogram_kernel {
    static constexpr unsigned max_threads = 1024;
    static constexpr unsigned ahead = 4;  // runs in flight
    using packet = simt::packet<16>;

    struct shared_storage {
        std::uint32_t words[1];  // 2^part_bits + 1 counters, then where the jobs of each part start, and end
    };

    Samples samples;
    partition cut;
    Counter* counts;

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage& shared) const
    {
        std::uint32_t* const counters = shared.words;
        std::uint32_t* const job_starts = shared.words + cut.filler() + 1;
        if (block.warp() == 0)
            share_jobs(static_cast<std::uint32_t>(block.count()), job_starts);
        if (block.index() == 0)
            for (std::size_t p = block.thread(); p < cut.parts; p += block.threads())
                simt::store(cut.cleared, p, 0u);
        block.sync();

        const std::uint32_t jobs = simt::load(job_starts, cut.parts);
        for (auto job = static_cast<std::uint32_t>(block.index()); job < jobs;
             job += static_cast<std::uint32_t>(block.count())) {
            const std::size_t part = part_of(job, job_starts);
            const std::size_t base = part << cut.part_bits;
            const std::size_t left = samples.counters() - base;
            const auto width = static_cast<std::uint32_t>(left < cut.filler() ? left : cut.filler());

            // 1. Zero the private counters.
            for (std::uint32_t i = block.thread(); i <= cut.filler(); i += block.threads())
                simt::store(counters, i, 0u);
            block.sync();

            // 2. Count this job's tiles.
            count_runs(block, part, job - simt::load(job_starts, part),
                       simt::load(job_starts, part + 1) - simt::load(job_starts, part), counters);
            block.sync();

            // 3. Add them to the caller's counters; jobs start in different places.
            const std::uint32_t start = job * 1024 % width;
            for (std::uint32_t k = block.thread(); k < width; k += block.threads()) {
                const std::uint32_t i = k + start < width ? k + start : k + start - width;
                add_counted(samples, counts, base + i, simt::load(counters, i));
            }
            block.sync();
        }
    }

private:
    /// For one warp: as many jobs as blocks, shared out by the parts' samples, and at least one for each part that has any.
    PARPRIMS_DEVICE void share_jobs(std::uint32_t blocks, std::uint32_t* job_starts) const
    {
        const unsigned lane = simt::block::lane();
        const auto total_of = [&](std::size_t p) { return p < cut.parts ? simt::load(cut.totals + p) : 0u; };
        std::uint32_t all = 0;
        for (std::size_t first = 0; first < cut.parts; first += simt::warp_size)
            all += simt::shuffle(warp::fold_full_lanes(total_of(first + lane), plus{}), 0);

        std::uint32_t before = 0;
        for (std::size_t first = 0; first <= cut.parts; first += simt::warp_size) {
            const std::uint32_t total = total_of(first + lane);
            const auto share = static_cast<std::uint32_t>(std::uint64_t{total} * blocks / (all != 0 ? all : 1));
            const std::uint32_t jobs = total == 0 ? 0 : share == 0 ? 1 : share;
            const std::uint32_t scan = warp::scan_full_lanes(jobs, plus{});
            if (first + lane <= cut.parts)
                simt::store(job_starts, first + lane, before + scan - jobs);
            before += simt::shuffle(scan, simt::warp_size - 1);
        }
    }

    /// The part whose jobs `job` is among.
    PARPRIMS_DEVICE std::size_t part_of(std::uint32_t job, const std::uint32_t* job_starts) const
    {
        std::size_t low = 0;
        std::size_t high = cut.parts;
        while (high - low > 1) {
            const std::size_t middle = low + (high - low) / 2;
            (simt::load(job_starts, middle) <= job ? low : high) = middle;
        }
        return low;
    }

    /// Counts every `jobs`-th run of a part from `first` on; warps take them in turn.
    PARPRIMS_DEVICE void count_runs(simt::block block, std::size_t part, std::size_t first, std::size_t jobs,
                                    std::uint32_t* counters) const
    {
        const unsigned lane = simt::block::lane();
        const std::size_t stride = jobs * block.warps();
        const auto* const packets = reinterpret_cast<const packet*>(cut.sorted);
        const std::size_t tile_packets = cut.tile_room() / partition::run_unit;
        for (std::size_t tile = first + jobs * block.warp(); tile < cut.tiles; tile += stride * simt::warp_size) {
            // A lane looks up a run, so that all look-ups are under way at once.
            const std::size_t mine = tile + stride * lane;
            std::size_t begin = 0;
            unsigned size = 0;
            if (mine < cut.tiles) {
                const unsigned start = simt::load(cut.starts + part * cut.tiles + mine);
                size = (simt::load(cut.starts + (part + 1) * cut.tiles + mine) - start) / partition::run_unit;
                begin = mine * tile_packets + start / partition::run_unit;
            }
            for (unsigned r = 0; r < simt::warp_size; r += ahead) {
                packet run[ahead];
                std::size_t from[ahead];
                unsigned count[ahead];
#pragma unroll
                for (unsigned a = 0; a < ahead; ++a) {
                    from[a] = simt::shuffle(begin, r + a);
                    count[a] = simt::shuffle(size, r + a);
                    if (lane < count[a])
                        run[a] = simt::load(packets, from[a] + lane);
                }
#pragma unroll
                for (unsigned a = 0; a < ahead; ++a) {
                    if (lane < count[a])
                        count_packet(run[a], counters);
                    for (unsigned i = lane + simt::warp_size; i < count[a]; i += simt::warp_size)
                        count_packet(simt::load(packets, from[a] + i), counters);
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
