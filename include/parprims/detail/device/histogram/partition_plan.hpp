/// @file
/// @brief  How a histogram of many bins is partitioned into slices, tiles and parts, and launched. Pure: no GPU is asked.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/device/call/launcher.hpp>
#include <parprims/detail/device/call/validate.hpp>
#include <parprims/detail/device/histogram/plan.hpp>
#include <parprims/detail/device/histogram/tuning.hpp>
#include <parprims/detail/numeric/integers.hpp>

#include <cstddef>
#include <cstdint>

namespace parprims::detail::device {

/// What is sorted with each sample, such as its weight, and the counters that it is added to.
struct partition_payload {
    unsigned bytes = 0;          ///< 0: nothing
    unsigned counter_words = 1;  ///< of a counter in shared memory, 32 bits each

    /// Bytes of a sorted sample: its number and its payload.
    constexpr std::size_t sample_bytes() const { return sizeof(std::uint16_t) + bytes; }
};

/// Samples in tiles, and counters in parts of 2^part_bits. The samples of a tile become numbers of two bytes, their counter
/// inside its part, sorted by part: the tile's run of each part. A run is filled up to whole packets.
struct partition {
    static constexpr unsigned max_part_bits = 15;  ///< two bytes hold the counters of a part, and the filler
    static constexpr unsigned replicas = 4;        ///< counts of a part while a tile is sorted: a packet
    static constexpr unsigned run_unit = 8;        ///< numbers of a packet
    static constexpr std::size_t sort_storage_bytes = 128 + 16;  ///< the scan of the counts, and one packet
    static constexpr std::size_t count_storage_bytes =
        128 + 272 + 16;  ///< the scan of the shares, long runs, and one packet

    std::size_t parts;
    unsigned part_bits;
    unsigned tile;             ///< samples of a tile
    unsigned leading_samples;  ///< room of the first tile before the first sample: tiles begin at 16-byte boundaries

    /// What a tile is sorted into: the parts, and behind them its places without a sample.
    PARPRIMS_HOST_DEVICE constexpr std::size_t runs() const { return parts + 1; }
    /// Room for a tile's sorted numbers, with what fills the runs up.
    PARPRIMS_HOST_DEVICE constexpr std::size_t tile_room() const { return tile + run_unit * runs(); }
    PARPRIMS_HOST_DEVICE std::size_t tiles_of(std::size_t count) const
    {
        return order::ceil_div(count + leading_samples, tile);
    }
    /// Counters of a part; the last part may have fewer.
    PARPRIMS_HOST_DEVICE std::uint32_t part_counters() const { return std::uint32_t{1} << part_bits; }
    /// The number that fills a run up: a counter behind those of its part.
    PARPRIMS_HOST_DEVICE std::uint32_t filler() const { return part_counters(); }

    /// Shared memory to sort a tile: the counts of each run, its numbers, and its payloads.
    constexpr std::size_t sort_bytes(const partition_payload& payload) const
    {
        return sort_storage_bytes + runs() * replicas * sizeof(std::uint32_t) + tile_room() * payload.sample_bytes();
    }
    /// Shared memory to count a part: storage of the kernel without its last packet, a part's counters and the filler's in
    /// whole packets, and where the share of each part starts and ends.
    constexpr std::size_t count_bytes(const partition_payload& payload) const
    {
        return count_storage_bytes - 16 +
               (((std::size_t{1} << part_bits) + 4) * payload.counter_words + parts + 1) * sizeof(std::uint32_t);
    }
};

/// A slice of the samples: those that are sorted, and then counted, by one pair of launches.
struct partitioned_slice : partition {
    std::size_t begin;
    std::size_t end;
    std::size_t tiles;
    std::uint16_t* sorted;  ///< tile_room numbers of each tile
    std::uint16_t* starts;  ///< run p of tile t is [starts[p * tiles + t], starts[(p + 1) * tiles + t]) of its numbers
    std::uint32_t* totals;  ///< samples of each part: zero before the slice is sorted
    std::uint32_t* next_totals;  ///< those of the next slice, zeroed while this one is counted
    std::uint32_t tile_step;     ///< the blocks that count a part take its runs in steps of so many tiles
    std::byte* payloads;         ///< as `sorted`, of payloads

    /// For n samples in all, which may end in the slice or before it.
    PARPRIMS_HOST_DEVICE void resize(std::size_t n)
    {
        if (n >= end)
            return;
        end = larger_of(begin, n);
        tiles = n > begin ? tiles_of(end - begin) : 0;
        tile_step = step_of(tiles);
    }
    /// A number without a common divisor with `tiles`, so that steps of it meet all tiles. Near the golden section neighbouring
    /// steps lie far apart, so all blocks find as much in their runs even where samples are sorted.
    PARPRIMS_HOST_DEVICE static std::uint32_t step_of(std::size_t tiles)
    {
        auto step = static_cast<std::uint32_t>(tiles * 618 / 1000 + 1);
        while (common_divisor(step, static_cast<std::uint32_t>(tiles)) != 1)
            ++step;
        return step;
    }
};

/// Samples sorted by parts of the counters, then each part counted in shared memory. The samples come in slices, so that
/// scratch is bounded and stays in the L2 cache.
struct partitioned_plan {
    partition parts;
    partition_payload payload;
    unsigned sort_threads;
    std::size_t max_sort_blocks;
    launch_shape count_shape;
    std::size_t samples;
    std::size_t slice;  ///< samples of a slice; all slices begin at the same place between two 16-byte boundaries

