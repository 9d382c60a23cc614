/// @file
/// @brief  Positions of extremes: those of std, with ties, NaN and orders of the caller's, everywhere the same.
#include <doctest/doctest.h>

#include <parprims/device_buffer.hpp>
#include <parprims/error.hpp>
#include <parprims/extremes.hpp>
#include <parprims/iterator.hpp>

#include "support/backend.hpp"
#include "support/data.hpp"
#include "support/values.hpp"

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

namespace pp = parprims;

namespace {

constexpr std::size_t element_counts[] = {1, 2, 15, 16, 17, 33, 1000, 40001, 3000017};

/// Few different values: most are ties.
template <class T>
std::vector<T> with_ties(std::size_t n, std::uint64_t seed)
{
    return generate(
        n, [](std::uint64_t bits) { return static_cast<T>(static_cast<float>(bits % 100)); }, seed);
}

/// A value of 12 bytes, ordered by its second member.
struct measurement {
    std::int32_t sensor;
    float value;
    std::int32_t time;
    void operator&() const = delete;
};
struct by_value {
    PARPRIMS_HOST_DEVICE bool operator()(const measurement& a, const measurement& b) const { return a.value < b.value; }
};

/// All three searches, by the calls that return positions and by those that write them, find what std finds.
template <class Backend, class T, class Compare>
void check_all(const std::vector<T>& values, std::size_t offset, Compare compare, std::size_t least,
               std::size_t greatest, std::size_t last_greatest)
{
    const auto input = place<Backend>(values, offset);
    const auto policy = Backend::policy();
    const T* const first = input.begin();
    const T* const last = input.end();
    const auto at = [&](const T* it) { return static_cast<std::size_t>(it - first); };
    CAPTURE(values.size());
    CAPTURE(offset);
    CHECK(at(pp::min_element(policy, first, last, compare)) == least);
    CHECK(at(pp::max_element(policy, first, last, compare)) == greatest);
    const auto both = pp::minmax_element(policy, first, last, compare);
    CHECK(at(both.first) == least);
    CHECK(at(both.second) == last_greatest);

    const auto out = poisoned<Backend, std::uint64_t>(4);
    pp::min_element_into(policy, first, last, out.begin(), compare);
    pp::max_element_into(policy, first, last, out.begin() + 1, compare);
    pp::minmax_element_into(policy, first, last, out.begin() + 2, compare);
    CHECK(out.read() == std::vector<std::uint64_t>{least, greatest, least, last_greatest});

    const auto of_range = poisoned<Backend, std::uint64_t>(4);
    const std::span<const T> range(first, last);
    pp::min_element_into(policy, range, of_range.begin(), compare);
    pp::max_element_into(policy, range, of_range.begin() + 1, compare);
    pp::minmax_element_into(policy, range, of_range.begin() + 2, compare);
    CHECK(of_range.read() == out.read());
}

template <class Backend, class T, class Compare>
void check_as_std(const std::vector<T>& values, std::size_t offset, Compare compare)
{
    const auto at = [&](auto it) { return static_cast<std::size_t>(it - values.begin()); };
    const auto [least, last_greatest] = std::minmax_element(values.begin(), values.end(), compare);
    check_all<Backend>(values, offset, compare, at(least), at(std::max_element(values.begin(), values.end(), compare)),
                       at(last_greatest));
}

}  // namespace

TEST_CASE_TEMPLATE("extremes are those of std at every size and alignment", Backend, PARPRIMS_BACKENDS)
{
    for (const std::size_t n : element_counts)
        for (const std::size_t offset : {0, 1, 7}) {
            check_as_std<Backend>(with_ties<std::int8_t>(n, n + offset), offset, pp::less{});
            check_as_std<Backend>(with_ties<float>(n, n + offset), offset, pp::less{});
#if PARPRIMS_CUDA_COMPILER
            check_as_std<Backend>(with_ties<__half>(n, n + offset), offset, pp::less{});
#endif
        }
    check_as_std<Backend>(std::vector<float>(70000, -1.5f), 0, pp::less{});  // one tie
    std::vector<std::int8_t> descending(70000);
    for (std::size_t i = 0; i < descending.size(); ++i)
        descending[i] = static_cast<std::int8_t>(100 - i / 400);
    check_as_std<Backend>(descending, 3, pp::less{});
}

