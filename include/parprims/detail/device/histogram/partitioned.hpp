/// @file
/// @brief  The histogram of many bins: samples are first sorted by the part of their bin, then each part is counted in
///         shared memory. The samples come in slices, so that scratch is bounded and stays in the L2 cache.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/device/histogram/partition_kernel.hpp>
#include <parprims/detail/device/histogram/partition_plan.hpp>
#include <parprims/detail/device/histogram/plan.hpp>
#include <parprims/detail/device/launch/cuda_launcher.hpp>
#include <parprims/detail/numeric/integers.hpp>
#include <parprims/detail/runtime/call.hpp>
#include <parprims/execution.hpp>

#include <cstddef>

namespace parprims::detail::device {

/// Enqueues all slices. All scratch is taken before anything is written.
template <class Samples, class Counter>
void enqueue_partitioned(const char* function, const device_policy& policy, int device, const Samples& samples,
                         Counter* counts, const histogram_plan& plan)
{
    using sort = partition_kernel<Samples>;
    using count = partition_histogram_kernel<Samples, Counter>;
    const partition_plan how = plan_partition(samples.n, samples.counters(), plan, misaligned_samples(samples),
                                              Samples::items, machine_of(device));
    runtime::scratch_buffer scratch(policy.resource(), how.scratch_bytes(), policy.stream());
    auto* const totals = static_cast<unsigned char*>(scratch.get()) + how.sorted_bytes + how.starts_bytes;

    runtime::fill_async(counts, 0, samples.axis.extent() * sizeof(Counter), policy.stream());
    runtime::fill_async(totals, 0, how.totals_bytes, policy.stream());
    for (std::size_t begin = 0; begin < samples.n; begin += how.slice) {
        const partition cut = slice_of(how, begin, samples.n, scratch.get());
        launch(function, {smaller_of(how.blocks, cut.tiles), how.block_threads, cut.sort_bytes()}, device,
               policy.stream(), sort{samples, cut});
        launch(function, {plan.blocks, plan.block_threads, cut.count_bytes()}, device, policy.stream(),
               count{samples, cut, counts});
    }
}

}  // namespace parprims::detail::device
