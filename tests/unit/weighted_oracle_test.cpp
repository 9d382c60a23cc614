/// @file
/// @brief  weighted_histogram and profile against integers of any size: exact, rounded once.
#include <doctest/doctest.h>

#include <parprims/detail/contract/weights.hpp>
#include <parprims/iterator.hpp>
#include <parprims/profile.hpp>
#include <parprims/weighted_histogram.hpp>

#include "support/data.hpp"
#include "support/exact_number.hpp"
#include "support/same_sum.hpp"

#include <boost/histogram/accumulators/mean.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

namespace pp = parprims;

namespace {

constexpr std::uint32_t bins_of_axis = 7;

template <class T>
std::vector<pp::weighted_sum<T>> sums_of(const std::vector<exact_moments>& bins)
{
    std::vector<pp::weighted_sum<T>> sums;
    for (const auto& bin : bins)
        sums.push_back({bin.rounded_sum<T>(), bin.rounded_squares<T>()});
    return sums;
}
template <class T>
std::vector<pp::profile_bin<T>> profiles_of(const std::vector<exact_moments>& bins)
{
    std::vector<pp::profile_bin<T>> profiles;
    for (const auto& bin : bins)
        profiles.push_back({bin.count, bin.mean<T>(), bin.variance<T>()});
    return profiles;
}

/// Checks the sums that `call(policy, bins, weights, axis, sums)` writes.
template <class Sum, class W, class Call>
void check_exact(const std::vector<std::uint32_t>& bins, const std::vector<W>& weights,
                 const std::vector<Sum>& expected, Call call)
{
    for (const unsigned threads : {1u, 3u}) {
        std::vector<Sum> found(bins_of_axis);
        call(pp::host.threads(threads), bins, weights.begin(), pp::integer_axis<std::uint32_t>(0, bins_of_axis),
             found.begin());
        for (std::size_t b = 0; b < bins_of_axis; ++b) {
            CAPTURE(b);
            CHECK(same_sum(found[b], expected[b]));
        }
    }
}

/// Checks all kinds of sums of finite weights, in two orders.
template <class W>
void check_weights(std::vector<W> weights, std::uint64_t seed)
{
    CAPTURE(seed);
    const auto add = [](auto... arguments) { pp::weighted_histogram(arguments...); };
    const auto profile = [](auto... arguments) { pp::profile(arguments...); };
    std::vector<std::uint32_t> bins = generate(
        weights.size(), [](std::uint64_t bits) { return static_cast<std::uint32_t>(bits >> 40) % (bins_of_axis + 1); },
        seed);
    std::vector<exact_moments> exact(bins_of_axis + 1);  // one more for those that are dropped
    for (std::size_t i = 0; i < weights.size(); ++i)
        exact[bins[i]].add(static_cast<double>(weights[i]));
    exact.pop_back();
    for (int order = 0; order < 2; ++order) {
        check_exact(bins, weights, sums_of<float>(exact), add);
        check_exact(bins, weights, sums_of<double>(exact), add);
        check_exact(bins, weights, profiles_of<float>(exact), profile);
        check_exact(bins, weights, profiles_of<double>(exact), profile);
        std::vector<float> floats;
        std::vector<double> doubles;
        for (const auto& bin : exact) {
            floats.push_back(bin.rounded_sum<float>());
            doubles.push_back(bin.rounded_sum<double>());
        }
        check_exact(bins, weights, floats, add);
        check_exact(bins, weights, doubles, add);
        random_bits random(seed);
        for (std::size_t i = weights.size(); i > 1; --i) {
            const std::size_t other = random() % i;
            std::swap(weights[i - 1], weights[other]);
            std::swap(bins[i - 1], bins[other]);
        }
    }
}

/// Kinds of weights, from random bits.
template <class W>
constexpr double (*kinds_of_weights[])(std::uint64_t bits) = {
    unit,
    [](std::uint64_t bits) { return std::abs(unit(bits)); },
    [](std::uint64_t bits) { return std::ldexp(unit(bits), static_cast<int>(bits % 41)); },
    [](std::uint64_t bits) { return std::ldexp(unit(bits), static_cast<int>(bits % 101)); },
    [](std::uint64_t bits) { return (bits % 2 == 0 ? 1e9 : -1e9) + unit(bits); },
    [](std::uint64_t bits) { return static_cast<double>(bits >> 44); },
    [](std::uint64_t bits) { return bits % 2 == 0 ? 0.0 : -0.0; },
    [](std::uint64_t bits) { return 1e6 + 1e-3 * unit(bits); },  // a narrow peak far from 0
    [](std::uint64_t bits) { return std::ldexp(unit(bits), std::numeric_limits<W>::min_exponent); },
    [](std::uint64_t bits) {
        return static_cast<double>(std::numeric_limits<W>::denorm_min()) * static_cast<double>(bits % 5);
    },
    [](std::uint64_t bits) {  // sums overflow, and some only on the way
        return static_cast<double>(std::numeric_limits<W>::max()) * (bits % 4 == 0 ? 1 : unit(bits));
    },
    [](std::uint64_t bits) {  // the whole range
        using limits = std::numeric_limits<W>;
        constexpr int binades = limits::max_exponent - limits::min_exponent + limits::digits;
        return std::ldexp(unit(bits), limits::min_exponent - limits::digits + static_cast<int>(bits % binades));
    },
    [](std::uint64_t bits) {  // a common fill value among others
        return bits % 10 == 0 ? 9.969209968386869e36 : unit(bits);
    },
    [](std::uint64_t bits) {  // halfway between two numbers, and a little that decides
        const double sign = bits % 2 == 0 ? 1 : -1;
        constexpr int digits = std::numeric_limits<W>::digits;
        return bits % 3 == 0 ? sign : std::ldexp(sign, bits % 3 == 1 ? -digits : -40 - digits);
    },
    [](std::uint64_t bits) {  // cancels to the last digit
        return (bits % 2 == 0 ? 1 : -1) * std::ldexp(1 + std::ldexp(1.0, 1 - std::numeric_limits<W>::digits), 60);
    },
};

}  // namespace

