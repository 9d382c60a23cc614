/// @file
/// @brief  Weighted histograms on small GPUs of the executor, beside exact sums.
#pragma once

#include <parprims/detail/device/weighted/dispatch.hpp>
#include <parprims/weights.hpp>

#include <doctest/doctest.h>

#include "exact_bins.hpp"
#include "run.hpp"
#include "weights.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace kernel_test {

using parprims::histogram_config;

/// A GPU whose blocks have room for `words` words of sums.
inline device::gpu_properties gpu_of(std::uint64_t seed, std::size_t words)
{
    return {2 + static_cast<unsigned>(seed % 3), 2048, words * 4, 4 * words * 4 + 8192};
}

inline constexpr histogram_config::placement_kind all_placements[] = {
    histogram_config::shared, histogram_config::passes, histogram_config::partitioned, histogram_config::global};

/// The sums of the kernels beside exact ones. `seed` decides the configuration and the GPU, whose blocks have `words` words.
template <class Sum, class X, class W, class Axis>
void check(const X& samples, const memory<W>& weights, const Axis& axis, histogram_config::placement_kind placement,
           std::uint64_t seed, std::size_t words)
{
    const unsigned warps[] = {1, 2, 4, 3};
    const histogram_config config{placement, 32 * warps[seed * 3 % 4], 1 + static_cast<unsigned>(seed / 2 % 2),
                                  seed % 3 == 0 ? 0 : 1u << seed % 6};
    memory<Sum> sums(axis.extent());
    // Of four calls one has room for the outliers of a few slots only.
    launcher_of_slices cpu(seed % 4 == 1 ? 1 + seed % 50 : ~std::size_t{0}, schedule_of(seed), gpu_of(seed, words));
    const std::size_t n = weights.size();
    device::enqueue_weighted(cpu, config, samples, n, weights.data(), axis, sums.data());
    const std::vector<Sum> expected = exact_bins<Sum>(samples, n, weights.data(), axis);
    std::size_t same = 0;
    while (same < axis.extent() && same_sums(sums[same], expected[same]))
        ++same;
    CAPTURE(n);
    CAPTURE(seed);
    CAPTURE(config.block_threads);
    CAPTURE(config.replicas);
    CAPTURE(static_cast<int>(placement));
    REQUIRE(same == axis.extent());
}

}  // namespace kernel_test
