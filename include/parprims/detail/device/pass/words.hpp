/// @file
/// @brief  How the blocks of a pass share its tiles, and tell each other their totals: tickets to draw tiles, departures, so that the last
///         block can clean up, and flagged words, which other blocks wait for.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/contract/keyed.hpp>
#include <parprims/detail/device/pass/tuning.hpp>
#include <parprims/detail/device/store/flagged_words.hpp>
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

    /// For all threads of the last block: zeroes the ticket and the first `count` words, which no block reads again.
    PARPRIMS_DEVICE void reset(simt::block block, std::size_t count) const
    {
        for (std::size_t i = block.thread(); i < count; i += block.threads())
            simt::store(words(), i, 0u);
        if (block.thread() == 0)
            simt::store(ticket(), 0ull);
    }

    PARPRIMS_HOST_DEVICE unsigned long long* ticket() const { return reinterpret_cast<unsigned long long*>(memory); }
    PARPRIMS_HOST_DEVICE unsigned* departures() const
    {
        return reinterpret_cast<unsigned*>(memory + sizeof(unsigned long long));
    }
    PARPRIMS_HOST_DEVICE std::uint64_t* words() const { return reinterpret_cast<std::uint64_t*>(memory + head_bytes); }
};

/// A total in flagged words.
template <class Total>
struct total_words : block::flagged_words<Total> {
    PARPRIMS_DEVICE total_words() {}
    PARPRIMS_DEVICE explicit total_words(const Total& total) : block::flagged_words<Total>(total) {}

    PARPRIMS_DEVICE Total total() const { return this->value(); }
};

/// A total by key: the flag of each word also holds the number of heads, above the bit that marks the word as published.
template <class T>
struct total_words<keyed<T, unsigned>> : block::flagged_words<T> {
    using flagged = block::flagged_words<T>;
    static constexpr unsigned heads_shift = 33;

    PARPRIMS_DEVICE total_words() {}
    PARPRIMS_DEVICE explicit total_words(const keyed<T, unsigned>& total)
        : flagged(total.value, flagged::ready | std::uint64_t{total.heads} << heads_shift)
    {
    }

    PARPRIMS_DEVICE keyed<T, unsigned> total() const
    {
        return {this->value(), static_cast<unsigned>(this->words[0] >> heads_shift)};
    }
};

/// The totals of the tiles of a pass. Word w of tile t is number w * tiles + t, so that neighbouring lanes read neighbouring words.
template <class Total>
struct tile_words : tile_tickets {
    using found_words = total_words<Total>;
    static constexpr unsigned count = found_words::count;
    static constexpr bool reads_ahead = count <= max_read_ahead_words;

    static constexpr std::size_t bytes(std::size_t tiles) { return head_bytes + count * tiles * sizeof(std::uint64_t); }

    /// For one warp: publishes a tile's total, which every lane has.
    PARPRIMS_DEVICE void publish(std::size_t tile, const Total& total) const
    {
        const found_words published(total);
#pragma unroll(count <= simt::max_unrolled_words ? count : 1)
        for (unsigned w = 0; w < count; ++w)
            if (simt::block::lane() == w % simt::warp_size)
                simt::atomic_store(word(tile, w), published.words[w]);
    }

    /// For one lane: publishes the total of a tile of its own.
    PARPRIMS_DEVICE void publish_alone(std::size_t tile, const Total& total) const
    {
        const found_words published(total);
#pragma unroll(count <= simt::max_unrolled_words ? count : 1)
        for (unsigned w = 0; w < count; ++w)
            simt::atomic_store(word(tile, w), published.words[w]);
    }

    /// Starts to read the words of a tile, so that they are in flight together with those of other tiles.
    PARPRIMS_DEVICE void read(std::size_t tile, found_words& found) const
    {
        if constexpr (reads_ahead)
#pragma unroll
            for (unsigned w = 0; w < count; ++w)
                found.words[w] = simt::atomic_load(word(tile, w));
    }

    /// Waits for the total of a tile of which `found` was read. The kernel says, under "Forward progress", why it will be published.
    PARPRIMS_DEVICE Total wait(std::size_t tile, found_words& found) const
    {
        if constexpr (reads_ahead) {
            if (!found.are_ready())
                block::spin_until([&] {
                    read(tile, found);
                    return found.are_ready();
                });
        } else {
#pragma unroll(count <= simt::max_unrolled_words ? count : 1)
            for (unsigned w = 0; w < count; ++w)
                block::spin_until([&] {
                    found.words[w] = simt::atomic_load(word(tile, w));
                    return found_words::is_ready(found.words[w]);
                });
        }
        return found.total();
    }

    PARPRIMS_DEVICE Total wait(std::size_t tile) const
    {
        found_words found;
        read(tile, found);
        return wait(tile, found);
    }

    /// For all threads of the last block to depart.
    PARPRIMS_DEVICE void reset(simt::block block) const { tile_tickets::reset(block, count * tiles); }

private:
    PARPRIMS_DEVICE std::uint64_t* word(std::size_t tile, unsigned w) const { return words() + w * tiles + tile; }
};

}  // namespace parprims::detail::device
