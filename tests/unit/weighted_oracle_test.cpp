/// @file
/// @brief  weighted_histogram against sums of integers of any size: its contract, step by step.
#include <doctest/doctest.h>

#include <parprims/weighted_histogram.hpp>

#include "support/data.hpp"

#include <boost/multiprecision/cpp_int.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

namespace pp = parprims;
using boost::multiprecision::cpp_int;

namespace {

/// Numbers are multiples of 2^-2400 here: squares of all doubles are.
constexpr int base = 2400;

cpp_int power(int exponent)
{
    return cpp_int(1) << static_cast<unsigned>(base + exponent);
}

cpp_int exact_of(double x)
{
    int exponent = 0;
    const double digits = std::ldexp(std::frexp(x, &exponent), 53);
    const cpp_int magnitude = cpp_int(static_cast<std::int64_t>(std::abs(digits))) * power(exponent - 53);
    return x < 0 ? cpp_int(-magnitude) : magnitude;
}

/// `x` rounded to a multiple of `q`, ties to even.
cpp_int to_multiple(const cpp_int& x, const cpp_int& q)
{
    const cpp_int magnitude = abs(x);
    cpp_int times = magnitude / q;
    const cpp_int twice_rest = 2 * (magnitude - times * q);
    if (twice_rest > q || (twice_rest == q && times % 2 == 1))
        ++times;
    return x < 0 ? cpp_int(-times * q) : cpp_int(times * q);
}

/// Whether `x` is the T nearest to `sum`; of two, the even one.
template <class T>
bool is_nearest(T x, const cpp_int& sum)
{
    using limits = std::numeric_limits<T>;
    const cpp_int overflow = power(limits::max_exponent);  // as if there were one more finite number
    const auto number = [&](T value) {
        return std::isinf(value) ? (value < 0 ? cpp_int(-overflow) : overflow) : exact_of(static_cast<double>(value));
    };
    if (x == 0)
        return std::signbit(x) == (sum < 0) && 2 * abs(sum) <= exact_of(static_cast<double>(limits::denorm_min()));
    const cpp_int off = abs(cpp_int(number(x) - sum));
    if (std::isinf(x) && abs(sum) >= overflow)
        return (x < 0) == (sum < 0);
    const T below = std::nextafter(x, -limits::infinity()), above = std::nextafter(x, limits::infinity());
    bool nearest = true;
    for (const T other : {below, above})
        if (other != x) {
            const cpp_int others = abs(cpp_int(number(other) - sum));
            int exponent = 0;
            const bool even = std::isinf(x) ||
                              std::fmod(std::ldexp(std::frexp(x, &exponent), limits::digits), T{2}) == 0 ||
                              std::abs(x) < limits::min();
            nearest = nearest && (off < others || (off == others && even));
        }
    return nearest;
}

template <class W>
constexpr int room = std::is_same_v<W, float> ? 62 : 94;

/// The sums that the contract promises for finite weights.
template <class W>
struct promised {
    std::vector<cpp_int> sums, squares, exact_sums;
    std::vector<std::size_t> counts;
    cpp_int q;

