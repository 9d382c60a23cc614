/// @file
/// @brief  histogram: every axis, type of sample and type of counter, against a loop over `slot`.
#include <doctest/doctest.h>

#include <parprims/error.hpp>
#include <parprims/histogram.hpp>
#include <parprims/stream.hpp>
#include <parprims/variable_axis.hpp>

#include "support/backend.hpp"
#include "support/data.hpp"
#include "support/histogram_check.hpp"
#include "support/values.hpp"

#include <cstddef>
#include <cstdint>
#include <exception>
#include <limits>
#include <mutex>
#include <ranges>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace pp = parprims;

namespace {

/// The classic exercise.
struct modulus {
    std::uint32_t n;
    PARPRIMS_HOST_DEVICE std::uint32_t operator()(std::uint32_t x) const { return x % n; }
};

struct everything_in_bin_0 {
    PARPRIMS_HOST_DEVICE int operator()(std::uint64_t) const { return 0; }
};

/// Around [lower, upper), with everything that is no number or in no bin.
template <class T>
std::vector<T> floating_samples(std::size_t n, T lower, T upper)
{
    std::vector<T> samples = generate(n, [=](std::uint64_t bits) {
        const auto u = static_cast<T>(bits >> 11) / static_cast<T>(std::uint64_t{1} << 53);
        return static_cast<T>(lower + (upper - lower) * (static_cast<T>(1.2) * u - static_cast<T>(0.1)));
    });
    const T infinity = std::numeric_limits<T>::infinity();
    const T edges[] = {lower,
                       upper,
                       infinity,
                       -infinity,
                       std::numeric_limits<T>::quiet_NaN(),
                       T{0},
                       -T{0},
                       std::nextafter(upper, lower),
                       std::nextafter(lower, -infinity)};
    for (std::size_t i = 0; i < samples.size(); i += 7)
        samples[i] = edges[i / 7 % std::size(edges)];
    return samples;
}

constexpr std::size_t many = 200003;

}  // namespace

TEST_CASE_TEMPLATE("histogram of floats over a regular axis, in 32 bits", Backend, PARPRIMS_BACKENDS)
{
    check_histogram<std::uint32_t, Backend>(floating_samples<float>(many, -1, 3), pp::regular_axis(100, -1.0f, 3.0f));
}

TEST_CASE_TEMPLATE("histogram of doubles over a variable axis, in doubles", Backend, PARPRIMS_BACKENDS)
{
    check_histogram<double, Backend>(floating_samples<double>(many, -1, 3),
                                     pp::variable_axis<double>{-1, -0.999, 0, 0.5, 2, 2.25, 3});
}

TEST_CASE_TEMPLATE("histogram of bytes over an integer axis, in 64 bits", Backend, PARPRIMS_BACKENDS)
{
    const std::vector<std::uint8_t> samples =
        generate(many, [](std::uint64_t bits) { return static_cast<std::uint8_t>(bits >> 30); });
    check_histogram<std::uint64_t, Backend>(samples, pp::integer_axis(0, 256));
    check_histogram<std::uint64_t, Backend>(samples, pp::integer_axis(10, 20));
}

TEST_CASE_TEMPLATE("histogram of negative bytes over a regular axis, in signed 32 bits", Backend, PARPRIMS_BACKENDS)
{
    const std::vector<std::int8_t> samples =
        generate(many, [](std::uint64_t bits) { return static_cast<std::int8_t>(bits >> 30); });
    check_histogram<std::int32_t, Backend>(samples, pp::regular_axis(7, -100, 50));
}

TEST_CASE_TEMPLATE("histogram of 64-bit integers over an integer axis, in signed 64 bits", Backend, PARPRIMS_BACKENDS)
{
    const std::int64_t base = std::int64_t{1} << 40;
    std::vector<std::int64_t> samples =
        generate(many, [=](std::uint64_t bits) { return base - 50 + static_cast<std::int64_t>(bits % 1200); });
    samples[0] = std::numeric_limits<std::int64_t>::min();
    samples[1] = std::numeric_limits<std::int64_t>::max();
    check_histogram<std::int64_t, Backend>(samples, pp::integer_axis(base, base + 1000));
}

