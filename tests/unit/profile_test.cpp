/// @file
/// @brief  profile: every axis and type on the device has the bits of one thread of the host. weighted_oracle_test.cpp tells that
///         these are right.
#include <doctest/doctest.h>

#include <parprims/profile.hpp>
#include <parprims/variable_axis.hpp>

#include "support/backend.hpp"
#include "support/data.hpp"
#include "support/refusal.hpp"
#include "support/same_sum.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#if PARPRIMS_CUDA_COMPILER
#include <parprims/stream.hpp>
#endif

namespace pp = parprims;

namespace {

template <class T>
bool same(const std::vector<pp::profile_bin<T>>& a, const std::vector<pp::profile_bin<T>>& b)
{
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](const auto& x, const auto& y) { return same_sum(x, y); });
}

constexpr std::size_t many_samples = 100003;

/// Close to 1000, and one value that no first look finds.
template <class V>
std::vector<V> values_with_a_peak(std::size_t n)
{
    auto values = generate(n, [](std::uint64_t bits) { return static_cast<V>(1000 + 8 * unit(bits)); });
    values[n - 5] = static_cast<V>(-4097);
    return values;
}

}  // namespace

TEST_CASE_TEMPLATE("profile has the bits of the host, for every axis and order of the samples", Backend,
                   PARPRIMS_BACKENDS)
{
    auto samples = samples_between(many_samples, -1, 3);
    const auto check = [&](auto values, const auto& axis, auto bin) {
        std::vector<decltype(bin)> expected(axis.extent());
        pp::profile(pp::host.threads(1), samples, values.begin(), axis, expected.begin());
        random_bits random(3);
        for (std::size_t i = many_samples; i > 1; --i) {
            const std::size_t other = random() % i;
            std::swap(samples[i - 1], samples[other]);
            std::swap(values[i - 1], values[other]);
        }
        const auto x = place<Backend>(samples, 1);
        const auto y = place<Backend>(values, 2);
        const auto bins = poisoned<Backend, decltype(bin)>(axis.extent());
        CHECK(pp::profile(Backend::policy(), x.begin(), x.end(), y.begin(), axis, bins.begin()) == bins.end());
        CHECK(same(bins.read(), expected));
    };
    check(values_with_a_peak<float>(many_samples), pp::regular_axis(100, -1.0f, 3.0f), pp::profile_bin<float>{});
    check(values_with_a_peak<double>(many_samples), pp::variable_axis<float>{-1, 0, 0.5f, 3}.with_flow(),
          pp::profile_bin<double>{});
    check(values_with_a_peak<std::int32_t>(many_samples), pp::regular_axis(100000, -1.0f, 3.0f),
          pp::profile_bin<double>{});
}

TEST_CASE_TEMPLATE("infinite and NaN values make of their bin what IEEE arithmetic does, and of no other", Backend,
                   PARPRIMS_BACKENDS)
{
    constexpr float infinity = std::numeric_limits<float>::infinity();
    constexpr float nan = std::numeric_limits<float>::quiet_NaN();
    using bin = pp::profile_bin<float>;
    const auto x = place<Backend>(std::vector<int>{0, 0, 1, 2, 2, 3, 3, 3, 9});
    const auto y = place<Backend>(std::vector<float>{infinity, 1, -infinity, infinity, -infinity, 1.5f, 2, 4, nan});
    const auto bins = poisoned<Backend, bin>(5);
    pp::profile(Backend::policy(), x.begin(), x.end(), y.begin(), pp::integer_axis(0, 5), bins.begin());
    CHECK(same(bins.read(), {{2, infinity, nan}, {1, -infinity, nan}, {2, nan, nan}, {3, 2.5f, 1.75f}, {0, nan, nan}}));
}

TEST_CASE_TEMPLATE("profile of nothing has empty bins", Backend, PARPRIMS_BACKENDS)
{
    const float* const nowhere = nullptr;
    const auto bins = poisoned<Backend, pp::profile_bin<double>>(2);
    pp::profile(Backend::policy(), nowhere, nowhere, nowhere, pp::regular_axis(2, 0.0f, 1.0f), bins.begin());
    const double nan = std::numeric_limits<double>::quiet_NaN();
    CHECK(same(bins.read(), {{0, nan, nan}, {0, nan, nan}}));
}

