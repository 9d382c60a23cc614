/// @file
/// @brief  The kernel of `copy_if` for few tiles, each of which a block has.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/device/copy_if/tuning.hpp>
#include <parprims/detail/device/pass/status_words.hpp>
#include <parprims/detail/simt/simt.hpp>
#include <parprims/detail/uninitialized.hpp>

#include <cstddef>
#include <cstdint>

namespace parprims::detail::device {

/// The tile follows from the number of the block, so that it is loaded at once: no ticket comes first. Nor are words zeroed
/// afterwards: see `epoch_status`. In a graph 2^8 to 2^19 ints take 0.63 to 0.8 of the time by tickets (H200, beside d346ccb).
///
/// Forward progress: a block publishes its count before it waits. If the count of a tile is missing after `max_spins` looks, the
/// block counts that tile itself: the input is not written during the call.
/// @tparam  Work  a `copy_if_work`
template <class Work>
struct copy_if_small_kernel {
    using status_type = epoch_status<unsigned>;
    static constexpr unsigned max_threads = Work::max_threads;
    static constexpr unsigned min_blocks = Work::blocks_per_sm(0);

    struct alignas(simt::shared_line_bytes) shared_storage {
        typename Work::shared_storage of_work;
        unsigned sums[Work::usual_warps];  // of the counts that each warp has read
        std::uint64_t epoch;
    };
    static constexpr std::size_t shared_bytes(unsigned threads)
    {
        return sizeof(shared_storage) + Work::slot_bytes(threads);
    }

    Work work;
    status_type status;  // its memory is not used for a single tile
    unsigned max_spins;  // of a lane that waits for a count

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage& shared) const
    {
        auto* const memory = reinterpret_cast<unsigned char*>(&shared + 1);
        const auto tiles = static_cast<unsigned>(block.count());
        const auto tile = static_cast<unsigned>(block.index());

        // 1. Count what the tile keeps. One thread arrives while the loads are in flight, and learns the epoch.
        typename Work::fetched fetched;
        work.fetch(block, memory, tile, fetched);
        typename status_type::arrival arrived{};
        if (tiles > 1 && block.thread() == 0)
            arrived = status.arrive_ahead(tile, tiles);
        typename Work::state state;
        work.load(block, shared.of_work, memory, tile, fetched, state);
        if (block.thread() == 0)
            simt::store(&shared.epoch, arrived.epoch());
        block.sync();
        work.find_total(block, shared.of_work, memory, tile, state);

        // 2. Publish the count, and add those before.
        std::uint64_t epoch = 0;
        std::size_t before = 0;
        if (tiles > 1) {
            epoch = simt::load(&shared.epoch);
            if (tile + 1 < tiles && block.thread() == 0)
                status.publish(tile, epoch, state.total);
            before = sum_before(block, shared, tile, epoch);
        }

        // 3. Write the elements.
        work.write(block, memory, tile, state, before);
        if (tiles > 1 && tile + 1 == tiles)
            status.zero_old_words(block, tile, epoch);
    }

private:
    /// How many elements the tiles before keep. Has a barrier.
    PARPRIMS_DEVICE unsigned sum_before(simt::block block, shared_storage& shared, unsigned tile,
                                        std::uint64_t epoch) const
    {
        unsigned mine = 0;
        unsigned spins = max_spins;
#pragma unroll 1
        for (unsigned first = block.warp() * simt::warp_size; first < tile; first += block.threads()) {
            const unsigned other = first + block.lane();
            uninitialized<unsigned> found;
            const bool has = other < tile && status.wait(other, epoch, spins, __builtin_addressof(found));
            mine += has ? found.value : 0;
            simt::lane_mask missing = simt::ballot(other < tile && !has);
#pragma unroll 1
            while (missing != 0) {
                const unsigned lane = simt::highest_lane(missing);
                missing &= ~(1u << lane);
                mine += work.count_again(block, first + lane);
                spins = 0;  // more may be missing
            }
        }
        mine = simt::sum_lanes(mine);
        if (block.lane() == 0)
            simt::store(shared.sums, block.warp(), mine);
        block.sync();
        return simt::sum_lanes(block.lane() < block.warps() ? simt::load(shared.sums, block.lane()) : 0);
    }
};

}  // namespace parprims::detail::device
