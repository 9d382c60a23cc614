/// @file
/// @brief  The host backend gives the bits of the order contract, for every type, every n and any number of threads.
#include <parprims/detail/host/reduce.hpp>
#include <parprims/detail/host/scan.hpp>
#include <parprims/functional.hpp>

#include <doctest/doctest.h>

#include "support/host_values.hpp"
#include "support/order_oracle.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <random>
#include <stdexcept>
#include <type_traits>
#include <vector>

namespace {

namespace host = parprims::detail::host;
using parprims::detail::scan_kind;

constexpr unsigned thread_counts[] = {1, 2, 0};

template <class Value, class T, class Op, class Transform = parprims::identity>
void check_reduce(T init, Op op, Transform transform = {})
{
    for (const std::size_t n : host_reduce_sizes<Value>()) {
        const std::vector<Value> values = random_values<Value>(n);
        const T expected = order_oracle::reduce<Value>(values.begin(), n, init, op, transform);
        for (const unsigned threads : thread_counts) {
            CAPTURE(n);
            CAPTURE(threads);
            CHECK(same_bits(host::reduce(threads, values.data(), n, init, op, transform), expected));
        }
    }
}

template <scan_kind Kind, class Value, class T, class Op, class Transform>
void check_scan_of(std::size_t n, const T* init, Op op, Transform transform)
{
    const std::vector<Value> values = random_values<Value>(n);
    std::optional<T> start;
    if (init != nullptr)
        start.emplace(*init);
    const std::vector<T> expected = order_oracle::scan<Kind, T>(values.begin(), n, start, op, transform);
    std::mt19937 random(7);
    for (const unsigned threads : thread_counts) {
        CAPTURE(n);
        CAPTURE(threads);
        std::vector<T> answers(n, random_value<T>(random));
        host::scan<Kind, T>(threads, values.data(), n, answers.data(), init, op, transform);
        CHECK(first_difference(answers, expected) == n);
        if constexpr (std::is_same_v<Value, T>) {
            answers = values;
            host::scan<Kind, T>(threads, answers.data(), n, answers.data(), init, op, transform);
            CHECK(first_difference(answers, expected) == n);
        }
    }
}

template <class Value, class T, class Op, class Transform = parprims::identity>
void check_scan(T init, Op op, Transform transform = {}, const std::vector<std::size_t>& sizes = host_scan_sizes<T>())
{
    for (const std::size_t n : sizes) {
        CAPTURE(n);
        check_scan_of<scan_kind::inclusive, Value, T>(n, nullptr, op, transform);
        check_scan_of<scan_kind::inclusive, Value, T>(n, std::addressof(init), op, transform);
        check_scan_of<scan_kind::exclusive, Value, T>(n, std::addressof(init), op, transform);
    }
}

/// Numbers that are not what they should be would be seen in the result: a value made from nothing is not alive.
struct traced {
    static constexpr std::uint32_t alive = 0xA11FE;
    std::uint32_t state;
    std::uint64_t count;
};

struct matrix {
    std::uint32_t a, b, c, d;
};

struct matrix_product {
    matrix operator()(const matrix& x, const matrix& y) const
    {
        return {x.a * y.a + x.b * y.c, x.a * y.b + x.b * y.d, x.c * y.a + x.d * y.c, x.c * y.b + x.d * y.d};
    }
};

}  // namespace

TEST_CASE_TEMPLATE("host reduce follows the order contract for numbers", T, float, double, std::int8_t, std::uint16_t,
                   std::int32_t, std::uint32_t, std::int64_t, std::uint64_t)
{
    check_reduce<T>(static_cast<T>(3), parprims::plus{});
    check_reduce<T>(static_cast<T>(3), parprims::minimum{});
    check_reduce<T>(static_cast<T>(3), parprims::maximum{});
}

TEST_CASE("host reduce follows the order contract for structs")
{
    check_reduce<block_of<16>>(block_of<16>(1), parprims::plus{});
    check_reduce<rgb>(rgb{1, 2, 3}, parprims::plus{});
    check_reduce<block_of<32>>(block_of<32>(1), parprims::plus{});
    check_reduce<block_of<256>>(block_of<256>(1), parprims::plus{});
}

