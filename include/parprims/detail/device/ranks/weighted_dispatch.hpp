/// @file
/// @brief  Dispatch of weighted histograms over several ranks, on any launcher: what follows `weighted_work`.
#pragma once

#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/device/call/launcher.hpp>
#include <parprims/detail/device/ranks/message.hpp>
#include <parprims/detail/device/ranks/weighted_kernels.hpp>
#include <parprims/detail/numeric/integers.hpp>

#include <cstddef>
#include <cstdint>

namespace parprims::detail::device {

/// Writes `extent` sums of all ranks, whose words begin at `sums` and end with the `count_words` at `words`. `id`: of the call.
template <class W, class Sum, launcher Launcher>
void enqueue_rank_sums(Launcher& launcher, const rank_view& group, const std::uint64_t* sums, std::size_t extent,
                       const std::uint64_t* words, Sum* output, std::uint64_t id)
{
    using kernel_type = rank_sums_kernel<W, Sum>;
    launcher.launch({clamped<std::size_t>(order::ceil_div(extent, kernel_type::max_threads), 1, max_rank_counts_blocks),
                     kernel_type::max_threads, 0},
                    kernel_type{sums, extent, words, output, id, group.ranks, group.failure});
}

}  // namespace parprims::detail::device
