/// @file
/// @brief  The second kernel of the histogram of many bins: counts each part of the sorted samples.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/device/histogram/kernel.hpp>
#include <parprims/detail/device/histogram/partition_plan.hpp>
#include <parprims/detail/device/histogram/partition_sort_kernel.hpp>
#include <parprims/detail/device/histogram/tuning.hpp>
#include <parprims/detail/device/tree/block_scan.hpp>
#include <parprims/detail/device/tree/warp_scan.hpp>
#include <parprims/detail/numeric/integers.hpp>
#include <parprims/detail/simt/simt.hpp>
#include <parprims/functional.hpp>

#include <cstddef>
#include <cstdint>

namespace parprims::detail::device {

/// Counters of a part in shared memory: counts of samples.
template <class Samples, class Counter>
struct part_counts {
    static constexpr unsigned words = 1;          // of a counter, 32 bits each
    static constexpr unsigned payload_bytes = 0;  // of what is sorted with each sample
    static constexpr unsigned batch = partition_batch;

    Samples samples;
    Counter* counts;

    PARPRIMS_DEVICE static std::uint32_t* address(std::uint32_t* counters) { return counters; }
    PARPRIMS_DEVICE std::size_t all_counters() const { return samples.counters(); }
    PARPRIMS_DEVICE void set_samples(std::size_t n) { samples.n = n; }

    /// Calls `use(add)` if there is anything to count; `add(counters, number, payload, first)` counts a sample of the
    /// part that begins at counter `first`.
    template <class Use>
    PARPRIMS_DEVICE void with_adding(simt::block, std::uint32_t*, std::uint32_t, Use use) const
    {
        use([](std::uint32_t* counters, std::uint32_t number, no_payload, std::size_t) {
            simt::atomic_add(counters + number, 1u);
        });
    }
    /// Adds a counter of a part to the caller's.
    PARPRIMS_DEVICE void flush(const std::uint32_t* counters, std::uint32_t, std::uint32_t i, std::size_t counter) const
    {
        device::add_counted(samples, counts, counter, simt::load(counters, i));
    }
};

/// Counts the runs of each part in shared memory. All blocks get equal shares of the work, so a block may count the end of
/// one part, whole parts, and the beginning of another.
template <class Part>
struct partition_part_kernel : Part {
    static constexpr unsigned max_threads = 1024;
    static constexpr unsigned batch = Part::batch;
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
        std::uint32_t peak;
        simt::shared_array<packet> rest;  // the counters, the filler's, then where the share of each part starts
    };
    static_assert(sizeof(shared_storage) == partition::count_storage_bytes);

    partitioned_slice slice;

    PARPRIMS_DEVICE std::size_t resize(std::size_t n, std::size_t blocks)
    {
        slice.resize(n);
        this->set_samples(n);
        return slice.tiles == 0 ? 0 : blocks;  // after an empty slice there are only empty ones, which read no totals
    }

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage& shared) const
    {
        this->with_adding(block, &shared.peak, plane(), [&](auto add) { count(block, shared, add); });
    }

