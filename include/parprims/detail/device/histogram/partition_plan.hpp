/// @file
/// @brief  How a histogram of many bins is cut into slices, tiles and parts. Pure: no GPU is asked.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/device/histogram/plan.hpp>
#include <parprims/detail/device/launch/launcher.hpp>
#include <parprims/detail/device/launch/validate.hpp>
#include <parprims/detail/numeric/integers.hpp>
#include <parprims/detail/order.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>

namespace parprims::detail::device {

/// A slice of the samples in tiles, and the counters in parts of 2^part_bits. The samples of a tile become two bytes each,
/// their counter inside its part, sorted by part: the tile's run of each part. A run is filled up to whole packets.
struct partition {
    static constexpr unsigned thread_samples = 16;
    static constexpr unsigned run_unit = 8;  // numbers of a packet

    std::size_t begin;
    std::size_t end;
    unsigned lead;  // samples between a 16-byte boundary and `begin`
    std::size_t parts;
    unsigned part_bits;  // 15 at most
    unsigned replicas;   // counts of a part while a tile is sorted: a power of two, 32 at most
    unsigned tile;       // samples of a tile
    std::size_t tiles;
    std::uint16_t* sorted;   // tile_room numbers of each tile
    std::uint16_t* starts;   // run p of tile t is [starts[p * tiles + t], starts[(p + 1) * tiles + t]) of its numbers
    std::uint32_t* totals;   // samples of each part: zero before a slice is sorted
    std::uint32_t* cleared;  // those of the next slice

    static constexpr std::size_t sort_storage_bytes = 128 + 16;  ///< shared memory to sort, without counts and numbers

    PARPRIMS_HOST_DEVICE std::size_t tile_room() const { return tile + run_unit * parts; }
    /// What a run is filled up with: a counter behind those of its part.
    PARPRIMS_HOST_DEVICE std::uint32_t filler() const { return std::uint32_t{1} << part_bits; }

    /// Shared memory to sort a tile: a word for each part and replica, and its numbers.
    std::size_t sort_bytes() const
    {
        return sort_storage_bytes + order::ceil_div(parts * replicas, 4) * 16 + tile_room() * sizeof(std::uint16_t);
    }
    /// Shared memory to count a part: its counters, and where each part's jobs start.
    std::size_t count_bytes() const { return part_words(parts << part_bits, filler()) * sizeof(std::uint32_t); }
};

/// How a partition is launched, and its scratch.
struct partition_plan {
    partition cut;  ///< of the first slice, without the pointers
    unsigned block_threads;
    std::size_t blocks;
    std::size_t slice;  ///< samples
    std::size_t sorted_bytes;
    std::size_t starts_bytes;
    std::size_t totals_bytes;  ///< of one slice; two are needed

    std::size_t scratch_bytes() const { return sorted_bytes + starts_bytes + 2 * totals_bytes; }
};

/// @param  misaligned    samples between a 16-byte boundary and the first
/// @param  packet_items  samples that are read at a time
inline partition_plan plan_partition(std::size_t n, std::size_t counters, const histogram_plan& plan,
                                     unsigned misaligned, unsigned packet_items, const machine& gpu)
{
    constexpr std::size_t alignment = 256;
    const auto aligned = [](std::size_t bytes) { return order::ceil_div(bytes, alignment) * alignment; };
    partition_plan how{};
    partition& cut = how.cut;
    cut.lead = misaligned;
    cut.part_bits = static_cast<unsigned>(std::bit_width(plan.window)) - 1;
    cut.parts = order::ceil_div(counters, plan.window);
    how.block_threads = smaller_of(plan.block_threads, 512u);
    for (;; how.block_threads = larger_of(how.block_threads / 64, 1u) * 32) {
        cut.tile = how.block_threads * partition::thread_samples;
        for (cut.replicas = 32; cut.replicas > 1 && cut.parts * cut.replicas > how.block_threads;)
            cut.replicas /= 2;
        if (how.block_threads == 32 || cut.sort_bytes() <= gpu.shared_bytes_per_block)
            break;
    }

    // Slices of as many tiles as their numbers fit the L2 cache, and bounded scratch.
    const std::size_t tile_bytes = cut.tile_room() * sizeof(std::uint16_t);
    const std::size_t most =
        larger_of<std::size_t>(smaller_of(plan.segment / cut.tile, max_sorted_bytes / tile_bytes), 1);
    const std::size_t tiles = smaller_of(order::ceil_div(n + misaligned, cut.tile), most);
    how.slice = most * cut.tile - (misaligned != 0 ? packet_items : 0);
    how.blocks =
        smaller_of<std::size_t>(tiles, std::size_t{gpu.multiprocessors} * larger_of(1024u / how.block_threads, 1u));
    how.sorted_bytes = aligned(tiles * tile_bytes);
    how.starts_bytes = aligned((cut.parts + 1) * tiles * sizeof(std::uint16_t));
    how.totals_bytes = aligned(cut.parts * sizeof(std::uint32_t));
    return how;
}

/// The slice that starts at sample `begin`, with its scratch.
inline partition slice_of(const partition_plan& how, std::size_t begin, std::size_t n, void* scratch)
{
    auto* const bytes = static_cast<unsigned char*>(scratch);
    auto* const totals = bytes + how.sorted_bytes + how.starts_bytes;
    const bool is_odd = begin / how.slice % 2 != 0;
    partition cut = how.cut;
    cut.begin = begin;
    cut.end = n - begin < how.slice ? n : begin + how.slice;
    cut.tiles = order::ceil_div(cut.end - cut.begin + cut.lead, cut.tile);
    cut.sorted = reinterpret_cast<std::uint16_t*>(bytes);
    cut.starts = reinterpret_cast<std::uint16_t*>(bytes + how.sorted_bytes);
    cut.totals = reinterpret_cast<std::uint32_t*>(totals + (is_odd ? how.totals_bytes : 0));
    cut.cleared = reinterpret_cast<std::uint32_t*>(totals + (is_odd ? 0 : how.totals_bytes));
    return cut;
}

/// Samples between the 16-byte boundary before them and the first; 0 where they are not read in packets.
template <class Samples>
unsigned misaligned_samples(const Samples& samples)
{
    if constexpr (Samples::has_packets)
        return static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(samples.input.data) % 16 /
                                     sizeof(typename Samples::value_type));
    else
        return 0;
}

}  // namespace parprims::detail::device
