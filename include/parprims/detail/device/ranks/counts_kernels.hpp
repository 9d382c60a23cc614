/// @file
/// @brief  The kernels of a histogram over several ranks: what is added up beside the counters, and the counters at the end.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/device/ranks/message.hpp>
#include <parprims/detail/device/ranks/tuning.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <cstddef>
#include <cstdint>

namespace parprims::detail::device {

/// Behind the counters: how many ranks failed, and the sum of what identifies the call.
inline constexpr std::size_t count_words = 2;

/// Writes this rank's two words behind its counters, before they are summed.
struct rank_count_words_kernel {
    static constexpr unsigned max_threads = 32;
    struct shared_storage {};

    std::uint64_t* words;
    std::uint64_t call;
    std::uint64_t failed;

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage&) const
    {
        if (block.thread() < count_words)
            simt::store(words, block.thread(), block.thread() == 0 ? failed : call);
    }
};

/// For all threads of a grid: whether all ranks made this call and none failed, from the sums of those words over all
/// ranks. Otherwise records the call in `failure`.
PARPRIMS_DEVICE inline bool all_ranks_agree(simt::block block, const std::uint64_t* words, std::uint64_t call,
                                            std::uint64_t ranks, std::uint64_t* failure)
{
    const bool is_good = simt::load(words, 0) == 0 && simt::load(words, 1) == call * ranks;
    if (!is_good && block.index() == 0 && block.thread() == 0)
        record_failure(failure, call);
    return is_good;
}

/// Converts the sums to the caller's counters, unless a rank failed.
template <class Counter>
struct rank_counts_kernel {
    static constexpr unsigned max_threads = rank_counts_threads;
    struct shared_storage {};

    const std::uint64_t* sums;
    std::size_t n;               // that this rank writes
    const std::uint64_t* words;  // of all ranks, as rank_count_words_kernel wrote its own
    Counter* counts;             // null on a rank that failed
    std::uint64_t call;
    std::uint64_t ranks;
    std::uint64_t* failure;  // as in rank_view

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage&) const
    {
        const std::size_t thread = block.index() * block.threads() + block.thread();
        if (!all_ranks_agree(block, words, call, ranks, failure))
            return;
        for (std::size_t i = thread; i < n; i += block.count() * block.threads())
            simt::store(counts, i, static_cast<Counter>(simt::load(sums, i)));
    }
};

}  // namespace parprims::detail::device
