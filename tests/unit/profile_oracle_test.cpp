/// @file
/// @brief  profile against numbers of 2400 bits: its contract, step by step; and against Boost.Histogram.
#include <doctest/doctest.h>

#include <parprims/profile.hpp>

#include "support/data.hpp"

#include <boost/histogram/accumulators/mean.hpp>
#include <boost/multiprecision/cpp_bin_float.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <type_traits>
#include <vector>

namespace pp = parprims;

namespace {

using exact = boost::multiprecision::number<boost::multiprecision::cpp_bin_float<2400>>;
constexpr std::uint32_t extent = 5;

/// What profiles round values of type V to multiples of.
template <class V>
double unit_of(const std::vector<V>& values)
{
    double largest = std::is_same_v<V, float> ? std::numeric_limits<float>::min() : std::numeric_limits<double>::min();
    for (const V v : values)
        largest = std::max(largest, std::abs(static_cast<double>(v)));
    int exponent = 0;
    if (std::frexp(largest, &exponent) == 0.5)
        --exponent;
    int log2n = 0;
    while ((std::size_t{1} << log2n) < values.size())
        ++log2n;
    const int bits = std::is_same_v<V, float> ? 29 : std::min(62, (126 - log2n) / 2);
    return std::ldexp(1.0, std::max(exponent - bits, -1074));  // below, all values are multiples
}

/// `x` rounded to a multiple of `q`, ties to even.
exact to_multiple(double x, double q)
{
    const exact times = exact(x) / q;
    exact near = floor(times + 0.5);
    if (near - times == 0.5 && floor(near / 2) * 2 != near)
        near -= 1;
    return near * q;
}

/// Whether `found` differs from `expected` by less than 2^-50 of it.
template <class T>
bool is_close(T found, const exact& expected)
{
    if (std::isinf(found))
        return abs(expected) > std::numeric_limits<T>::max() && (found < 0) == (expected < 0);
    const exact error = abs(exact(found) - expected);
    const exact digit = std::is_same_v<T, float> ? exact(0x1p-24 + 0x1p-49) : exact(0x1p-50);
    return error <= digit * abs(expected) + exact(std::numeric_limits<T>::denorm_min());
}

/// Checks the bins of random samples with these values.
template <class V, class T>
void check_promise(const std::vector<V>& values, std::uint64_t seed)
{
    const std::size_t n = values.size();
    const auto samples = generate(
        n, [](std::uint64_t bits) { return static_cast<std::uint32_t>(bits >> 40) % extent; }, seed);
    std::vector<pp::profile_bin<T>> found(extent);
    pp::profile(pp::host, samples, values.begin(), pp::integer_axis<std::uint32_t>(0, extent), found.begin());
    const double q = unit_of(values);
    for (std::uint32_t b = 0; b < extent; ++b) {
        CAPTURE(b);
        CAPTURE(sizeof(T));
        CAPTURE(found[b].mean);
        CAPTURE(found[b].variance);
        exact sum = 0, true_sum = 0;
        std::uint64_t count = 0;
        std::vector<exact> rounded;
        for (std::size_t i = 0; i < n; ++i)
            if (samples[i] == b) {
                const auto value = static_cast<double>(values[i]);
                rounded.push_back(to_multiple(value, q));
                sum += rounded.back();
                true_sum += value;
                ++count;
            }
        REQUIRE(found[b].count == count);
        if (count == 0) {
            CHECK(std::isnan(found[b].mean));
            CHECK(std::isnan(found[b].variance));
            continue;
        }
        const exact mean = sum / count;
        CHECK(is_close(found[b].mean, mean));
        CHECK(abs(mean - true_sum / count) <= exact(q) / 2);
        if (count == 1) {
            CHECK(std::isnan(found[b].variance));
            continue;
        }
        exact squares = 0;
        for (const exact& x : rounded)
            squares += (x - mean) * (x - mean);
        const exact variance = squares / (count - 1);
        CHECK(is_close(found[b].variance, variance));
    }
}

}  // namespace