TEST_CASE_TEMPLATE("weighted sums and profiles are exact and rounded once, of weights of every kind", W, float, double)
{
    for (const std::size_t n : {1u, 2u, 63u, 64u, 65u, 1999u})
        for (const auto& weight : kinds_of_weights<W>) {
            CAPTURE(n);
            CAPTURE(&weight - kinds_of_weights<W>);
            for (std::uint64_t seed = 1; seed <= (n < 100 ? 8 : 2); ++seed)
                check_weights(generate(
                                  n, [&](std::uint64_t bits) { return static_cast<W>(weight(bits)); }, seed),
                              seed);
        }
}

TEST_CASE_TEMPLATE("each of 50,000 bins has the exact sums of a few weights, whatever kinds others have", W, float,
                   double)
{
    constexpr std::uint32_t bins = 50'000;
    const auto bin_of = [](std::uint64_t bits) { return static_cast<std::uint32_t>(bits >> 32) % bins; };
    const auto samples = generate(4 * bins, bin_of, 7);
    const auto weights = generate(
        4 * bins,
        [&](std::uint64_t bits) {
            const auto kind = kinds_of_weights<W>[bin_of(bits) % std::size(kinds_of_weights<W>)];
            return static_cast<W>(kind(bits * 0x9e3779b97f4a7c15));  // other bits than those of the bin
        },
        7);
    std::vector<exact_moments> exact(bins);
    for (std::size_t i = 0; i < samples.size(); ++i)
        exact[samples[i]].add(static_cast<double>(weights[i]));
    const pp::integer_axis<std::uint32_t> axis(0, bins);
    std::vector<pp::weighted_sum<W>> sums(bins);
    std::vector<pp::profile_bin<W>> profiles(bins);
    pp::weighted_histogram(pp::host.threads(2), samples, weights.begin(), axis, sums.begin());
    pp::profile(pp::host.threads(2), samples, weights.begin(), axis, profiles.begin());
    const auto expected_sums = sums_of<W>(exact);
    const auto expected_profiles = profiles_of<W>(exact);
    for (std::size_t b = 0; b < bins; ++b) {
        CAPTURE(b);
        REQUIRE(same_sum(sums[b], expected_sums[b]));
        REQUIRE(same_sum(profiles[b], expected_profiles[b]));
    }
}

TEST_CASE_TEMPLATE("a few weights may be much larger than all that a first look sees", W, float, double)
{
    auto weights = generate(3999, [](std::uint64_t bits) { return static_cast<W>(unit(bits)); });
    weights[3997] = 1000;
    weights[1] = static_cast<W>(1e30);
    weights[2] = std::numeric_limits<W>::denorm_min();
    check_weights(weights, 1);
}