TEST_CASE("host reduce takes its geometry from the element and computes in the accumulator")
{
    check_reduce<std::int8_t>(0.5f, parprims::plus{}, [](std::int8_t x) { return 0.1f * static_cast<float>(x); });
    check_reduce<float>(0.25, parprims::plus{});
    check_reduce<double>(0.25f, parprims::plus{});
    check_reduce<std::uint8_t>(block_of<256>(1), parprims::plus{}, [](std::uint8_t x) { return block_of<256>(x); });
}

TEST_CASE("host reduce and scan fuse no product of a transform with the sum")
{
    const auto square = [](float x) { return x * x; };
    check_reduce<float>(0.5f, parprims::plus{}, square);
    check_scan<float>(0.5f, parprims::plus{}, square);
    const auto square_double = [](double x) { return x * x; };
    check_reduce<double>(0.5, parprims::plus{}, square_double);
    check_scan<double>(0.5, parprims::plus{}, square_double);
}

TEST_CASE_TEMPLATE("host reduce and scan fuse no product of a conversion with the sum", T, float, double)
{
    check_reduce<reading<T>>(static_cast<T>(0.5), parprims::plus{});
    check_scan<reading<T>>(static_cast<T>(0.5), parprims::plus{});
    check_reduce<reading<T>>(reading<T>(static_cast<T>(0.5)), parprims::plus{});
    check_scan<reading<T>>(reading<T>(static_cast<T>(0.5)), parprims::plus{}, parprims::identity{},
                           few_scan_sizes<reading<T>>());
}

TEST_CASE("host scan follows the order contract for one-byte numbers")
{
    check_scan<std::int8_t>(std::int8_t{3}, parprims::plus{});
}

TEST_CASE_TEMPLATE("host scan follows the order contract for numbers", T, float, double, std::int32_t, std::uint32_t,
                   std::int64_t, std::uint64_t)
{
    check_scan<T>(static_cast<T>(3), parprims::plus{});
    check_scan<T>(static_cast<T>(3), parprims::minimum{}, parprims::identity{}, few_scan_sizes<T>());
    check_scan<T>(static_cast<T>(3), parprims::maximum{}, parprims::identity{}, few_scan_sizes<T>());
}

TEST_CASE_TEMPLATE("host scan past the caches gives the same answers at every alignment, and writes nothing else", T,
                   float, double, std::int32_t, std::uint32_t, std::int64_t, std::uint64_t)
{
    constexpr unsigned line = 64 / sizeof(T);
    const T init{3};
    const auto check = [&]<scan_kind Kind>(std::integral_constant<scan_kind, Kind>, auto op, std::size_t n) {
        const std::vector<T> values = random_values<T>(n);
        const std::vector<T> expected =
            order_oracle::scan<Kind, T>(values.begin(), n, std::optional(init), op, parprims::identity{});
        const auto scan = [&](unsigned threads, const T* first, T* out) {
            host::scan<Kind, T>(threads, first, n, out, &init, op, parprims::identity{}, 0);
        };
        CAPTURE(n);
        for (unsigned offset = 0; offset < line; ++offset) {
            CAPTURE(offset);
            std::vector<T> surrounded(n + 2 * line, T{77});
            const auto first = surrounded.begin() + static_cast<std::ptrdiff_t>(offset);
            const auto last = first + static_cast<std::ptrdiff_t>(n);
            scan(offset % 3, values.data(), surrounded.data() + offset);
            CHECK(first_difference(std::vector<T>(first, last), expected) == n);
            CHECK(std::count(surrounded.begin(), first, T{77}) == first - surrounded.begin());
            CHECK(std::count(last, surrounded.end(), T{77}) == surrounded.end() - last);
        }
        std::vector<T> answers = values;
        scan(0, answers.data(), answers.data());
        CHECK(first_difference(answers, expected) == n);
    };
    // Eight rows are written at a time, so the last tile has some of them left.
    for (const std::size_t rows : {1, 7, 8, 11}) {
        const std::size_t n = 2 * order::tile<T> + rows * order::row<T> + 3;
        check(std::integral_constant<scan_kind, scan_kind::inclusive>(), parprims::plus{}, n);
        check(std::integral_constant<scan_kind, scan_kind::exclusive>(), parprims::maximum{}, n);
    }
}

TEST_CASE("host scan follows the order contract for structs")
{
    check_scan<block_of<16>>(block_of<16>(1), parprims::plus{});
    check_scan<rgb>(rgb{1, 2, 3}, parprims::plus{});
    check_scan<block_of<32>>(block_of<32>(1), parprims::plus{});
    check_scan<block_of<256>>(block_of<256>(1), parprims::plus{});
}

