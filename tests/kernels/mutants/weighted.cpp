// Weighted histograms of every placement, beside the host, small enough to be run with each planted bug.
#include "program.hpp"

#include <parprims/detail/device/weighted/dispatch.hpp>
#include <parprims/weighted_histogram.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

using namespace kernel_test;
using parprims::histogram_config;
using sum_of_call = parprims::weighted_sum<double>;

namespace {

constexpr unsigned bins = 301;

/// Half of the samples are in bin 100. One weight is `peak` times as large as others: with 2^8, many sums of integers pass 2^32,
/// and few halves of words their ends.
void check(std::size_t n, float peak, const histogram_config& config, std::size_t words, std::uint64_t seed,
           const char* name)
{
    memory<std::uint32_t> samples(n);
    memory<float> weights(n);
    for (std::size_t i = 0; i < n; ++i) {
        const std::uint64_t any = mix(i + seed);
        samples[i] = (any >> 40) % 2 == 0 ? 100 : any % (bins + 3);
        weights[i] = static_cast<float>(any >> 40) * (i == n / 2 + 1 ? peak : 1) * 0x1p-24f;
    }
    const parprims::regular_axis axis(bins, 0u, bins);
    memory<sum_of_call> sums(bins);
    launcher cpu(schedule_of(seed), device::gpu_properties{2, 2048, words * 4, 4 * words * 4 + 8192});
    device::enqueue_weighted(cpu, config, static_cast<const std::uint32_t*>(samples.data()), n, weights.data(), axis,
                             sums.data(), parprims::detail::weighted_call{"test", "weights", "sums"});
    std::vector<sum_of_call> expected(bins);
    parprims::weighted_histogram(parprims::host.threads(1), samples.data(), samples.data() + n, weights.data(), axis,
                                 expected.begin());
    for (unsigned i = 0; i < bins; ++i)
        mutants::require(sums[i].value == expected[i].value && sums[i].variance == expected[i].variance, name);
}

}  // namespace

int main(int count, char** arguments)
{
    return mutants::run(count, arguments, [](std::uint64_t seed) {
        check(9000, 0x1p8f, {histogram_config::shared, 64, 1, 2}, 2048, seed, "shared");
        check(3000, 1, {histogram_config::shared, 64, 1, 2}, 2048, seed, "shared, even weights");
        check(700, 0x1p8f, {histogram_config::global, 64, 1, 0}, 512, seed, "global");
        check(5000, 0x1p8f, {histogram_config::partitioned, 64, 1, 0}, 2048, seed, "partitioned");
    });
}
