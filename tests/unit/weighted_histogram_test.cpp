/// @file
/// @brief  weighted_histogram: every axis and type of sum on the device has the bits of one thread of the host.
///         weighted_oracle_test.cpp tells that these are right.
#include <doctest/doctest.h>

#include <parprims/iterator.hpp>
#include <parprims/variable_axis.hpp>
#include <parprims/weighted_histogram.hpp>

#include "support/backend.hpp"
#include "support/data.hpp"
#include "support/refusal.hpp"
#include "support/weighted_check.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#if PARPRIMS_CUDA_COMPILER
#include <cuda_fp16.h>
#endif

namespace pp = parprims;

TEST_CASE_TEMPLATE("weighted_histogram has the bits of the host, of every axis and sum", Backend, PARPRIMS_BACKENDS)
{
    const auto samples = samples_between(many_weights, -1, 3);
    const auto weights = weights_with_a_peak<float>(many_weights);
    check_sums<float, Backend>(samples, weights, pp::regular_axis(100, -1.0f, 3.0f));
    check_sums<pp::weighted_sum<double>, Backend>(samples, weights_with_a_peak<double>(many_weights),
                                                  pp::variable_axis<float>{-1, 0, 0.5f, 3}.with_flow());
    const auto bytes = generate(many_weights, [](std::uint64_t bits) { return static_cast<std::uint8_t>(bits >> 30); });
    check_sums<pp::weighted_sum<float>, Backend>(bytes, weights, pp::integer_axis(10, 200).with_flow());
}

TEST_CASE_TEMPLATE("weighted_histogram has the bits of the host, of weights that are no floats or no array", Backend,
                   PARPRIMS_BACKENDS)
{
    const auto samples = samples_between(many_weights, -1, 3);
    const auto axis = pp::regular_axis(100, -1.0f, 3.0f);
    const auto random = [](auto type) {
        return generate(many_weights, [=](std::uint64_t bits) { return static_cast<decltype(type)>(bits >> 29); });
    };
    check_sums<double, Backend>(samples, random(std::int32_t{}), axis);
    check_sums<float, Backend>(samples, random(std::uint8_t{}), axis, Backend::policy(), 1);
#if PARPRIMS_CUDA_COMPILER
    check_sums<float, Backend>(samples, weights_with_a_peak<__half>(many_weights), axis, Backend::policy(), 1);
#endif

    std::vector<double> expected(axis.extent(), 0);
    for (std::size_t i = 0; i < many_weights; ++i)
        if (const auto bin = axis.index(samples[i]))
            expected[*bin] += static_cast<double>(i);
    const auto x = place<Backend>(samples);
    const auto sums = poisoned<Backend, double>(axis.extent());
    pp::weighted_histogram(Backend::policy(), x.begin(), x.end(), pp::counting_iterator<std::uint32_t>(0), axis,
                           sums.begin());
    CHECK(sums.read() == expected);
}

TEST_CASE_TEMPLATE("weighted_histogram has the same bits whatever the order of the samples", Backend, PARPRIMS_BACKENDS)
{
    auto samples = samples_between(many_weights, 0, 1);
    auto weights = weights_with_a_peak<float>(many_weights);
    const auto axis = pp::regular_axis(10, 0.0f, 1.0f);
    std::vector<float> expected(10), found(10);
    pp::weighted_histogram(pp::host, samples, weights.begin(), axis, expected.begin());
    random_bits random(7);
    for (std::size_t i = many_weights; i > 1; --i) {
        const std::size_t other = random() % i;
        std::swap(samples[i - 1], samples[other]);
        std::swap(weights[i - 1], weights[other]);
    }
    const auto x = place<Backend>(samples);
    const auto w = place<Backend>(weights);
    const auto sums = poisoned<Backend, float>(10);
    pp::weighted_histogram(Backend::policy(), x.begin(), x.end(), w.begin(), axis, sums.begin());
    CHECK(sums.read() == expected);
}

TEST_CASE_TEMPLATE("infinite and NaN weights make of their bin what IEEE addition does, and of no other", Backend,
                   PARPRIMS_BACKENDS)
{
    constexpr float infinity = std::numeric_limits<float>::infinity();
    constexpr float nan = std::numeric_limits<float>::quiet_NaN();
    const std::vector<int> samples{0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 9};
    const std::vector<float> weights{infinity, 1, -infinity, 2, infinity, -infinity, nan, infinity, 1.5f, 0.25f, nan};
    const auto x = place<Backend>(samples);
    const auto w = place<Backend>(weights);
    const auto sums = poisoned<Backend, pp::weighted_sum<float>>(5);
    pp::weighted_histogram(Backend::policy(), x.begin(), x.end(), w.begin(), pp::integer_axis(0, 5), sums.begin());
    const auto found = sums.read();
    CHECK(found[0] == pp::weighted_sum<float>{infinity, infinity});
    CHECK(found[1] == pp::weighted_sum<float>{-infinity, infinity});
    CHECK(same_sum(found[2], pp::weighted_sum<float>{nan, infinity}));
    CHECK(same_sum(found[3], pp::weighted_sum<float>{nan, nan}));
    CHECK(found[4] == pp::weighted_sum<float>{1.75f, 2.3125f});
}

