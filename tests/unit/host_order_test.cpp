/// @file
/// @brief  The host backend gives the bits of the order contract, for every type, every n and any number of threads.
#include <parprims/detail/host/reduce.hpp>
#include <parprims/detail/host/scan.hpp>
#include <parprims/functional.hpp>

#include <doctest/doctest.h>

#include "support/order_oracle.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numeric>
#include <optional>
#include <random>
#include <stdexcept>
#include <type_traits>
#include <vector>

namespace {

namespace host = parprims::detail::host;
namespace order = parprims::detail::order;
using parprims::detail::scan_kind;

/// Sizes around every unit of the contract; `chunks` and `tiles` say how far.
template <class Value>
std::vector<std::size_t> reduce_sizes()
{
    const std::size_t row = order::row<Value>, chunk = order::chunk<Value>;
    return {0,
            1,
            2,
            3,
            31,
            32,
            33,
            row - 1,
            row,
            row + 1,
            3 * row + 5,
            chunk - 1,
            chunk,
            chunk + 1,
            3 * chunk + row / 2,
            7 * chunk,
            64 * chunk - 1,
            64 * chunk + 1,
            333 * chunk + 17};
}

/// The same for a scan; 4 tiles are a ticket of the host's.
template <class T>
std::vector<std::size_t> scan_sizes()
{
    const std::size_t items = order::lane_items<T>, row = order::row<T>, tile = order::tile<T>;
    const std::size_t group = order::group_tiles * tile;
    std::vector<std::size_t> sizes{
        0, 1, 2, 3, items, items + 1, 31 * items, row - 1, row, row + 1, 3 * row + items + 1};
    for (const std::size_t n : {tile - 1, tile, tile + 1, 3 * tile + row + 3, 4 * tile - 1, 4 * tile + 1})
        sizes.push_back(n);
    for (const std::size_t n : {group - 1, group + 1, 2 * group + 9 * tile + 5})
        sizes.push_back(n);
    return sizes;
}

/// A few of them, where only the operator is new.
template <class T>
std::vector<std::size_t> few_scan_sizes()
{
    return {1, order::row<T> + 1, 3 * order::tile<T> + order::row<T> + 3, 5 * order::tile<T>};
}

/// A sum of products in floating point, with padding-free 16 bytes and no default constructor.
struct moments {
    moments(double s, double q) : sum(s), squares(q) {}
    double sum, squares;
    friend moments operator+(const moments& a, const moments& b) { return {a.sum + b.sum, a.squares + b.squares}; }
};

/// A value of `Bytes` bytes whose every word takes part, with no default constructor.
template <std::size_t Bytes>
struct block_of {
    explicit block_of(float x)
    {
        for (std::size_t i = 0; i < words.size(); ++i)
            words[i] = x * static_cast<float>(i + 1);
    }
    friend block_of operator+(block_of a, const block_of& b)
    {
        for (std::size_t i = 0; i < a.words.size(); ++i)
            a.words[i] += b.words[i];
        return a;
    }
    std::array<float, Bytes / 4> words;
};

struct rgb {  // three bytes: neither a power of two nor aligned
    std::uint8_t r, g, b;
    friend rgb operator+(rgb x, rgb y)
    {
        return {static_cast<std::uint8_t>(x.r + y.r), static_cast<std::uint8_t>(x.g + 3 * y.g),
                static_cast<std::uint8_t>(x.b ^ y.b)};
    }
};

/// A product once it is converted to a number.
template <class T>
struct reading {
    T raw, gain;
    reading(T x) : raw(x), gain(1) {}
    reading(T r, T g) : raw(r), gain(g) {}
    operator T() const { return raw * gain; }
};

template <class T>
T random_value(std::mt19937& random)
{
    if constexpr (std::is_same_v<T, std::int32_t>)
        return static_cast<T>(random() % 2001) - 1000;  // a million of them add up
    else if constexpr (std::is_integral_v<T>)
        return static_cast<T>(random());
    else if constexpr (std::is_floating_point_v<T>)
        return std::ldexp(static_cast<T>(static_cast<std::int32_t>(random())), static_cast<int>(random() % 40) - 40);
    else if constexpr (std::is_same_v<T, moments>)
        return {random_value<double>(random), random_value<double>(random)};
    else if constexpr (requires { T::gain; })
        return {random_value<decltype(T::gain)>(random), random_value<decltype(T::gain)>(random)};
    else if constexpr (std::is_same_v<T, rgb>)
        return {random_value<std::uint8_t>(random), random_value<std::uint8_t>(random),
                random_value<std::uint8_t>(random)};
    else if constexpr (!std::is_aggregate_v<T>)
        return T(random_value<float>(random));
    else
        return {random_value<std::uint32_t>(random), 1, random_value<std::uint32_t>(random), 2};
}

template <class T>
std::vector<T> random_values(std::size_t n, unsigned seed = 1)
{
    std::mt19937 random(seed);
    std::vector<T> values;
    values.reserve(n);
    for (std::size_t i = 0; i < n; ++i)
        values.push_back(random_value<T>(random));
    return values;
}

template <class T>
bool same_bits(const T& a, const T& b)
{
    return std::memcmp(static_cast<const void*>(&a), static_cast<const void*>(&b), sizeof(T)) == 0;
}

/// Index of the first value that differs, or `a.size()`.
template <class T>
std::size_t first_difference(const std::vector<T>& a, const std::vector<T>& b)
{
    std::size_t i = 0;
    while (i < a.size() && same_bits(a[i], b[i]))
        ++i;
    return i;
}

constexpr unsigned thread_counts[] = {1, 2, 0};

}  // namespace

namespace {

template <class Value, class T, class Op, class Transform = parprims::identity>
void check_reduce(T init, Op op, Transform transform = {})
{
    for (const std::size_t n : reduce_sizes<Value>()) {
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
void check_scan(T init, Op op, Transform transform = {}, const std::vector<std::size_t>& sizes = scan_sizes<T>())
{
    for (const std::size_t n : sizes) {
        CAPTURE(n);
        check_scan_of<scan_kind::inclusive, Value, T>(n, nullptr, op, transform);
        check_scan_of<scan_kind::inclusive, Value, T>(n, &init, op, transform);
        check_scan_of<scan_kind::exclusive, Value, T>(n, &init, op, transform);
    }
}

/// Numbers that are not what they should be would be seen in the result: a value made from nothing is not alive.
struct traced {
    static constexpr std::uint32_t alive = 0xA11FE;
    std::uint32_t state;
    std::uint64_t count;
};

/// The elements [i, i]; neighbours join, in order, and anything else is top: one run is right for every associative
/// operator if it is right for this one.
struct interval {
    std::uint64_t first, last;
    static constexpr interval top() { return {1, 0}; }
    friend bool operator==(const interval&, const interval&) = default;
};

struct join {
    interval operator()(const interval& a, const interval& b) const
    {
        return a.last + 1 == b.first && a.first <= a.last && b.first <= b.last ? interval{a.first, b.last}
                                                                               : interval::top();
    }
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
    check_reduce<moments>(moments(1, 2), parprims::plus{});
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
    check_scan<moments>(moments(1, 2), parprims::plus{});
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
    for (const std::size_t n : scan_sizes<interval>()) {
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
            host::scan<scan_kind::exclusive, interval>(threads, elements.data(), n, answers.data(), &before, join{},
                                                       parprims::identity{});
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
    for (const std::size_t n : scan_sizes<traced>()) {
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
