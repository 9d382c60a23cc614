/// @file
/// @brief  Where the counters of a histogram live, and how it is launched there. Pure: no GPU is asked.
#pragma once

#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/device/call/launcher.hpp>
#include <parprims/detail/device/call/validate.hpp>
#include <parprims/detail/device/histogram/tuning.hpp>
#include <parprims/detail/numeric/integers.hpp>

#include <cstddef>
#include <cstdint>

namespace parprims::detail::device {

inline void check_histogram_config(const char* function, const histogram_config& config)
{
    check_common_config(function, config);
    check_config(function, config.replicas == 0 || (is_power_of_two(config.replicas) && config.replicas <= 32),
                 "replicas", config.replicas, "a power of two to 32, or 0");
    check_config(function, config.placement <= histogram_config::global, "placement",
                 static_cast<std::size_t>(config.placement), "a placement");
}

/// What a plan depends on, besides the configuration and the GPU.
struct histogram_size {
    std::size_t samples;
    std::size_t counters;             ///< of one private copy
    std::size_t bins;                 ///< of the axis: errors name them
    std::size_t extent;               ///< the caller's counters
    std::size_t packet_samples = 4;   ///< samples that a thread loads at once
    std::size_t leading_samples = 0;  ///< that would lie between a 16-byte boundary and the first sample
    unsigned payload_bytes = 0;  ///< of what is sorted with each sample where the counters are partitioned: its weight
    unsigned counter_words = 1;  ///< of a counter in shared memory, 32 bits each

