/// @file
/// @brief  How the blocks of a scan by key tell each other the totals of their tiles.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/block/flagged_words.hpp>
#include <parprims/detail/block/ticket.hpp>
#include <parprims/detail/device/launch/launcher.hpp>
#include <parprims/detail/keyed.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <cstddef>
#include <cstdint>

namespace parprims::detail::device {

/// A ticket for tiles, one for departures, and flagged words for each tile, in memory that is zero before the launch; after it,
/// too, if blocks count their departures. The flag of a word has the number of heads above the bit that says that the word is
/// there.
///
/// Forward progress: tickets ascend, a block publishes the totals of its tiles in order, and it waits only for those of tiles
/// before one that it has published. So the block with the smallest unpublished tile never waits.
template <class T>
struct keyed_status {
    using words = block::flagged_words<T>;
    static constexpr unsigned heads_shift = 33;

    std::byte* memory;
    std::size_t tiles;
    bool counts_departures;

    static constexpr std::size_t bytes(std::size_t tiles)
    {
        return memory_alignment + words::count * tiles * sizeof(std::uint64_t);
    }

    /// For one thread of each block.
    PARPRIMS_DEVICE std::size_t draw_tile() const
    {
        return static_cast<std::size_t>(simt::atomic_add(reinterpret_cast<unsigned long long*>(memory), 1ull));
    }

    /// For one warp: publishes a tile's total, which every lane has.
    PARPRIMS_DEVICE void publish(std::size_t tile, const T& value, unsigned heads) const
    {
        const words published(value, words::ready | std::uint64_t{heads} << heads_shift);
#pragma unroll(words::count <= 8 ? words::count : 1)
        for (unsigned w = 0; w < words::count; ++w)
            if (simt::block::lane() == w % simt::warp_size)
                simt::atomic_store(word(tile, w), published.words[w]);
    }

    /// Waits for the total of a tile.
    PARPRIMS_DEVICE keyed<T, unsigned> wait(std::size_t tile) const
    {
        words found;
#pragma unroll(words::count <= 8 ? words::count : 1)
        for (unsigned w = 0; w < words::count; ++w) {
            found.words[w] = simt::atomic_load(word(tile, w));
            while (!words::is_ready(found.words[w])) {
                simt::pause();
                found.words[w] = simt::atomic_load(word(tile, w));
            }
        }
        return {found.value(), static_cast<unsigned>(found.words[0] >> heads_shift)};
    }

    /// For one thread of each block, after its last `wait`: whether it is the last, whose block must `reset`.
    PARPRIMS_DEVICE bool departs_last(simt::block block) const
    {
        return block::takes_last_ticket<simt::order::acq_rel>(
            block, reinterpret_cast<unsigned*>(memory + sizeof(unsigned long long)));
    }

    PARPRIMS_DEVICE void reset(simt::block block) const
    {
        for (std::size_t i = block.thread(); i < words::count * tiles; i += block.threads())
            simt::store(all(), i, 0u);
        if (block.thread() == 0)
            simt::store(reinterpret_cast<unsigned long long*>(memory), 0ull);
    }

private:
    PARPRIMS_DEVICE std::uint64_t* all() const { return reinterpret_cast<std::uint64_t*>(memory + memory_alignment); }
    /// Neighbouring lanes read neighbouring words.
    PARPRIMS_DEVICE std::uint64_t* word(std::size_t tile, unsigned w) const { return all() + w * tiles + tile; }
};

}  // namespace parprims::detail::device
