/// @file
/// @brief  The three-phase scan: sums of the tiles, scan of the sums, scan of each tile with the fixup added.
///
/// Three plain kernels, none of whose blocks waits for another. Their order, so their bits, are those of one pass.
/// @source  Hillis and Steele; Harris, Sengupta and Owens, "Parallel Prefix Sum (Scan) with CUDA", GPU Gems 3
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/device/tree/warp_tree.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <cstddef>

namespace parprims::detail::device {

/// For one warp: the tree over `count` aggregates from `first` on; the result is in lane 0.
template <class T, class Op>
PARPRIMS_DEVICE inline T fold_aggregates(const uninitialized<T>* first, unsigned count, Op op)
{
    const unsigned lane = simt::block::lane();
    uninitialized<T> aggregate;
    if (lane < count)
        aggregate.value = simt::load(first, lane);
    return warp::fold_lanes(aggregate.value, count, op);
}

/// Phases 1 and 3, which begin alike: every block scans the totals of the rows of its tiles. In phase 1 it stores the tiles'
/// sums; in phase 3 it adds the fixup, the prefix of the tile, and writes the output row by row, so that there is little to compile.
/// @tparam  Work  a `scan_work`
template <class Work>
struct scan_tiles_kernel {
    using T = typename Work::total;
    static constexpr unsigned max_threads = 1024;

    struct alignas(simt::shared_line_bytes) shared_storage {
        typename Work::shared_storage of_work;
        uninitialized<T> fold;
    };
    static constexpr std::size_t shared_bytes = sizeof(shared_storage) + Work::slot_bytes();

    Work work;
    uninitialized<T>* aggregates;     // one for each full tile
    const uninitialized<T>* anchors;  // one for each group, in phase 3
    unsigned phase;
    std::size_t tiles;  // in phase 1 the full ones, in phase 3 all

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage& shared) const
    {
        auto* const slot = reinterpret_cast<unsigned char*>(&shared + 1);
        for (std::size_t tile = block.index(); tile < tiles; tile += block.count()) {
            // 1. The tile's own rows. The first warp scans their totals.
            typename Work::fetched fetched;
            typename Work::state state;
            work.fetch(block, slot, tile, fetched);
            work.load(block, shared.of_work, slot, tile, fetched, state);
            block.sync();
            const uninitialized<T> total = work.find_total(block, shared.of_work, slot, tile, state);

            // 2. The first warp stores the tile's sum, or folds the earlier tiles of the group.
            const std::size_t group = tile / order::group_tiles;
            const auto earlier = static_cast<unsigned>(tile % order::group_tiles);
            if (block.warp() == 0) {
                if (phase == 1) {
                    if (block.lane() == 0)
                        simt::store(aggregates, tile, total.value);
                } else if (earlier != 0) {
                    const T fold =
                        device::fold_aggregates(aggregates + group * order::group_tiles, earlier, work.of_tile.op);
                    if (block.lane() == 0)
                        simt::store(__builtin_addressof(shared.fold), fold);
                }
            }
            block.sync();
            if (phase == 1)
                continue;

            // 3. The fixup, and the output.
            maybe<T> prefix;
            if (group > 0 || work.of_tile.init.present)
                prefix.set(simt::load(anchors, group));
            if (earlier != 0)
                work.append(__builtin_addressof(shared.fold), 0, 1, prefix);
            work.write_by_row(slot, tile, prefix);
            block.sync();
        }
    }
};

/// Phase 2: one block scans the sums, a group at a time.
template <class T, class Op>
struct scan_anchors_kernel {
    static constexpr unsigned max_threads = 1024;

    struct shared_storage {
        uninitialized<T> group_totals[32];
    };

    const uninitialized<T>* aggregates;
    uninitialized<T>* anchors;  // the prefix of each group; the first group has none unless there is an init
    std::size_t groups;
    maybe<T> init;
    Op op;

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage& shared) const
    {
        maybe<T> anchor = init;
        for (std::size_t first = 0; first < groups; first += block.warps()) {
            const std::size_t group = first + block.warp();
            if (group + 1 < groups) {  // nothing needs the total of the last group, which may not be whole
                const T total =
                    device::fold_aggregates(aggregates + group * order::group_tiles, order::group_tiles, op);
                if (block.lane() == 0)
                    simt::store(shared.group_totals, block.warp(), total);
            }
            block.sync();
            for (unsigned w = 0; w < block.warps() && first + w < groups; ++w) {
                if (block.thread() == 0 && anchor.present)
                    simt::store(anchors, first + w, anchor.get());
                if (first + w + 1 < groups)
                    anchor.set(anchor.then(simt::at(shared.group_totals, w), op));
            }
            block.sync();
        }
    }
};

}  // namespace parprims::detail::device
