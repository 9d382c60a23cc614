/// @file
/// @brief  The histogram of many bins: samples are first sorted by the part of their bin, then each part is counted in
///         shared memory. The samples come in slices, so that scratch is bounded and stays in the L2 cache.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/device/histogram/partition_kernel.hpp>
#include <parprims/detail/device/histogram/partition_plan.hpp>
#include <parprims/detail/device/histogram/plan.hpp>
#include <parprims/detail/device/launch/launcher.hpp>
#include <parprims/detail/numeric/integers.hpp>

#include <cstddef>

namespace parprims::detail::device {

/// Enqueues all slices. All scratch is taken before anything is written.
template <launcher Launcher, class Samples, class Counter>
void enqueue_partitioned(Launcher& on, const Samples& samples, Counter* counts, const histogram_plan& plan)
{
    using sort = partition_kernel<Samples>;
    using count = partition_histogram_kernel<Samples, Counter>;
    const partition_plan how =
        plan_partition(samples.n, samples.counters(), plan, misaligned_samples(samples), Samples::items, on.gpu());
    const auto scratch = on.scratch(how.scratch_bytes());
    auto* const totals = static_cast<std::byte*>(scratch.get()) + how.sorted_bytes + how.starts_bytes;

    on.zero(counts, samples.axis.extent() * sizeof(Counter));
    on.zero(totals, how.totals_bytes);
    for (std::size_t begin = 0; begin < samples.n; begin += how.slice) {
        const partition cut = slice_of(how, begin, samples.n, scratch.get());
        on.launch({smaller_of(how.blocks, cut.tiles), how.block_threads, cut.sort_bytes()}, sort{samples, cut});
        on.launch({plan.blocks, plan.block_threads, cut.count_bytes()}, count{samples, cut, counts});
    }
}

}  // namespace parprims::detail::device
