/// @file
/// @brief  Blocks publish partials as flagged words; the block with the last ticket waits for them and folds them.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/device/store/flagged_words.hpp>
#include <parprims/detail/device/tree/ticket.hpp>
#include <parprims/detail/device/tree/tuning.hpp>
#include <parprims/detail/device/tree/warp_tree.hpp>
#include <parprims/detail/numeric/integers.hpp>
#include <parprims/detail/simt/simt.hpp>
#include <parprims/detail/uninitialized.hpp>

#include <cstddef>
#include <cstdint>

namespace parprims::detail::device {

/// A ticket and the flagged words of partials, in memory that is zero before and after the launch. Word w of partial i lies at
/// [w * room + i], so lanes with neighbouring partials access neighbouring words.
///
/// Forward progress: only the block that took the last ticket spins. A block takes its ticket when it starts. So once the last ticket is
/// taken, every block has started. None of the others waits, so each publishes its partials.
template <class T>
struct flagged_partials {
    using words = block::flagged_words<T>;
    /// Whether a lane has registers for the words of several partials.
    static constexpr bool has_few_words = words::count <= max_few_words;
    /// Partials that a lane takes at a time: fewer if a partial has more words, because of registers.
    static constexpr unsigned lane_items = words::count == 1 ? 8 : has_few_words ? 4 : 1;
    static constexpr unsigned warp_items = lane_items * simt::warp_size;

    std::byte* memory;
    std::size_t room;  // partials that it has words for

    static constexpr std::size_t bytes(std::size_t room)
    {
        return head_bytes + room * words::count * sizeof(std::uint64_t);
    }

    /// For one thread of each block, when it starts: takes a ticket. The thread does not wait for it until `is_last` uses it. Also
    /// prefetches words of the block's first partial: a large input has evicted them from the L2 cache.
    PARPRIMS_DEVICE unsigned take_ticket(simt::block block) const
    {
#pragma unroll
        for (unsigned w = 0; w < smaller_of(words::count, max_few_words); ++w)
            simt::prefetch(word(w, block.index()));
        return block::take_ticket<simt::order::relaxed>(block.count(), reinterpret_cast<unsigned*>(memory));
    }
    PARPRIMS_DEVICE static bool is_last(simt::block block, unsigned ticket)
    {
        return block::is_last_ticket(block.count(), ticket);
    }

    /// Publishes partial i, by one lane.
    PARPRIMS_DEVICE void publish(std::size_t i, const T& partial) const
    {
#pragma unroll(words::count <= simt::max_unrolled_words ? words::count : 1)
        for (unsigned w = 0; w < words::count; ++w) {
            std::uint32_t part = 0;
            __builtin_memcpy(&part, reinterpret_cast<const std::byte*>(__builtin_addressof(partial)) + 4 * w,
                             bytes_in(w));
            simt::atomic_store(word(w, i), words::ready | part);
        }
    }

    /// For one warp: waits for `count` partials from `first` on. Each lane takes up to `Items` consecutive partials, folds them, and zeroes
    /// their words. The result of a lane without a partial must not be used. The lanes need not be converged.
    template <unsigned Items, class Op>
    PARPRIMS_DEVICE T take(std::size_t first, unsigned count, Op op) const
    {
        const unsigned lane_first = simt::block::lane() * Items;
        const unsigned live = lane_first < count ? count - lane_first : 0;
        uninitialized<T> values[Items];
        if constexpr (batch_words == words::count) {
            take_words(first + lane_first, live, 0, values);
        } else {
#pragma unroll(words::count <= simt::max_unrolled_words ? words::count : 1)
            for (unsigned begin = 0; begin < words::count; begin += batch_words)
                take_words(first + lane_first, live, begin, values);
        }

        // Like warp::fold_consecutive, but without its second path for full lanes, whose code would have to be fetched.
#pragma unroll
        for (unsigned distance = 1; distance < Items; distance *= 2)
#pragma unroll
            for (unsigned k = 0; k < Items; k += 2 * distance)
                if (lane_first + k + distance < count)
                    values[k].value = warp::combine<T>(op, values[k].value, values[k + distance].value);
        return values[0].value;
    }

    /// The tree over up to `warp_items` partials; the result is in lane 0.
    template <class Op>
    PARPRIMS_DEVICE T fold(std::size_t first, unsigned count, Op op) const
    {
        const T total = take<lane_items>(first, count, op);
        simt::sync_warp();
        return warp::fold_lanes(total, (count + lane_items - 1) / lane_items, op);
    }

private:
    static constexpr std::size_t head_bytes = 256;
    static constexpr unsigned batch_words = smaller_of(words::count, max_batch_words);  // of a partial

    /// Bytes of a value in its word w.
    PARPRIMS_DEVICE static constexpr unsigned bytes_in(unsigned w)
    {
        return sizeof(T) % 4 == 0 || w + 1 < words::count ? 4 : sizeof(T) % 4;
    }

    PARPRIMS_DEVICE std::uint64_t* word(unsigned w, std::size_t i) const
    {
        return reinterpret_cast<std::uint64_t*>(memory + head_bytes) + w * room + i;
    }

    /// For one lane: waits for the words of `live` partials from `first` on, a batch of each from word `begin` on, and zeroes them. Each
    /// attempt loads all words of the batch before it checks any.
    template <unsigned Items>
    PARPRIMS_DEVICE void take_words(std::size_t first, unsigned live, unsigned begin,
                                    uninitialized<T> (&values)[Items]) const
    {
        std::uint64_t loaded[Items][batch_words];
        const auto is_live = [&](unsigned k, unsigned w) { return k < live && begin + w < words::count; };
        block::spin_until([&] {
            std::uint64_t all = words::ready;
#pragma unroll
            for (unsigned k = 0; k < Items; ++k)
#pragma unroll
                for (unsigned w = 0; w < batch_words; ++w)
                    loaded[k][w] = is_live(k, w) ? simt::atomic_load(word(begin + w, first + k)) : words::ready;
#pragma unroll
            for (unsigned k = 0; k < Items; ++k)
#pragma unroll
                for (unsigned w = 0; w < batch_words; ++w)
                    all &= loaded[k][w];
            return words::is_ready(all);
        });
#pragma unroll
        for (unsigned k = 0; k < Items; ++k)
#pragma unroll
            for (unsigned w = 0; w < batch_words; ++w)
                if (is_live(k, w)) {
                    const auto part = static_cast<std::uint32_t>(loaded[k][w]);
                    __builtin_memcpy(reinterpret_cast<std::byte*>(__builtin_addressof(values[k])) + 4 * (begin + w),
                                     &part, bytes_in(begin + w));
                    simt::atomic_store(word(begin + w, first + k), std::uint64_t{0});
                }
    }
};

}  // namespace parprims::detail::device
