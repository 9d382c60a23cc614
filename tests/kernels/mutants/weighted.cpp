// Weighted histograms of every placement, beside exact sums, small enough to be run with each planted bug.
#include "program.hpp"

#include <parprims/axis.hpp>
#include <parprims/detail/device/weighted/dispatch.hpp>
#include <parprims/weights.hpp>

#include "../support/exact_bins.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

using namespace kernel_test;
using parprims::histogram_config;
using both_sums = parprims::weighted_sum<double>;

namespace {

constexpr unsigned bins = 301;

/// Half of the samples are in bin 100. One weight of `outliers` is far larger than the others. `rows`: for the outliers of so many slots.
template <class Sum>
void check(std::size_t n, std::size_t outliers, std::size_t rows, const histogram_config& config, std::size_t words,
           std::uint64_t seed, const char* name)
{
    memory<std::uint32_t> samples(n);
    memory<float> weights(n);
    for (std::size_t i = 0; i < n; ++i) {
        const std::uint64_t any = mix(i + seed);
        samples[i] = (any >> 40) % 2 == 0 ? 100 : any % (bins + 3);
        weights[i] = static_cast<float>(any >> 40) * (any % 4 == 0 ? -0x1p-24f : 0x1p-24f);
        if (i % 5 == 2)
            weights[i] *= 0x1p-50f;  // in the lowest word
        if (i % outliers == 1)
            weights[i] *= -0x1p34f;
    }
    const parprims::regular_axis axis(bins, 0u, bins);
    memory<Sum> sums(bins);
    launcher_of_slices cpu(rows, schedule_of(seed), device::gpu_properties{2, 2048, words * 4, 4 * words * 4 + 8192});
    device::enqueue_weighted(cpu, config, static_cast<const std::uint32_t*>(samples.data()), n, weights.data(), axis,
                             sums.data());
    const auto expected = exact_bins<Sum>(samples.data(), n, weights.data(), axis);
    for (unsigned i = 0; i < bins; ++i)
        mutants::require(sums[i] == expected[i], name);
}

}  // namespace

int main(int count, char** arguments)
{
    return mutants::run(count, arguments, [](std::uint64_t seed) {
        check<double>(9000, 10000, bins, {histogram_config::shared, 64, 1, 2}, 4096, seed, "shared, even weights");
        check<both_sums>(3000, 50, bins, {histogram_config::shared, 64, 1, 2}, 4096, seed, "shared");
        check<both_sums>(700, 50, bins, {histogram_config::global, 64, 1, 0}, 512, seed, "global");
        check<both_sums>(900, 10, 7, {histogram_config::global, 64, 1, 0}, 1024, seed, "global, few rows for outliers");
        check<both_sums>(5000, 50, bins, {histogram_config::partitioned, 64, 1, 0}, 2048, seed, "partitioned");
    });
}
