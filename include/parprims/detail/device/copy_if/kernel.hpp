/// @file
/// @brief  The kernel of `copy_if` for many tiles: a block counts what its next tile keeps, and then writes its current one.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/device/copy_if/status.hpp>
#include <parprims/detail/device/copy_if/tuning.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <cstddef>
#include <cstdint>

namespace parprims::detail::device {

/// In each round a block publishes the count of its next tile, and then writes the elements of its current one: so the counts
/// before that one, published in the round before, are there.
/// @tparam  Tile         a `copy_if_tile`
/// @tparam  BlocksPerSm  that are resident
template <class Tile, class Count, unsigned BlocksPerSm>
struct copy_if_kernel {
    static constexpr unsigned max_threads = copy_if_threads;
    static constexpr unsigned min_blocks = BlocksPerSm;
    static constexpr unsigned ticket_slots = 4;

    struct alignas(simt::shared_line_bytes) shared_storage {
        kept_status::shared_storage sums;
        std::size_t tiles[ticket_slots];           // of the round before, this one and the next two
        unsigned warp_totals[2][Tile::max_warps];  // of this round and the one before
        bool is_last;
    };
    static constexpr std::size_t shared_bytes(unsigned threads)
    {
        return sizeof(shared_storage) + Tile::memory_bytes(threads);
    }

    Tile work;
    Count count;
    kept_status status;

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage& shared) const
    {
        auto* const memory = reinterpret_cast<unsigned char*>(&shared + 1);

        // 1. Draw the tickets of two tiles, and start to copy the first. The second one is drawn when the first is there: so most
        //    blocks have their first ticket before any draws its second. Drawn later, 24 MiB took 1.02 of the time (fe634df).
        if (block.thread() == 0) {
            const std::size_t first = status.draw_tile();
            simt::store(shared.tiles, 0, first);
            simt::store(shared.tiles, 1, first < status.tiles ? status.draw_tile() : first);
        }
        block.sync();
        if (simt::load(shared.tiles, 0) < status.tiles)
            work.fetch(block, memory, simt::load(shared.tiles, 0));

        // 2. In each round, publish the count of the next tile and write the current one.
        typename Tile::state current;
        std::size_t current_tile = 0;
        std::size_t counted = 0;   // tiles whose counts have been added
        std::uint64_t before = 0;  // elements that they keep
        for (unsigned round = 0;; ++round) {
            const std::size_t tile = simt::load(shared.tiles, round % ticket_slots);
            const bool more = tile < status.tiles;
            typename Tile::state next;
            if (more)
                prepare(block, shared, memory, tile, round, next);
            if (round != 0) {
                before += status.sum(block, shared.sums, counted, current_tile);
                if (current_tile + 1 == status.tiles && block.thread() == 0)
                    *count = before + current.total;
                work.write(block, memory, current_tile, current, before);
                before += current.total;
                counted = current_tile + 1;
            }
            if (!more)
                break;
            current = next;
            current_tile = tile;
        }

        // 3. The last block to leave zeroes the status words.
        status.depart(block, shared.is_last);
    }

private:
    /// Asks which elements of a tile to keep, and publishes how many they are. Draws a ticket, too, and starts to copy the next
    /// tile: 2^28 ints take 472 us, 488 where that waited for the count to be published (H200, 78e79d1).
    PARPRIMS_DEVICE void prepare(simt::block block, shared_storage& shared, unsigned char* memory, std::size_t tile,
                                 unsigned round, typename Tile::state& state) const
    {
        const std::size_t drawn = block.thread() == 0 ? status.draw_tile() : 0;
        work.load(block, memory, tile, state);
        if (const std::size_t upcoming = simt::load(shared.tiles, (round + 1) % ticket_slots); upcoming < status.tiles)
            work.fetch(block, memory, upcoming);
        work.count_warps(block, shared.warp_totals[round % 2], state);
        if (block.thread() == 0)
            simt::store(shared.tiles, (round + 2) % ticket_slots, drawn);
        block.sync();
        work.count_tile(block, shared.warp_totals[round % 2], state);
        if (block.thread() == 0)
            status.publish(tile, state.total);
    }
};

}  // namespace parprims::detail::device
