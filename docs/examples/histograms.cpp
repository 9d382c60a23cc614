/// @file
/// @brief  The guide's examples of histograms.
#include <doctest/doctest.h>

#include <parprims/histogram.hpp>
#include <parprims/iterator.hpp>
#include <parprims/product_axis.hpp>
#include <parprims/variable_axis.hpp>
#include <parprims/weighted_histogram.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

namespace pp = parprims;

TEST_CASE("guide: four axes")
{
    /// [axes]
    const pp::regular_axis percent(10, 0, 100);                   // 10 bins of one width: 0 ... 9, 10 ... 19, ...
    const pp::integer_axis bytes(0, 256);                         // one bin an integer
    const pp::variable_axis<float> decades{1.0f, 10.0f, 100.0f};  // two bins between three edges
    const pp::function_axis by_bits(33, [](std::uint32_t x) { return 32 - std::countl_zero(x); });  // any rule
    /// [axes]
    CHECK(percent.slot(19) == 1);
    CHECK(percent.slot(20) == 2);
    CHECK(bytes.bins() == 256);
    CHECK(decades.slot(50.0f) == 1);
    CHECK(by_bits.slot(std::uint32_t{255}) == 8);
}

TEST_CASE("guide: edges")
{
    /// [edges]
    const pp::regular_axis axis(4, 0.0f, 1.0f);
    axis.edge(1);       // 0.25f: where bin 1 begins
    axis.index(0.25f);  // 1: bins are half-open, an edge belongs to the bin above
    axis.index(0.5);    // 2: a sample of another type is compared by its value, not converted first
    axis.index(1.0f);   // nothing: the upper bound is in no bin
    /// [edges]
    CHECK(axis.edge(1) == 0.25f);
    CHECK(axis.index(0.25f) == 1);
    CHECK(axis.index(0.5) == 2);
    CHECK(axis.index(1.0f) == std::nullopt);
}

TEST_CASE("guide: edges between integers")
{
    /// [integer_edges]
    const pp::regular_axis thirds(3, 0, 10);  // edges 0, 10/3, 20/3 and 10: bins of 4, 3 and 3 integers
    thirds.edge(1);                           // 4: the first integer of bin 1
    thirds.index(3.5);                        // 1: samples of any type are compared with 10/3
    const pp::regular_axis tenths(10, 0, 1);  // as np.histogram(x, 10, (0, 1))
    tenths.index(0.25f);                      // 2
    /// [integer_edges]
    std::vector<std::uint32_t> counts(3);
    pp::histogram(pp::host, std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, thirds, counts.begin());
    CHECK(counts == std::vector<std::uint32_t>{4, 3, 3});
    CHECK(thirds.edge(1) == 4);
    CHECK(thirds.index(3.5) == 1);
    CHECK(tenths.index(0.25f) == 2);
}

TEST_CASE("guide: flow")
{
    /// [flow]
    const std::vector<float> x{-3.0f, 0.1f, 0.6f, 0.7f, 1.0f, 8.0f, std::numeric_limits<float>::quiet_NaN()};
    const auto axis = pp::regular_axis(2, 0.0f, 1.0f).with_flow();
    std::vector<std::uint32_t> counts(axis.extent());     // 5: two bins, underflow, overflow, NaN
    pp::histogram(pp::host, x, axis, counts.begin());     // 1 2   1 2 1
    const std::uint32_t above = counts[axis.bins() + 1];  // 2
    /// [flow]
    CHECK(counts == std::vector<std::uint32_t>{1, 2, 1, 2, 1});
    CHECK(above == 2);
}

TEST_CASE("guide: counters")
{
    const std::vector<std::uint8_t> x{3, 3, 7};
    /// [counters]
    std::vector<std::uint32_t> counts(256);  // up to 2^32 - 1 samples
    pp::histogram(pp::host, x, pp::integer_axis(0, 256), counts.begin());
    std::vector<double> shares(256);  // for arithmetic afterwards; exact up to 2^53 samples
    pp::histogram(pp::host, x, pp::integer_axis(0, 256), shares.begin());
    /// [counters]
    CHECK(counts[3] == 2);
    CHECK(shares[7] == 1);
}

TEST_CASE("guide: samples that are computed")
{
    /// [computed]
    const std::vector<std::uint32_t> colours{0xff0000, 0xfe1234, 0x00ff00};  // red, green, blue
    const auto red = [](std::uint32_t colour) { return colour >> 16 & 0xff; };
    const pp::transform_iterator first(colours.begin(), red);
    std::vector<std::uint32_t> counts(256);
    pp::histogram(pp::host, first, first + std::ssize(colours), pp::integer_axis(0u, 256u), counts.begin());
    /// [computed]
    CHECK(counts[0xff] == 1);
    CHECK(counts[0xfe] == 1);
    CHECK(counts[0] == 1);
}

TEST_CASE("guide: logarithmic bins")
{
    /// [logarithmic]
    std::vector<double> edges{1.0};
    while (edges.size() < 10)
        edges.push_back(2 * edges.back());
    const pp::variable_axis axis(edges);  // 1, 2, 4 ... 512: exact edges
    std::vector<std::uint64_t> counts(axis.extent());
    pp::histogram(pp::host, std::vector<double>{1.0, 3.9, 4.0, 511.0}, axis, counts.begin());
    /// [logarithmic]
    CHECK(counts == std::vector<std::uint64_t>{1, 1, 1, 0, 0, 0, 0, 0, 1});
}

TEST_CASE("guide: several dimensions")
{
    /// [dimensions]
    const std::vector<float> height{1.62f, 1.75f, 1.81f}, weight{60, 72, 95};
    const pp::product_axis axis(pp::regular_axis(5, 1.5f, 2.0f), pp::regular_axis(4, 40.0f, 120.0f).with_flow());
    std::vector<std::uint32_t> counts(axis.extent());  // 5 * 7: the second axis has flow
    const pp::zip_iterator people(height.begin(), weight.begin());
    pp::histogram(pp::host, people, people + std::ssize(height), axis, counts.begin());
    const std::uint32_t tall_and_heavy = counts[axis.slot_at(3, 2)];  // bin 3 of height, bin 2 of weight
    const auto [i, j] = axis.position(8);                             // 1 and 1: the last axis is fastest
    /// [dimensions]
    CHECK(tall_and_heavy == 1);
    CHECK(i == 1);
    CHECK(j == 1);
}