TEST_CASE_TEMPLATE("histogram of remainders over a function axis, in floats", Backend, PARPRIMS_BACKENDS)
{
    for (const std::uint32_t bins : {1u, 10u, 2048u}) {
        CAPTURE(bins);
        const auto samples = generate(many, [](std::uint64_t bits) { return static_cast<std::uint32_t>(bits >> 20); });
        check_histogram<float, Backend>(samples, pp::function_axis(bins, modulus{bins}));
    }
}

TEST_CASE_TEMPLATE("histogram of equal bytes counts far past 16 bits in one bin", Backend, PARPRIMS_BACKENDS)
{
    const std::size_t n = is_quick() ? 3000001 : 20000001;
    const auto x = place<Backend>(std::vector<std::uint8_t>(n, 77));
    for (const std::size_t used : {std::size_t{32768}, std::size_t{65537}, n}) {
        CAPTURE(used);
        const auto counts = poisoned<Backend, std::uint64_t>(256);
        pp::histogram(Backend::policy(), x.begin(), x.begin() + used, pp::integer_axis(0, 256), counts.begin());
        std::vector<std::uint64_t> expected(256);
        expected[77] = used;
        CHECK(first_difference(counts.read(), expected) == 256);
    }
}

TEST_CASE_TEMPLATE("histogram counts past 2^32", Backend, PARPRIMS_BACKENDS)
{
    if (is_quick())
        return;
    const std::uint64_t n = (std::uint64_t{1} << (Backend::is_device ? 32 : 31)) + 7;
    const pp::counting_iterator<std::uint64_t> first(0);
    const auto counts = poisoned<Backend, std::uint64_t>(1);
    pp::histogram(Backend::policy(), first, first + static_cast<std::ptrdiff_t>(n),
                  pp::function_axis(1, everything_in_bin_0{}), counts.begin());
    CHECK(counts.read().front() == n);
}

TEST_CASE_TEMPLATE("histogram of nothing gives zeros", Backend, PARPRIMS_BACKENDS)
{
    const float* const nowhere = nullptr;
    const auto axis = pp::regular_axis(1000, 0.0f, 1.0f).with_flow();
    const auto counts = poisoned<Backend, std::uint32_t>(axis.extent(), 3);
    CHECK(pp::histogram(Backend::policy(), nowhere, nowhere, axis, counts.begin()) == counts.end());
    CHECK(first_difference(counts.read(), std::vector<std::uint32_t>(1003)) == 1003);
}

TEST_CASE("histogram takes what stands for a value, and ranges that end with a sentinel")
{
    std::vector<bool> values{true, false, true, true};
    std::vector<std::uint32_t> counts(2);
    pp::histogram(pp::host, values.begin(), values.end(), pp::integer_axis(0, 2), counts.begin());
    CHECK(counts == std::vector<std::uint32_t>{1, 3});
    pp::histogram(pp::host, std::views::iota(0) | std::views::take(5), pp::integer_axis(0, 2), counts.begin());
    CHECK(counts == std::vector<std::uint32_t>{1, 1});
    const volatile std::uint8_t bytes[]{1, 1, 0, 1};
    pp::histogram(pp::host, bytes, bytes + 4, pp::integer_axis(0, 2), counts.begin());
    CHECK(counts == std::vector<std::uint32_t>{1, 3});
}

TEST_CASE("histogram of bytes asks the axis about no value that is not there")
{
    const auto percent_of = [](std::uint8_t x) {
        if (x == 0)
            throw std::domain_error("asked about 0");
        return 100 / x;
    };
    const std::vector<std::uint8_t> samples{1, 2, 2, 50, 1, 100};
    std::vector<std::uint32_t> counts(101);
    pp::histogram(pp::host, samples, pp::function_axis(101, percent_of), counts.begin());
    CHECK(counts[100] == 2);
    CHECK(counts[50] == 2);
    CHECK(counts[2] == 1);
    CHECK(counts[1] == 1);
}

