/// @file
/// @brief  Dispatch of weighted histograms over several ranks, on any launcher: what comes between the steps of `weighted_work`.
#pragma once

#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/contract/weights.hpp>
#include <parprims/detail/device/call/launcher.hpp>
#include <parprims/detail/device/ranks/counts_kernels.hpp>
#include <parprims/detail/device/ranks/message.hpp>
#include <parprims/detail/device/ranks/weighted_kernels.hpp>
#include <parprims/detail/device/weighted/dispatch.hpp>
#include <parprims/detail/numeric/fixed_point.hpp>
#include <parprims/detail/numeric/integers.hpp>

#include <cstddef>
#include <cstdint>

namespace parprims::detail::device {

/// What a rank sends while the ranks agree on a scale, and what it receives.
inline weight_peaks* sent_peaks(const rank_view& group)
{
    return reinterpret_cast<weight_peaks*>(group.sent);
}
inline weight_peaks* received_peaks(const rank_view& group)
{
    return reinterpret_cast<weight_peaks*>(group.received);
}

/// Enqueues rank_peaks_kernel: all ranks then have the same `sent_peaks`.
template <class W, launcher Launcher>
void enqueue_rank_peaks(Launcher& launcher, const rank_view& group, const weighted_call& call)
{
    const std::uint32_t key =
        call.is_bounded ? numeric::magnitude_key(call.rounded_bound<typename weight_traits<W>::real>()) : 0;
    launcher.launch({1, rank_peaks_kernel::max_threads, 0},
                    rank_peaks_kernel{received_peaks(group), call.is_bounded ? 0 : group.ranks, key,
                                      sent_peaks(group)});
}

/// Writes the sums of this rank to `words`, before they are added over all ranks.
template <launcher Launcher, class Work>
void enqueue_rank_sum_words(Launcher& launcher, const Work& work, std::uint64_t* words)
{
    launcher.launch(work.finish_shape(),
                    rank_sum_words_kernel<typename Work::weight_type, Work::values>{work.totals(), words});
}

/// Writes `extent` sums of all ranks, whose words begin at `sums` and end with the `count_words` at `words`. `id`: of the call.
template <class W, class Sum, launcher Launcher>
void enqueue_rank_sums(Launcher& launcher, const rank_view& group, const std::uint64_t* sums, std::size_t extent,
                       const std::uint64_t* words, std::size_t n, Sum* output, std::uint64_t id)
{
    using kernel_type = rank_sums_kernel<W, Sum>;
    const int bits = weight_traits<W>::template bits<sum_traits<Sum>::values>(larger_of<std::size_t>(n, 1));
    launcher.launch({clamped<std::size_t>(order::ceil_div(extent, kernel_type::max_threads), 1, max_rank_counts_blocks),
                     kernel_type::max_threads, 0},
                    kernel_type{sums, extent, words, sent_peaks(group), bits, output, id, group.ranks, group.failure});
}

}  // namespace parprims::detail::device