TEST_CASE_TEMPLATE("a NaN may have any bits", Backend, PARPRIMS_BACKENDS)
{
    const auto x = place<Backend>(std::vector<int>{0, 0, 1});
    for (const std::uint64_t bits : {0x7ff8000000000000u, 0x7fffffffe0000000u, 0xffffffffffffffffu}) {
        CAPTURE(bits);
        const auto w = place<Backend>(std::vector{1.0, std::bit_cast<double>(bits), 2.0});
        const auto sums = poisoned<Backend, double>(2);
        pp::weighted_histogram(Backend::policy(), x.begin(), x.end(), w.begin(), pp::integer_axis(0, 2), sums.begin());
        const auto found = sums.read();
        CHECK(std::isnan(found[0]));
        CHECK(found[1] == 2);
    }
}

TEST_CASE_TEMPLATE("weighted_histogram of nothing gives zeros", Backend, PARPRIMS_BACKENDS)
{
    const float* const nowhere = nullptr;
    const auto sums = poisoned<Backend, double>(4);
    pp::weighted_histogram(Backend::policy(), nowhere, nowhere, nowhere, pp::regular_axis(4, 0.0f, 1.0f), sums.begin());
    CHECK(sums.read() == std::vector<double>(4));
}

TEST_CASE_TEMPLATE("weighted_histogram refuses what is not there", Backend, PARPRIMS_BACKENDS)
{
    const auto x = place<Backend>(std::vector<float>(10, 0.5f));
    const auto sums = poisoned<Backend, float>(4);
    const float* const nowhere = nullptr;
    float* const no_sums = nullptr;
    const auto axis = pp::regular_axis(4, 0.0f, 1.0f);
    const auto refused = [&](const char* argument, const char* reason, const float* first, const float* last,
                             const float* weights, float* to) {
        check_refused("parprims::weighted_histogram", argument, reason,
                      [&] { pp::weighted_histogram(Backend::policy(), first, last, weights, axis, to); });
    };
    refused("first", "null pointer with n = 10", nowhere, nowhere + 10, x.begin(), sums.begin());
    refused("last", "comes before first, by 10", x.end(), x.begin(), x.begin(), sums.begin());
    refused("weights", "null pointer with n = 10", x.begin(), x.end(), nowhere, sums.begin());
    refused("sums", "null pointer with n = 4", x.begin(), x.end(), x.begin(), no_sums);
    const auto w = place<Backend>(std::vector<float>(10, 0.5f));
    refused("sums", "overlaps [first, last)", x.begin() + 3, x.end(), w.begin(), x.begin());
    refused("sums", "overlaps the weights", x.begin(), x.end(), w.begin(), w.end() - 1);
    CHECK(sums.untouched());
    pp::weighted_histogram(Backend::policy(), x.begin(), x.end(), x.begin(), axis, sums.begin());
    CHECK(sums.read() == std::vector<float>{0, 0, 5, 0});
}

TEST_CASE("weighted_histogram on the host has the same bits on any number of threads, of ranges and of iterators")
{
    const auto samples = samples_between(many_weights, 0, 1);
    const auto weights = weights_with_a_peak<double>(many_weights);
    const auto axis = pp::regular_axis(50, 0.0f, 1.0f);
    for (const unsigned threads : {0u, 2u, 3u, 64u}) {
        CAPTURE(threads);
        check_sums<double, host_backend>(samples, weights, axis, pp::host.threads(threads));
    }
    std::vector<double> ones(50), counted(50);
    pp::weighted_histogram(pp::host, samples, pp::constant_iterator(1), axis, ones.begin());
    for (const float x : samples)
        if (const auto bin = axis.index(x))
            counted[*bin] += 1;
    CHECK(ones == counted);
    const std::int64_t bins = std::int64_t{1} << 32;
    check_refused("parprims::weighted_histogram", "axis",
                  "4294967296 bins; weights on the host have at most 4294967295", [&] {
                      pp::weighted_histogram(pp::host, samples, weights.begin(),
                                             pp::integer_axis(std::int64_t{0}, bins), ones.begin());
                  });
}

TEST_CASE("the example of weighted_histogram")
{
    /// [weighted_histogram]
    const std::vector<float> energies{0.1f, 0.2f, 0.7f, 1.5f};
    const std::vector<float> weights{2.0f, 0.5f, -1.0f, 3.0f};
    const auto axis = pp::regular_axis(2, 0.0f, 1.0f);
    std::vector<double> sums(axis.extent());
    pp::weighted_histogram(pp::host, energies, weights.begin(), axis, sums.begin());  // 2.5 -1
    /// [weighted_histogram]
    CHECK(sums == std::vector<double>{2.5, -1});
}

TEST_CASE("the example of weighted_sum")
{
    const std::vector<float> energies{0.1f, 0.2f, 0.7f, 1.5f};
    const std::vector<float> weights{2.0f, 0.5f, -1.0f, 3.0f};
    /// [weighted_sum]
    const auto axis = pp::regular_axis(2, 0.0f, 1.0f);
    std::vector<pp::weighted_sum<double>> spectrum(axis.extent());
    pp::weighted_histogram(pp::host, energies, weights.begin(), axis, spectrum.begin());
    const double height = spectrum[0].value;                   // 2.5
    const double error_bar = std::sqrt(spectrum[0].variance);  // sqrt(4.25)
    /// [weighted_sum]
    CHECK(height == 2.5);
    CHECK(error_bar == std::sqrt(4.25));
    CHECK(spectrum[1] == pp::weighted_sum<double>{-1, 1});
}
