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

/// Enqueues all slices. All scratch is taken before anything is written.
template <class Samples, class Counter>
void enqueue_partitioned(const char* function, const device_policy& policy, int device, const Samples& samples,
                         Counter* counts, const histogram_plan& plan)
{
    using offset = std::uint32_t;
    using offsets_tile = scan_tile<pointer_input<offset>, pointer_output<offset>, offset, plus, identity>;
    using offsets_scan = scan_kernel<offsets_tile, offset, plus>;
    const std::size_t slice = std::min(samples.n, plan.segment);
    const std::size_t parts = order::ceil_div(samples.counters(), plan.window);
    unsigned part_bits = 0;
    while (std::size_t{1} << part_bits < plan.window)
        ++part_bits;

    const std::size_t offset_bytes = scratch_bytes((parts * plan.blocks + 1) * sizeof(offset));
    const std::size_t sorted_bytes = scratch_bytes(slice * sizeof(std::uint16_t));
    const std::size_t scan_bytes =
        single_pass_bytes<offset>(order::ceil_div(parts * plan.blocks + 1, offsets_tile::tile));
    runtime::scratch_buffer scratch(policy.resource(), offset_bytes + sorted_bytes + scan_bytes, policy.stream());
    auto* const bytes = static_cast<unsigned char*>(scratch.get());
    auto* const offsets = reinterpret_cast<offset*>(bytes);
    auto* const sorted = reinterpret_cast<std::uint16_t*>(bytes + offset_bytes);

    runtime::fill_async(counts, 0, samples.axis.extent() * sizeof(Counter), policy.stream());
    for (std::size_t begin = 0; begin < samples.n; begin += slice) {
        const std::size_t end = samples.n - begin < slice ? samples.n : begin + slice;
        const partition cut{begin, end, order::ceil_div(end - begin, plan.blocks), parts, part_bits};
        const std::size_t runs = cut.runs();
        const launch_shape by_run{runs, plan.block_threads, parts * sizeof(offset)};
        launch(function, by_run, device, policy.stream(), partition_count_kernel<Samples>{samples, cut, offsets});

        maybe<offset> zero;
        zero.set(0);
        const std::size_t count = parts * runs + 1;
        const offsets_tile work{{offsets}, count, {offsets}, zero, plus{}, identity{}, true, true, true};
        const scan_plan how =
            plan_scan(count, offsets_tile::tile, offsets_scan::storage_bytes, offsets_tile::stage_bytes,
                      {.block_threads = 256}, machine_of(get_device_info(device)));
        launch_single_pass<offset>(function, device, policy.stream(), work, plus{}, how,
                                   bytes + offset_bytes + sorted_bytes);

        launch(function, by_run, device, policy.stream(),
               partition_scatter_kernel<Samples>{samples, cut, offsets, sorted});
        launch(function, {plan.blocks, plan.block_threads, plan.shared_bytes}, device, policy.stream(),
               partition_histogram_kernel<Samples, Counter>{samples, cut, offsets, sorted, counts});
    }
}

}  // namespace parprims::detail::device
