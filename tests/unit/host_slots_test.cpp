/// @file
/// @brief  The slots that the host backend finds for a block of samples, by SIMD or not, are those of the axis.
#include <parprims/detail/host/slots.hpp>

#include <doctest/doctest.h>

#include "support/axis_oracle.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace pp = parprims;
namespace host = parprims::detail::host;
using namespace parprims_test;

namespace {

template <class Sample, class T>
struct kinds {
    using sample = Sample;
    using edge = T;
};

/// The first samples whose slots are found, whose number is odd, begin at an odd address.
template <class Sample, class Axis>
std::size_t wrong_slots(const std::vector<Sample>& samples, const Axis& axis)
{
    const std::size_t n = samples.size() - 1;
    std::vector<std::uint32_t> slots(n + 1, 77);
    host::find_slots(samples.data(), 1, n, axis, axis.extent(), slots.data());
    std::size_t wrong = slots[n] != 77;
    for (std::size_t i = 0; i < n; ++i)
        wrong += slots[i] != std::min(axis.slot(samples[i + 1]), axis.extent());
    return wrong;
}

}  // namespace

TEST_CASE_TEMPLATE("host histogram finds the slots of the axis for a block of samples", Kinds, kinds<float, float>,
                   kinds<double, double>, kinds<float, double>, kinds<double, float>, kinds<std::int32_t, float>)
{
    using sample = typename Kinds::sample;
    std::size_t windows = 0;
    for (const auto& axis : hard_regular_axes<typename Kinds::edge>()) {
        windows += pp::detail::axis::rule_access::rule(axis).has_nearest();
        CAPTURE(axis.bins());
        CAPTURE(text(value_of(axis.edge(0))));
        CAPTURE(text(value_of(axis.edge(axis.bins()))));
        std::vector<sample> samples = hard_samples<sample>(some_edges(axis));
        CHECK(wrong_slots(samples, axis) == 0);
        CHECK(wrong_slots(samples, axis.with_flow()) == 0);
        std::reverse(samples.begin(), samples.end());  // other samples are in the last, incomplete vector
        CHECK(wrong_slots(samples, axis.with_flow()) == 0);
    }
    CHECK(windows > 0);
}

TEST_CASE("host histogram finds the slots of the first samples of a block, however many")
{
    const pp::regular_axis axis(100, 0.0f, 1.0f);
    std::vector<float> samples(70);
    for (std::size_t i = 0; i < samples.size(); ++i)
        samples[i] = static_cast<float>(i) / 64;
    for (std::size_t n = 1; n <= samples.size(); ++n) {
        CAPTURE(n);
        CHECK(wrong_slots(std::vector(samples.begin(), samples.begin() + static_cast<std::ptrdiff_t>(n)), axis) == 0);
    }
}

TEST_CASE("[needs AVX2 and FMA] host histogram finds the slots of floating-point samples by SIMD")
{
    std::uint32_t slots[64];
    const auto by_simd = [&](auto sample, const auto& axis) {
        const std::vector<decltype(sample)> samples(64, sample);
        const auto& rule = pp::detail::axis::rule_access::rule(axis);
        std::fill_n(slots, 64, 77u);
        return host::find_slots_by_simd(samples.data(), samples.size(), rule.nearest_of_all(), 100, slots) == 64 &&
               std::count(slots, slots + 64, 25u) == 64;
    };
    const pp::regular_axis of_float(100, 0.0f, 1.0f);
    const pp::regular_axis of_double(100, 0.0, 1.0);
    CHECK(by_simd(0.255f, of_float));
    CHECK(by_simd(0.255, of_double));
    CHECK(by_simd(0.255f, of_double));
    CHECK(host::has_simd_slots<const float*, pp::regular_axis<float>>);
    CHECK(host::has_simd_slots<double*, pp::regular_axis<double>>);
    CHECK(host::has_simd_slots<float*, pp::regular_axis<double>>);
    CHECK_FALSE(host::has_simd_slots<double*, pp::regular_axis<float>>);
}