TEST_CASE("host scan takes its geometry from the accumulator")
{
    check_scan<std::uint8_t>(0.5f, parprims::plus{}, [](std::uint8_t x) { return 0.1f * x; });
    check_scan<double>(0.5f, parprims::plus{});
}

TEST_CASE("host scan keeps the order of a non-commutative operator: matrices")
{
    const auto shear = [](std::uint32_t x) { return matrix{x, 1, x ^ 5, 2 * x + 1}; };
    check_scan<std::uint32_t>(matrix{2, 3, 5, 7}, matrix_product{}, shear);
}

TEST_CASE("host scan joins every interval to the one before it")
{
    for (const std::size_t n : host_scan_sizes<interval>()) {
        std::vector<interval> elements;
        for (std::uint64_t i = 0; i < n; ++i)
            elements.push_back({i + 10, i + 10});
        const interval before{0, 9};
        for (const unsigned threads : thread_counts) {
            CAPTURE(n);
            CAPTURE(threads);
            std::vector<interval> answers(n);
            std::size_t wrong = 0;
            host::scan<scan_kind::inclusive, interval>(threads, elements.data(), n, answers.data(), nullptr, join{},
                                                       parprims::identity{});
            for (std::size_t i = 0; i < n; ++i)
                wrong += answers[i] != interval{10, 10 + i};
            host::scan<scan_kind::exclusive, interval>(threads, elements.data(), n, answers.data(),
                                                       std::addressof(before), join{}, parprims::identity{});
            for (std::size_t i = 0; i < n; ++i)
                wrong += answers[i] != interval{0, 9 + i};
            CHECK(wrong == 0);
        }
    }
}

TEST_CASE("host algorithms call the operator on input values and partial results only")
{
    std::atomic<std::size_t> invented{0}, calls{0};
    const auto add = [&](const traced& a, const traced& b) {
        invented += a.state != traced::alive || b.state != traced::alive;
        ++calls;
        return traced{traced::alive, a.count + b.count};
    };
    for (const std::size_t n : host_scan_sizes<traced>()) {
        CAPTURE(n);
        const std::vector<traced> values(n, traced{traced::alive, 1});
        const traced init{traced::alive, 5};
        for (const unsigned threads : thread_counts) {
            CAPTURE(threads);
            calls = 0;
            CHECK(host::reduce(threads, values.data(), n, init, add, parprims::identity{}).count == n + 5);
            CHECK(calls == n);
            std::vector<traced> answers(n);
            host::scan<scan_kind::exclusive, traced>(threads, values.data(), n, answers.data(), &init, add,
                                                     parprims::identity{});
            std::size_t wrong = 0;
            for (std::size_t i = 0; i < n; ++i)
                wrong += answers[i].count != i + 5;
            CHECK(wrong == 0);
        }
    }
    CHECK(invented == 0);
}

TEST_CASE("host minimum and maximum keep NaN, and the left one of two zeros")
{
    std::vector<float> values = random_values<float>(5000);
    for (std::size_t i = 0; i < values.size(); i += 7)
        values[i] = i % 2 == 0 ? 0.0f : -0.0f;
    const auto check = [&](auto op) {
        const std::size_t n = values.size();
        CHECK(same_bits(host::reduce(1, values.data(), n, 0.0f, op, parprims::identity{}),
                        order_oracle::reduce<float>(values.begin(), n, 0.0f, op, parprims::identity{})));
        std::vector<float> answers(n);
        host::scan<scan_kind::inclusive, float>(1, values.data(), n, answers.data(), nullptr, op, parprims::identity{});
        CHECK(first_difference(answers, order_oracle::scan<scan_kind::inclusive, float>(
                                            values.begin(), n, std::nullopt, op, parprims::identity{})) == n);
    };
    for (const std::size_t at : {std::size_t{0}, std::size_t{1234}, std::size_t{4999}, values.size()}) {
        CAPTURE(at);
        if (at < values.size())
            values[at] = std::numeric_limits<float>::quiet_NaN();
        check(parprims::minimum{});
        check(parprims::maximum{});
    }
    for (float& value : values)
        value = std::signbit(value) ? -0.0f : 0.0f;
    check(parprims::minimum{});
    check(parprims::maximum{});
}