TEST_CASE("histogram on the host runs on any number of threads and takes ranges")
{
    const auto samples = floating_samples<float>(many, 0, 1);
    const auto axis = pp::regular_axis(50, 0.0f, 1.0f).with_flow();
    const auto expected = loop_histogram<std::uint64_t>(samples, axis);
    for (const unsigned threads : {0u, 1u, 2u, 3u, 64u}) {
        CAPTURE(threads);
        std::vector<std::uint64_t> counts(axis.extent(), 99);
        CHECK(pp::histogram(pp::host.threads(threads), samples, axis, counts.begin()) == counts.end());
        CHECK(counts == expected);
    }
}

TEST_CASE("the example of histogram")
{
    /// [histogram]
    const std::vector<float> values{0.1f, 0.2f, 0.7f, 1.5f};
    const auto axis = pp::regular_axis(2, 0.0f, 1.0f).with_flow();
    std::vector<std::uint64_t> counts(axis.extent());
    pp::histogram(pp::host, values, axis, counts.begin());  // 2 1, and 0 below, 1 above, 0 not a number
    /// [histogram]
    CHECK(counts == std::vector<std::uint64_t>{2, 1, 0, 1, 0});
}

TEST_CASE_TEMPLATE("histogram adds to earlier counts, wherever the counters live", Backend, PARPRIMS_BACKENDS)
{
    for (const float bins : {100.0f, 70000.0f, 1000000.0f}) {
        CAPTURE(bins);
        const auto axis = pp::regular_axis<float>(static_cast<std::size_t>(bins), 0.0f, bins).with_flow();
        const auto samples = floating_samples<float>(many, 0, bins);
        const auto x = place<Backend>(samples);
        const auto once = loop_histogram<std::uint64_t>(samples, axis);
        const auto counts = poisoned<Backend, std::uint64_t>(axis.extent());
        auto* const middle = x.begin() + 70001;
        pp::histogram(Backend::policy(), x.begin(), x.end(), axis, counts.begin());
        CHECK(pp::histogram(Backend::policy(), x.begin(), middle, axis, counts.begin(), pp::accumulate) ==
              counts.end());
        pp::histogram(Backend::policy(), middle, x.end(), axis, counts.begin(), pp::accumulate);
        pp::histogram(Backend::policy(), middle, middle, axis, counts.begin(), pp::accumulate);
        auto twice = once;
        for (std::uint64_t& each : twice)
            each *= 2;
        CHECK(first_difference(counts.read(), twice) == twice.size());
    }
}

TEST_CASE_TEMPLATE("histogram that adds takes no counter past the largest count", Counter, std::uint32_t, std::int64_t,
                   float)
{
    constexpr Counter most =
        std::is_integral_v<Counter> ? std::numeric_limits<Counter>::max() : static_cast<Counter>(1 << 24);
    const std::vector<int> samples{0, 0, 1, 1, 1, 2};
    std::vector<Counter> counts{static_cast<Counter>(most - 2), static_cast<Counter>(most - 3), 7};
    const pp::integer_axis axis(0, 3);
    pp::histogram(pp::host, samples, axis, counts.begin(), pp::accumulate);
    const std::vector<Counter> full{most, most, 8};
    CHECK(counts == full);
    for (const int sample : {0, 1}) {
        const std::vector<int> more{2, sample};
        std::string refusal;
        try {
            pp::histogram(pp::host, more, axis, counts.begin(), pp::accumulate);
        } catch (const pp::invalid_argument& error) {
            refusal = error.what();
        }
        CHECK(refusal.find("so it cannot hold 1 more") != std::string::npos);
        CHECK(counts == full);  // nothing was added
    }
    // A counter to which nothing is added may be larger, as after scaling.
    if constexpr (std::is_floating_point_v<Counter>) {
        std::vector<Counter> larger{most, 4 * most, 7};
        pp::histogram(pp::host, std::vector<int>{2}, axis, larger.begin(), pp::accumulate);
        const std::vector<Counter> expected{most, 4 * most, 8};
        CHECK(larger == expected);
    }
}

