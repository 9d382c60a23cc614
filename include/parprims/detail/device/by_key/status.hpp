/// @file
/// @brief  How the blocks of a scan by key tell each other the totals of their tiles.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/contract/keyed.hpp>
#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/device/pass/tile_tickets.hpp>
#include <parprims/detail/device/store/flagged_words.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <cstddef>
#include <cstdint>

namespace parprims::detail::device {

/// The total of each tile, in flagged words. The flag of a word holds the number of heads, above the bit that marks the word as
/// published.
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

    /// Reads the words of a tile, which need not be there yet.
    PARPRIMS_DEVICE void read(std::size_t tile, flagged& found) const
    {
#pragma unroll(flagged::count <= 8 ? flagged::count : 1)
        for (unsigned w = 0; w < flagged::count; ++w)
            found.words[w] = simt::atomic_load(word(tile, w));
    }

    /// Waits for the total of a tile whose words have been read. All are read again, not one after another.
    PARPRIMS_DEVICE keyed<T, unsigned> wait(std::size_t tile, flagged& found) const
    {
        while (!found.are_ready()) {
            read(tile, found);
            if (!found.are_ready())
                simt::pause();
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

/// Groups of tiles of which a block folds the totals between two barriers.
struct tile_groups {
    std::size_t first;
    unsigned whole;    // complete groups
    unsigned folds;    // groups to fold: `whole`, and the tile's own if it has earlier tiles
    unsigned earlier;  // tiles before the block's own in its group

    /// From group `first` on, at most `most` complete ones.
    PARPRIMS_DEVICE static tile_groups between(std::size_t first, std::size_t tile, unsigned most)
    {
        const auto earlier = static_cast<unsigned>(tile % order::group_tiles);
        const std::size_t left = tile / order::group_tiles - first;
        const unsigned whole = left < most ? static_cast<unsigned>(left) : most;
        return {first, whole, whole + (whole == left && earlier != 0 ? 1 : 0), earlier};
    }
    /// Tiles of group f that are folded.
    PARPRIMS_DEVICE unsigned live(unsigned f) const { return f < whole ? order::group_tiles : f < folds ? earlier : 0; }
    /// The first tile of group f.
    PARPRIMS_DEVICE std::size_t tile(unsigned f) const { return (first + f) * order::group_tiles; }
};

}  // namespace parprims::detail::device
