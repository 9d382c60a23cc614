/// @file
/// @brief  inclusive_scan, exclusive_scan and their transforming forms, against a loop.
#include <doctest/doctest.h>

#include <parprims/scan.hpp>

#include "support/backend.hpp"
#include "support/data.hpp"
#include "support/scan_check.hpp"
#include "support/values.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <vector>

namespace pp = parprims;

TEST_CASE_TEMPLATE("scan adds up numbers of one byte", Backend, PARPRIMS_BACKENDS)
{
    check_scan<Backend, std::int8_t>(std::int8_t{3});
}

TEST_CASE_TEMPLATE("scan adds up integers", Backend, PARPRIMS_BACKENDS)
{
    check_scan<Backend, std::int64_t>(std::int64_t{-3});
}

TEST_CASE_TEMPLATE("scan adds up floating-point numbers", Backend, PARPRIMS_BACKENDS)
{
    check_scan<Backend, float>(3.0f);
    check_scan<Backend, double>(-3.0);
}

TEST_CASE_TEMPLATE("scan adds up structs of 256 bytes without a default constructor", Backend, PARPRIMS_BACKENDS)
{
    check_scan<Backend, wide>(wide(5));
}

TEST_CASE_TEMPLATE("scan keeps the order of an operator that does not commute", Backend, PARPRIMS_BACKENDS)
{
    for (const std::size_t n : scan_sizes<affine>()) {
        CAPTURE(n);
        const std::vector<affine> maps = generate(n, [](std::uint64_t bits) {
            return affine{static_cast<std::uint32_t>(bits) | 1, static_cast<std::uint32_t>(bits >> 32), 1};
        });
        check_scan_of<Backend>(maps, std::optional(affine{3, 5, 1}), then{}, 1, 0);
    }
}

TEST_CASE_TEMPLATE("scan joins every interval to the one before it", Backend, PARPRIMS_BACKENDS)
{
    for (const std::size_t n : scan_sizes<interval>()) {
        CAPTURE(n);
        std::vector<interval> elements;
        for (std::uint64_t i = 0; i < n; ++i)
            elements.push_back({i + 10, i + 10});
        const auto x = place<Backend>(elements);
        for_each_scan_policy<Backend>([&](const auto& policy) {
            const auto out = poisoned<Backend, interval>(n);
            pp::inclusive_scan(policy, x.begin(), x.end(), out.begin(), join{});
            std::vector<interval> answers = out.read();
            std::size_t wrong = 0;
            for (std::size_t i = 0; i < n; ++i)
                wrong += !(answers[i] == interval{10, 10 + i});
            pp::exclusive_scan(policy, x.begin(), x.end(), out.begin(), interval{0, 9}, join{});
            answers = out.read();
            for (std::size_t i = 0; i < n; ++i)
                wrong += !(answers[i] == interval{0, 9 + i});
            CHECK(wrong == 0);
        });
    }
}

TEST_CASE_TEMPLATE("transform scans combine what the transform makes of the elements", Backend, PARPRIMS_BACKENDS)
{
    for (const std::size_t n : scan_sizes<float>()) {
        CAPTURE(n);
        const std::vector<std::int8_t> values = small_values<std::int8_t>(n);
        std::vector<float> squares;
        for (const std::int8_t value : values)
            squares.push_back(static_cast<float>(value * value));
        const auto x = place<Backend>(values, 1);
        for_each_scan_policy<Backend>([&](const auto& policy) {
            const auto out = poisoned<Backend, float>(n, 1);
            const auto end =
                pp::transform_inclusive_scan(policy, x.begin(), x.end(), out.begin(), pp::plus{}, square_as_float{});
            CHECK(end == out.end());
            CHECK(first_difference(out.read(), loop_scan(true, squares, std::optional<float>(), pp::plus{})) == n);
            pp::transform_inclusive_scan(policy, x.begin(), x.end(), out.begin(), pp::plus{}, square_as_float{}, 2.0f);
            CHECK(first_difference(out.read(), loop_scan(true, squares, std::optional(2.0f), pp::plus{})) == n);
            pp::transform_exclusive_scan(policy, x.begin(), x.end(), out.begin(), 2.0f, pp::plus{}, square_as_float{});
            CHECK(first_difference(out.read(), loop_scan(false, squares, std::optional(2.0f), pp::plus{})) == n);
        });
    }
}

TEST_CASE_TEMPLATE("scan combines in the type of init", Backend, PARPRIMS_BACKENDS)
{
    const std::vector<std::int8_t> values(100000, 100);
    const auto x = place<Backend>(values);
    const auto out = poisoned<Backend, std::int64_t>(values.size(), 1);
    pp::exclusive_scan(Backend::policy(), x.begin(), x.end(), out.begin(), std::int64_t{-7});
    const std::vector<std::int64_t> answers = out.read();
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < answers.size(); ++i)
        wrong += answers[i] != static_cast<std::int64_t>(100 * i) - 7;
    CHECK(wrong == 0);
}

TEST_CASE_TEMPLATE("scan of nothing writes nothing", Backend, PARPRIMS_BACKENDS)
{
    float* const nowhere = nullptr;
    for_each_scan_policy<Backend>([&](const auto& policy) {
        CHECK(pp::inclusive_scan(policy, nowhere, nowhere, nowhere) == nullptr);
        CHECK(pp::exclusive_scan(policy, nowhere, nowhere, nowhere, 1.0f) == nullptr);
    });
}

TEST_CASE("the example of inclusive_scan")
{
    /// [inclusive_scan]
    const std::vector<int> values{3, 1, 4, 1, 5};
    std::vector<int> sums(values.size());
    pp::inclusive_scan(pp::host, values, sums.begin());  // 3 4 8 9 14
    /// [inclusive_scan]
    CHECK(sums == std::vector<int>{3, 4, 8, 9, 14});
}

TEST_CASE("the example of exclusive_scan")
{
    /// [exclusive_scan]
    const std::vector<int> lengths{3, 1, 4};
    std::vector<int> starts(lengths.size());
    pp::exclusive_scan(pp::host, lengths, starts.begin(), 100);  // 100 103 104
    /// [exclusive_scan]
    CHECK(starts == std::vector<int>{100, 103, 104});
}

TEST_CASE("the example of transform_inclusive_scan")
{
    /// [transform_inclusive_scan]
    const std::vector<float> values{1, -2, 3};
    std::vector<float> sums(values.size());
    const auto magnitude = [](float x) { return x < 0 ? -x : x; };
    pp::transform_inclusive_scan(pp::host, values, sums.begin(), pp::plus{}, magnitude);  // 1 3 6
    /// [transform_inclusive_scan]
    CHECK(sums == std::vector<float>{1, 3, 6});
}

TEST_CASE("the example of transform_exclusive_scan")
{
    /// [transform_exclusive_scan]
    const std::vector<int> values{5, -1, 7, 0, 9};
    std::vector<std::size_t> places(values.size());  // where each positive value goes when they are packed
    const auto is_positive = [](int x) { return x > 0 ? std::size_t{1} : std::size_t{0}; };
    pp::transform_exclusive_scan(pp::host, values, places.begin(), std::size_t{0}, pp::plus{},
                                 is_positive);  // 0 1 1 2 2
    /// [transform_exclusive_scan]
    CHECK(places == std::vector<std::size_t>{0, 1, 1, 2, 2});
}
