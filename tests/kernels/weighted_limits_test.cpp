// Weighted histograms on the executor at the limits of their numbers: bounds, words that carry, large and small weights.
#include <parprims/detail/device/weighted/dispatch.hpp>
#include <parprims/detail/simt/simt.hpp>
#include <parprims/profile.hpp>
#include <parprims/weighted_histogram.hpp>

#include <doctest/doctest.h>

#include "support/weighted.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

using parprims::profile_bin;

namespace {

using namespace kernel_test;

/// Adds one value to a sum in device memory, of weights of double.
struct addition {
    using words = device::sum_words<double>;
    static constexpr unsigned max_threads = 32;
    struct shared_storage {};

    std::uint64_t* sum;
    words::integer value;

    void operator()(parprims::detail::simt::block block, shared_storage&) const
    {
        if (block.thread() == 0)
            words::add_global(sum, 1, value, true);
    }
};

/// Adds pairs of values to two sums that share a word, and what is spilled to `sums`.
struct paired_additions {
    using words = device::paired_words;
    static constexpr unsigned max_threads = 32;
    struct shared_storage {};

    std::uint32_t* shared_words;
    const std::uint64_t (*values)[2];
    std::size_t n;
    std::uint64_t* sums;

    void operator()(parprims::detail::simt::block block, shared_storage&) const
    {
        if (block.thread() != 0)
            return;
        for (std::size_t i = 0; i < n; ++i)
            words::add_shared(shared_words, 1, values[i], [&](std::int32_t high0, std::int32_t high1) {
                sums[0] += static_cast<std::uint64_t>(high0) << 32;
                sums[1] += static_cast<std::uint64_t>(high1) << 32;
            });
        words::load_shared(shared_words, 1, 1, 0, [&](auto, std::uint64_t sum, unsigned v) { sums[v] += sum; });
    }
};

/// Reads a count of a profile in shared memory.
struct loaded_count {
    static constexpr unsigned max_threads = 32;
    struct shared_storage {};

    const std::uint32_t* word;
    std::uint64_t* count;

    void operator()(parprims::detail::simt::block block, shared_storage&) const
    {
        if (block.thread() == 0)
            *count = device::words_of_sum<1>::load_shared(word, 1, 1, 0);
    }
};

}  // namespace

TEST_CASE("two sums that share a word pass the ends of their halves in both directions")
{
    for (std::size_t n = 200; n < 2000; n += 100) {
        CAPTURE(n);
        std::uint64_t values[2000][2], expected[2] = {};
        for (std::size_t i = 0; i < n; ++i)
            for (unsigned v = 0; v < 2; ++v) {
                values[i][v] = static_cast<std::uint64_t>(static_cast<std::int64_t>(mix(2 * i + v)) >> 15);  // 49 bits
                expected[v] += values[i][v];
            }
        memory<std::uint32_t> words(device::paired_words::shared_words);
        memory<std::uint64_t> sums(2);
        std::fill(words.begin(), words.end(), 0);
        std::fill(sums.begin(), sums.end(), 0);
        launcher cpu(schedule_of(1), gpu_of(1, 512));
        cpu.launch({1, 32, 0}, paired_additions{words.data(), values, n, sums.data()});
        CHECK(sums[0] == expected[0]);
        CHECK(sums[1] == expected[1]);
    }
}

TEST_CASE("a sum of more than 2^32 weights carries out of its low word")
{
    memory<std::uint64_t> sum(2);
    sum[0] = ~std::uint64_t{0} - 4;  // 2^64 - 5
    sum[1] = 7;
    launcher cpu(schedule_of(1), gpu_of(1, 512));
    cpu.launch({1, 32, 0}, addition{sum.data(), addition::words::integer{3} << 32 | 15});
    CHECK(sum[0] == 10);
    CHECK(sum[1] == 7 + 3 + (std::uint64_t{1} << 32));
}

TEST_CASE("a count of one word has no sign")
{
    memory<std::uint32_t> word(1);
    memory<std::uint64_t> count(1);
    word[0] = 0x80000001;
    launcher cpu(schedule_of(1), gpu_of(1, 512));
    cpu.launch({1, 32, 0}, loaded_count{word.data(), count.data()});
    CHECK(count[0] == 0x80000001);
}

TEST_CASE("a call with a bound adds once, and makes NaN of a bin with a larger weight")
{
    memory<float> samples(1500), weights(1500);
    for (std::size_t i = 0; i < 1500; ++i) {
        samples[i] = static_cast<float>(mix(i) % 21);
        weights[i] = weight_like<float>(i < 1200 ? weights_like::even : weights_like::specials, i, 1500);
    }
    weights[2] = 4;
    const auto axis = parprims::regular_axis(20, 0.0f, 20.0f);
    const float* const x = samples.data();
    for (const auto placement : all_placements) {
        const device_call bounded = plain.bounded_by(parprims::magnitude_bound(4));
        check<float>(x, weights, axis, placement, 3, 1024, bounded);
        check<profile_bin<float>>(x, weights, axis, placement, 5, 1024, bounded);

        const device_call low = plain.bounded_by(parprims::magnitude_bound(3.9));
        const std::size_t bad = *axis.index(x[2]);
        memory<float> expected(20), sums(20);
        for (const float sign : {-1.0f, 1.0f}) {
            weights[2] = sign * 4;
            on_host(x, 1500, weights.data(), axis, expected.data());
            launcher cpu(schedule_of(7), gpu_of(7, 1024));
            device::enqueue_weighted(cpu, histogram_config{placement, 64, 1, 0}, x, 1500, weights.data(), axis,
                                     sums.data(), low);
            for (std::size_t b = 0; b < 20; ++b)
                CHECK(::same_sums(sums[b], b == bad ? std::numeric_limits<float>::quiet_NaN() : expected[b]));
        }
    }
}

