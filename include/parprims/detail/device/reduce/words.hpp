/// @file
/// @brief  How the blocks of a reduction leave their totals for one of them.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/block/warp_tree.hpp>
#include <parprims/detail/runtime/call.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace parprims::detail::device {

/// Words for the totals of blocks: four bytes of a total and a flag that says they are there, written and read as one, as in
/// tile_status. So no block needs a fence, and none an answer from memory, before its total can be used. Words are zero
/// before the launch and when all totals have been folded.
///
/// Who folds has drawn the last ticket, before its loads: every block has started, none of the others waits for anything,
/// so their totals come.
template <class T>
struct total_words {
    static constexpr unsigned of_total = (sizeof(T) + 3) / 4;
    static constexpr bool fit = of_total <= 4;  // those that a lane reads at a time stay in registers
    static constexpr std::size_t capacity = runtime::workspace::totals_bytes / (sizeof(std::uint64_t) * of_total);

    std::uint64_t* words;

    /// Whether this block has drawn the last of the tickets, in thread 0. Asks for the block's words, which are not in the cache
    /// if there was a large reduction before.
    PARPRIMS_DEVICE bool draw_last(unsigned* ticket, std::size_t block, std::size_t blocks) const
    {
        simt::prefetch(words + block * of_total);
        const auto last = static_cast<unsigned>(blocks - 1);
        return simt::atomic_increment_wrapping<simt::order::relaxed>(ticket, last) == last;
    }

    PARPRIMS_DEVICE void publish(std::size_t i, const T& total) const
    {
        std::uint32_t parts[of_total] = {};
        std::memcpy(parts, static_cast<const void*>(&total), sizeof(T));
#pragma unroll
        for (unsigned w = 0; w < of_total; ++w)
            simt::atomic_store(words + i * of_total + w, ready | parts[w]);
    }

    /// For one warp: waits for `count` totals from `first` on, up to `Items` for each lane, and folds them; the result is in
    /// lane 0. The words are zero then.
    template <unsigned Items, class Op>
    PARPRIMS_DEVICE T fold(std::size_t first, unsigned count, Op op) const
    {
        // A lane reads what neighbouring blocks have left, all at once, until everything is there.
        const unsigned mine = simt::block::lane() * Items;
        std::uint64_t* const place = words + (first + mine) * of_total;
        std::uint64_t found[Items * of_total];
        for (std::uint64_t all = 0; (all & ready) == 0;) {
            all = ready;
#pragma unroll
            for (unsigned k = 0; k < Items; ++k)
#pragma unroll
                for (unsigned w = 0; w < of_total; ++w) {
                    std::uint64_t& word = found[k * of_total + w];
                    word = ready;
                    if (mine + k < count)
                        word = simt::atomic_load(place + k * of_total + w);
                }
#pragma unroll
            for (const std::uint64_t word : found)
                all &= word;
            if ((all & ready) == 0)
                simt::pause();
        }

        uninitialized<T> totals[Items];
#pragma unroll
        for (unsigned k = 0; k < Items; ++k) {
            std::uint32_t parts[of_total];
#pragma unroll
            for (unsigned w = 0; w < of_total; ++w) {
                parts[w] = static_cast<std::uint32_t>(found[k * of_total + w]);
                if (mine + k < count)
                    simt::atomic_store(place + k * of_total + w, std::uint64_t{0});
            }
            std::memcpy(static_cast<void*>(&totals[k]), parts, sizeof(T));
        }
#pragma unroll
        for (unsigned distance = 1; distance < Items; distance *= 2)
#pragma unroll
            for (unsigned k = 0; k < Items; k += 2 * distance)
                if (mine + k + distance < count)
                    totals[k].value = warp::combine<T>(op, totals[k].value, totals[k + distance].value);
        return warp::fold_lanes(totals[0].value, (count + Items - 1) / Items, op);
    }

private:
    static constexpr std::uint64_t ready = std::uint64_t{1} << 32;
};

}  // namespace parprims::detail::device
