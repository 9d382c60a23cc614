/// @file
/// @brief  histogram gives the same counts for every number of bins, distribution, placement and launch configuration.
#include <doctest/doctest.h>

#include <parprims/device.hpp>
#include <parprims/histogram.hpp>
#include <parprims/launch_config.hpp>

#include "support/backend.hpp"
#include "support/data.hpp"
#include "support/histogram_check.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace pp = parprims;

namespace {

constexpr std::size_t bin_counts[] = {1, 2, 255, 256, 257, 2048, 32768, 58000, 65536, 300000, 1 << 20};
constexpr std::uint32_t lower = 1000;  // smaller samples underflow

/// Samples for an axis from `lower` on, some of them outside.
std::vector<std::uint32_t> samples_around(distribution kind, std::size_t n, std::size_t bins)
{
    std::vector<std::uint32_t> samples = draw(kind, n, bins);
    for (std::size_t i = 0; i < n; ++i)
        samples[i] += i % 50 == 7 ? static_cast<std::uint32_t>(i % lower) : lower;
    return samples;
}

pp::integer_axis<std::uint32_t> axis_of(std::size_t bins)
{
    return {lower, lower + static_cast<std::uint32_t>(bins)};
}

}  // namespace

TEST_CASE_TEMPLATE("histogram counts right for any number of bins and any distribution", Backend, PARPRIMS_BACKENDS)
{
    const std::size_t n = is_quick() ? 40000 : 400000;
    for (const std::size_t bins : bin_counts)
        for (const distribution kind : all_distributions) {
            CAPTURE(bins);
            CAPTURE(static_cast<int>(kind));
            const std::vector<std::uint32_t> samples = samples_around(kind, n, bins);
            const auto x = place<Backend>(samples, 1);
            const auto axis = axis_of(bins);
            check_histogram_of<std::uint32_t>(Backend::policy(), x, axis, loop_histogram<std::uint32_t>(samples, axis));
            check_histogram_of<std::uint32_t>(Backend::policy(), x, axis.with_flow(),
                                              loop_histogram<std::uint32_t>(samples, axis.with_flow()));
        }
}

#if PARPRIMS_CUDA_COMPILER

namespace {

using config = pp::histogram_config;
constexpr config::placement_kind placements[] = {config::shared, config::passes, config::partitioned, config::global};

/// Whether the counters of a histogram fit what a placement has.
bool is_legal(config::placement_kind placement, std::size_t counters)
{
    const std::size_t bytes = pp::get_device_info(pp::current_device()).shared_bytes_per_block;
    return placement != config::shared || counters <= bytes / 4;
}

}  // namespace

TEST_CASE("[device] histogram counts right wherever its bins live")
{
    const std::size_t n = is_quick() ? 40000 : 400000;
    for (const std::size_t bins : bin_counts)
        for (const distribution kind : all_distributions) {
            const std::vector<std::uint32_t> samples = samples_around(kind, n, bins);
            const auto x = place<device_backend>(samples, 2);
            const auto axis = axis_of(bins).with_flow();
            const auto expected = loop_histogram<std::uint32_t>(samples, axis);
            for (const auto placement : placements) {
                if (!is_legal(placement, axis.extent()))
                    continue;
                config chosen;
                chosen.placement = placement;
                CAPTURE(bins);
                CAPTURE(static_cast<int>(kind));
                CAPTURE(pp::to_string(chosen));
                check_histogram_of<std::uint32_t>(pp::device.with(chosen), x, axis, expected);
            }
        }
}

TEST_CASE("[device] histogram counts right for every launch configuration")
{
    const std::size_t n = is_quick() ? 20000 : 300000;
    for (const std::size_t bins : {std::size_t{3}, std::size_t{1000}, std::size_t{70000}}) {
        const std::vector<std::uint32_t> samples = samples_around(distribution::hot, n, bins);
        const auto x = place<device_backend>(samples, 3);
        const auto axis = axis_of(bins);
        const auto expected = loop_histogram<std::uint32_t>(samples, axis);
        for (const auto placement : placements)
            for (const unsigned block_threads : {32u, 96u, 512u, 1024u})
                for (const unsigned blocks_per_sm : {1u, 32u})
                    for (const unsigned replicas : {0u, 1u, 2u, 32u}) {
                        if (!is_legal(placement, bins) || (replicas != 0 && placement != config::shared))
                            continue;
                        const config chosen{placement, block_threads, blocks_per_sm, replicas};
                        CAPTURE(bins);
                        CAPTURE(pp::to_string(chosen));
                        check_histogram_of<std::uint32_t>(pp::device.with(chosen), x, axis, expected);
                    }
    }
}

#endif