    promised(const std::vector<std::uint32_t>& bins, const std::vector<W>& weights, std::size_t extent,
             double bound = 0)
        : sums(extent), squares(extent), exact_sums(extent), counts(extent)
    {
        double largest =
            std::is_same_v<W, float> ? std::numeric_limits<float>::min() : std::numeric_limits<double>::min();
        for (const W w : weights)
            largest = std::max(largest, std::abs(static_cast<double>(w)));
        largest = std::max(largest, bound);
        int e = 0;
        if (std::frexp(largest, &e) == 0.5)
            --e;
        int log2n = 0;
        while ((std::size_t{1} << log2n) < weights.size())
            ++log2n;
        q = power(e - room<W> + log2n);
        const cpp_int square_q = power(2 * e - room<W> + log2n);
        for (std::size_t i = 0; i < weights.size(); ++i) {
            const cpp_int w = exact_of(static_cast<double>(weights[i]));
            const cpp_int square = w * w >> base;
            sums[bins[i]] += to_multiple(w, q);
            squares[bins[i]] += to_multiple(square, square_q);
            exact_sums[bins[i]] += w;
            ++counts[bins[i]];
        }
    }
};

constexpr std::uint32_t bins_of_axis = 7;

/// Checks all kinds of sums, of the samples in any order.
template <class W>
void check_promise(std::vector<W> weights, std::uint64_t seed)
{
    std::vector<std::uint32_t> bins = generate(
        weights.size(), [](std::uint64_t bits) { return static_cast<std::uint32_t>(bits >> 40) % bins_of_axis; }, seed);
    const promised<W> expected(bins, weights, bins_of_axis);
    const auto axis = pp::integer_axis<std::uint32_t>(0, bins_of_axis);
    std::vector<pp::weighted_sum<double>> pairs(bins_of_axis);
    std::vector<double> doubles(bins_of_axis);
    std::vector<float> floats(bins_of_axis);
    pp::weighted_histogram(pp::host, bins, weights.begin(), axis, pairs.begin());
    pp::weighted_histogram(pp::host, bins, weights.begin(), axis, doubles.begin());
    pp::weighted_histogram(pp::host, bins, weights.begin(), axis, floats.begin());
    for (std::size_t b = 0; b < bins_of_axis; ++b) {
        CAPTURE(b);
        CAPTURE(seed);
        CAPTURE(doubles[b]);
        CAPTURE(floats[b]);
        CHECK(is_nearest(doubles[b], expected.sums[b]));
        CHECK(is_nearest(floats[b], expected.sums[b]));
        CHECK(pairs[b].value == doubles[b]);
        CHECK(is_nearest(pairs[b].variance, expected.squares[b]));
        // The bound of the documentation, and half a digit of the result.
        if (std::isfinite(doubles[b]) && doubles[b] != 0) {
            const cpp_int digit = exact_of(std::abs(doubles[b] - std::nextafter(doubles[b], 0.0)));
            CHECK(2 * abs(cpp_int(exact_of(doubles[b]) - expected.exact_sums[b])) <=
                  expected.counts[b] * expected.q + 2 * digit);
        }
    }

    double largest = 0;
    for (const W w : weights)
        largest = std::max(largest, std::abs(static_cast<double>(w)));
    if (100 * largest < static_cast<double>(std::numeric_limits<float>::max())) {
        // The second bound is just above a power of two: no float lies between them.
        for (const double bound : {100 * largest, std::exp2(std::ceil(std::log2(largest))) * (1 + 0x1p-40)}) {
            CAPTURE(bound);
            const promised<W> coarse(bins, weights, bins_of_axis, bound);
            pp::weighted_histogram(pp::host, bins, weights.begin(), axis, doubles.begin(), pp::magnitude_bound(bound));
            for (std::size_t b = 0; b < bins_of_axis; ++b)
                CHECK(is_nearest(doubles[b], coarse.sums[b]));
        }
        pp::weighted_histogram(pp::host, bins, weights.begin(), axis, doubles.begin(), pp::magnitude_bound(largest));
        for (std::size_t b = 0; b < bins_of_axis; ++b)
            CHECK(doubles[b] == pairs[b].value);
    }

    random_bits random(seed);
    for (std::size_t i = weights.size(); i > 1; --i) {
        const std::size_t other = random() % i;
        std::swap(weights[i - 1], weights[other]);
        std::swap(bins[i - 1], bins[other]);
    }
    for (const unsigned threads : {1u, 3u}) {
        std::vector<float> again(bins_of_axis);
        pp::weighted_histogram(pp::host.threads(threads), bins, weights.begin(), axis, again.begin());
        CHECK(again == floats);
    }
}

template <class W>
void check_kind(std::size_t n, double (*weight)(std::uint64_t))
{
    for (std::uint64_t seed = 1; seed <= 3; ++seed)
        check_promise(generate(
                          n, [=](std::uint64_t bits) { return static_cast<W>(weight(bits)); }, seed),
                      seed);
}

}  // namespace

