/// @file
/// @brief  The memory by which the blocks of a single pass over tiles share them: tickets, departures, and words for each tile.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/device/tree/ticket.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <cstddef>
#include <cstdint>

namespace parprims::detail::block {

/// A ticket for tiles, one for departures, and words for each tile, in memory that is zero before the launch; after it, too, if
/// blocks count their departures.
///
/// Forward progress of the kernels that use it: tickets ascend, a block publishes the words of its tiles in order, and it waits
/// only for those of tiles before one that it has published. So the block with the smallest unpublished tile never waits.
struct tile_tickets {
    static constexpr std::size_t head_bytes = 256;  ///< before the words

    std::byte* memory;
    std::size_t tiles;
    bool counts_departures;

    /// For one thread of each block.
    PARPRIMS_DEVICE std::size_t draw_tile() const { return static_cast<std::size_t>(simt::atomic_add(drawn(), 1ull)); }

    PARPRIMS_DEVICE std::uint64_t* words() const { return reinterpret_cast<std::uint64_t*>(memory + head_bytes); }

    /// For all threads of a block that has read its last word. The last block to depart zeroes the first `count` words and the
    /// ticket, which no block reads again. `shared` is in shared memory.
    PARPRIMS_DEVICE void depart(simt::block block, bool& shared, std::size_t count) const
    {
        if (!counts_departures)
            return;
        bool is_last = false;
        if (block.thread() == 0)
            is_last = takes_last_ticket<simt::order::acq_rel>(
                block, reinterpret_cast<unsigned*>(memory + sizeof(unsigned long long)));
        if (!told_by_first_thread(block, shared, is_last))
            return;
        for (std::size_t i = block.thread(); i < count; i += block.threads())
            simt::store(words(), i, 0u);
        if (block.thread() == 0)
            simt::store(drawn(), 0ull);
    }

private:
    PARPRIMS_DEVICE unsigned long long* drawn() const { return reinterpret_cast<unsigned long long*>(memory); }
};

}  // namespace parprims::detail::block
