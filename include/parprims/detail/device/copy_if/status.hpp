/// @file
/// @brief  How the blocks of `copy_if` tell each other how many elements of their tiles are kept.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/block/ticket.hpp>
#include <parprims/detail/block/warp_tree.hpp>
#include <parprims/detail/device/launch/launcher.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <cstddef>
#include <cstdint>

namespace parprims::detail::device {

/// A ticket for tiles, one for departures, and a word for each tile, in memory that is zero before the launch; after it, too,
/// if blocks count their departures.
///
/// Forward progress: tickets ascend, a block publishes the counts of its tiles in order, and it waits only for those of tiles
/// before one that it has published. So the block with the smallest unpublished tile never waits.
struct kept_status {
    std::byte* memory;
    std::size_t tiles;
    bool counts_departures;

    static constexpr std::size_t bytes(std::size_t tiles) { return memory_alignment + tiles * sizeof(std::uint64_t); }

    /// For one thread of each block.
    PARPRIMS_DEVICE std::size_t draw_tile() const
    {
        return static_cast<std::size_t>(simt::atomic_add(reinterpret_cast<unsigned long long*>(memory), 1ull));
    }

    /// For one thread: publishes the count of a tile. A word is one more than the count; zero until then.
    PARPRIMS_DEVICE void publish(std::size_t tile, std::uint64_t count) const
    {
        simt::atomic_store(words() + tile, count + 1);
    }

    /// Shared memory of `sum`.
    struct shared_storage {
        std::uint64_t sums[simt::warp_size];  // of the warps
    };

    /// For all threads of a block: waits for the counts of the tiles [first, last), and adds them. Has a barrier.
    PARPRIMS_DEVICE std::uint64_t sum(simt::block block, shared_storage& shared, std::size_t first,
                                      std::size_t last) const
    {
        std::uint64_t mine = 0;
#pragma unroll 2
        for (std::size_t tile = first + block.thread(); tile < last; tile += block.threads())
            mine += wait(tile) - 1;
        mine = warp::fold_full_lanes(mine, plus{});
        if (block.lane() == 0)
            simt::store(shared.sums, block.warp(), mine);
        block.sync();
        const std::uint64_t of_warp = block.lane() < block.warps() ? simt::load(shared.sums, block.lane()) : 0;
        return simt::shuffle(warp::fold_full_lanes(of_warp, plus{}), 0);
    }

    /// For one thread of each block, after its last `sum`: whether it is the last, whose block must `reset`.
    PARPRIMS_DEVICE bool departs_last(simt::block block) const
    {
        return block::takes_last_ticket<simt::order::acq_rel>(
            block, reinterpret_cast<unsigned*>(memory + sizeof(unsigned long long)));
    }

    PARPRIMS_DEVICE void reset(simt::block block) const
    {
        for (std::size_t i = block.thread(); i < tiles; i += block.threads())
            simt::store(words(), i, 0u);
        if (block.thread() == 0)
            simt::store(reinterpret_cast<unsigned long long*>(memory), 0ull);
    }

private:
    PARPRIMS_DEVICE std::uint64_t* words() const { return reinterpret_cast<std::uint64_t*>(memory + memory_alignment); }

    PARPRIMS_DEVICE std::uint64_t wait(std::size_t tile) const
    {
        std::uint64_t word = simt::atomic_load(words() + tile);
        while (word == 0) {
            simt::pause();
            word = simt::atomic_load(words() + tile);
        }
        return word;
    }
};

}  // namespace parprims::detail::device