TEST_CASE("integer weights are added exactly")
{
    check_weights(generate(5000, [](std::uint64_t bits) { return static_cast<std::int32_t>(bits >> 20); }), 1);
    check_weights(generate(5000, [](std::uint64_t bits) { return static_cast<std::uint32_t>(bits >> 20); }), 2);
    check_weights(generate(999, [](std::uint64_t bits) { return static_cast<std::int8_t>(bits >> 20); }), 3);
}

TEST_CASE("no weight disturbs another bin, nor the one that it is in")
{
    const auto axis = pp::integer_axis(0, 2);
    const float fill = 9.969209968386869e36f;
    for (const int bin : {1, 2, -1}) {  // or in none
        CAPTURE(bin);
        const std::vector<int> samples{0, 0, 0, bin};
        std::vector<float> sums(2);
        pp::weighted_histogram(pp::host, samples, std::vector<float>{1, 2, 3, fill}.begin(), axis, sums.begin());
        CHECK(sums == std::vector<float>{6, bin == 1 ? fill : 0});
        std::vector<pp::profile_bin<double>> bins(2);
        pp::profile(pp::host, samples, std::vector<double>{1, 2, 6, 1e10}.begin(), axis, bins.begin());
        CHECK(bins[0] == pp::profile_bin<double>{3, 3, 7});
    }
    std::vector<pp::weighted_sum<float>> pairs(2);
    pp::weighted_histogram(pp::host, std::vector<int>{0, 1, 0}, std::vector<float>{1e10f, 2, -1e10f}.begin(), axis,
                           pairs.begin());
    CHECK(pairs[0].value == 0);
    CHECK(pairs[1] == pp::weighted_sum<float>{2, 4});
    pp::profile_bin<float> small{};
    const std::vector<float> tenths{0.1f, 0.2f, 0.3f, 0.4f};
    pp::profile(pp::host, std::vector<int>{0, 0, 0, 0, 1}, std::vector<float>{0.1f, 0.2f, 0.3f, 0.4f, 1e38f}.begin(),
                pp::integer_axis(0, 1), &small);
    exact_moments expected;
    for (const float tenth : tenths)
        expected.add(static_cast<double>(tenth));
    CHECK(small == pp::profile_bin<float>{4, expected.mean<float>(), expected.variance<float>()});
    CHECK(small.mean == 0.25f);
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

TEST_CASE("sums of very many weights do not overflow")
{
    // All but those that a first look sees are as large as a word holds: a sum of 2^22 of them would reach 2^62 units.
    constexpr std::size_t n = std::size_t{3} << 22, part = n / parprims::detail::looked_weights;
    const pp::transform_iterator weights(pp::counting_iterator<std::size_t>(0), [](std::size_t i) {
        const auto look = static_cast<unsigned>(i / part);
        return parprims::detail::looked_weight(look, n) == i ? 0.5f : -(4.0f - 0x1p-22f);
    });
    std::vector<pp::profile_bin<double>> bins(20'000);  // so many that a task has one table
    pp::profile(pp::host.threads(1), pp::constant_iterator(0), pp::constant_iterator(0) + n, weights,
                pp::integer_axis(0, 20'000), bins.begin());
    const cpp_int large = exact_of(4.0 - 0x1p-22), small = exact_of(0.5), rest = n - 256;
    exact_moments expected;
    expected.count = n;
    expected.sum = 256 * small - rest * large;
    expected.squares = 256 * small * small + rest * large * large;
    CHECK(bins[0].count == n);
    CHECK(bins[0].mean == expected.mean<double>());
    CHECK(bins[0].variance == expected.variance<double>());
}

TEST_CASE("mean and variance are rounded once for any count")
{
    // One value 1 and many of 0: sums of one limb, divided by counts of up to 64 bits.
    namespace detail = parprims::detail;
    const auto one = detail::numeric::make_limb_row<1>(0, 0, 1, [](int) { return std::int64_t{1}; });
    for (int bits = 1; bits <= 64; ++bits)
        for (const std::uint64_t count :
             {~std::uint64_t{0} >> (64 - bits), (~std::uint64_t{0} >> (64 - bits)) / 3 + 2}) {
            if (count < 2)
                continue;
            const auto bin = detail::rounded_bin<pp::profile_bin<double>>(one, one, count, 0);
            CHECK(bin.mean == rounded_once<double>(1, count, 0));
            CHECK(bin.variance == rounded_once<double>(1, count, 0));  // (count - 1) / (count (count - 1))
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
