/// @file
/// @brief  Samples of several distributions, and a histogram compared with a loop over `slot`.
#pragma once

#include <doctest/doctest.h>

#include <parprims/histogram.hpp>

#include "backend.hpp"
#include "data.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

enum class distribution { uniform, constant, hot, zipf };
inline constexpr distribution all_distributions[] = {distribution::uniform, distribution::constant, distribution::hot,
                                                     distribution::zipf};

/// n numbers of [0, range): all alike, all equal, nine of ten equal, or most of them small.
inline std::vector<std::uint32_t> draw(distribution kind, std::size_t n, std::size_t range)
{
    const auto last = static_cast<std::uint32_t>(range - 1);
    return generate(n, [=](std::uint64_t bits) -> std::uint32_t {
        const auto any = static_cast<std::uint32_t>(bits >> 20) % (last + 1);
        switch (kind) {
        case distribution::uniform: return any;
        case distribution::constant: return last / 2;
        case distribution::hot: return bits % 10 != 0 ? last / 3 : any;
        case distribution::zipf: {
            const double u = static_cast<double>(bits >> 11) * 0x1p-53;
            return static_cast<std::uint32_t>(std::pow(static_cast<double>(range), u) - 1) % (last + 1);
        }
        }
        return 0;
    });
}

template <class Counter, class Sample, class Axis>
std::vector<Counter> loop_histogram(const std::vector<Sample>& samples, const Axis& axis)
{
    std::vector<std::uint64_t> counts(axis.extent());
    for (const Sample& sample : samples)
        if (const std::size_t slot = axis.slot(sample); slot < counts.size())
            ++counts[slot];
    std::vector<Counter> converted;
    for (const std::uint64_t count : counts)
        converted.push_back(static_cast<Counter>(count));
    return converted;
}

/// One histogram; the counters are poison before.
template <class Counter, class Backend, class Policy, class Sample, class Axis>
void check_histogram_of(const Policy& policy, const placed<Backend, Sample>& samples, const Axis& axis,
                        const std::vector<Counter>& expected)
{
    const auto counts = poisoned<Backend, Counter>(axis.extent(), 1);
    CHECK(parprims::histogram(policy, samples.begin(), samples.end(), axis, counts.begin()) == counts.end());
    const std::vector<Counter> counted = counts.read();
    const std::size_t wrong = first_difference(counted, expected);
    CHECK(wrong == expected.size());
    if (wrong < expected.size()) {
        CHECK(counted[wrong] == expected[wrong]);
    } else if (axis.has_flow()) {
        CHECK(std::accumulate(counted.begin(), counted.end(), 0.0) == static_cast<double>(samples.size()));
    }
}

/// With and without flow, for several numbers of samples at several alignments, under the backend's own policy.
template <class Counter, class Backend, class Sample, class Axis>
void check_histogram(const std::vector<Sample>& samples, const Axis& axis)
{
    for (const Axis& either : {axis, axis.with_flow()})
        for (const std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{5}, std::size_t{33}, samples.size()})
            for (const std::size_t offset : {0, 1, 3}) {
                CAPTURE(n);
                CAPTURE(offset);
                CAPTURE(either.has_flow());
                const std::vector<Sample> some(samples.begin(), samples.begin() + static_cast<std::ptrdiff_t>(n));
                check_histogram_of<Counter>(Backend::policy(), place<Backend>(some, offset), either,
                                            loop_histogram<Counter>(some, either));
            }
}
