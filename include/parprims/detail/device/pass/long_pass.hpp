/// @file
/// @brief  The kernel of a pass over many tiles: blocks draw tiles by ticket, and publish the totals of their tiles while they run.
///
/// @source  Merrill and Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back"; here a prefix is folded
///          from totals of tiles alone, in fixed groups, so that no value depends on the schedule.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/device/pass/prefix.hpp>
#include <parprims/detail/device/pass/words.hpp>
#include <parprims/detail/device/tree/ticket.hpp>
#include <parprims/detail/numeric/integers.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <cstddef>

namespace parprims::detail::device {

/// What is done with a tile is a `Work`. A tile has a slot of shared memory, and a `state` in registers.
///
/// | member | what |
/// |---|---|
/// | `total`, `prefix` | types: what a tile publishes; everything before a tile |
/// | `holds_tile` | a tile is in registers from `load` to `write`, so a warp may refill its part of the slot as soon as it has loaded it |
/// | `slots` | how many a block has: 1 if tiles are held, otherwise at least 2; then `write` refills the slot that it empties |
/// | `fetch(block, slot, tile, fetched)` | starts to copy a tile to a slot, or to the registers `fetched` |
/// | `load(block, shared, slot, tile, fetched, state)` | waits for the copies, and reads the rows |
/// | `find_total(block, shared, slot, tile, state)` | after a barrier: the total of a full tile, in the first warp |
/// | `write(block, slot, tile, state, prefix)` | writes the results; if tiles are not held, a last argument is the next tile of the slot |
/// | `keep(block, slot, tile, state)` | optional: called when the block's previous tile has been written |
/// | `announce(tile)` | optional: one thread calls it for a tile that the block will fetch |
/// | `before_first()` | the prefix of the first tile |
/// | `fold_group(totals, g, live, total)` | a warp, whose first `live` lanes hold totals of tiles, folds them to the total of group g |
/// | `resize(n)` | for a size in device memory: changes what depends on it, and returns the number of tiles |
/// | `append(totals, begin, end, prefix)` | combines a prefix with the groups [begin, end) |
///
/// Forward progress: tickets ascend, a block publishes the totals of its tiles in order, and it waits for nothing but the totals
/// of tiles before its current one. So the block with the smallest unpublished tile never waits. Nothing is assumed about the
/// order in which blocks start, or how many are resident.
template <class Work>
struct long_pass {
    using fold_type = tile_prefix<Work>;
    using words_type = typename fold_type::words;
    static constexpr unsigned max_threads = Work::max_threads;
    static constexpr unsigned ticket_slots = 8;  // more than are in use: a new one needs no second barrier

    struct alignas(simt::shared_line_bytes) shared_storage {
        typename Work::shared_storage of_work;
        typename fold_type::group_totals groups;
        unsigned tickets[ticket_slots];  // 32 bits: check_grid has checked that they suffice; 64 take registers
        bool is_last;                    // whether the block is the last to have read what blocks share
    };
    static constexpr std::size_t shared_bytes(unsigned threads, unsigned slots = 1)
    {
        return sizeof(shared_storage) + slots * Work::slot_bytes(threads);
    }
    static constexpr unsigned min_blocks = Work::blocks_per_sm(shared_bytes(max_threads, 1));

    Work work;
    words_type words;

    PARPRIMS_DEVICE std::size_t resize(std::size_t n, std::size_t blocks)
    {
        words.tiles = work.resize(n);
        words.one_tile_each = words.tiles <= blocks;
        return smaller_of(words.tiles, blocks);
    }
    PARPRIMS_DEVICE void set_init(const auto& value) { work.set_init(value); }
    PARPRIMS_DEVICE void write_empty(simt::block block) const
    {
        if constexpr (requires { work.write_empty(block); })
            work.write_empty(block);
    }