TEST_CASE_TEMPLATE("profiles of values of every kind are as exact as promised", V, float, double, std::int32_t)
{
    double (*const kinds[])(std::uint64_t) = {
        unit,
        [](std::uint64_t bits) { return std::ldexp(unit(bits), static_cast<int>(bits % 61) - 30); },
        [](std::uint64_t bits) { return 1e6 + 1e-3 * unit(bits); },  // a narrow peak far from zero
        [](std::uint64_t) { return 0x1.234567p20; },
        [](std::uint64_t bits) { return static_cast<double>(static_cast<std::int32_t>(bits >> 20)); },
        [](std::uint64_t bits) {
            return static_cast<double>(std::numeric_limits<V>::min()) * static_cast<double>(bits % 5);
        },
        [](std::uint64_t bits) {
            return static_cast<double>(std::numeric_limits<V>::max()) * (bits % 4 == 0 ? 1 : unit(bits));
        },
    };
    for (const std::size_t n : {1u, 7u, 64u, 900u})
        for (std::size_t kind = 0; kind < std::size(kinds); ++kind) {
            if (std::is_integral_v<V> && kind > 4)
                continue;
            CAPTURE(n);
            CAPTURE(kind);
            const auto values = generate(
                n, [&](std::uint64_t bits) { return static_cast<V>(kinds[kind](bits)); }, n + kind);
            check_promise<V, double>(values, n);
            check_promise<V, float>(values, n + 1);
        }
}

TEST_CASE("means next to an integer of either sign are as exact as promised")
{
    // Nearly all values of a bin are one multiple of the unit above or below zero.
    for (const double sign : {1.0, -1.0}) {
        auto values = generate(5000, [=](std::uint64_t bits) {
            return bits % 400 == 0 ? 0.0f : 0x1p-29f * static_cast<float>(sign);
        });
        values[0] = 1;
        check_promise<float, double>(values, 1);
    }
}

TEST_CASE("the sums of a profile fit their words, however many values there are")
{
    for (int log2n = 0; log2n < 48; ++log2n) {
        CAPTURE(log2n);
        const std::size_t n = std::size_t{1} << log2n;
        const int narrow = parprims::detail::weight_traits<float>::bits<3>(n);
        CHECK(log2n + narrow <= 62);          // a sum has 64 bits
        CHECK(log2n + 2 * narrow <= 94);      // that of squares 96
        CHECK(5 + 2 * narrow <= 63);          // that of a warp's squares 64, without a sign
        CHECK((narrow == 29 || log2n > 33));  // as documented
        const int wide = parprims::detail::weight_traits<double>::bits<3>(n);
        CHECK(log2n + wide <= 94);
        CHECK(log2n + 2 * wide <= 126);
        CHECK(wide == std::min(62, (126 - log2n) / 2));
    }
}

TEST_CASE("profile agrees with the mean of Boost.Histogram")
{
    const auto samples = generate(20000, [](std::uint64_t bits) { return static_cast<float>(0.5 + 0.6 * unit(bits)); });
    const auto values = generate(
        20000, [](std::uint64_t bits) { return 3 + unit(bits); }, 5);
    const auto axis = pp::regular_axis(20, 0.0f, 1.0f).with_flow();
    std::vector<pp::profile_bin<double>> bins(axis.extent());
    pp::profile(pp::host, samples, values.begin(), axis, bins.begin());
    std::vector<boost::histogram::accumulators::mean<double>> expected(axis.extent());
    const auto plain = pp::regular_axis(20, 0.0f, 1.0f);
    for (std::size_t i = 0; i < 20000; ++i)
        expected[plain.index(samples[i]) ? *plain.index(samples[i]) : samples[i] < 0 ? 20 : 21](values[i]);
    for (std::size_t b = 0; b < 22; ++b) {
        CHECK(static_cast<double>(bins[b].count) == expected[b].count());
        CHECK(bins[b].mean == doctest::Approx(expected[b].value()).epsilon(1e-12));
        CHECK(bins[b].variance == doctest::Approx(expected[b].variance()).epsilon(1e-10));
    }
    CHECK(bins[22].count == 0);
}
