// The histogram kernels on the executor, against counting one by one.
#include <parprims/axis.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <doctest/doctest.h>

#include "support/run.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <type_traits>
#include <vector>

using namespace kernel_test;
using parprims::histogram_config;

namespace {

enum class samples_like { uniform, constant, skewed, outside };

template <class X>
void fill_like(samples_like what, memory<X>& samples, std::uint64_t bins)
{
    for (std::size_t i = 0; i < samples.size(); ++i) {
        const std::uint64_t any = mix(i + 77);
        std::uint64_t value = any % bins;
        if (what == samples_like::constant || (what == samples_like::skewed && any >> 40 & 7))
            value = bins / 3;
        if (what == samples_like::outside && any >> 50 & 1)
            value = bins + any % 5;
        samples[i] = static_cast<X>(value);
    }
}

template <class X, class Axis>
std::vector<std::uint64_t> count_one_by_one(const memory<X>& samples, const Axis& axis)
{
    std::vector<std::uint64_t> counts(axis.extent());
    for (std::size_t i = 0; i < samples.size(); ++i)
        if (const std::size_t slot = axis.slot(samples.data()[i]); slot < axis.extent())
            ++counts[slot];
    return counts;
}

/// A GPU whose blocks have room for `words` counters, so that few bins are already many.
device::gpu_properties gpu_of(std::uint64_t seed, std::size_t words)
{
    return {2 + static_cast<unsigned>(seed % 4), 2048, words * 4, 4 * words * 4 + 8192};
}

template <class Counter, class X, class Axis>
void check_histogram(const memory<X>& samples, const Axis& axis, histogram_config::placement_kind placement,
                     std::uint64_t seed, const device::gpu_properties& gpu, std::size_t slice = 0)
{
    const unsigned warps[] = {1, 2, 4, 3};
    const histogram_config config{placement, 32 * warps[seed * 3 % 4], 1 + static_cast<unsigned>(seed / 2 % 2),
                                  seed % 3 == 0 ? 0 : 1u << seed % 6};
    memory<Counter> counts(axis.extent(), seed % 5 == 0 ? sizeof(Counter) : 0);
    const auto layout = histogram(schedule_of(seed), config, gpu, samples.data(), samples.size(), axis, counts, slice);
    const auto expected = count_one_by_one(samples, axis);
    CAPTURE(samples.size());
    CAPTURE(seed);
    CAPTURE(config.block_threads);
    CAPTURE(layout.blocks);
    CAPTURE(layout.replicas);
    CAPTURE(layout.counters);
    bool same = true;
    for (std::size_t i = 0; i < axis.extent() && same; ++i) {
        same = static_cast<std::uint64_t>(counts[i]) == expected[i];
        CAPTURE(i);
        CHECK(static_cast<std::uint64_t>(counts[i]) == expected[i]);
    }
    REQUIRE(same);
}

/// Samples of all kinds and sizes.
template <class X, class Counter = std::uint32_t, class Axis>
void sweep(const Axis& axis, histogram_config::placement_kind placement, std::size_t words, std::size_t limit,
           std::size_t offset = 0, std::size_t slice = 0)
{
    if (has_tsan)
        limit = std::min<std::size_t>(limit, 1100);
    std::uint64_t seed = axis.bins() + static_cast<unsigned>(placement);
    unsigned turn = 0;
    for (std::size_t n : sizes(limit, {512, 2048}, seed, 10)) {
        ++turn;
        for (const samples_like what :
             {samples_like::uniform, samples_like::constant, samples_like::skewed, samples_like::outside}) {
            if (n == 0)
                continue;
            ++seed;
            if (has_tsan && turn % 4 != static_cast<unsigned>(what))
                continue;  // the kinds take turns
            memory<X> samples(n, offset);
            fill_like(what, samples, axis.bins());
            check_histogram<Counter>(samples, axis, placement, seed, gpu_of(seed, words), slice);
        }
    }
}

struct modulus {
    std::uint64_t bins;
    template <class X>
    std::uint64_t operator()(const X& x) const
    {
        return static_cast<std::uint64_t>(x) % bins;
    }
};

struct point {
    float x;
    float y;
    explicit operator std::uint64_t() const { return static_cast<std::uint64_t>(x); }
    point& operator=(std::uint64_t value)
    {
        x = static_cast<float>(value);
        return *this;
    }
    point() = default;
    explicit point(std::uint64_t value) : x(static_cast<float>(value)), y(0) {}
};

/// Bytes of every value, with each placement.
template <class X>
void check_bytes()
{
    constexpr unsigned rounds = has_tsan ? 2 : 6;
    memory<X> samples(3000);
    for (std::size_t i = 0; i < samples.size(); ++i)
        samples[i] = static_cast<X>(mix(i) >> 11);
    std::uint64_t seed = 0;
    for (const auto placement :
         {histogram_config::shared, histogram_config::passes, histogram_config::partitioned, histogram_config::global})
        for (unsigned i = 0; i < rounds; ++i) {
            CAPTURE(placement);
            ++seed;
            check_histogram<std::uint32_t>(samples, parprims::regular_axis(100, -50, 50).with_flow(), placement, seed,
                                           gpu_of(seed, 400));
            check_histogram<std::uint32_t>(samples, parprims::integer_axis<int>(-128, 256), placement, seed,
                                           gpu_of(seed, 400));
        }
}

/// From -3 to 103, with each placement.
template <class X>
void check_fractional_edges()
{
    memory<X> samples(1500);
    for (std::size_t i = 0; i < samples.size(); ++i)
        samples[i] = static_cast<X>(static_cast<double>(mix(i) % 1700) / 16 - 3);
    std::uint64_t seed = 0;
    for (const auto placement : {histogram_config::shared, histogram_config::passes, histogram_config::partitioned,
                                 histogram_config::global, histogram_config::automatic})
        for (const std::size_t bins : {30u, 70u, 130u, 250u}) {
            CAPTURE(placement);
            ++seed;
            const parprims::regular_axis axis(bins, 0, 101);
            const device::gpu_properties gpu = gpu_of(seed, placement == histogram_config::passes ? 100 : 500);
            check_histogram<std::uint32_t>(samples, axis, placement, seed, gpu);
            check_histogram<std::uint32_t>(samples, axis.with_flow(), placement, seed, gpu);
        }
}

}  // namespace

