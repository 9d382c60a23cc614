/// @file
/// @brief  The kernel of a pass over few tiles. One block processes a tile from load to store.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/device/pass/epoch_words.hpp>
#include <parprims/detail/numeric/integers.hpp>
#include <parprims/detail/simt/simt.hpp>
#include <parprims/detail/uninitialized.hpp>

#include <cstddef>
#include <cstdint>

namespace parprims::detail::device {

/// A `Work` says what is done with a tile (see `long_pass`). Here a block has one slot. It has at most `short_threads` threads, and
/// `short_blocks_per_sm` limits the registers of a thread.
///
/// A block runs for a microsecond or two, most of which is latency and the issue of instructions. So block i takes tile i
/// without a ticket, and loads it at once. No kernel zeroes the words between passes: see `epoch_words`.
///
/// Forward progress: every block but the last tile's, whose total no block needs, publishes its total before it waits. A block spins
/// without limit only once it knows that all blocks have arrived. Before, it spins `max_spins` times; if a total is still missing, it
/// abandons its tile and ends; the last block to arrive takes that tile. One word counts both arrivals and abandoned tiles: a block that
/// is about to abandon its tile adds to this word, and keeps the tile if the word says that all blocks have arrived. On a GPU that
/// starts blocks in the order of their numbers, no block abandons its tile.
template <class Work>
struct short_pass {
    using total = typename Work::total;
    using prefix = typename Work::prefix;
    using words_type = epoch_words<total>;
    static constexpr unsigned max_threads = Work::short_threads;
    static constexpr unsigned min_blocks = Work::short_blocks_per_sm;
    static constexpr unsigned max_groups = (words_type::max_tiles + order::group_tiles - 1) / order::group_tiles;

    struct alignas(simt::shared_line_bytes) shared_storage {
        typename Work::shared_storage of_work;
        uninitialized<total> groups[max_groups];
        std::uint64_t epoch;
        unsigned abandoned;  // tiles of other blocks that this block has to take
        unsigned next_tile;
        unsigned warps_without_total;  // that miss a total of an earlier tile
        unsigned has_abandoned;        // whether this block has abandoned its tile
    };
    static constexpr std::size_t shared_bytes(unsigned threads)
    {
        return sizeof(shared_storage) + Work::slot_bytes(threads);
    }

    Work work;
    words_type words;    // not used if there is one tile
    unsigned max_spins;  // how often a lane reads a missing total again before its block abandons its tile

    PARPRIMS_DEVICE std::size_t resize(std::size_t n, std::size_t) { return work.resize(n); }
    PARPRIMS_DEVICE void set_init(const auto& value) { work.set_init(value); }
    PARPRIMS_DEVICE void write_empty(simt::block block) const
    {
        if constexpr (requires { work.write_empty(block); })
            work.write_empty(block);
    }

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage& shared) const
    {
        if constexpr (requires { work.is_empty(); })
            if (work.is_empty())
                return work.write_empty(block);
        unsigned char* const slot = work.slot(reinterpret_cast<unsigned char*>(&shared + 1), 0);
        const auto tiles = static_cast<unsigned>(block.count());
        auto tile = static_cast<unsigned>(block.index());
        for (unsigned round = 0;; ++round) {
            // Steps 1 to 3.
            process(block, shared, slot, tile, tiles > 1 && round == 0 && block.thread() == 0);

            // 4. The last block to arrive takes the abandoned tiles.
            if (tiles == 1)
                return;
            if (round == 0 && tile + 1 == tiles)
                words.zero_old_words(block, tile, simt::load(&shared.epoch));
            if (round == simt::load(&shared.abandoned))
                return;
            if (block.thread() == 0)
                simt::store(&shared.next_tile, words.take_abandoned(round));
            block.sync();
            tile = simt::load(&shared.next_tile);
        }
    }

private:
    /// Processes a tile from load to store, unless the block abandons it.
    /// @param  arrives  whether this is the thread that arrives for its block
    PARPRIMS_DEVICE void process(simt::block block, shared_storage& shared, unsigned char* slot, unsigned tile,
                                 bool arrives) const
    {
        const auto tiles = static_cast<unsigned>(block.count());

        // 1. Load the tile. One thread reads the epoch while the loads are in flight.
        typename Work::fetched fetched;
        work.fetch(block, slot, tile, fetched);
        std::uint64_t epoch = 0;
        if (arrives)
            epoch = words.read_epoch();
        typename Work::state state;
        work.load(block, shared.of_work, slot, tile, fetched, state);
        if (arrives)
            simt::store(&shared.epoch, epoch);
        if (block.thread() == 0)
            simt::store(&shared.warps_without_total, 0u);
        block.sync();

        // 2. Publish the tile's total, arrive, and fold the totals of the tiles before. The result of the arrival is used only after the
        // folds, just before their barrier, so that its latency is hidden.
        const auto own = work.find_total(block, shared.of_work, slot, tile, state);
        if (tile + 1 < tiles && block.thread() == 0)
            words.publish(tile, simt::load(&shared.epoch), own.value);
        typename words_type::arrival arrived{};
        if (arrives)
            arrived = words.arrive(tile, tiles);
        if constexpr (requires { work.keep(block, slot, tile, state); })
            work.keep(block, slot, tile, state);
        prefix before = work.before_first();
        const auto store_abandoned = [&] {
            if (arrives)
                simt::store(&shared.abandoned, arrived.abandoned());
        };
        if (tile == 0) {
            store_abandoned();
            block.sync();
        } else if (!fold_before(block, shared, tile, before, store_abandoned)) {
            return;  // The block then ends: it is not the last to arrive, so it has no abandoned tiles to take.
        }

        // 3. Write the results.
        work.write(block, slot, tile, state, before);
    }

    /// Appends the totals of the tiles before a tile, not the first one, to `before`. Returns false if one is missing and the block has
    /// abandoned its tile. Has barriers; calls `before_barrier` before the one that follows the folds.
    template <class Before>
    PARPRIMS_DEVICE bool fold_before(simt::block block, shared_storage& shared, unsigned tile, prefix& before,
                                     Before before_barrier) const
    {
        const unsigned folds = (tile + order::group_tiles - 1) / order::group_tiles;
        for (unsigned spins = max_spins;; spins = block::no_limit) {
            // The first warp is still publishing, so the first groups go to the other warps.
            for (unsigned g = block.warps() - 1 - block.warp(); g < folds; g += block.warps()) {
                const unsigned first = g * order::group_tiles;
                const unsigned live = smaller_of(tile - first, static_cast<unsigned>(order::group_tiles));
                uninitialized<total> found;
                const bool has = block.lane() >= live || words.wait(first + block.lane(), simt::load(&shared.epoch),
                                                                    spins, __builtin_addressof(found));
                if (simt::ballot(!has) != 0) {
                    if (block.lane() == 0)
                        simt::atomic_add(&shared.warps_without_total, 1u);
                    break;
                }
                work.fold_group(shared.groups, g, live, found);
            }
            before_barrier();
            block.sync();
            if (spins == block::no_limit || simt::load(&shared.warps_without_total) == 0)
                break;
            if (block.thread() == 0)
                simt::store(&shared.has_abandoned, words.abandon(tile, simt::load(&shared.epoch)) ? 1u : 0u);
            block.sync();
            if (simt::load(&shared.has_abandoned) != 0)
                return false;
        }
        // The last of the folds covers the earlier tiles of this tile's own group.
        work.append(shared.groups, 0, folds, before);
        return true;
    }
};

}  // namespace parprims::detail::device
