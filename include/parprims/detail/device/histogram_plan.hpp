/// @file
/// @brief  Where the counters of a histogram live, and how it is launched. Pure: no GPU is asked.
#pragma once

#include <parprims/detail/device/plan.hpp>
#include <parprims/detail/launch_table.hpp>
#include <parprims/detail/numbers.hpp>
#include <parprims/detail/order.hpp>
#include <parprims/detail/runtime/call.hpp>

#include <cstddef>
#include <cstdint>

namespace parprims::detail::device {

struct histogram_plan {
    histogram_config::placement_kind placement;  ///< never automatic
    std::size_t blocks;
    unsigned block_threads;
    std::size_t shared_bytes;
    std::size_t window;   ///< counters in shared memory at a time; partitioned: a part, a power of two
    unsigned windows;     ///< passes: of the counters, shared out among the blocks
    unsigned replicas;    ///< private copies of them in a block
    std::size_t segment;  ///< samples after which no 32-bit counter can have wrapped; partitioned: a slice
    bool overwrites;      ///< shared: a single block, and the counts need not be zero before
};

inline void check_histogram_config(const char* function, const histogram_config& config)
{
    check_common_config(function, config);
    check_config(function, config.replicas == 0 || (is_power_of_two(config.replicas) && config.replicas <= 32),
                 "replicas", config.replicas, "a power of two to 32, or 0");
    check_config(function, config.placement <= histogram_config::global, "placement",
                 static_cast<std::size_t>(config.placement), "a placement");
}

inline constexpr std::size_t max_windows = 1024;
inline constexpr std::size_t max_parts = 4096;
inline constexpr std::size_t slice_samples = std::size_t{1} << 24;      ///< of a partitioned histogram, at most
inline constexpr std::size_t max_sorted_bytes = std::size_t{48} << 20;  ///< scratch for what they become

/// The shared words that a part of `window` counters needs: a number inside a part has two bytes, one of which stands for
/// nothing, and beside it there is a word for each part.
constexpr std::size_t part_words(std::size_t counters, std::size_t window)
{
    return window + order::ceil_div(counters, window) + 2;
}

/// The counters of a part: a power of two, as many as fit shared memory; 0 where that makes too many parts.
inline std::size_t choose_part(std::size_t counters, const machine& gpu)
{
    const std::size_t fit = gpu.shared_bytes_per_block / sizeof(std::uint32_t);
    std::size_t window = std::size_t{1} << 15;
    while (window > 1 && part_words(counters, window) > fit)
        window /= 2;
    // To sort a tile of 512 samples takes two bytes for each, and for each part 16 bytes more and a count.
    const std::size_t parts = order::ceil_div(counters, window);
    return parts <= max_parts && 20 * parts + 1280 <= gpu.shared_bytes_per_block && part_words(counters, window) <= fit
               ? window
               : 0;
}

/// @param  counters  of one private copy
inline histogram_config::placement_kind choose_placement(std::size_t counters, const machine& gpu)
{
    using enum histogram_config::placement_kind;
    const std::size_t fit = gpu.shared_bytes_per_block / sizeof(std::uint32_t);
    if (counters <= fit)
        return shared;
    // Each pass looks at all samples again. On an H200, 2^28 of them, uniform and with 90 % in one bin: five passes take 741
    // and 855 us, partitioned 1113 and 1276; six 868 and 990, but passes over floats take half as long again.
    if (order::ceil_div(counters, fit) <= 5)
        return passes;
    return choose_part(counters, gpu) != 0 ? partitioned : global;
}

inline constexpr std::size_t few_counters = 1024;  ///< one block writes them sooner than memory can be zeroed before

/// Small inputs: what takes time is to start and to meet, so no more blocks than that each thread has two packets, and no
/// more than half of the multiprocessors before it has eight; one block as long as it has four and need not wait for
/// zeroed memory. Larger inputs have to fill the GPU. Returns whether the input is small. Measured on an H200
/// (docs/measurements.md).
inline bool spread_small(histogram_plan& plan, std::size_t& samples_per_thread, std::size_t n, std::size_t counters,
                         std::size_t items, const machine& gpu)
{
    const std::size_t packets = order::ceil_div(n, items);
    const std::size_t half = larger_of(gpu.multiprocessors / 2, 1u);
    const unsigned most_threads = plan.block_threads;
    if (packets > gpu.multiprocessors * std::size_t{smaller_of(most_threads, 512u)} * 8)
        return false;
    const bool is_narrow = packets <= half * 512 && counters <= 4 * few_counters;  // more threads zero more counters
    plan.block_threads = smaller_of(most_threads, is_narrow ? 256u : 512u);
    const std::size_t threads = plan.block_threads;
    const std::size_t each = packets <= threads * 4 && counters <= few_counters ? 4
                             : packets <= half * threads * 2                    ? 2
                             : packets <= half * threads * 8 ? order::ceil_div(packets, half * threads)
                                                             : 8;
    samples_per_thread = each * items;
    return true;
}

/// Where gathered counters begin in a workspace; the count of departures lies before them. How many there is room for.
inline constexpr std::size_t gathered_offset = 256;
inline constexpr std::size_t gathered_room =
    (runtime::workspace::zeroed_bytes - gathered_offset) / sizeof(std::uint32_t);

/// Whether the blocks add up in words of 32 bits in the workspace, so that the caller's `extent` counters need not be zeroed
/// before. All of the n samples may be in one of them.
inline bool gathers_counts(const histogram_plan& plan, std::size_t n, std::size_t extent)
{
    return plan.placement == histogram_config::shared && !plan.overwrites && extent <= gathered_room && n >> 32 == 0;
}

/// @param  counters  of one private copy
/// @param  bins      what the caller asked for, to be named in an error; 0: as many as counters
/// @param  items     samples that a thread loads at once
inline histogram_plan plan_histogram(const char* function, std::size_t n, std::size_t counters,
                                     const histogram_config& config, const machine& gpu, std::size_t bins = 0,
                                     std::size_t items = 4)
{
    using enum histogram_config::placement_kind;
    constexpr std::size_t word = sizeof(std::uint32_t);
    constexpr std::size_t reserved = 1024;  // of a multiprocessor's shared memory, for each block
    const std::size_t fit = gpu.shared_bytes_per_block / word;
    const std::size_t asked = bins != 0 ? bins : counters;

    histogram_plan plan{config.placement, 0, config.block_threads, 0, counters, 1, 1, 0, false};
    if (plan.placement == automatic)
        plan.placement = choose_placement(counters, gpu);
    if (plan.placement == shared)
        check_config(function, counters <= fit, "placement", asked, "a number of bins that fits shared memory");
    if (plan.placement == packed)
        check_config(function, counters <= 2 * fit, "placement", asked,
                     "a number of bins whose 16-bit counters fit shared memory");

    std::size_t samples_per_thread = 16;
    const bool is_small =
        plan.placement == shared && spread_small(plan, samples_per_thread, n, larger_of(counters, asked), items, gpu);
    const std::size_t samples_per_block = plan.block_threads * samples_per_thread;

    std::size_t blocks_per_sm = config.blocks_per_sm;
    blocks_per_sm =
        smaller_of<std::size_t>(blocks_per_sm, larger_of(1u, gpu.threads_per_multiprocessor / plan.block_threads));
    if (plan.placement == shared) {
        // As many copies as leave room for the blocks that a multiprocessor is to hold.
        const std::size_t room =
            smaller_of(gpu.shared_bytes_per_block, gpu.shared_bytes_per_multiprocessor / blocks_per_sm - reserved);
        plan.replicas = config.replicas;
        if (plan.replicas == 0) {
            // Samples of 4 bytes come no faster than one copy counts them, whatever they are like: lanes that increment the
            // same counter are as one. A small input counts too few samples for what copies cost to zero and to add up.
            const std::size_t most = items <= 4                  ? 0
                                     : !is_small                 ? room / 2 / word
                                     : samples_per_block < 32768 ? 0
                                                                 : samples_per_block / 4;
            for (plan.replicas = 32; plan.replicas > 1 && counters * plan.replicas > most;)
                plan.replicas /= 2;
        }
        while (plan.replicas > 1 && counters * plan.replicas * word > gpu.shared_bytes_per_block)
            plan.replicas /= 2;
        plan.shared_bytes = larger_of<std::size_t>(counters * plan.replicas * word, word);
    } else if (plan.placement == passes) {
        const std::size_t windows = larger_of<std::size_t>(order::ceil_div(counters, fit), 2);
        check_config(function, windows <= max_windows, "placement", asked, "a number of bins for so few passes");
        plan.windows = static_cast<unsigned>(windows);
        plan.window = order::ceil_div(counters, windows);
        const std::size_t even = order::ceil_div(plan.window, 4) * 4;  // so that all begin at a multiple of 16 bytes
        if ((windows - 1) * even < counters && even <= fit)
            plan.window = even;
        plan.shared_bytes = plan.window * word;
    } else if (plan.placement == partitioned) {
        plan.window = choose_part(counters, gpu);
        check_config(function, plan.window != 0, "placement", asked, "a number of bins that can be partitioned");
        plan.shared_bytes = part_words(counters, plan.window) * word;
    } else if (plan.placement == packed) {
        plan.shared_bytes = order::ceil_div(counters, 2) * word;
    }
    if (plan.shared_bytes != 0)
        blocks_per_sm = clamped<std::size_t>(gpu.shared_bytes_per_multiprocessor / (plan.shared_bytes + reserved), 1,
                                             blocks_per_sm);

    const std::size_t max_blocks = gpu.multiprocessors * blocks_per_sm;
    plan.blocks = clamped<std::size_t>(order::ceil_div(n, samples_per_block) * plan.windows, 1, max_blocks);
    plan.blocks = larger_of<std::size_t>(plan.blocks / plan.windows, 1) * plan.windows;
    plan.segment = plan.placement == partitioned ? slice_samples : plan.blocks / plan.windows << 31;
    // One block writes few counters sooner than memory that is zeroed before is added to.
    plan.overwrites = plan.placement == shared && plan.blocks == 1 && larger_of(counters, asked) <= few_counters;
    return plan;
}

}  // namespace parprims::detail::device