TEST_CASE("counters in shared memory, replicated, count every sample once")
{
    sweep<std::uint32_t>(parprims::regular_axis(40, 0u, 40u), histogram_config::shared, 2048, 6000);
    sweep<std::uint32_t>(parprims::regular_axis(40, 0u, 40u).with_flow(), histogram_config::shared, 2048, 6000);
    sweep<float, std::uint64_t>(parprims::regular_axis(100, 0.0f, 100.0f), histogram_config::shared, 2048, 6000);
}

TEST_CASE("samples of one byte are counted by value")
{
    sweep<std::uint8_t, std::uint64_t>(parprims::regular_axis(256, 0, 256), histogram_config::shared, 2048, 8200);
    sweep<std::int8_t, float>(parprims::regular_axis(100, -5, 95).with_flow(), histogram_config::shared, 2048, 8200);
    sweep<std::uint8_t>(parprims::regular_axis(7, 3, 200), histogram_config::global, 2048, 8200);
}

TEST_CASE_TEMPLATE("bytes of every value are counted, negative ones too", X, std::uint8_t, std::int8_t, char)
{
    if constexpr (!has_tsan || std::is_same_v<X, std::int8_t>)
        check_bytes<X>();
}

TEST_CASE("an axis is asked about the bytes that there are, and about no other")
{
    std::array<std::atomic<bool>, 256> asked;
    const auto is_even = [&asked](std::uint8_t x) {
        asked[x] = true;
        return x % 2;
    };
    const auto axis = parprims::function_axis(2, is_even);
    memory<std::uint8_t> samples(1000);
    for (std::size_t i = 0; i < samples.size(); ++i)
        samples[i] = static_cast<std::uint8_t>(3 + i % 5);
    for (const auto placement : {histogram_config::shared, histogram_config::global}) {
        CAPTURE(static_cast<int>(placement));
        for (std::atomic<bool>& each : asked)
            each = false;
        memory<std::uint32_t> counts(2);
        histogram(schedule_of(1), {placement, 64, 1, 0}, {1}, samples.data(), samples.size(), axis, counts);
        CHECK(counts[0] == 400);
        for (std::size_t x = 0; x < 256; ++x) {
            CAPTURE(x);
            CHECK(asked[x] == (x >= 3 && x < 8));
        }
    }
}

