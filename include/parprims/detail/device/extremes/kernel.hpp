/// @file
/// @brief  The kernel that finds extremes: each lane finds the extreme value of its elements and where it is.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/contract/extreme.hpp>
#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/device/extremes/located.hpp>
#include <parprims/detail/device/extremes/tuning.hpp>
#include <parprims/detail/device/extremes/warp_batches.hpp>
#include <parprims/detail/device/load/input.hpp>
#include <parprims/detail/device/tree/partials.hpp>
#include <parprims/detail/device/tree/ticket.hpp>
#include <parprims/detail/simt/simt.hpp>
#include <parprims/detail/uninitialized.hpp>

#include <cstddef>
#include <utility>

namespace parprims::detail::device {

/// A warp takes a batch of packets at a time, `extremes_rows` for each lane.
///
/// With few elements, it takes most of the time to fetch the code of the kernel. So one loop folds lanes, warps and blocks.
template <class Input, class Search, class Output, class Position>
struct extremes_kernel {
    using value_type = compared<Search, typename Input::value_type>;
    using position = Position;

    using found = typename found_of<Search, value_type, position>::type;
    using partials_type = flagged_partials<found>;
    using extremes = std::make_integer_sequence<unsigned, Search::count>;
    using batches_type = extreme_batches<Input, Search, found, position,
                                         sizeof(value_type) <= 16 || packet_items<Input> != 1 ? extremes_rows : 1>;

    static constexpr unsigned batch = batches_type::batch;  // packets
    static constexpr unsigned max_threads = extremes_threads;
    static constexpr unsigned min_blocks = extremes_blocks_per_sm;

    struct shared_storage {
        uninitialized<found> totals[max_threads / simt::warp_size];
        bool is_last;
    };

    batches_type elements;
    Output output;
    partials_type partials;  // of the blocks; not used by a single block

    PARPRIMS_DEVICE std::size_t resize(std::size_t size, std::size_t blocks)
    {
        elements.resize(static_cast<position>(size));
        const std::size_t warps = order::ceil_div(elements.packets, batch);
        return smaller_of(larger_of<std::size_t>(order::ceil_div(warps, simt::block::warps()), 1), blocks);
    }

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage& shared) const
    {
        const auto blocks = static_cast<unsigned>(block.count());
        const auto index = static_cast<unsigned>(block.index());
        unsigned ticket = 0;  // is looked at in the end only, so no thread waits for it here
        if (blocks != 1 && block.thread() == 0)
            ticket = partials.take_ticket(block);

        // 1. The best elements of each lane. All blocks have the same number of batches, or one more.
        found best;
        const auto batches = static_cast<position>(order::ceil_div(elements.packets, batch));
        for (position b = block.warp() * blocks + index; b < batches; b += blocks * block.warps())
            elements.look_at_batch(b * batch, best);
        if (batches_type::in_packets && index + 1 == blocks && block.warp() + 1 == block.warps())
            elements.look_at_ends(best);

        // 2. The last block folds the best ones of all blocks.
        unsigned warps = block.warps();
#pragma unroll 1
        for (bool is_whole = blocks == 1;; is_whole = true) {
            best = fold_block(block, shared, best, warps);
            if (is_whole)
                break;
            if (block.thread() == 0)
                partials.publish(index, best);
            if (!block::broadcast_first(block, shared.is_last, partials.is_last(block, ticket)))
                return;
            best = found();
            for (unsigned first = block.warp() * simt::warp_size; first < blocks; first += block.threads()) {
                const unsigned live = smaller_of(blocks - first, simt::warp_size);
                const found next = partials.template take<1>(first, live, better());
                simt::sync_warp();
                if (block.lane() < live)
                    best = better()(best, next);
            }
            const unsigned needed = (blocks + simt::warp_size - 1) / simt::warp_size;
            warps = needed < warps ? needed : warps;
        }
        if (block.thread() == 0)
            write(best, extremes{});
    }

private:
    PARPRIMS_DEVICE better_of<Search> better() const { return {elements.search}; }

    /// The best of the values of the first `warps` warps, in the first thread.
    PARPRIMS_DEVICE found fold_block(simt::block block, shared_storage& shared, found best, unsigned warps) const
    {
        unsigned lanes = simt::warp_size;  // that hold different values
#pragma unroll 1
        for (;; warps = 1) {
            if constexpr (requires { best.fold_lanes(); })
                best.fold_lanes();
            else
#pragma unroll 1
                for (unsigned distance = 1; distance < lanes; distance *= 2)
                    best = better()(best, simt::shuffle_down(best, distance));
            if (warps == 1)
                return best;
            if (block.lane() == 0)
                simt::store(shared.totals, block.warp(), best);
            block.sync();
            // Lanes without a warp take the value of the first one again: that changes nothing.
            best = simt::load(shared.totals, block.lane() < warps ? block.lane() : 0);
            lanes = warps;
        }
    }

    PARPRIMS_DEVICE std::size_t end_or(position place) const { return place == found::nowhere ? elements.n : place; }

    template <unsigned... K>
    PARPRIMS_DEVICE void write(const found& best, std::integer_sequence<unsigned, K...>) const
    {
        *output = positions<Search::count>{end_or(best.template place<K, Search>())...};
    }
};

/// Writes positions to consecutive places of an output.
template <unsigned Count, class Output>
struct stored_positions {
    struct reference {
        const Output& output;

        PARPRIMS_DEVICE void operator=(const positions<Count>& found) const
        {
#pragma unroll
            for (unsigned k = 0; k < Count; ++k)
                output.set(k, found.at[k]);
        }
    };

    Output output;

    PARPRIMS_DEVICE reference operator*() const { return {output}; }
};

}  // namespace parprims::detail::device
