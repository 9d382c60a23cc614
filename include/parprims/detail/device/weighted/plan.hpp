/// @file
/// @brief  Where the sums of a weighted histogram live, and how it is launched there. Pure: no GPU is asked.
#pragma once

#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/device/histogram/partition_plan.hpp>
#include <parprims/detail/device/histogram/plan.hpp>
#include <parprims/detail/device/weighted/tuning.hpp>
#include <parprims/detail/numeric/integers.hpp>

#include <cstddef>
#include <cstdint>

namespace parprims::detail::device {

/// Shared memory before the sums: what look_at_weights has found.
inline constexpr std::size_t weighted_header_bytes = sizeof(std::uint32_t);

inline std::size_t windows_needed(const histogram_size& size, const gpu_properties& gpu)
{
    return order::ceil_div(size.counters, (gpu.shared_bytes_per_block - weighted_header_bytes) / size.counter_bytes());
}

/// Samples are partitioned only with a payload.
inline histogram_config::placement_kind weighted_placement(const histogram_size& size, const histogram_config& config,
                                                           const gpu_properties& gpu)
{
    using enum histogram_config::placement_kind;
    if (config.placement != automatic)
        return config.placement;
    const std::size_t needed = windows_needed(size, gpu);
    if (needed <= max_weighted_passes)
        return needed == 1 ? shared : passes;
    const partition_payload payload{size.payload_bytes, size.counter_words};
    return payload.bytes != 0 && choose_parts(size.counters, gpu, payload).parts != 0 ? partitioned : global;
}

inline counting_plan plan_weighted(const char* function, const histogram_size& size, const histogram_config& config,
                                   const gpu_properties& gpu)
{
    using enum histogram_config::placement_kind;
    const auto placement = weighted_placement(size, config, gpu);
    check_config(function, placement != partitioned, "placement", size.bins,
                 "a number of bins that can be partitioned");
    const std::size_t needed = windows_needed(size, gpu);
    const counting_plan in_memory{
        plan_grid(size.samples, weighted_thread_samples, config.block_threads, weighted_header_bytes, config, gpu)};
    if (placement == global)
        return in_memory;

    check_config(function, placement == passes || needed == 1, "placement", size.bins,
                 "a number of bins that fits shared memory");
    const std::size_t windows = placement == passes ? larger_of<std::size_t>(needed, 2) : 1;
    check_config(function, windows <= max_windows, "placement", size.bins, "a number of bins for so few passes");
    const std::size_t window = order::ceil_div(size.counters, windows);
    const std::size_t room = shared_room(config, config.block_threads, gpu);
    unsigned replicas = config.replicas != 0 ? config.replicas : max_weighted_replicas;
    const auto bytes = [&] { return weighted_header_bytes + window * replicas * size.counter_bytes(); };
    while (replicas > 1 && bytes() > room)
        replicas /= 2;
    const launch_shape shape =
        plan_grid(size.samples, weighted_thread_samples, config.block_threads, bytes(), config, gpu, windows);
    if (may_wrap(size, shape, windows))
        return in_memory;
    return {shape, window, static_cast<unsigned>(windows), replicas};
}

}  // namespace parprims::detail::device