TEST_CASE("an axis is asked about samples only, also in a tile that is not full")
{
    std::atomic<bool> is_strange = false;
    const auto axis = parprims::function_axis(10'001, [&is_strange](std::uint32_t x) {
        if (x < 1000)
            is_strange = true;
        return x;
    });
    memory<std::uint32_t> samples(700, 4);  // of tiles of 1536
    for (std::size_t i = 0; i < samples.size(); ++i)
        samples[i] = static_cast<std::uint32_t>(1000 + i);
    memory<std::uint32_t> counts(axis.extent());
    histogram(schedule_of(1), {histogram_config::partitioned, 96, 1, 0}, {1, 2048, 2200 * 4, 2 * 2200 * 4},
              samples.data(), samples.size(), axis, counts);
    CHECK(!is_strange);
    CHECK(counts[0] == 0);
    CHECK(counts[1699] == 1);
}

TEST_CASE_TEMPLATE("samples that are not aligned are counted", X, std::uint8_t, std::uint16_t, float, double)
{
    if constexpr (!has_tsan || sizeof(X) == 1 || sizeof(X) == 4) {
        sweep<X>(parprims::regular_axis(50, 0, 50), histogram_config::shared, 2048, 3000, sizeof(X));
        sweep<X>(parprims::regular_axis(50, 0, 50), histogram_config::global, 2048, 3000, 3 * sizeof(X) % 16);
    }
}

TEST_CASE("samples that are less aligned than large are counted")
{
    const auto axis = parprims::function_axis(30, modulus{30});
    sweep<point>(axis, histogram_config::shared, 2048, 3000, 4);
}

TEST_CASE("counters are handed on before they could wrap")
{
    sweep<std::uint32_t>(parprims::regular_axis(40, 0u, 40u), histogram_config::shared, 2048, 6000, 0, 1024);
    sweep<std::uint16_t, double>(parprims::regular_axis(700, 0, 700), histogram_config::passes, 256, 3000, 2, 1024);
}

TEST_CASE("more counters than blocks gather are added as they lie, where they lie well, and one by one elsewhere")
{
    for (const std::size_t bins : {1985u, 2047u, 2049u, 5002u}) {
        const auto last = static_cast<std::uint32_t>(bins);
        sweep<std::uint32_t>(parprims::regular_axis(bins, 0u, last), histogram_config::shared, 8192, 3000, 0, 1024);
#if defined(__SANITIZE_THREAD__)
        break;  // threads do the same for all of them
#endif
        sweep<float, std::int32_t>(parprims::regular_axis(bins, 0.0f, static_cast<float>(bins)).with_flow(),
                                   histogram_config::shared, 8192, 3000);
        sweep<float, std::uint64_t>(parprims::regular_axis(bins, 0.0f, static_cast<float>(bins)),
                                    histogram_config::shared, 8192, 3000);
    }
}

TEST_CASE("passes count the window of each pass")
{
    sweep<std::uint32_t>(parprims::regular_axis(40, 0u, 40u), histogram_config::passes, 2048, 4000);
    sweep<std::uint32_t>(parprims::regular_axis(1000, 0u, 1000u), histogram_config::passes, 300, 4000);
    sweep<double, std::int64_t>(parprims::regular_axis(1000, 0.0, 1000.0).with_flow(), histogram_config::passes, 300,
                                4000);
}

TEST_CASE_TEMPLATE("samples are counted between the fractions that edges of integer bounds are", X, float, std::int16_t)
{
    if constexpr (!has_tsan)
        check_fractional_edges<X>();
}