TEST_CASE_TEMPLATE("weights of every kind are added as promised", W, float, double)
{
    for (const std::size_t n : {1u, 2u, 63u, 64u, 65u, 3999u}) {
        CAPTURE(n);
        check_kind<W>(n, unit);
        check_kind<W>(n, [](std::uint64_t bits) { return std::abs(unit(bits)); });
        check_kind<W>(n, [](std::uint64_t bits) { return std::ldexp(unit(bits), static_cast<int>(bits % 61)); });
        check_kind<W>(n, [](std::uint64_t bits) { return (bits % 2 == 0 ? 1e9 : -1e9) + unit(bits); });
        check_kind<W>(n, [](std::uint64_t bits) { return static_cast<double>(bits >> 44); });
        check_kind<W>(n, [](std::uint64_t) { return 0.0; });
        check_kind<W>(n,
                      [](std::uint64_t bits) { return std::ldexp(unit(bits), std::numeric_limits<W>::min_exponent); });
        check_kind<W>(n, [](std::uint64_t bits) {
            return static_cast<double>(std::numeric_limits<W>::denorm_min()) * static_cast<double>(bits % 5);
        });
        check_kind<W>(n, [](std::uint64_t bits) {
            return static_cast<double>(std::numeric_limits<W>::max()) * (bits % 4 == 0 ? 1 : unit(bits));
        });
        check_kind<W>(n, [](std::uint64_t bits) {
            const double scale = bits % 2 == 0 ? static_cast<double>(std::numeric_limits<W>::denorm_min()) : 1;
            return scale * static_cast<double>(1 + bits % 7);
        });
    }
}

TEST_CASE_TEMPLATE("one weight may be much larger than all that a first look sees", W, float, double)
{
    auto weights = generate(3999, [](std::uint64_t bits) { return static_cast<W>(unit(bits)); });
    weights[3997] = 1000;
    check_promise(weights, 1);
}

TEST_CASE("infinities and NaN among many floats change their own bins only")
{
    const std::size_t n = 3999;
    auto samples = generate(n, [](std::uint64_t bits) { return static_cast<int>(bits >> 40) % 5 + 3; });
    auto weights = generate(n, [](std::uint64_t bits) { return static_cast<float>(unit(bits)); });
    const auto sums_with = [&](float first, float second, float third) {
        std::size_t i = 0;
        for (const auto& [place, weight] : {std::pair(100, first), std::pair(2500, second), std::pair(3997, third)}) {
            samples[static_cast<std::size_t>(place)] = static_cast<int>(i++);
            weights[static_cast<std::size_t>(place)] = weight;
        }
        std::vector<double> sums(8);
        pp::weighted_histogram(pp::host, samples, weights.begin(), pp::integer_axis(0, 8), sums.begin());
        return sums;
    };
    constexpr float infinity = std::numeric_limits<float>::infinity();
    auto expected = sums_with(0, 0, 0);
    auto found = sums_with(infinity, -infinity, std::numeric_limits<float>::quiet_NaN());
    CHECK(std::isnan(std::exchange(found[2], 0.0)));
    expected[0] = std::numeric_limits<double>::infinity();
    expected[1] = -expected[0];
    CHECK(found == expected);
}

TEST_CASE("integer weights are added exactly")
{
    const auto weights = generate(5000, [](std::uint64_t bits) { return static_cast<std::int32_t>(bits >> 20); });
    check_promise(weights, 1);
    check_promise(generate(5000, [](std::uint64_t bits) { return static_cast<std::uint32_t>(bits >> 20); }), 2);
    const std::vector<int> samples(weights.size());
    std::int64_t total = 0;
    for (const std::int32_t w : weights)
        total += w;
    double sum = 0;
    pp::weighted_histogram(pp::host, samples, weights.begin(), pp::integer_axis(0, 1), &sum);
    CHECK(sum == static_cast<double>(total));
}
