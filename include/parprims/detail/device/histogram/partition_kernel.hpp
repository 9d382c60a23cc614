/// @file
/// @brief  The kernels of the histogram of many bins: sort tiles of samples by the part of their counter, count each part.
///
/// @source  the block-level step of a radix sort, on the high bits of bin numbers: rank, scan, scatter
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/block/block_scan.hpp>
#include <parprims/detail/block/warp_scan.hpp>
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
    static constexpr unsigned min_blocks = partition_sm_threads / max_threads;
    static constexpr unsigned thread_samples = partition_thread_samples;
    using value_type = typename Samples::value_type;
    using packet = simt::packet<16>;

    struct shared_storage {
        block::scan_storage<std::uint32_t> scan;
        simt::shared_array<packet> rest;  // the counts of each run, then the numbers of the tile
    };
    static_assert(sizeof(shared_storage) == partition::sort_storage_bytes);

    Samples samples;
    partitioned_slice slice;

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage& shared) const
    {
        const auto runs = static_cast<unsigned>(slice.runs());
        auto* const counts = reinterpret_cast<std::uint32_t*>(shared.rest.data());
        packet* const packets = shared.rest.data() + runs;
        auto* const numbers = reinterpret_cast<std::uint16_t*>(packets);
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
            read(block, tile, counters);
#pragma unroll
            for (unsigned k = 0; k < thread_samples; ++k)
                simt::atomic_add(counts + entry_of(counters[k], replica), 1u);
            block.sync();

            // 3. Scan the counts: where the samples of each run and replica start.
            const unsigned size = scan_counts(block, shared.scan, shared.rest.data(), tile);

            // 4. Scatter in shared memory, then copy to device memory in order. To count again where each sample goes takes fewer
            //    registers than to keep its rank.
#pragma unroll
            for (unsigned k = 0; k < thread_samples; ++k)
                simt::at(numbers, simt::atomic_add(counts + entry_of(counters[k], replica), 1u)) =
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
        return (counter >> slice.part_bits) * partition::replicas + replica;
    }

    static constexpr unsigned items = Samples::items < thread_samples ? Samples::items : thread_samples;
    static constexpr unsigned loads = thread_samples / items;

    /// The counters of this thread's samples of a tile; one behind all parts where there is no sample.
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
                             : static_cast<std::uint32_t>(slice.parts << slice.part_bits);
            }
    }

    /// Replaces the counts by the position where each run and replica starts, runs filled up to whole packets. Stores where the
    /// runs start, and adds to the totals of the parts. Returns where the last part's run ends. Ends with a barrier.
    PARPRIMS_DEVICE unsigned scan_counts(simt::block block, block::scan_storage<std::uint32_t>& storage, packet* counts,
                                         std::size_t tile) const
    {
        const auto runs = static_cast<unsigned>(slice.runs());
        unsigned before = 0;
        for (unsigned first = 0; first < runs; first += block.threads()) {
            const unsigned run = first + block.thread();
            const packet own = run < runs ? simt::load(counts, run) : packet{};
            const std::uint32_t total = own.words[0] + own.words[1] + own.words[2] + own.words[3];
            // The last run is not stored.
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

/// Step 2: counts the runs of each part in shared memory. All blocks get equal shares of the work, so a block may count the end of
/// one part, whole parts, and the beginning of another.
template <class Samples, class Counter>
struct partition_count_kernel {
    static constexpr unsigned max_threads = 1024;
    static constexpr unsigned batch = partition_batch;
    using packet = simt::packet<16>;

    /// Runs that all warps count together, since one warp would take long.
    struct long_runs {
        std::uint32_t count;  // more than there is room for, if a warp found no room
        std::uint32_t begins[simt::warp_size];
        std::uint32_t sizes[simt::warp_size];
    };

    struct shared_storage {
        block::scan_storage<std::uint32_t> scan;
        long_runs listed;
        simt::shared_array<packet> rest;  // the counters, the filler's, then where the share of each part starts
    };
    static_assert(sizeof(shared_storage) == partition::count_storage_bytes);

    Samples samples;
    partitioned_slice slice;
    Counter* counts;

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage& shared) const
    {
        // 1. Share the work; zero the totals of the next slice.
        packet* const packets = shared.rest.data();
        const std::uint32_t whole_packets = slice.part_counters() / 4 + 1;
        auto* const counters = reinterpret_cast<std::uint32_t*>(packets);
        auto* const shares = reinterpret_cast<std::uint32_t*>(packets + whole_packets);
        share_work(block, shared.scan, shares);
        if (block.index() == 0)
            for (std::size_t p = block.thread(); p < slice.parts; p += block.threads())
                simt::store(slice.next_totals, p, 0u);

        const std::uint64_t work = simt::load(shares, slice.parts);
        const auto last = static_cast<std::uint32_t>(work * (block.index() + 1) / block.count());
        for (auto at = static_cast<std::uint32_t>(work * block.index() / block.count()); at < last;) {
            const std::size_t part = part_of(at, shares);
            const std::uint32_t part_begin = simt::load(shares, part);
            const std::uint32_t part_end = simt::load(shares, part + 1);
            const std::uint32_t end = part_end < last ? part_end : last;
            const std::size_t base = part << slice.part_bits;
            const std::size_t left = samples.counters() - base;
            const auto width = static_cast<std::uint32_t>(left < slice.part_counters() ? left : slice.part_counters());

            // 2. Zero the private counters.
            for (std::uint32_t i = block.thread(); i < whole_packets; i += block.threads())
                simt::store(packets, i, packet{});
            if (block.thread() == 0)
                simt::store(&shared.listed.count, 0u);
            block.sync();

            // 3. Count this block's runs of the part.
            const auto step_of = [&](std::uint32_t place) {
                return static_cast<std::uint32_t>(std::uint64_t{slice.tiles} * (place - part_begin) /
                                                  (part_end - part_begin));
            };
            count_runs(block, part, step_of(at), step_of(end), counters, shared.listed);
            block.sync();

            // 4. Add them to the caller's counters. Blocks start at different counters.
            const auto start = static_cast<std::uint32_t>(block.index() * block_stagger % width);
            for (std::uint32_t k = block.thread(); k < width; k += block.threads()) {
                const std::uint32_t i = k + start < width ? k + start : k + start - width;
                add_counted(samples, counts, base + i, simt::load(counters, i));
            }
            block.sync();
            at = end;
        }
    }

private:
    /// Stores where the share of each part in the work starts: its samples, and the counters that are to be zeroed and added, if it
    /// has any samples. Ends with a barrier.
    PARPRIMS_DEVICE void share_work(simt::block block, block::scan_storage<std::uint32_t>& storage,
                                    std::uint32_t* shares) const
    {
        if (block.thread() == 0)
            simt::store(shares, 0, 0u);
        std::uint32_t before = 0;
        for (std::size_t first = 0; first < slice.parts; first += block.threads()) {
            const std::size_t p = first + block.thread();
            const std::uint32_t total = p < slice.parts ? simt::load(slice.totals + p) : 0;
            const std::uint32_t share = total != 0 ? total + flush_samples * slice.part_counters() : 0;
            const auto scan = block::inclusive_scan(block, storage, share, plus{});
            if (p < slice.parts)
                simt::store(shares, p + 1, before + scan.inclusive);
            before += scan.total;
            block.sync();
        }
    }

    /// The part whose share contains `at`.
    PARPRIMS_DEVICE std::size_t part_of(std::uint32_t at, const std::uint32_t* shares) const
    {
        std::size_t low = 0;
        std::size_t high = slice.parts;
        while (high - low > 1) {
            const std::size_t middle = low + (high - low) / 2;
            (simt::load(shares, middle) <= at ? low : high) = middle;
        }
        return low;
    }

    /// Counts the runs of a part in the tiles of steps `[first, last)`. Warps take turns, but with the long runs, as far as `listed`
    /// has room for them: all warps count those at the end. There is a barrier before that.
    PARPRIMS_DEVICE void count_runs(simt::block block, std::size_t part, std::uint32_t first, std::uint32_t last,
                                    std::uint32_t* counters, long_runs& listed) const
    {
        const unsigned lane = simt::block::lane();
        const auto tile_packets = static_cast<std::uint32_t>(slice.tile_room() / partition::run_unit);
        std::uint32_t step = first + block.warp();
        bool is_end = false;
        while (!is_end) {
            std::uint32_t begin = 0;
            std::uint32_t size = 0;
            is_end = step >= last;
            if (is_end) {
                block.sync();
                if (lane < simt::load(&listed.count)) {
                    begin = simt::load(listed.begins, lane);
                    size = simt::load(listed.sizes, lane);
                }
            } else {
                // Each lane looks up one run, so that the loads of 32 look-ups are in flight together.
                const std::uint32_t lane_step = step + block.warps() * lane;
                if (lane_step < last) {
                    const auto tile =
                        static_cast<std::uint32_t>(std::uint64_t{lane_step} * slice.tile_step % slice.tiles);
                    const std::uint32_t start = simt::load(slice.starts + part * slice.tiles + tile);
                    size = (simt::load(slice.starts + (part + 1) * slice.tiles + tile) - start) / partition::run_unit;
                    begin = tile * tile_packets + start / partition::run_unit;
                }
                if (size > long_run_packets) {
                    const std::uint32_t place = simt::atomic_add(&listed.count, 1u);
                    if (place < simt::warp_size) {
                        simt::store(listed.begins, place, begin);
                        simt::store(listed.sizes, place, size);
                        size = 0;
                    }
                }
                step += block.warps() * simt::warp_size;
            }
            simt::sync_warp();
            const unsigned sharing = is_end ? block.warps() : 1;  // warps that have the same runs
            const unsigned turn = is_end ? block.warp() : 0;
            count_packets(begin, size, turn * batch * simt::warp_size, sharing * batch * simt::warp_size, counters);
        }
    }

    /// Each lane has a run: packets `[begin, begin + size)`. Of the packets of all lanes, one after the other, counts `batch` times
    /// 32 from each multiple of `stride` after `first` on.
    PARPRIMS_DEVICE void count_packets(std::uint32_t begin, std::uint32_t size, std::uint32_t first,
                                       std::uint32_t stride, std::uint32_t* counters) const
    {
        const unsigned lane = simt::block::lane();
        const auto* const packets = reinterpret_cast<const packet*>(slice.sorted);
        const std::uint32_t until = warp::scan_full_lanes(size, plus{});
        const std::uint32_t before = until - size;
        const std::uint32_t all = simt::shuffle(until, simt::warp_size - 1);
        for (std::uint32_t i = first; i < all; i += stride) {
            packet numbers[batch];
#pragma unroll
            for (unsigned a = 0; a < batch; ++a) {
                // The lane that has the packet: the last one with no more packets before it.
                const std::uint32_t number = i + a * simt::warp_size + lane;
                unsigned owner = 0;
#pragma unroll
                for (unsigned half = simt::warp_size / 2; half != 0; half /= 2)
                    owner += simt::shuffle(before, owner + half) <= number ? half : 0;
                const std::uint32_t place = simt::shuffle(begin - before, owner) + number;
                if (number < all)
                    numbers[a] = simt::load(packets, place);
            }
#pragma unroll
            for (unsigned a = 0; a < batch; ++a)
                if (i + a * simt::warp_size + lane < all)
                    count_packet(numbers[a], counters);
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