TEST_CASE("counters in global memory count every sample once")
{
    sweep<std::uint32_t>(parprims::regular_axis(5000, 0u, 5000u), histogram_config::global, 2048, 6000);
    sweep<float, double>(parprims::regular_axis(5000, 0, 5000).with_flow(), histogram_config::global, 2048, 6000);
}

TEST_CASE("samples sorted into parts are counted once")
{
    sweep<std::uint32_t>(parprims::regular_axis(7000, 0u, 7000u), histogram_config::partitioned, 600, 4100);
    sweep<std::uint32_t>(parprims::regular_axis(8192, 0u, 8192u), histogram_config::partitioned, 600, 4100);
    sweep<std::uint32_t, std::uint64_t>(parprims::regular_axis(100000, 0u, 100000u).with_flow(),
                                        histogram_config::partitioned, 2000, 3000);
    sweep<std::uint8_t>(parprims::regular_axis(256, 0, 256), histogram_config::partitioned, 500, 3000);
    sweep<std::uint32_t>(parprims::regular_axis(10, 0u, 10u), histogram_config::partitioned, 500, 4100);
}

TEST_CASE("samples sorted into parts slice by slice are counted once")
{
    sweep<std::uint32_t>(parprims::regular_axis(7000, 0u, 7000u), histogram_config::partitioned, 600, 4100, 0, 700);
    sweep<float>(parprims::regular_axis(7000, 0, 7000), histogram_config::partitioned, 600, 4100, 4, 1000);
}

TEST_CASE("blocks that sort one tile after the other lose no sample")
{
    // 24 blocks of 64 threads a multiprocessor, which take tiles of 1024 samples.
    const auto axis = parprims::regular_axis(1501, 0u, 1501u);
    memory<std::uint32_t> samples(40'001);
    fill_like(samples_like::skewed, samples, axis.bins());
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        memory<std::uint32_t> counts(axis.extent());
        histogram(schedule_of(seed), {histogram_config::partitioned, 64, 1, 0}, {1, 2048, 1600, 14592}, samples.data(),
                  samples.size(), axis, counts);
        const auto expected = count_one_by_one(samples, axis);
        CAPTURE(seed);
        bool same = true;
        for (std::size_t i = 0; i < axis.extent(); ++i)
            same = same && counts[i] == expected[i];
        CHECK(same);
#if defined(__SANITIZE_THREAD__)
        break;
#endif
    }
}

TEST_CASE("a block that counts one part after the other loses no sample")
{
    // Parts of 2048 counters: threads add up others than those that they zero.
    const auto axis = parprims::regular_axis(10'001, 0u, 10'001u);
    memory<std::uint32_t> samples(3'000);
    fill_like(samples_like::uniform, samples, axis.bins());
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        memory<std::uint32_t> counts(axis.extent());
        const auto layout = histogram(schedule_of(seed), {histogram_config::partitioned, 96, 1, 0},
                                      {1, 2048, 2200 * 4, 2 * 2200 * 4}, samples.data(), samples.size(), axis, counts);
        CHECK(layout.counters == 2048);
        CHECK(layout.blocks == 1);
        const auto expected = count_one_by_one(samples, axis);
        CAPTURE(seed);
        bool same = true;
        for (std::size_t i = 0; i < axis.extent(); ++i)
            same = same && counts[i] == expected[i];
        CHECK(same);
#if defined(__SANITIZE_THREAD__)
        break;
#endif
    }
}

TEST_CASE("a block that finds more long runs than it lists loses no sample")
{
    // 40 tiles of 1536 samples: 192 packets each, of one part, and one block counts them.
    const auto axis = parprims::regular_axis(10'001, 0u, 10'001u);
    memory<std::uint32_t> samples(61'440);
    fill_like(samples_like::constant, samples, axis.bins());
    memory<std::uint32_t> counts(axis.extent());
    histogram(schedule_of(1), {histogram_config::partitioned, 96, 1, 0}, {1, 2048, 2200 * 4, 2 * 2200 * 4},
              samples.data(), samples.size(), axis, counts);
    CHECK(counts[axis.bins() / 3] == samples.size());
}
