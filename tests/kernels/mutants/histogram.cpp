// Histograms of every placement, small enough to be run with each planted bug.
#include <parprims/axis.hpp>

#include "program.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

using namespace kernel_test;
using parprims::histogram_config;

namespace {

constexpr unsigned bins = 301;

/// `usual` of eight samples are bin 100 or 101.
void check(std::size_t n, unsigned usual, const histogram_config& config, std::size_t words, std::size_t slice,
           std::uint64_t seed, const char* name)
{
    memory<std::uint32_t> samples(n);
    std::vector<std::uint32_t> expected(bins);
    for (std::size_t i = 0; i < n; ++i) {
        const std::uint64_t any = mix(i + seed);
        samples[i] = static_cast<std::uint32_t>(any >> 40 & 7) < usual ? 100 + any % 2 : any % (bins + 3);
        if (samples[i] < bins)
            ++expected[samples[i]];
    }
    memory<std::uint32_t> counts(bins);
    const device::gpu_properties gpu{2, 2048, words * 4, 4 * words * 4 + 8192};
    histogram(schedule_of(seed), config, gpu, static_cast<const std::uint32_t*>(samples.data()), n,
              parprims::regular_axis(bins, 0u, bins), counts, slice);
    for (unsigned i = 0; i < bins; ++i)
        mutants::require(counts[i] == expected[i], name);
}

}  // namespace

int main(int count, char** arguments)
{
    return mutants::run(count, arguments, [](std::uint64_t seed) {
        check(400, 3, {histogram_config::shared, 96, 1, 2}, 1024, 0, seed, "one block");
        check(5000, 3, {histogram_config::shared, 64, 1, 2}, 1024, 2048, seed, "shared");
        check(3000, 3, {histogram_config::passes, 64, 1, 0}, 128, 0, seed, "passes");
        check(3000, 3, {histogram_config::partitioned, 64, 1, 0}, 400, 2048, seed, "partitioned");
        check(3000, 3, {histogram_config::global, 64, 1, 0}, 512, 0, seed, "global");
    });
}
