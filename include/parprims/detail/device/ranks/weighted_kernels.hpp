/// @file
/// @brief  The kernels of a weighted histogram over several ranks, beside those that add: the largest weight of all ranks, the sums
///         as they travel, and the sums at the end.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/contract/weights.hpp>
#include <parprims/detail/device/ranks/counts_kernels.hpp>
#include <parprims/detail/device/ranks/tuning.hpp>
#include <parprims/detail/device/weighted/kernel.hpp>
#include <parprims/detail/device/weighted/scale.hpp>
#include <parprims/detail/numeric/integers.hpp>
#include <parprims/detail/numeric/travelling_sum.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <cstddef>
#include <cstdint>

namespace parprims::detail::device {

/// Sets `*peaks` to the largest keys that any rank sent or, for a call with a bound (`ranks == 0`), `guessed` to
/// `bound_key` and `found` to 0. One warp.
struct rank_peaks_kernel {
    static constexpr unsigned max_threads = 32;
    struct shared_storage {};

    const weight_peaks* received;
    std::size_t ranks;        // 0 if there is a bound
    std::uint32_t bound_key;  // otherwise 0
    weight_peaks* peaks;

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage&) const
    {
        weight_peaks largest{bound_key, 0};
        for (std::size_t r = block.thread(); r < ranks; r += block.threads()) {
            largest.guessed = larger_of(largest.guessed, simt::load(&received[r].guessed));
            largest.found = larger_of(largest.found, simt::load(&received[r].found));
        }
        for (unsigned distance = simt::warp_size / 2; distance > 0; distance /= 2) {
            largest.guessed = larger_of(largest.guessed, simt::shuffle_down(largest.guessed, distance));
            largest.found = larger_of(largest.found, simt::shuffle_down(largest.found, distance));
        }
        if (block.thread() == 0) {
            simt::store(&peaks->guessed, largest.guessed);
            simt::store(&peaks->found, largest.found);
        }
    }
};

template <class W, unsigned Values>
using rank_sum = numeric::travelling_sum<typename weight_traits<W>::integer, Values>;

/// Writes this rank's sums as words that travel.
template <class W, unsigned Values>
struct rank_sum_words_kernel {
    static constexpr unsigned max_threads = weighted_finish_threads;
    struct shared_storage {};
    using sum_type = rank_sum<W, Values>;

    weighted_totals<W, Values> totals;
    std::uint64_t* words;

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage&) const
    {
        totals.for_each(block,
                        [&](std::size_t slot, const numeric::int128* integers, std::uint32_t flags, int /*exponent*/) {
                            std::uint64_t of_slot[sum_type::words];
                            sum_type::write(of_slot, integers, flags);
                            for (unsigned w = 0; w < sum_type::words; ++w)
                                simt::store(words, slot * sum_type::words + w, of_slot[w]);
                        });
    }
};

/// Converts the sums of all ranks to the caller's type, unless a rank failed.
template <class W, class Sum>
struct rank_sums_kernel {
    static constexpr unsigned max_threads = rank_counts_threads;
    struct shared_storage {};
    using sum_type = rank_sum<W, sum_traits<Sum>::values>;

    const std::uint64_t* sums;  // followed by the words of rank_count_words_kernel
    std::size_t extent;
    const std::uint64_t* words;
    const weight_peaks* peaks;
    int bits;
    Sum* output;  // null on a rank that failed
    std::uint64_t call;
    std::uint64_t ranks;
    std::uint64_t* failure;  // as in rank_view

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage&) const
    {
        if (!all_ranks_agree(block, words, call, ranks, failure))
            return;
        const int exponent = weight_traits<W>::exponent(deciding_key<W>(peaks));
        for (std::size_t slot = block.index() * block.threads() + block.thread(); slot < extent;
             slot += block.count() * block.threads()) {
            std::uint64_t of_slot[sum_type::words];
            for (unsigned w = 0; w < sum_type::words; ++w)
                of_slot[w] = simt::load(sums, slot * sum_type::words + w);
            numeric::int128 integers[sum_traits<Sum>::values];
            const std::uint32_t flags = sum_type::read(of_slot, integers);
            simt::store(output, slot, finished_sum<W, Sum>(integers, flags, exponent, bits));
        }
    }
};

}  // namespace parprims::detail::device
