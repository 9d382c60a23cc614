/// @file
/// @brief  How the blocks of `copy_if` tell each other how many elements of their tiles are kept.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/device/pass/tile_tickets.hpp>
#include <parprims/detail/device/tree/warp_tree.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <cstddef>
#include <cstdint>

namespace parprims::detail::device {

/// Of each tile a word: one more than the count, zero until that is known.
struct kept_status : block::tile_tickets {
    static constexpr std::size_t bytes(std::size_t tiles) { return head_bytes + tiles * sizeof(std::uint64_t); }

    /// For one thread: publishes the count of a tile.
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
        // Two words in flight: a round has a few more tiles than a block has threads.
#pragma unroll 1
        for (std::size_t tile = first + block.thread(); tile < last; tile += 2 * block.threads()) {
            const std::size_t other = tile + block.threads();
            const std::uint64_t word = simt::atomic_load(words() + tile);
            const std::uint64_t other_word = other < last ? simt::atomic_load(words() + other) : 1;
            mine += wait(tile, word) + wait(other, other_word) - 2;
        }
        mine = sum_of_lanes(mine);
        if (block.lane() == 0)
            simt::store(shared.sums, block.warp(), mine);
        block.sync();
        return sum_of_lanes(block.lane() < block.warps() ? simt::load(shared.sums, block.lane()) : 0);
    }

    /// For all threads of a block, after its last `sum`.
    PARPRIMS_DEVICE void depart(simt::block block, bool& shared) const { tile_tickets::depart(block, shared, tiles); }

private:
    /// The sum of the counts of all lanes, which are less than 2^51: each half of one instruction, where a GPU has it.
    PARPRIMS_DEVICE static std::uint64_t sum_of_lanes(std::uint64_t count)
    {
        constexpr unsigned low = 24;
        const auto high_sum = simt::sum_lanes(static_cast<unsigned>(count >> low));
        return (std::uint64_t{high_sum} << low) + simt::sum_lanes(static_cast<unsigned>(count) & ((1u << low) - 1));
    }

    /// The word of a tile, once it is published; `word` is what was read.
    PARPRIMS_DEVICE std::uint64_t wait(std::size_t tile, std::uint64_t word) const
    {
        while (word == 0) {
            simt::pause();
            word = simt::atomic_load(words() + tile);
        }
        return word;
    }
};

}  // namespace parprims::detail::device