#if PARPRIMS_CUDA_COMPILER
TEST_CASE_TEMPLATE("[device] histogram that adds leaves a full counter at the largest count", Counter, std::uint32_t,
                   float)
{
    constexpr Counter most =
        std::is_integral_v<Counter> ? std::numeric_limits<Counter>::max() : static_cast<Counter>(1 << 24);
    const auto x = place<device_backend>(std::vector<int>{0, 0, 1, 1, 1, 2});
    const auto counts = place<device_backend>(std::vector<Counter>{static_cast<Counter>(most - 1), most, 7});
    pp::histogram(pp::device, x.begin(), x.end(), pp::integer_axis(0, 3), counts.begin(), pp::accumulate);
    CHECK(counts.read() == std::vector<Counter>{most, most, 8});
}
#endif

TEST_CASE("the example of histograms that add")
{
    const std::vector<std::vector<float>> pieces{{0.1f, 0.7f}, {0.2f}};
    /// [accumulate]
    const pp::regular_axis axis(2, 0.0f, 1.0f);
    std::vector<std::uint64_t> counts(axis.extent());  // zero
    for (const std::vector<float>& piece : pieces)
        pp::histogram(pp::host, piece, axis, counts.begin(), pp::accumulate);
    /// [accumulate]
    CHECK(counts == std::vector<std::uint64_t>{2, 1});
}

#if PARPRIMS_CUDA_COMPILER

TEST_CASE_TEMPLATE("histogram of 16-bit floating-point numbers over a regular axis", Backend, PARPRIMS_BACKENDS)
{
    std::vector<__half> samples;
    for (const float sample : floating_samples<float>(many, -1, 3))
        samples.push_back(__float2half(sample));
    check_histogram<std::uint32_t, Backend>(samples, pp::regular_axis(33, -1.0f, 3.0f));
}

TEST_CASE("[device] histograms of different numbers of bins do not disturb each other's launches")
{
    const auto samples = generate(many, [](std::uint64_t bits) { return static_cast<std::uint32_t>(bits % 50000); });
    const pp::device_buffer<std::uint32_t> x = pp::to_device(samples);
    pp::stream_view().synchronize();
    const auto run = [&](std::uint32_t bins, bool& same) {
        const auto axis = pp::integer_axis<std::uint32_t>(0, bins);
        const auto expected = loop_histogram<std::uint32_t>(samples, axis);
        const pp::stream work;
        pp::device_buffer<std::uint32_t> counts(bins, work);
        for (int i = 0; i < (is_quick() ? 3 : 300); ++i)
            pp::histogram(pp::device.on(work), x, axis, counts.begin());
        same = counts.to_host() == expected;
    };
    bool same[4] = {};
    std::string failure;
    std::mutex mutex;
    std::vector<std::thread> threads;
    for (unsigned t = 0; t < 4; ++t) {  // all in one kernel, with more shared memory than a launch has without asking
        threads.emplace_back([&, t] {
            try {
                run(15000 + 10000 * t, same[t]);
            } catch (const std::exception& error) {
                const std::lock_guard lock(mutex);
                failure = error.what();
            }
        });
        if (is_quick())
            threads.back().join();  // racecheck dies where several threads launch; it looks inside of kernels anyway
    }
    for (std::thread& each : threads)
        if (each.joinable())
            each.join();
    CHECK(failure == "");
    for (const bool each : same)
        CHECK(each);
}

TEST_CASE("[device] histogram takes a device_buffer, in any stream")
{
    const auto samples = floating_samples<float>(many, -1, 3);
    const auto axis = pp::regular_axis(100, -1.0f, 3.0f);
    const pp::stream work;
    const pp::device_buffer<float> x = pp::to_device(samples, work);
    pp::device_buffer<std::uint32_t> counts(100, work);
    CHECK(pp::histogram(pp::device.on(work), x, axis, counts.begin()) == counts.end());
    CHECK(counts.to_host() == loop_histogram<std::uint32_t>(samples, axis));
}

#endif
