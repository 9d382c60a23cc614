// Weighted histograms of every placement, beside exact sums, small enough to be run with each planted bug.
#include "program.hpp"

#include <parprims/axis.hpp>
#include <parprims/detail/contract/weighted_lines.hpp>
#include <parprims/detail/device/segmented_weighted/dispatch.hpp>
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

/// A few columns of samples, whose weights lie row by row, in another order.
void check_columns(std::uint64_t seed)
{
    constexpr std::size_t rows = 37;
    constexpr std::size_t columns = 11;
    const parprims::regular_axis axis(7, 0u, 7u);
    memory<std::uint32_t> samples(rows * columns), samples_of(rows);
    memory<float> weights(rows * columns), weights_of(rows);
    for (std::size_t i = 0; i < samples.size(); ++i) {
        samples[i] = static_cast<std::uint32_t>(mix(i + seed) >> 40) % 8;
        weights[i] = static_cast<float>(mix(i * 3 + seed) >> 50);
    }
    const parprims::detail::dimension dimensions[] = {{rows, columns, 0}, {columns, 1, 0}};
    constexpr bool is_along[] = {true, false};
    constexpr std::ptrdiff_t strides_of_weights[] = {1, rows};
    constexpr std::ptrdiff_t places[] = {0, 1};
    memory<double> sums(columns * 7);
    launcher cpu(schedule_of(seed), device::gpu_properties{2});
    device::enqueue_weighted_lines(
        cpu, parprims::detail::weighted_lines::of(dimensions, 2, is_along, strides_of_weights, places, 0),
        device::array_input<const std::uint32_t*>{samples.data(), 0, samples.size()},
        device::array_input<const float*>{weights.data(), 0, weights.size()}, axis, sums.data());
    for (std::size_t column = 0; column < columns; ++column) {
        for (std::size_t row = 0; row < rows; ++row) {
            samples_of[row] = samples[row * columns + column];
            weights_of[row] = weights[column * rows + row];
        }
        const auto expected = exact_bins<double>(samples_of.data(), rows, weights_of.data(), axis);
        for (std::size_t slot = 0; slot < 7; ++slot)
            mutants::require(sums[column * 7 + slot] == expected[slot], "columns");
    }
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
        check_columns(seed);
    });
}