TEST_CASE("a bound that no float is equal to is rounded up")
{
    memory<int> samples(3);
    memory<float> weights(3);
    memory<double> sums(3);
    std::iota(samples.begin(), samples.end(), 0);
    for (const auto& [bound, largest] :
         {std::pair(0.1, 0.1f), std::pair(0.7, std::nextafter(0.7f, 1.0f)), std::pair(1 + 0x1p-40, 1 + 0x1p-23f)}) {
        CAPTURE(bound);
        weights[0] = -largest;
        weights[1] = std::nextafter(largest, 2.0f);
        weights[2] = 0x1p-60f;
        launcher cpu(schedule_of(7), gpu_of(7, 1024));
        device::enqueue_weighted(cpu, {}, static_cast<const int*>(samples.data()), 3, weights.data(),
                                 parprims::integer_axis(0, 3), sums.data(),
                                 plain.bounded_by(parprims::magnitude_bound(bound)));
        CHECK(sums[0] == -largest);
        CHECK(std::isnan(sums[1]));
        CHECK(sums[2] == (bound > 1 ? 0 : 0x1p-60));  // half of the unit, which the bound decides; or a multiple of it
    }
}

TEST_CASE("weights at both ends of the range of floats are added, and infinite ones outside of all bins change none")
{
    constexpr std::size_t n = 700;
    constexpr unsigned bins = 64;  // flags of so many fill their memory
    const auto axis = parprims::regular_axis(bins, 0.0f, 1.0f * bins);
    constexpr float most = std::numeric_limits<float>::max(), infinity = std::numeric_limits<float>::infinity();
    memory<float> samples(n), weights(n);
    const float* const x = samples.data();
    for (const float scale : {most, 0x1p-90f, 0x1p-130f}) {
        for (std::size_t i = 0; i < n; ++i) {
            samples[i] = static_cast<float>(mix(i) % (bins + 5)) - 2;
            weights[i] = scale * weight_like<float>(weights_like::even, i, n);
            if (samples[i] < 0 || samples[i] >= bins || i % 101 == 7)
                weights[i] = i % 2 == 0 ? infinity : -infinity;
        }
        weights[n / 2] = scale;
        for (const auto placement : all_placements) {
            check<float>(x, weights, axis, placement, 3, 1024);
            check<profile_bin<float>>(x, weights, axis, placement, 5, 1024);
        }
    }
}

TEST_CASE("the squares of any number of equal values that one lane adds up fit")
{
    memory<float> samples(9001), values(9001);
    std::fill(samples.begin(), samples.end(), 3);
    std::fill(values.begin(), values.end(), 1);  // a power of two: the largest multiples
    const float* const x = samples.data();
    for (const auto placement : all_placements)
        check<profile_bin<float>>(x, values, parprims::regular_axis(64, 0.0f, 64.0f), placement, 0, 1024);
}

TEST_CASE("more samples than a block's 32-bit counts hold are added in device memory")
{
    const device::gpu_properties gpu{132, 2048, 227 * 1024, 228 * 1024};
    const auto windows_of = [&](std::size_t n, std::size_t counters) {
        const auto placement = counters > 1000 ? histogram_config::passes : histogram_config::shared;
        const histogram_config config{placement, 1024, 1, 0};
        return device::plan_weighted("test", {n, counters, counters, counters, 4, 0, 0, 6}, config, gpu).windows;
    };
    const std::size_t many = 132ull << 31;
    CHECK(windows_of(many - 1, 300) == 1);
    CHECK(windows_of(many, 300) == 0);
    CHECK(windows_of(many / 2 - 1, 12000) == 2);
    CHECK(windows_of(many / 2, 12000) == 0);
}

TEST_CASE("the sums of a block and what comes before them fit its shared memory")
{
    const device::gpu_properties gpu{132, 2048, 227 * 1024, 228 * 1024};
    for (std::size_t counters = 1; counters < 20000; ++counters) {
        const auto plan = device::plan_weighted("test", {1 << 20, counters, counters, counters, 4, 0, 0, 3},
                                                {histogram_config::passes, 1024, 1, 0}, gpu);
        REQUIRE(plan.shape.shared_bytes <= gpu.shared_bytes_per_block);
        REQUIRE(plan.window * plan.replicas * 12 + 16 <= plan.shape.shared_bytes);
    }
}
