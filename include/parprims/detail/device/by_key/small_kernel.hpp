/// @file
/// @brief  Scans and reductions by key of short inputs: a block for each tile, which stays in registers from the load to the store.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/contract/keyed.hpp>
#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/device/by_key/tile_work.hpp>
#include <parprims/detail/device/pass/status_words.hpp>
#include <parprims/detail/numeric/integers.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <cstddef>
#include <cstdint>

namespace parprims::detail::device {

/// The protocol, and why it makes progress, is that of `scan_small_kernel`. But a block reads the epoch before it arrives, and arrives
/// behind the first barrier: so that barrier does not wait for the arrival, and later the block waits for other blocks anyway.
///
/// A block of a short input lives for a microsecond or two, most of which is latency and the issue of instructions. So there are no
/// tickets to draw, few words are zeroed, and lanes read few bytes without shared memory. Beside `keyed_kernel` with blocks of one tile,
/// a reduction of i32/f32 in a graph: 2^8 in 1.75 us instead of 2.56, 2^11 2.04 (3.07), 2^14 3.07 (4.32), 2^18 4.79 (5.66); a scan 1.27
/// (1.88), 1.54 (2.37), 2.55 (3.66), 3.89 (5.06) (3fc5a21, H200, CUDA 13.0). Since then it has become faster (e327127).
/// @tparam  Work  a `keyed_work`
template <class Work>
struct keyed_small_kernel {
    using shape = typename Work::shape;
    using T = typename Work::T;
    using total = typename Work::total;
    using status_type = epoch_status<total>;
    static constexpr unsigned max_threads = shape::threads;
    /// A short input has up to 256 tiles, two for each multiprocessor of an H200. Scans of 1.5 to 2 MiB of bytes: 5.2 us, 7.5 with
    /// one block, whose threads took 72 registers (H200, 5d82250).
    static constexpr unsigned min_blocks = 2;
    static constexpr unsigned max_groups = shape::max_tiles / order::group_tiles + 1;

    struct alignas(simt::shared_line_bytes) shared_storage {
        typename Work::shared_storage rows;
        uninitialized<total> groups[max_groups];
        std::uint32_t head_bits[Work::head_words != 0 ? Work::head_words : 1];
        std::uint64_t epoch;
        unsigned abandoned;  // tiles that this block has to take
        unsigned next_tile;
        unsigned missing;  // warps that miss a total
        unsigned gave_up;  // whether this block has given its tile up
    };
    static constexpr std::size_t shared_bytes(unsigned threads)
    {
        return sizeof(shared_storage) + Work::slot_bytes(threads);
    }

    Work work;
    status_type status;  // its memory is not used for a single tile
    unsigned max_spins;  // of a lane that waits for a total, before its block gives up

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage& shared) const
    {
        if (work.n == 0)
            return work.result.write_nothing(block);
        const auto tiles = static_cast<unsigned>(block.count());
        auto tile = static_cast<unsigned>(block.index());
        unsigned char* const region = work.slot(reinterpret_cast<unsigned char*>(&shared + 1), 0);
        for (unsigned round = 0;; ++round) {
            // 1. Scan the rows. One thread reads the epoch while the loads are in flight.
            typename Work::fetched read;
            work.fetch(block, region, tile, read);
            const bool arrives = tiles > 1 && round == 0 && block.thread() == 0;
            std::uint64_t epoch = 0;
            if (arrives)
                epoch = status.read_epoch();
            if constexpr (Work::head_words != 0)
                work.heads.mark(block, shared.head_bits, tile * shape::size, read.heads);
            typename Work::state state;
            work.load(block, shared.rows, region, tile, read, state);
            if (arrives)
                simt::store(&shared.epoch, epoch);
            if (block.thread() == 0)
                simt::store(&shared.missing, 0u);
            block.sync();

            // 2. Publish the tile's total, arrive, and fold the totals before. What the arrival tells is stored before the barrier in
            // `fold_before`, and read after it.
            const total all = work.find_total(block, shared.rows, region, tile, state).value;
            maybe<keyed<T>> prefix;
            bool has_all = true;
            if (tiles > 1) {
                if (tile + 1 < tiles && block.thread() == 0)
                    status.publish(tile, simt::load(&shared.epoch), all);
                typename status_type::arrival arrived{};
                if (arrives)
                    arrived = status.arrive_ahead(tile, tiles);
                work.keep(block, region, tile, state);
                if (arrives)
                    simt::store(&shared.abandoned, arrived.abandoned());
                has_all = fold_before(block, shared, tile, prefix);
            } else {
                work.keep(block, region, tile, state);
                simt::sync_warp();
            }

            // 3. Write the results.
            if (has_all)
                work.write(block, region, tile, state, prefix);

            // 4. The last block to arrive takes the tiles that others gave up.
            if (tiles == 1)
                return;
            if (round == 0 && tile + 1 == tiles)
                status.zero_old_words(block, tile, simt::load(&shared.epoch));
            if (round == simt::load(&shared.abandoned))
                return;
            if (block.thread() == 0)
                simt::store(&shared.next_tile, status.take_abandoned(round));
            block.sync();
            tile = simt::load(&shared.next_tile);
        }
    }

private:
    /// Folds the totals before a tile. False if one is missing, and the block has given its tile up. Has a barrier.
    PARPRIMS_DEVICE bool fold_before(simt::block block, shared_storage& shared, unsigned tile,
                                     maybe<keyed<T>>& prefix) const
    {
        const std::uint64_t epoch = simt::load(&shared.epoch);
        const unsigned folds = (tile + order::group_tiles - 1) / order::group_tiles;
        for (unsigned spins = max_spins;; spins = status_type::no_limit) {
            // The first warp is still publishing, so it takes groups last.
            for (unsigned g = block.warps() - 1 - block.warp(); g < folds; g += block.warps()) {
                const unsigned first = g * order::group_tiles;
                const unsigned live = smaller_of(tile - first, static_cast<unsigned>(order::group_tiles));
                uninitialized<total> found;
                const bool has =
                    block.lane() >= live || status.wait(first + block.lane(), epoch, spins, __builtin_addressof(found));
                simt::sync_warp();  // or lanes that waited longer shuffle apart from the others
                if (simt::ballot(!has) != 0) {
                    if (block.lane() == 0)
                        simt::atomic_add(&shared.missing, 1u);
                    break;
                }
                work.fold_group(shared.groups, g, live, found);
            }
            block.sync();
            if (spins == status_type::no_limit || simt::load(&shared.missing) == 0)
                break;
            if (block.thread() == 0)
                simt::store(&shared.gave_up, status.abandon(tile, epoch) ? 1u : 0u);
            block.sync();
            if (simt::load(&shared.gave_up) != 0)
                return false;
        }
        // Groups accumulate one after the other; the earlier tiles of the tile's own group are combined with a copy of them.
        work.append(shared.groups, 0, tile / order::group_tiles, prefix);
        work.append(shared.groups, tile / order::group_tiles, folds, prefix);
        return true;
    }
};

}  // namespace parprims::detail::device