    /// In each round a block publishes the total of its next tile, and then writes the results of its current one. So the totals
    /// before the current tile have usually been published by then: other blocks had a round to do so.
    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage& shared) const
    {
        if constexpr (requires { work.is_empty(); })
            if (work.is_empty())
                return work.write_empty(block);
        auto* const memory = reinterpret_cast<unsigned char*>(&shared + 1);
        const auto tile_of = [&](unsigned round) {
            return std::size_t{simt::load(shared.tickets, round % ticket_slots)};
        };
        const auto set_tile = [&](unsigned round, std::size_t tile) {
            simt::store(shared.tickets, round % ticket_slots, static_cast<unsigned>(tile));
        };
        // How many rounds before its tile is loaded a ticket is drawn.
        const unsigned ahead = Work::holds_tile ? 2 : work.slots - 1;
        typename Work::fetched fetched;

        // 1. Draw tickets, and start to copy the first tile. The second ticket is drawn when the first one is there, so that most
        // blocks have their first before any draws its second.
        if (block.thread() == 0)
            for (unsigned round = 0; round < ahead; ++round)
                set_tile(round,
                         round == 0 || tile_of(round - 1) < words.tiles ? words.draw(round) : tile_tickets::no_tile);
        block.sync();
        if constexpr (Work::holds_tile)
            if (tile_of(0) < words.tiles)
                work.fetch(block, work.slot(memory, 0), tile_of(0), fetched);

        fold_type before(work, words);
        typename Work::state current;
        unsigned current_slot = 0;
        unsigned copied = 0;   // tiles that the block has begun to copy, where it does not hold them
        bool is_last = false;  // the last block to have read what blocks share
        for (unsigned round = 0;; ++round) {
            const std::size_t next_tile = tile_of(round);
            const std::size_t tile = round == 0 ? 0 : tile_of(round - 1);
            const bool more = next_tile < words.tiles;
            const unsigned next_slot = round == 0 || current_slot + 1 == work.slots ? 0 : current_slot + 1;

            const auto draw = [&] {
                return more && block.thread() == 0 ? words.draw(round + ahead) : tile_tickets::no_tile;
            };

            // 2. Load the next tile. If tiles are held, a new ticket is in flight meanwhile: it is not needed before the next round.
            std::size_t drawn = Work::holds_tile ? draw() : 0;
            before.read_early(block, tile);
            if constexpr (!Work::holds_tile)
                for (const unsigned upto = round == 0 ? ahead : work.slots; copied < upto; ++copied)
                    work.fetch(block, work.slot(memory, copied), tile_of(copied), fetched);
            typename Work::state next;
            if (more)
                work.load(block, shared.of_work, work.slot(memory, next_slot), next_tile, fetched, next);
            if constexpr (Work::holds_tile)  // each warp refills what it has read, before it waits for the others
                if (const std::size_t upcoming = tile_of(round + 1); more && upcoming < words.tiles) {
                    simt::sync_warp();  // all its lanes have read
                    work.fetch(block, work.slot(memory, 0), upcoming, fetched);
                }
            block.sync();

            // 3. Publish its total before waiting for other blocks: they need it sooner than this one does.
            if (more) {
                const auto total =
                    work.find_total(block, shared.of_work, work.slot(memory, next_slot), next_tile, next);
                if (block.warp() == 0 && next_tile + 1 < words.tiles)
                    words.publish(next_tile, total.value);
            }

            // 4. Fold everything before the current tile, with a new ticket in flight.
            if constexpr (!Work::holds_tile)
                drawn = draw();
            const auto prefix = before.find(block, shared.groups, tile, [&] {
                if (block.thread() != 0)
                    return;
                set_tile(round + ahead, drawn);
                if constexpr (requires { work.announce(drawn); })
                    if (drawn < words.tiles)
                        work.announce(drawn);
            });
            if (!more && block.thread() == 0)
                is_last = words.departs_last(block);

            // 5. Write the current tile.
            if (round != 0) {
                if constexpr (Work::holds_tile)
                    work.write(block, work.slot(memory, 0), tile, current, prefix);
                else
                    work.write(block, work.slot(memory, current_slot), tile, current, prefix, tile_of(round + ahead));
            }
            if (!more)
                break;
            if constexpr (requires { work.keep(block, memory, next_tile, next); })
                work.keep(block, work.slot(memory, 0), next_tile, next);
            current = next;
            current_slot = next_slot;
        }

        // 6. The last block zeroes what the blocks shared: all have been through phase 4, so none reads it again.
        if (words.counts_departures && block::broadcast_first(block, shared.is_last, is_last))
            words.reset(block);
    }
};

}  // namespace parprims::detail::device