TEST_CASE_TEMPLATE("extremes of an order and a type of the caller's", Backend, PARPRIMS_BACKENDS)
{
    for (const std::size_t n : {std::size_t{1}, std::size_t{100}, std::size_t{100003}}) {
        std::vector<measurement> values;
        for (const float x : with_ties<float>(n, n))
            values.push_back({static_cast<std::int32_t>(values.size()), x, -1});
        check_as_std<Backend>(values, 1, by_value{});
    }
}

TEST_CASE_TEMPLATE("the extreme of numbers with NaN is the first NaN, the last one for minmax", Backend,
                   PARPRIMS_BACKENDS)
{
    const float nan = std::numeric_limits<float>::quiet_NaN();
    for (const std::size_t n : {std::size_t{3}, std::size_t{5000}, std::size_t{2500001}}) {
        auto values = with_ties<float>(n, 5);
        values[n / 3] = -nan;
        values[n - 1] = nan;
        check_all<Backend>(values, 1, pp::less{}, n / 3, n / 3, n - 1);
        const float inf = std::numeric_limits<float>::infinity();
        std::vector<float> none(n, nan);
        none[n / 2] = inf;
        check_all<Backend>(none, 0, pp::less{}, 0, 0, n - 1);
    }
}

TEST_CASE("extremes of classes with a NaN in them are found in the same place by any number of threads")
{
    struct point {
        float x, y;
        auto operator<=>(const point&) const = default;
    };
    const float nan = std::numeric_limits<float>::quiet_NaN();
    std::vector<point> values(600000, point{9, 9});
    values[0] = {1, nan};  // is not equal to itself, and less than some: a NaN, so the least and the greatest
    values[50000] = {0, 5};
    values[50001] = {3, nan};
    values[590000] = {20, 1};
    for (const unsigned threads : {1, 2, 5}) {
        CAPTURE(threads);
        const auto policy = pp::host.threads(threads);
        CHECK(pp::min_element(policy, values) - values.begin() == 0);
        CHECK(pp::max_element(policy, values) - values.begin() == 0);
        CHECK(pp::minmax_element(policy, values).second - values.begin() == 50001);
    }
}

TEST_CASE("the extreme of classes with a NaN is the first NaN, the last one for minmax, wherever it is")
{
    struct boxed {
        float value;
        bool operator==(const boxed&) const = default;
        bool operator<(const boxed& other) const { return value < other.value; }
    };
    const float nan = std::numeric_limits<float>::quiet_NaN();
    std::vector<boxed> values;
    for (const float x : with_ties<float>(5000, 3))
        values.push_back({x});
    for (const std::size_t first : {std::size_t{0}, std::size_t{1}, std::size_t{4000}, values.size() - 1}) {
        CAPTURE(first);
        auto with_nan = values;
        with_nan[first] = {nan};
        with_nan.back() = {nan};
        check_all<host_backend>(with_nan, 0, pp::less{}, first, first, values.size() - 1);
    }
}

TEST_CASE("an order of the caller's decides where NaN are")
{
    struct nan_last {
        bool operator()(float a, float b) const { return a < b || (b != b && a == a); }
    };
    auto values = with_ties<float>(5000, 3);
    for (const std::size_t i : {0, 7, 4000, 4999})
        values[i] = std::numeric_limits<float>::quiet_NaN();
    check_as_std<host_backend>(values, 0, nan_last{});
    std::vector<measurement> classes;
    for (const float x : values)
        classes.push_back({0, x, 0});
    check_as_std<host_backend>(classes, 0,
                               [](const measurement& a, const measurement& b) { return nan_last{}(a.value, b.value); });
}

