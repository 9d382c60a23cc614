/// @file
/// @brief  Weighted histograms on small GPUs of the executor, beside one thread of the host.
#pragma once

#include <parprims/detail/device/weighted/dispatch.hpp>
#include <parprims/profile.hpp>
#include <parprims/weighted_histogram.hpp>

#include <doctest/doctest.h>

#include "run.hpp"
#include "weights.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace kernel_test {

using parprims::histogram_config;
using device_call = parprims::detail::weighted_call;

/// A GPU whose blocks have room for `words` words of sums.
inline device::gpu_properties gpu_of(std::uint64_t seed, std::size_t words)
{
    return {2 + static_cast<unsigned>(seed % 3), 2048, words * 4, 4 * words * 4 + 8192};
}

/// The call of the host, of weights or of a profile.
template <class X, class W, class Axis, class Sum, class... Bound>
void on_host(const X& samples, std::size_t n, const W* weights, const Axis& axis, Sum* sums, Bound... bound)
{
    const auto last = samples + static_cast<std::ptrdiff_t>(n);
    if constexpr (is_profile<Sum>)
        parprims::profile(parprims::host.threads(1), samples, last, weights, axis, sums, bound...);
    else
        parprims::weighted_histogram(parprims::host.threads(1), samples, last, weights, axis, sums, bound...);
}

inline constexpr device_call plain{"test", "weights", "sums"};

inline constexpr histogram_config::placement_kind all_placements[] = {
    histogram_config::shared, histogram_config::passes, histogram_config::partitioned, histogram_config::global};

/// Sorts samples in slices of two tiles.
class launcher_of_slices : public launcher {
public:
    using launcher::launcher;

    template <class Plan>
    void change([[maybe_unused]] Plan& plan) const
    {
        if constexpr (requires { plan.slice; })
            plan.slice = 2 * plan.parts.tile;
    }
};

/// The sums of the kernels beside those of the host. `seed` decides the configuration and the GPU, whose blocks have `words` words.
template <class Sum, class X, class W, class Axis>
void check(const X& samples, const memory<W>& weights, const Axis& axis, histogram_config::placement_kind placement,
           std::uint64_t seed, std::size_t words, const device_call& call = plain)
{
    const unsigned warps[] = {1, 2, 4, 3};
    const histogram_config config{placement, 32 * warps[seed * 3 % 4], 1 + static_cast<unsigned>(seed / 2 % 2),
                                  seed % 3 == 0 ? 0 : 1u << seed % 6};
    memory<Sum> sums(axis.extent());
    launcher_of_slices cpu(schedule_of(seed), gpu_of(seed, words));
    const std::size_t n = weights.size();
    device::enqueue_weighted(cpu, config, samples, n, weights.data(), axis, sums.data(), call);
    std::vector<Sum> expected(axis.extent());
    if (call.is_bounded)
        on_host(samples, n, weights.data(), axis, expected.data(), parprims::magnitude_bound(call.bound));
    else
        on_host(samples, n, weights.data(), axis, expected.data());
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
