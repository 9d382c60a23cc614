/// @file
/// @brief  How the blocks of a pass share its tiles: tickets to draw them, and departures, so that the last block can clean up.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/device/tree/ticket.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <cstddef>
#include <cstdint>

namespace parprims::detail::device {

/// Memory that the blocks of a pass share: the ticket, the departures, then words for each tile. Zero before the launch; also
/// after it, if blocks count their departures.
struct tile_tickets {
    static constexpr std::size_t head_bytes = 256;  ///< before the words
    static constexpr std::size_t no_tile = ~std::size_t{0};

    std::byte* memory;  // null for a single tile
    std::size_t tiles;
    bool one_tile_each;      // there is a block for each tile: none draws a second ticket
    bool counts_departures;  // so that the last block zeroes the memory

    /// For one thread of a block: its tile of round `round`; `tiles` or more if there is none. Without `separated`, ptxas lets one lane add
    /// for all lanes that add equal values, and waits for the result at once.
    PARPRIMS_DEVICE std::size_t draw(unsigned round) const
    {
        if (round != 0 && one_tile_each)
            return no_tile;
        return memory == nullptr ? 0 : static_cast<std::size_t>(simt::atomic_add(ticket(), simt::separated(1ull)));
    }

    /// For one thread of each block that has read its last word: whether it is the last one.
    PARPRIMS_DEVICE bool departs_last(simt::block block) const
    {
        return counts_departures && block::takes_last_ticket<simt::order::acq_rel>(block, departures());
    }

    /// For a warp of the last block: zeroes the ticket and the first `count` words, which no block reads again.
    PARPRIMS_DEVICE void reset(std::size_t count) const
    {
        for (std::size_t i = simt::block::lane(); i < count; i += simt::warp_size)
            simt::store(words(), i, 0u);
        if (simt::block::lane() == 0)
            simt::store(ticket(), 0ull);
    }

    PARPRIMS_HOST_DEVICE unsigned long long* ticket() const { return reinterpret_cast<unsigned long long*>(memory); }
    PARPRIMS_HOST_DEVICE unsigned* departures() const
    {
        return reinterpret_cast<unsigned*>(memory + sizeof(unsigned long long));
    }
    PARPRIMS_HOST_DEVICE std::uint64_t* words() const { return reinterpret_cast<std::uint64_t*>(memory + head_bytes); }
};

}  // namespace parprims::detail::device
