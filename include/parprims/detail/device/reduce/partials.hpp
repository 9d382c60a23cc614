/// @file
/// @brief  The partials that the blocks of a reduction publish, and the ticket that selects the block which folds them.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/device/call/launcher.hpp>
#include <parprims/detail/device/reduce/tuning.hpp>
#include <parprims/detail/device/store/flagged_words.hpp>
#include <parprims/detail/device/tree/ticket.hpp>
#include <parprims/detail/device/tree/warp_tree.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <cstddef>
#include <cstdint>

namespace parprims::detail::device {

/// A ticket and the flagged words of all partials, in memory that is zero before and after the launch.
///
/// Forward progress: only the block that took the last ticket spins. Every block takes its ticket when it starts, so all blocks
/// are resident or have ended, and none of the others waits: their partials will be published.
template <class T>
struct reduce_partials {
    using words = block::flagged_words<T>;
    static constexpr bool has_few_words = words::count <= 4;  // a lane has registers for those of several partials
    static constexpr std::size_t capacity =
        has_few_words ? max_partial_bytes / (words::count * sizeof(std::uint64_t)) : max_large_runs;

    std::byte* memory;

    static constexpr std::size_t bytes(std::size_t partials)
    {
        return memory_alignment + partials * words::count * sizeof(std::uint64_t);
    }

    /// For one thread of each block, when it starts: takes a ticket. Nothing looks at it before `is_last` does, so the thread need not
    /// wait for it. Also prefetches the words of the block's first partial, which the input of a large reduction has evicted from
    /// the cache. (Where the words of partials lie in columns, it does not help, and does no harm.)
    PARPRIMS_DEVICE unsigned take_ticket(simt::block block) const
    {
        simt::prefetch(words_of(block.index()));
        return block::take_ticket<simt::order::relaxed>(block.count(), reinterpret_cast<unsigned*>(memory));
    }
    PARPRIMS_DEVICE static bool is_last(simt::block block, unsigned ticket)
    {
        return block::is_last_ticket(block.count(), ticket);
    }

    /// Publishes partial i, by one lane.
    PARPRIMS_DEVICE void publish(std::size_t i, const T& partial) const
    {
        const words published(partial);
#pragma unroll(has_few_words ? words::count : 1)
        for (unsigned w = 0; w < words::count; ++w)
            simt::atomic_store(words_of(i) + w, published.words[w]);
    }

    /// For one warp: waits for `count` partials from `first` on, at most `Items` a lane, folds them, and zeroes their words. The
    /// result is in lane 0.
    template <unsigned Items, class Op>
    PARPRIMS_DEVICE T fold(std::size_t first, unsigned count, Op op) const
    {
        return warp::fold_lanes(take_consecutive<Items>(first, count, op), (count + Items - 1) / Items, op);
    }

    /// The same, but each lane has the total of its own ones.
    template <unsigned Items, class Op>
    PARPRIMS_DEVICE T take_consecutive(std::size_t first, unsigned count, Op op) const
    {
        const unsigned lane_first = simt::block::lane() * Items;
        std::uint64_t* const from = words_of(first + lane_first);
        words loaded[Items];
        wait_for(from, lane_first, count, loaded);

        uninitialized<T> partials[Items];
#pragma unroll
        for (unsigned k = 0; k < Items; ++k) {
            partials[k].value = loaded[k].value();
            if (lane_first + k < count)
#pragma unroll(has_few_words ? words::count : 1)
                for (unsigned w = 0; w < words::count; ++w)
                    simt::atomic_store(from + k * words::count + w, std::uint64_t{0});
        }
        // As warp::fold_consecutive, in less code: that has a second path for full lanes, and to fetch it would take time.
#pragma unroll
        for (unsigned distance = 1; distance < Items; distance *= 2)
#pragma unroll
            for (unsigned k = 0; k < Items; k += 2 * distance)
                if (lane_first + k + distance < count)
                    partials[k].value = warp::combine<T>(op, partials[k].value, partials[k + distance].value);
        return partials[0].value;
    }

    /// For all lanes of a warp: each waits for partial i of `count`, and zeroes its words. From `count` on, `otherwise`.
    PARPRIMS_DEVICE T take(unsigned i, unsigned count, const T& otherwise) const
    {
        words loaded[1];
        wait_for(words_of(i), i, count, loaded);
        simt::sync_warp();
        if (i < count)
#pragma unroll(has_few_words ? words::count : 1)
            for (unsigned w = 0; w < words::count; ++w)
                simt::atomic_store(words_of(i) + w, std::uint64_t{0});
        return i < count ? loaded[0].value() : otherwise;
    }

    /// The words of partial i.
    PARPRIMS_DEVICE std::uint64_t* words_of(std::size_t i) const
    {
        return reinterpret_cast<std::uint64_t*>(memory + memory_alignment) + i * words::count;
    }

private:
    /// For one lane: reads the words of consecutive partials, from number `lane_first` of `count` on, until all are ready. Each
    /// turn reads all of them before it looks at any.
    template <unsigned Items>
    PARPRIMS_DEVICE static void wait_for(const std::uint64_t* from, unsigned lane_first, unsigned count,
                                         words (&loaded)[Items])
    {
        for (std::uint64_t all = 0; !words::is_ready(all);) {
#pragma unroll
            for (unsigned k = 0; k < Items; ++k)
#pragma unroll(has_few_words ? words::count : 1)
                for (unsigned w = 0; w < words::count; ++w)
                    loaded[k].words[w] =
                        lane_first + k < count ? simt::atomic_load(from + k * words::count + w) : words::ready;
            all = words::ready;
#pragma unroll
            for (unsigned k = 0; k < Items; ++k)
#pragma unroll(has_few_words ? words::count : 1)
                for (const std::uint64_t word : loaded[k].words)
                    all &= word;
            if (!words::is_ready(all))
                simt::pause();
        }
    }
};

}  // namespace parprims::detail::device