    constexpr std::size_t counter_bytes() const { return counter_words * sizeof(std::uint32_t); }
};

/// The 32-bit counters that fit a block's shared memory, with one more for the samples outside.
inline std::size_t max_shared_counters(const gpu_properties& gpu)
{
    return gpu.shared_bytes_per_block / sizeof(std::uint32_t) - 1;
}

/// The blocks that the caller asks for on a multiprocessor, as far as its threads suffice.
inline std::size_t blocks_by_threads(const histogram_config& config, unsigned block_threads, const gpu_properties& gpu)
{
    return smaller_of(config.blocks_per_sm, larger_of(1u, gpu.threads_per_multiprocessor / block_threads));
}

/// The shared memory that a block may take if so many of them are to be resident.
inline std::size_t shared_room(const histogram_config& config, unsigned block_threads, const gpu_properties& gpu)
{
    const std::size_t resident = blocks_by_threads(config, block_threads, gpu);
    return smaller_of(gpu.shared_bytes_per_block,
                      gpu.shared_bytes_per_multiprocessor / resident - reserved_shared_bytes);
}

/// As many blocks as the samples need and the GPU holds at a time, in equal number for each window.
inline launch_shape plan_grid(std::size_t samples, std::size_t thread_samples, unsigned block_threads,
                              std::size_t shared_bytes, const histogram_config& config, const gpu_properties& gpu,
                              std::size_t windows = 1)
{
    const std::size_t blocks_per_sm =
        clamped<std::size_t>(gpu.shared_bytes_per_multiprocessor / (shared_bytes + reserved_shared_bytes), 1,
                             blocks_by_threads(config, block_threads, gpu));
    const std::size_t needed = order::ceil_div(samples, block_threads * thread_samples);
    const std::size_t blocks = smaller_of(needed * windows, gpu.multiprocessors * blocks_per_sm);
    return {larger_of<std::size_t>(blocks / windows, 1) * windows, block_threads, shared_bytes};
}

/// Counters in each block's shared memory: all of them, or one of several windows. In device memory if `windows` is 0.
struct counting_plan {
    launch_shape shape;
    std::size_t window = 0;   ///< counters of a block
    unsigned windows = 0;     ///< the grid is a multiple of it
    unsigned replicas = 1;    ///< private copies in a block: a power of two
    bool overwrites = false;  ///< there is one block, and it stores the counts: they need not be zero before
    bool gathers =
        false;  ///< the blocks add up in the workspace, and the last one stores the counts, as if there were one
};

/// How small inputs are spread. More blocks are taken as there are more samples: one, then at most a part of the
/// multiprocessors, then all. Larger inputs have to fill the GPU.
struct small_spread {
    bool is_small;
    unsigned block_threads;
    std::size_t thread_samples;
};

inline small_spread spread_small(const histogram_size& size, unsigned max_threads, const gpu_properties& gpu)
{
    const std::size_t packets = order::ceil_div(size.samples, size.packet_samples);
    const std::size_t counters = larger_of(size.counters, size.bins);
    const std::size_t few = larger_of<std::size_t>(gpu.multiprocessors / small_grid_divisor, 1);
    if (packets > gpu.multiprocessors * std::size_t{smaller_of(max_threads, small_block_threads)} * max_small_packets)
        return {false, max_threads, histogram_thread_samples};
    const bool is_narrow = packets <= few * narrow_block_threads * min_small_packets && counters <= max_narrow_counters;
    const std::size_t threads = smaller_of(max_threads, is_narrow ? narrow_block_threads : small_block_threads);
    const std::size_t thread_packets =
        packets <= threads * single_block_packets && counters <= max_overwritten ? single_block_packets
        : packets <= few * threads * min_small_packets                           ? min_small_packets
        : packets <= few * threads * max_small_packets ? order::ceil_div(packets, few * threads)
                                                       : max_small_packets;
    return {true, static_cast<unsigned>(threads), thread_packets * size.packet_samples};
}

/// Private copies in a block where the caller leaves the choice: as many as leave room for the blocks that a multiprocessor is
/// to hold; of a small input no more than the samples are worth, since copies cost time to zero and to add up.
inline unsigned choose_replicas(const histogram_size& size, const small_spread& spread, std::size_t room)
{
    if (size.packet_samples <= max_unreplicated_items)
        return 1;
    const std::size_t block_samples = spread.block_threads * spread.thread_samples;
    const std::size_t max_counters = !spread.is_small
                                         ? room * size.packet_samples / replicas_room_items / sizeof(std::uint32_t)
                                     : block_samples < min_replicated_samples ? 0
                                                                              : block_samples / samples_per_replicated;
    unsigned replicas = 32;
    while (replicas > 1 && size.counters * replicas > max_counters)
        replicas /= 2;
    return replicas;
}

inline counting_plan plan_global(const histogram_size& size, const histogram_config& config, const gpu_properties& gpu)
{
    return {plan_grid(size.samples, histogram_thread_samples, config.block_threads, 0, config, gpu)};
}

/// Whether a counter of 32 bits in shared memory could wrap, if all samples were in one bin. No GPU has memory for so many samples.
inline bool may_wrap(const histogram_size& size, const launch_shape& shape, std::size_t windows)
{
    return size.samples / (shape.blocks / windows) >> 31 != 0;
}

inline counting_plan plan_shared(const char* function, const histogram_size& size, const histogram_config& config,
                                 const gpu_properties& gpu)
{
    const std::size_t fit = max_shared_counters(gpu);
    check_config(function, size.counters <= fit, "placement", size.bins, "a number of bins that fits shared memory");
    const small_spread spread = spread_small(size, config.block_threads, gpu);
    const std::size_t room = shared_room(config, spread.block_threads, gpu);
    unsigned replicas = config.replicas != 0 ? config.replicas : choose_replicas(size, spread, room);
    while (replicas > 1 && (size.counters + 1) * replicas > fit + 1)
        replicas /= 2;

    const std::size_t words = (size.counters + 1) * replicas;
    const launch_shape shape = plan_grid(size.samples, spread.thread_samples, spread.block_threads,
                                         words * sizeof(std::uint32_t), config, gpu);
    const bool overwrites = shape.blocks == 1 && larger_of(size.counters, size.bins) <= max_overwritten;
    // All samples may be in one bin, and gathered counters have 32 bits.
    const bool gathers = !overwrites && size.extent <= max_gathered && size.samples >> 32 == 0;
    if (may_wrap(size, shape, 1))
        return plan_global(size, config, gpu);
    return {shape, size.counters, 1, replicas, overwrites, gathers};
}

inline counting_plan plan_passes(const char* function, const histogram_size& size, const histogram_config& config,
                                 const gpu_properties& gpu)
{
    const std::size_t fit = max_shared_counters(gpu);
    const std::size_t windows = larger_of<std::size_t>(order::ceil_div(size.counters, fit), 2);
    check_config(function, windows <= max_windows, "placement", size.bins, "a number of bins for so few passes");
    std::size_t window = order::ceil_div(size.counters, windows);
    const std::size_t aligned = order::ceil_div(window, 4) * 4;  // so that all begin at a multiple of 16 bytes
    if ((windows - 1) * aligned < size.counters && aligned <= fit)
        window = aligned;

    const launch_shape shape = plan_grid(size.samples, histogram_thread_samples, config.block_threads,
                                         (window + 1) * sizeof(std::uint32_t), config, gpu, windows);
    if (may_wrap(size, shape, windows))
        return plan_global(size, config, gpu);
    return {shape, window, static_cast<unsigned>(windows)};
}

}  // namespace parprims::detail::device