    std::size_t slice_tiles() const { return parts.tiles_of(smaller_of(samples, slice)); }
    std::size_t sorted_bytes() const
    {
        return aligned_bytes(slice_tiles() * parts.tile_room() * sizeof(std::uint16_t));
    }
    std::size_t payloads_bytes() const { return aligned_bytes(slice_tiles() * parts.tile_room() * payload.bytes); }
    std::size_t starts_bytes() const
    {
        return aligned_bytes((parts.parts + 1) * slice_tiles() * sizeof(std::uint16_t));
    }
    std::size_t totals_bytes() const { return aligned_bytes(parts.parts * sizeof(std::uint32_t)); }
    /// Zero before the first slice.
    std::size_t totals_offset() const { return sorted_bytes() + payloads_bytes() + starts_bytes(); }
    std::size_t scratch_bytes() const { return totals_offset() + 2 * totals_bytes(); }

    launch_shape sort_shape(const partitioned_slice& of) const
    {
        return {smaller_of(max_sort_blocks, of.tiles), sort_threads, parts.sort_bytes(payload)};
    }

    /// The slice that starts at sample `begin`. Slices take turns with the two arrays of totals.
    partitioned_slice slice_at(std::size_t begin, std::byte* scratch) const
    {
        const std::size_t end = samples - begin < slice ? samples : begin + slice;
        const std::size_t tiles = parts.tiles_of(end - begin);
        const bool is_odd = begin / slice % 2 != 0;
        std::byte* const totals = scratch + totals_offset();
        return {parts,
                begin,
                end,
                tiles,
                reinterpret_cast<std::uint16_t*>(scratch),
                reinterpret_cast<std::uint16_t*>(scratch + sorted_bytes() + payloads_bytes()),
                reinterpret_cast<std::uint32_t*>(totals + (is_odd ? totals_bytes() : 0)),
                reinterpret_cast<std::uint32_t*>(totals + (is_odd ? 0 : totals_bytes())),
                partitioned_slice::step_of(tiles),
                scratch + sorted_bytes()};
    }
};

/// The partition into the largest parts that shared memory allows, and the smallest tiles; no parts where there would be too
/// many.
inline partition choose_parts(std::size_t counters, const gpu_properties& gpu, const partition_payload& payload = {})
{
    const unsigned smallest_tile = 32 * partition_samples_of(payload.bytes);
    for (unsigned bits = partition::max_part_bits + 1; bits-- != 0;) {
        const partition tried{order::ceil_div(counters, std::size_t{1} << bits), bits, smallest_tile, 0};
        if (tried.count_bytes(payload) > gpu.shared_bytes_per_block)
            continue;
        if (tried.parts <= max_parts && tried.sort_bytes(payload) <= gpu.shared_bytes_per_block)
            return tried;
        break;
    }
    return {};
}

inline histogram_config::placement_kind choose_placement(std::size_t counters, const gpu_properties& gpu)
{
    using enum histogram_config::placement_kind;
    if (counters <= max_shared_counters(gpu))
        return shared;
    if (order::ceil_div(counters, max_shared_counters(gpu)) <= max_automatic_passes)
        return passes;
    return choose_parts(counters, gpu).parts != 0 ? partitioned : global;
}

inline partitioned_plan plan_partitioned(const char* function, const histogram_size& size,
                                         const histogram_config& config, const gpu_properties& gpu)
{
    partitioned_plan plan{};
    partition& parts = plan.parts;
    plan.payload = {size.payload_bytes, size.counter_words};
    parts = choose_parts(size.counters, gpu, plan.payload);
    check_config(function, parts.parts != 0, "placement", size.bins, "a number of bins that can be partitioned");
    parts.leading_samples = static_cast<unsigned>(size.leading_samples);
    plan.samples = size.samples;
    // Each part that has samples is flushed: few samples in many bins need many blocks.
    const std::size_t flushed = smaller_of(size.samples, parts.parts) * flush_samples * parts.part_counters();
    plan.count_shape = plan_grid(size.samples + flushed, histogram_thread_samples, config.block_threads,
                                 parts.count_bytes(plan.payload), config, gpu);

    // Blocks that sort are as large as their tile's shared memory allows.
    unsigned& threads = plan.sort_threads;
    threads = smaller_of(config.block_threads, max_partition_threads);
    for (;; threads = larger_of(threads / 64, 1u) * 32) {
        parts.tile = threads * partition_samples_of(size.payload_bytes);
        if (threads == 32 || parts.sort_bytes(plan.payload) <= gpu.shared_bytes_per_block)
            break;
    }
    plan.max_sort_blocks =
        gpu.multiprocessors * std::size_t{larger_of(partition_threads_of(size.payload_bytes) / threads, 1u)};

    // A slice has as many whole tiles as its limits allow. Where its first tile begins before its samples, it is a packet shorter.
    const std::size_t tile_bytes = parts.tile_room() * plan.payload.sample_bytes();
    const std::size_t tiles =
        larger_of<std::size_t>((size.payload_bytes != 0 ? max_sorted_pair_bytes : max_sorted_bytes) / tile_bytes, 1);
    plan.slice = tiles * parts.tile - (parts.leading_samples != 0 ? size.packet_samples : 0);
    return plan;
}

}  // namespace parprims::detail::device
