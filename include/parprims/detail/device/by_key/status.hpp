/// @file
/// @brief  How the blocks of a scan by key tell each other the totals of their tiles.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/block/flagged_words.hpp>
#include <parprims/detail/block/tile_tickets.hpp>
#include <parprims/detail/keyed.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <cstddef>
#include <cstdint>

namespace parprims::detail::device {

/// Of each tile flagged words. The flag of a word has the number of heads above the bit that says that the word is there.
template <class T>
struct keyed_status : block::tile_tickets {
    using flagged = block::flagged_words<T>;
    static constexpr unsigned heads_shift = 33;

    static constexpr std::size_t bytes(std::size_t tiles)
    {
        return head_bytes + flagged::count * tiles * sizeof(std::uint64_t);
    }

    /// For one warp: publishes a tile's total, which every lane has.
    PARPRIMS_DEVICE void publish(std::size_t tile, const T& value, unsigned heads) const
    {
        const flagged published(value, flagged::ready | std::uint64_t{heads} << heads_shift);
#pragma unroll(flagged::count <= 8 ? flagged::count : 1)
        for (unsigned w = 0; w < flagged::count; ++w)
            if (simt::block::lane() == w % simt::warp_size)
                simt::atomic_store(word(tile, w), published.words[w]);
    }

    /// Waits for the total of a tile.
    PARPRIMS_DEVICE keyed<T, unsigned> wait(std::size_t tile) const
    {
        flagged found;
#pragma unroll(flagged::count <= 8 ? flagged::count : 1)
        for (unsigned w = 0; w < flagged::count; ++w) {
            found.words[w] = simt::atomic_load(word(tile, w));
            while (!flagged::is_ready(found.words[w])) {
                simt::pause();
                found.words[w] = simt::atomic_load(word(tile, w));
            }
        }
        return {found.value(), static_cast<unsigned>(found.words[0] >> heads_shift)};
    }

    /// For all threads of a block, after its last `wait`.
    PARPRIMS_DEVICE void depart(simt::block block, bool& shared) const
    {
        tile_tickets::depart(block, shared, flagged::count * tiles);
    }

private:
    /// Neighbouring lanes read neighbouring words.
    PARPRIMS_DEVICE std::uint64_t* word(std::size_t tile, unsigned w) const { return words() + w * tiles + tile; }
};

}  // namespace parprims::detail::device