TEST_CASE_TEMPLATE("profile refuses what is not there", Backend, PARPRIMS_BACKENDS)
{
    const auto x = place<Backend>(std::vector<float>(10, 0.5f));
    const auto bins = poisoned<Backend, pp::profile_bin<float>>(4);
    const float* const nowhere = nullptr;
    pp::profile_bin<float>* const no_bins = nullptr;
    const auto axis = pp::regular_axis(4, 0.0f, 1.0f);
    const auto refused = [&](const char* argument, const char* reason, const float* first, const float* values,
                             pp::profile_bin<float>* to) {
        check_refused("parprims::profile", argument, reason,
                      [&] { pp::profile(Backend::policy(), first, first + 10, values, axis, to); });
    };
    refused("first", "null pointer with n = 10", nowhere, x.begin(), bins.begin());
    refused("values", "null pointer with n = 10", x.begin(), nowhere, bins.begin());
    refused("bins", "null pointer with n = 4", x.begin(), x.begin(), no_bins);
    refused("bins", "overlaps [first, last)", x.begin(), x.begin(),
            reinterpret_cast<pp::profile_bin<float>*>(x.begin()));
    CHECK(bins.untouched());
    pp::profile(Backend::policy(), x.begin(), x.end(), x.begin(), axis, bins.begin());
    CHECK(bins.read()[2] == pp::profile_bin<float>{10, 0.5f, 0});
}

TEST_CASE("the example of profile")
{
    /// [profile]
    const std::vector<float> energies{0.1f, 0.2f, 0.3f, 0.7f};
    const std::vector<float> times{4.0f, 6.0f, 5.0f, 9.0f};
    std::vector<pp::profile_bin<double>> bins(2);
    pp::profile(pp::host, energies, times.begin(), pp::regular_axis(2, 0.0f, 1.0f), bins.begin());
    const double mean = bins[0].mean;                                                               // 5, of three times
    const double spread = std::sqrt(bins[0].variance);                                              // 1
    const double error_of_mean = std::sqrt(bins[0].variance / static_cast<double>(bins[0].count));  // 1 / sqrt(3)
    /// [profile]
    CHECK(bins[0].count == 3);
    CHECK(mean == 5);
    CHECK(spread == 1);
    CHECK(error_of_mean == doctest::Approx(1 / std::sqrt(3.0)));
    CHECK(bins[1].mean == 9);
    CHECK(std::isnan(bins[1].variance));
}

#if PARPRIMS_CUDA_COMPILER

TEST_CASE("[device] a captured profile is that of the values at each replay")
{
    const auto x = place<device_backend>(samples_between(many_samples, 0, 1));
    auto values = generate(many_samples, [](std::uint64_t bits) { return static_cast<float>(unit(bits)); });
    pp::device_buffer<float> y(values);
    pp::device_buffer<pp::profile_bin<float>> bins(10);
    const auto axis = pp::regular_axis(10, 0.0f, 1.0f);
    pp::stream work;
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t executable = nullptr;
    const auto stream = static_cast<cudaStream_t>(pp::stream_view(work));
    REQUIRE(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal) == cudaSuccess);
    pp::profile(pp::device.on(work), x.begin(), x.end(), y.begin(), axis, bins.begin());
    REQUIRE(cudaStreamEndCapture(stream, &graph) == cudaSuccess);
    REQUIRE(cudaGraphInstantiate(&executable, graph, 0) == cudaSuccess);
    for (int replay = 0; replay < 2; ++replay) {
        CHECK(cudaGraphLaunch(executable, stream) == cudaSuccess);
        CHECK(cudaStreamSynchronize(stream) == cudaSuccess);
        std::vector<pp::profile_bin<float>> expected(10);
        pp::profile(pp::host, x.read(), values.begin(), axis, expected.begin());
        CHECK(same(bins.to_host(), expected));
        std::reverse(values.begin(), values.end());
        y.copy_from(values);
    }
    cudaGraphExecDestroy(executable);
    cudaGraphDestroy(graph);
}

#endif
