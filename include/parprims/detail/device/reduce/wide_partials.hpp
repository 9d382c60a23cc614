/// @file
/// @brief  Partials of a reduction of values of many words: a warp's lanes access the words of one together, or each its own.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/device/reduce/partials.hpp>
#include <parprims/detail/device/tree/warp_tree.hpp>
#include <parprims/detail/numeric/integers.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <cstddef>
#include <cstdint>

namespace parprims::detail::device {

/// As `reduce_partials`, but a value passes through shared memory between its lane and its words: lanes would need local memory
/// for the words of their own values.
template <class T>
struct wide_partials : reduce_partials<T> {
    using words = block::flagged_words<T>;
    static constexpr unsigned value_bytes = words::count * sizeof(std::uint32_t);  // in shared memory
    static constexpr std::size_t usual_runs =
        clamped<std::size_t>(max_partial_bytes / (words::count * sizeof(std::uint64_t)), min_wide_runs, max_large_runs);
    static_assert(max_large_runs <= simt::warp_size * simt::warp_size);  // the last block has room for 32 leaves of 32

    /// Publishes partial i, which lane 0 has. All lanes of a warp take part; `buffer` is the warp's until the next barrier of the
    /// block.
    PARPRIMS_DEVICE void publish(std::size_t i, const T& partial, std::byte* buffer) const
    {
        if (simt::block::lane() == 0)
            simt::store(reinterpret_cast<uninitialized<T>*>(buffer), partial);
        simt::sync_warp();
        std::uint64_t* const target = this->words_of(i);
        for (unsigned w = simt::block::lane(); w < words::count; w += simt::warp_size)
            simt::atomic_store(target + w, words::ready | simt::load(reinterpret_cast<std::uint32_t*>(buffer), w));
    }

    /// Waits for `count` partials from `first` on, at most one a lane, folds them, and zeroes their words. All lanes of a warp
    /// take part; the result is in lane 0.
    template <class Op>
    PARPRIMS_DEVICE T fold(std::size_t first, unsigned count, std::byte* buffer, Op op) const
    {
        std::uint64_t* const from = this->words_of(first);
        const unsigned lane = simt::block::lane();
        for (unsigned begin = 0; begin < count * words::count; begin += in_flight * simt::warp_size) {
            std::uint64_t loaded[in_flight];
            const auto is_live = [&](unsigned w) { return begin + w * simt::warp_size + lane < count * words::count; };
            for (std::uint64_t all = 0; !words::is_ready(all);) {
                all = words::ready;
#pragma unroll
                for (unsigned w = 0; w < in_flight; ++w)
                    loaded[w] =
                        is_live(w) ? simt::atomic_load(from + begin + w * simt::warp_size + lane) : words::ready;
#pragma unroll
                for (unsigned w = 0; w < in_flight; ++w)
                    all &= loaded[w];
                if (!words::is_ready(all))
                    simt::pause();
            }
#pragma unroll
            for (unsigned w = 0; w < in_flight; ++w)
                if (is_live(w)) {
                    const unsigned i = begin + w * simt::warp_size + lane;
                    simt::store(reinterpret_cast<std::uint32_t*>(buffer), i, static_cast<std::uint32_t>(loaded[w]));
                    simt::atomic_store(from + i, std::uint64_t{0});
                }
        }
        simt::sync_warp();
        uninitialized<T> value;
        if (lane < count)
            value.value = simt::load(reinterpret_cast<const uninitialized<T>*>(buffer + lane * value_bytes));
        simt::sync_warp();
        return warp::fold_lanes(value.value, count, op);
    }

    // For small_reduce_kernel, at most 32 partials of 5 to 16 words: a lane writes and reads its partial from
    // registers. Word w of partial i is at `w * 32 + i`, so a warp reads word w of all partials with one access.

    /// Publishes partial i, by one lane.
    PARPRIMS_DEVICE void publish_column(std::size_t i, const T& partial) const
    {
        const words published(partial);
#pragma unroll
        for (unsigned w = 0; w < words::count; ++w)
            simt::atomic_store(this->words_of(0) + w * simt::warp_size + i, published.words[w]);
    }

    /// For one warp: waits for `count` such partials, one a lane, and zeroes their words.
    PARPRIMS_DEVICE T take_column(unsigned count) const
    {
        const unsigned lane = simt::block::lane();
        std::uint64_t* const from = this->words_of(0) + lane;
        words loaded;
        for (std::uint64_t all = 0; !words::is_ready(all);) {
#pragma unroll
            for (unsigned w = 0; w < words::count; ++w)
                loaded.words[w] = lane < count ? simt::atomic_load(from + w * simt::warp_size) : words::ready;
            all = words::ready;
#pragma unroll
            for (unsigned w = 0; w < words::count; ++w)
                all &= loaded.words[w];
            if (!words::is_ready(all))
                simt::pause();
        }
        if (lane < count)
#pragma unroll
            for (unsigned w = 0; w < words::count; ++w)
                simt::atomic_store(from + w * simt::warp_size, std::uint64_t{0});
        return loaded.value();
    }

private:
    static constexpr unsigned in_flight = words::count < 16 ? words::count : 16;  // words that a lane loads at a time
};

}  // namespace parprims::detail::device
