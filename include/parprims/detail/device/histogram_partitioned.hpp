/// @file
/// @brief  The histogram of many bins: samples are first sorted into parts of the bins, then each part is counted in
///         shared memory. The samples come in slices, so that scratch is bounded.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/device/histogram_plan.hpp>
#include <parprims/detail/device/launch.hpp>
#include <parprims/detail/device/partition_kernel.hpp>
#include <parprims/detail/device/scan.hpp>
#include <parprims/detail/order.hpp>
#include <parprims/detail/runtime/runtime.hpp>
#include <parprims/execution.hpp>
#include <parprims/functional.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace parprims::detail::device {

/// Enqueues all slices. The counts are zero.
template <class Samples, class Counter>
void enqueue_partitioned(const char* function, const device_policy& policy, int device, const Samples& samples,
                         Counter* counts, const histogram_plan& plan)
{
    using runtime::scratch_buffer;
    const std::size_t slice = std::min(samples.n, plan.segment);
    const std::size_t runs = plan.blocks;
    const std::size_t parts = order::ceil_div(samples.counters(), plan.window);
    unsigned part_bits = 0;
    while (std::size_t{1} << part_bits < plan.window)
        ++part_bits;

    const std::size_t offset_count = parts * runs + 1;
    const std::size_t offset_bytes = scratch_bytes(offset_count * sizeof(std::uint32_t));
    scratch_buffer scratch(policy.resource(), offset_bytes + slice * sizeof(std::uint16_t), policy.stream());
    auto* const offsets = static_cast<std::uint32_t*>(scratch.get());
    auto* const sorted = reinterpret_cast<std::uint16_t*>(static_cast<unsigned char*>(scratch.get()) + offset_bytes);

    for (std::size_t begin = 0; begin < samples.n; begin += slice) {
        const std::size_t end = samples.n - begin < slice ? samples.n : begin + slice;
        partition cut{begin, end, order::ceil_div(end - begin, runs), parts, part_bits};
        const std::size_t used = cut.runs();
        const std::uint32_t zero = 0;
        launch(function, {used, plan.block_threads, parts * sizeof(std::uint32_t)}, device, policy.stream(),
               partition_count_kernel<Samples>{samples, cut, offsets});
        scan<scan_kind::exclusive, std::uint32_t>(function, policy, offsets, parts * used + 1, offsets, &zero, plus{},
                                                  identity{});
        launch(function, {used, plan.block_threads, parts * sizeof(std::uint32_t)}, device, policy.stream(),
               partition_scatter_kernel<Samples>{samples, cut, offsets, sorted});
        launch(function, {plan.blocks, plan.block_threads, plan.shared_bytes}, device, policy.stream(),
               partition_histogram_kernel<Samples, Counter>{samples, cut, offsets, sorted, counts});
    }
}

}  // namespace parprims::detail::device
