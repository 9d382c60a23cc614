// The histogram kernels of every placement over every size, against the host backend.
#include <parprims/axis.hpp>
#include <parprims/detail/simt/simt.hpp>
#include <parprims/histogram.hpp>
#include <parprims/launch_config.hpp>

#include <doctest/doctest.h>

#include "support/sweep.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <vector>

using namespace kernel_test;
using parprims::histogram_config;

namespace {

std::uint64_t run_number = 0;

constexpr histogram_config::placement_kind placements[] = {histogram_config::shared, histogram_config::passes,
                                                           histogram_config::partitioned, histogram_config::global};

/// Bins that a block's shared memory holds in one window or two, and where samples are sorted, in several parts.
constexpr unsigned bins = 301;
constexpr unsigned bins_of_parts = 1501;
constexpr std::size_t words = 400;  // that a block's shared memory has

unsigned bins_of(histogram_config::placement_kind placement)
{
    return placement == histogram_config::partitioned ? bins_of_parts : bins;
}

/// Three in four of the samples are the same, many of the others are in no bin.
template <class X>
void fill_samples(memory<X>& samples)
{
    for (std::size_t i = 0; i < samples.size(); ++i) {
        const std::uint64_t any = mix(i + 77);
        samples[i] = static_cast<X>(any >> 40 & 3 ? bins / 3 : any % (bins_of_parts + 5));
    }
}

/// The first `n` of `values`, in memory of their own, counted on both backends.
template <class X>
void check_histogram(memory<X>& values, std::size_t n, const executor::options& how, const histogram_config& config,
                     const device::gpu_properties& gpu, std::size_t offset, std::size_t slice, bool flow)
{
    using counter = std::uint32_t;
    const unsigned count = bins_of(config.placement);
    auto axis = parprims::regular_axis(count, X{0}, static_cast<X>(count));
    if (flow)
        axis = axis.with_flow();
    memory<X> samples(n, offset);
    std::memcpy(static_cast<void*>(samples.data()), values.data(), n * sizeof(X));
    const X* const first = samples.data();
    std::vector<counter> expected(axis.extent());
    parprims::histogram(parprims::host.threads(1), first, first + n, axis, expected.data());

    memory<counter> counts(axis.extent());
    CAPTURE(n);
    CAPTURE(run_number);
    CAPTURE(parprims::to_string(config));
    CAPTURE(gpu.multiprocessors);
    CAPTURE(how.resident_blocks);
    CAPTURE(slice);
    histogram(how, config, gpu, first, n, axis, counts, slice);
    for (std::size_t i = 0; i < axis.extent(); ++i)
        if (counts[i] != expected[i]) {
            CAPTURE(i);
            REQUIRE(counts[i] == expected[i]);
        }
}

device::gpu_properties gpu_of(unsigned multiprocessors)
{
    return {multiprocessors, 2048, words * 4, 4 * words * 4 + 8192};
}

/// Every size once with each placement; the rest is drawn.
template <class X>
void sweep(const std::vector<std::size_t>& sizes)
{
    memory<X> values(sizes.back());
    fill_samples(values);
    for (const std::size_t n : sizes)
        for (const auto placement : placements) {
            if (n == 0)
                continue;
            draw choice(++run_number);
            const unsigned offsets[] = {0, sizeof(X), 3 * sizeof(X) % 16};
            const histogram_config config{placement, choice.block_threads(), choice.of({1u, 2u}),
                                          choice.of({0u, 1u, 4u, 32u})};
            check_histogram(values, n, choice.schedule(config.block_threads), config, gpu_of(choice.multiprocessors()),
                            choice.of(offsets), choice.of({std::size_t{0}, std::size_t{0}, std::size_t{1024}}),
                            choice.of({false, true}));
        }
}

}  // namespace

TEST_CASE_TEMPLATE("histograms of sizes up to 4 rounds of a warp have the counts of the host", X, std::uint16_t, float,
                   double)
{
    // A block takes 16 samples a thread before there is another. Of the sizes more than 17 away from that, one in seven.
    sweep<X>(sizes_to_4_units(32 * 16, 7, 17));
}

TEST_CASE("histograms of sizes up to 4 rounds of the largest block have the counts of the host")
{
    sweep<float>(sizes_to_4_units(*std::rbegin(all_block_threads) * 16, 1999, 1));
}

TEST_CASE_TEMPLATE("histograms near a power of two have the counts of the host", X, std::uint16_t, float)
{
    sweep<X>(sizes_near_powers(1 << 17));
}

TEST_CASE("histograms have the counts of the host for every block size and number of resident blocks")
{
    memory<float> values(64 * 1024 * 16);
    fill_samples(values);
    for_each_shape([&](unsigned threads, unsigned blocks) {
        for (const auto placement : placements) {
            draw choice(++run_number);
            executor::options how = choice.schedule(threads);
            how.resident_blocks = blocks;
            check_histogram(values, std::size_t{blocks} * threads * 16 - 7, how, {placement, threads, 1, 0},
                            gpu_of(blocks), 0, 0, false);
        }
    });
}

TEST_CASE("the histograms were launched in every way, and their protocol was in every state")
{
    check_runs();
    CHECK(met.missing(state::counter_of_several_blocks, state::counter_of_several_blocks) == "");
}

TEST_CASE("of one block, the protocol of the histogram is not in every state")
{
    memory<float> values(10'001);
    fill_samples(values);
    met.clear();
    check_histogram(values, values.size(), in_order(), {histogram_config::global, 32, 1, 0}, gpu_of(1), 0, 0, false);
    CHECK(met.missing(state::counter_of_several_blocks, state::counter_of_several_blocks) ==
          "counter_of_several_blocks");
}