private:
    /// Words between two words of a counter.
    PARPRIMS_DEVICE std::uint32_t plane() const { return (slice.part_counters() / 4 + 1) * 4; }

    template <class Add>
    PARPRIMS_DEVICE void count(simt::block block, shared_storage& shared, Add& add) const
    {
        // 1. Share the work; zero the totals of the next slice.
        packet* const packets = shared.rest.data();
        const std::uint32_t whole_packets = plane() / 4 * Part::words;
        auto* const counters = this->address(reinterpret_cast<std::uint32_t*>(packets));
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
            const std::size_t left = this->all_counters() - base;
            const auto width = static_cast<std::uint32_t>(left < slice.part_counters() ? left : slice.part_counters());

            // 2. Zero the private counters.
            for (std::uint32_t i = block.thread(); i < Part::words * (plane() / 4); i += block.threads())
                simt::store(packets, i, packet{});
            if (block.thread() == 0)
                simt::store(&shared.listed.count, 0u);
            block.sync();

            // 3. Count this block's runs of the part.
            const auto step_of = [&](std::uint32_t place) {
                return static_cast<std::uint32_t>(std::uint64_t{slice.tiles} * (place - part_begin) /
                                                  (part_end - part_begin));
            };
            count_runs(block, part, step_of(at), step_of(end), counters, shared.listed, add);
            block.sync();

            // 4. Add them to the caller's counters. Blocks start at different counters.
            const auto start = static_cast<std::uint32_t>(block.index() * block_stagger % width);
            for (std::uint32_t k = block.thread(); k < width; k += block.threads()) {
                const std::uint32_t i = k + start < width ? k + start : k + start - width;
                this->flush(counters, plane(), i, base + i);
            }
            block.sync();
            at = end;
        }
    }

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
            const bool is_upper = simt::load(shares, middle) <= at;
            low = is_upper ? middle : low;
            high = is_upper ? high : middle;
        }
        return low;
    }

    /// Counts the runs of a part in the tiles of steps `[first, last)`, each by one warp. Long runs are listed first and counted by
    /// all warps together after a barrier; those for which `listed` has no room are counted by one warp, too.
    template <class Add>
    PARPRIMS_DEVICE void count_runs(simt::block block, std::size_t part, std::uint32_t first, std::uint32_t last,
                                    std::uint32_t* counters, long_runs& listed, Add& add) const
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
            const unsigned member = is_end ? block.warp() : 0;
            count_packets(begin, size, member * batch * simt::warp_size, sharing * batch * simt::warp_size, part,
                          counters, add);
        }
    }

    /// Each lane has a run: packets `[begin, begin + size)`. Numbers the packets of all lanes one after another, and counts those from
    /// number `first`, `first + stride`, ... on, `batch * warp_size` of them each time.
    template <class Add>
    PARPRIMS_DEVICE void count_packets(std::uint32_t begin, std::uint32_t size, std::uint32_t first,
                                       std::uint32_t stride, std::size_t part, std::uint32_t* counters, Add& add) const
    {
        const unsigned lane = simt::block::lane();
        const auto* const packets = reinterpret_cast<const packet*>(slice.sorted);
        const std::uint32_t until = warp::scan_full_lanes(size, plus{});
        const std::uint32_t before = until - size;
        const std::uint32_t all = simt::shuffle(until, simt::warp_size - 1);
        for (std::uint32_t i = first; i < all; i += stride) {
            packet numbers[batch];
            payload_packets payloads[batch];
#pragma unroll
            for (unsigned a = 0; a < batch; ++a) {
                // The lane that has the packet: the last one with no more packets before it.
                const std::uint32_t number = i + a * simt::warp_size + lane;
                unsigned owner = 0;
#pragma unroll
                for (unsigned half = simt::warp_size / 2; half != 0; half /= 2)
                    owner += simt::shuffle(before, owner + half) <= number ? half : 0;
                const std::uint32_t place = simt::shuffle(begin - before, owner) + number;
                if (number < all) {
                    numbers[a] = simt::load(packets, place);
                    load_payloads(payloads[a], place);
                }
            }
#pragma unroll
            for (unsigned a = 0; a < batch; ++a)
                if (i + a * simt::warp_size + lane < all)
                    count_packet(numbers[a], payloads[a], part, counters, add);
        }
    }

    using payload_packet = packet_of_payloads<larger_of(Part::payload_bytes, 1u)>;
    static constexpr unsigned payload_loads = partition::run_unit * Part::payload_bytes / sizeof(payload_packet);
    struct payload_packets {
        payload_packet words[larger_of(payload_loads, 1u)];
    };

    /// The payloads of a packet of numbers.
    PARPRIMS_DEVICE void load_payloads([[maybe_unused]] payload_packets& payloads,
                                       [[maybe_unused]] std::uint32_t place) const
    {
        if constexpr (payload_loads != 0) {
            const auto* const from =
                reinterpret_cast<const payload_packet*>(slice.payloads) + std::size_t{place} * payload_loads;
#pragma unroll
            for (unsigned j = 0; j < payload_loads; ++j)
                payloads.words[j] = simt::load(from, j);
        }
    }

    template <class Add>
    PARPRIMS_DEVICE void count_packet(const packet& numbers, [[maybe_unused]] const payload_packets& payloads,
                                      std::size_t part, std::uint32_t* counters, Add& add) const
    {
#pragma unroll
        for (unsigned k = 0; k < partition::run_unit; ++k) {
            const std::uint32_t number = simt::element<std::uint16_t>(numbers, k);
            if constexpr (Part::payload_bytes == 0) {
                add(counters, number, no_payload{}, part << slice.part_bits);
            } else if (number != slice.filler()) {  // that has no payload
                constexpr unsigned in_packet = sizeof(payload_packet) / Part::payload_bytes;
                add(counters, number,
                    simt::element<typename Part::payload_type>(payloads.words[k / in_packet], k % in_packet),
                    part << slice.part_bits);
            }
        }
    }
};

template <class Samples, class Counter>
using partition_count_kernel = partition_part_kernel<part_counts<Samples, Counter>>;

}  // namespace parprims::detail::device
