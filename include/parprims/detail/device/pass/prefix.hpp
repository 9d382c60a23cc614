/// @file
/// @brief  The prefixes of the tiles of a block: folded from the totals of tiles alone, in the groups of the order contract, so that no
///         value depends on the schedule.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/device/pass/tuning.hpp>
#include <parprims/detail/device/pass/words.hpp>
#include <parprims/detail/simt/simt.hpp>
#include <parprims/detail/uninitialized.hpp>

#include <cstddef>

namespace parprims::detail::device {

/// Groups of tiles of which a block folds the totals between two barriers.
struct tile_groups {
    std::size_t first;
    unsigned whole;    // complete groups
    unsigned folds;    // groups to fold: `whole`, and the tile's own if it has earlier tiles
    unsigned earlier;  // tiles before the block's own in its group

    /// The groups from `first` up to a tile, at most `most` complete ones.
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

/// The prefix of each tile of a block, in the order of the tiles. The anchor accumulates complete groups; the earlier tiles of a
/// tile's own group are combined with a copy of it.
template <class Work>
struct tile_prefix {
    using total = typename Work::total;
    using prefix = typename Work::prefix;
    using words = tile_words<total>;
    static constexpr unsigned max_groups = max_folded_groups(sizeof(total));
    /// Groups whose words a warp reads before it waits for any.
    static constexpr unsigned batch = words::count <= max_paired_words ? groups_at_a_time / Work::usual_warps : 1;
    /// Whether words are read before the next tile is loaded.
    static constexpr bool reads_early = Work::can_read_early && words::count <= max_early_words;
    using group_totals = uninitialized<total>[max_groups + 1];

    const Work& work;
    const words& of_tiles;
    prefix anchor;  // everything before group `group`
    unsigned group = 0;
    typename words::found_words found[batch];

    PARPRIMS_DEVICE tile_prefix(const Work& pass_work, const words& pass_words)
        : work(pass_work), of_tiles(pass_words), anchor(pass_work.before_first())
    {
    }

    /// Where `reads_early`: starts to read what `find` waits for.
    PARPRIMS_DEVICE void read_early(simt::block block, std::size_t tile)
    {
        if constexpr (reads_early)
            read(block, tile_groups::between(group, tile, max_groups), first_group(block));
    }

    /// Everything before `tile`. Has a barrier; calls `before_barrier` before it.
    template <class Before>
    PARPRIMS_DEVICE prefix find(simt::block block, group_totals& totals, std::size_t tile, Before before_barrier)
    {
        for (bool is_first = true;; is_first = false) {
            const tile_groups groups = tile_groups::between(group, tile, max_groups);
            if (!is_first)
                block.sync();
            for (unsigned f = first_group(block); f < groups.folds; f += batch * block.warps()) {
                if (!reads_early || !is_first || f != first_group(block))
                    read(block, groups, f);
                fold(block, totals, groups, f);
            }
            if (is_first)
                before_barrier();
            block.sync();
            work.append(totals, 0, groups.whole, anchor);
            group += groups.whole;
            if (group == tile / order::group_tiles) {
                prefix result = anchor;
                work.append(totals, groups.whole, groups.folds, result);
                return result;
            }
        }
    }

private:
    /// The first warp still finds the total of the next tile, so it takes groups last.
    PARPRIMS_DEVICE static unsigned first_group(simt::block block) { return block.warps() - 1 - block.warp(); }

    /// Reads the words of the tiles of group f, and of every `warps`-th one after it. They need not be there yet.
    PARPRIMS_DEVICE void read(simt::block block, const tile_groups& groups, unsigned f)
    {
#pragma unroll
        for (unsigned b = 0; b < batch; ++b)
            if (const unsigned g = f + b * block.warps(); simt::block::lane() < groups.live(g))
                of_tiles.read(groups.tile(g) + simt::block::lane(), found[b]);
    }

    /// Waits for the totals of the groups whose words were read, and folds each group.
    PARPRIMS_DEVICE void fold(simt::block block, group_totals& totals, const tile_groups& groups, unsigned f)
    {
        uninitialized<total> of_lane[batch];
#pragma unroll
        for (unsigned b = 0; b < batch; ++b)
            if (const unsigned g = f + b * block.warps(); simt::block::lane() < groups.live(g))
                of_lane[b].value = of_tiles.wait(groups.tile(g) + simt::block::lane(), found[b]);
        simt::sync_warp();  // or lanes that waited longer shuffle apart from the others
#pragma unroll
        for (unsigned b = 0; b < batch; ++b)
            if (const unsigned g = f + b * block.warps(); g < groups.folds)
                work.fold_group(totals, g, groups.live(g), of_lane[b]);
    }
};

}  // namespace parprims::detail::device