TEST_CASE_TEMPLATE("extremes of computed values, and of none", Backend, PARPRIMS_BACKENDS)
{
    const auto policy = Backend::policy();
    const pp::counting_iterator<std::uint32_t> numbers(0);
    CHECK(pp::max_element(policy, numbers, numbers + 100000) - numbers == 99999);
    CHECK(pp::min_element(policy, numbers, numbers) == numbers);

    const auto values = place<Backend>(std::vector<float>{3, -5, 4});
    const float* const first = values.begin();
    const auto none = pp::minmax_element(policy, first + 1, first + 1);
    CHECK(none.first == first + 1);
    CHECK(none.second == first + 1);
    const auto out = poisoned<Backend, std::uint32_t>(2);
    pp::minmax_element_into(policy, first, first, out.begin());
    CHECK(out.read() == std::vector<std::uint32_t>{0, 0});
}

TEST_CASE("the host writes positions to any output")
{
    const std::vector<float> x{3, 1, 2};
    std::vector<std::size_t> doubled(2);
    const auto twice = [](std::size_t i) { return 2 * i; };
    pp::minmax_element_into(pp::host, x.begin(), x.end(), pp::transform_output_iterator(doubled.begin(), twice));
    CHECK(doubled == std::vector<std::size_t>{2, 0});
    pp::min_element_into(pp::host, x.begin(), x.end(), pp::discard_iterator());
    std::int32_t least = 0;
    pp::min_element_into(pp::host, x.begin(), x.end(), &least);
    CHECK(least == 1);
}

TEST_CASE("the examples of extremes")
{
    /// [min_element]
    const std::vector<float> x{2, -3, 5, -3};
    const auto least = pp::min_element(pp::host, x.begin(), x.end());  // x.begin() + 1: the first of two
    /// [min_element]
    CHECK(least == x.begin() + 1);

    /// [max_element]
    const auto nearer_to_zero = [](float a, float b) { return a * a < b * b; };
    const auto farthest = pp::max_element(pp::host, x, nearer_to_zero);  // x.begin() + 2
    /// [max_element]
    CHECK(farthest == x.begin() + 2);

    /// [minmax_element]
    const auto [low, high] = pp::minmax_element(pp::host, x);
    const float range = *high - *low;  // 8
    /// [minmax_element]
    CHECK(range == 8);

    /// [min_element_into]
    std::size_t positions[4];
    pp::min_element_into(pp::host, x.begin(), x.end(), positions);         // 1
    pp::max_element_into(pp::host, x.begin(), x.end(), positions + 1);     // 2
    pp::minmax_element_into(pp::host, x.begin(), x.end(), positions + 2);  // 1, 2
    /// [min_element_into]
    CHECK(positions[0] == 1);
    CHECK(positions[1] == 2);
    CHECK(positions[2] == 1);
    CHECK(positions[3] == 2);
}

TEST_CASE("a search on the host compares each element once, and numbers once more where the extreme changes")
{
    constexpr std::size_t n = 256 * 100;
    std::size_t calls = 0;
    const auto compare = [&](auto a, auto b) { return ++calls, a < b; };
    const auto calls_of = [&](const auto& search) {
        calls = 0;
        search();
        return static_cast<double>(calls) / n;
    };
    const auto on = pp::host.threads(1);
    std::vector<int> ascending(n);
    std::iota(ascending.begin(), ascending.end(), 0);
    CHECK(calls_of([&] { (void)pp::min_element(on, ascending, compare); }) == doctest::Approx(1).epsilon(0.01));
    CHECK(calls_of([&] { (void)pp::max_element(on, ascending, compare); }) == doctest::Approx(2).epsilon(0.01));
    CHECK(calls_of([&] { (void)pp::minmax_element(on, ascending, compare); }) == doctest::Approx(3).epsilon(0.01));
    const std::vector<int> level(n, 7);
    CHECK(calls_of([&] { (void)pp::max_element(on, level, compare); }) == doctest::Approx(1).epsilon(0.01));
}
