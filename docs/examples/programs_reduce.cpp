/// @file
/// @brief  The guide's programs that need a reduction. Each compares its answer with one that is known.
#include <doctest/doctest.h>

#include <parprims/iterator.hpp>
#include <parprims/reduce.hpp>

#include "support.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

namespace pp = parprims;

namespace {

/// [summary_types]
struct summary {
    std::uint64_t count = 0;
    double mean = 0;
    double squares = 0;  // sum of (x - mean)^2
    float smallest = 0, largest = 0;
};

struct summary_of_one {
    PARPRIMS_HOST_DEVICE summary operator()(float x) const { return {1, x, 0, x, x}; }
};

struct merge_summaries {
    PARPRIMS_HOST_DEVICE summary operator()(const summary& a, const summary& b) const
    {
        if (a.count == 0)
            return b;
        if (b.count == 0)
            return a;
        const auto na = static_cast<double>(a.count), nb = static_cast<double>(b.count);
        const double distance = b.mean - a.mean;
        return {a.count + b.count, a.mean + distance * nb / (na + nb),
                a.squares + b.squares + distance * distance * na * nb / (na + nb),
                a.smallest < b.smallest ? a.smallest : b.smallest, a.largest > b.largest ? a.largest : b.largest};
    }
};
/// [summary_types]

/// [minmax_types]
struct extremes {
    float low, high;
};

struct extremes_of_one {
    PARPRIMS_HOST_DEVICE extremes operator()(float x) const { return {x, x}; }
};

struct merge_extremes {
    PARPRIMS_HOST_DEVICE extremes operator()(const extremes& a, const extremes& b) const
    {
        return {pp::minimum{}(a.low, b.low), pp::maximum{}(a.high, b.high)};
    }
};
/// [minmax_types]

/// [box_types]
struct point {
    float x, y, z;
};

struct box {
    point low, high;
};

struct box_of_one {
    PARPRIMS_HOST_DEVICE box operator()(const point& p) const { return {p, p}; }
};

struct merge_boxes {
    PARPRIMS_HOST_DEVICE box operator()(const box& a, const box& b) const
    {
        const pp::minimum smaller;
        const pp::maximum larger;
        return {{smaller(a.low.x, b.low.x), smaller(a.low.y, b.low.y), smaller(a.low.z, b.low.z)},
                {larger(a.high.x, b.high.x), larger(a.high.y, b.high.y), larger(a.high.z, b.high.z)}};
    }
};
/// [box_types]

/// [argmax_types]
using indexed = pp::tuple<float, std::uint32_t>;

struct larger_or_first {
    PARPRIMS_HOST_DEVICE indexed operator()(const indexed& a, const indexed& b) const
    {
        const auto [x, i] = a;
        const auto [y, j] = b;
        return x > y || (x == y && i < j) ? a : b;
    }
};
/// [argmax_types]

/// [word_count_types]
struct word_starts {
    PARPRIMS_HOST_DEVICE static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
    PARPRIMS_HOST_DEVICE std::uint64_t operator()(char before, char now) const
    {
        return is_letter(now) && !is_letter(before) ? 1 : 0;
    }
};
/// [word_count_types]

/// [monte_carlo_types]
struct is_in_circle {
    PARPRIMS_HOST_DEVICE static double random(std::uint64_t i)  // of [0, 1): scrambles the number of the draw
    {
        constexpr std::uint64_t odd = 0x9e3779b97f4a7c15u;  // 2^64 divided by the golden ratio
        for (int round = 0; round < 3; ++round)
            i = (i ^ i >> 32) * odd + 1;
        return static_cast<double>(i >> 11) * 0x1p-53;
    }
    PARPRIMS_HOST_DEVICE std::uint64_t operator()(std::uint64_t i) const
    {
        const double x = random(2 * i), y = random(2 * i + 1);
        return x * x + y * y < 1 ? 1 : 0;
    }
};
/// [monte_carlo_types]

}  // namespace

TEST_CASE_TEMPLATE("guide: summary statistics in one pass", Backend, PARPRIMS_BACKENDS)
{
    const auto policy = Backend::policy();
    const auto x = bring<Backend>(std::vector<float>{2, 4, 4, 4, 5, 5, 7, 9});
    /// [summary]
    const summary s = pp::transform_reduce(policy, x, summary{}, merge_summaries{}, summary_of_one{});
    const double variance = s.squares / static_cast<double>(s.count - 1);
    /// [summary]
    CHECK(s.count == 8);
    CHECK(s.mean == doctest::Approx(5));
    CHECK(variance == doctest::Approx(32.0 / 7));
    CHECK(s.smallest == 2);
    CHECK(s.largest == 9);
}

TEST_CASE_TEMPLATE("guide: norm and dot product", Backend, PARPRIMS_BACKENDS)
{
    const auto policy = Backend::policy();
    const auto x = bring<Backend>(std::vector<float>{1, 2, 2});
    const auto y = bring<Backend>(std::vector<float>{4, 5, 6});
    /// [norm]
    const auto square = [] PARPRIMS_HOST_DEVICE(float a) { return a * a; };
    const float norm = std::sqrt(pp::transform_reduce(policy, x, 0.0f, pp::plus{}, square));
    /// [norm]
    CHECK(norm == 3);
    /// [dot]
    const float dot = pp::transform_reduce(policy, x.begin(), x.end(), y.begin(), 0.0f);
    /// [dot]
    CHECK(dot == 26);
}

TEST_CASE_TEMPLATE("guide: smallest and largest value in one pass", Backend, PARPRIMS_BACKENDS)
{
    const auto policy = Backend::policy();
    const auto x = bring<Backend>(std::vector<float>{3, -1, 4, 1, -5, 9});
    /// [minmax]
    constexpr float infinity = std::numeric_limits<float>::infinity();
    const extremes found =
        pp::transform_reduce(policy, x, extremes{infinity, -infinity}, merge_extremes{}, extremes_of_one{});
    /// [minmax]
    CHECK(found.low == -5);
    CHECK(found.high == 9);
}

TEST_CASE_TEMPLATE("guide: the bounding box of points", Backend, PARPRIMS_BACKENDS)
{
    const auto policy = Backend::policy();
    const auto points = bring<Backend>(std::vector<point>{{1, 2, 3}, {-1, 5, 0}, {0, 0, 7}});
    /// [box]
    constexpr float infinity = std::numeric_limits<float>::infinity();
    const box nothing{{infinity, infinity, infinity}, {-infinity, -infinity, -infinity}};
    const box around = pp::transform_reduce(policy, points, nothing, merge_boxes{}, box_of_one{});
    /// [box]
    CHECK(around.low.x == -1);
    CHECK(around.low.y == 0);
    CHECK(around.low.z == 0);
    CHECK(around.high.x == 1);
    CHECK(around.high.y == 5);
    CHECK(around.high.z == 7);
}

TEST_CASE_TEMPLATE("guide: the position of the largest value", Backend, PARPRIMS_BACKENDS)
{
    const auto policy = Backend::policy();
    const auto x = bring<Backend>(std::vector<float>{3, 9, 4, 9, 5});
    /// [argmax]
    constexpr float lowest = -std::numeric_limits<float>::infinity();
    const pp::zip_iterator numbered(x.begin(), pp::counting_iterator<std::uint32_t>(0));
    const auto end = numbered + static_cast<std::ptrdiff_t>(x.size());
    const auto [value, position] = pp::reduce(policy, numbered, end, indexed(lowest, 0u), larger_or_first{});
    /// [argmax]
    CHECK(value == 9);
    CHECK(position == 1);
}

TEST_CASE_TEMPLATE("guide: counting words and values", Backend, PARPRIMS_BACKENDS)
{
    const auto policy = Backend::policy();
    constexpr std::string_view words = "The quick brown fox, jumps over -- the lazy dog.";
    const auto text = bring<Backend>(std::vector<char>(words.begin(), words.end()));
    /// [word_count]
    // Those after the first character; a text that begins with a letter has one more.
    const std::uint64_t words_inside = pp::transform_reduce(policy, text.begin(), text.end() - 1, text.begin() + 1,
                                                            std::uint64_t{0}, pp::plus{}, word_starts{});
    /// [word_count]
    CHECK(words_inside + 1 == 9);

    const auto x = bring<Backend>(std::vector<float>{0.5f, 2, 3, -1, 7});
    /// [count_if]
    const auto is_large = [] PARPRIMS_HOST_DEVICE(float a) { return a > 1 ? std::uint64_t{1} : std::uint64_t{0}; };
    const std::uint64_t large = pp::transform_reduce(policy, x, std::uint64_t{0}, pp::plus{}, is_large);
    /// [count_if]
    CHECK(large == 3);
}

TEST_CASE_TEMPLATE("guide: sums without memory", Backend, PARPRIMS_BACKENDS)
{
    const auto policy = Backend::policy();
    /// [monte_carlo]
    constexpr std::uint64_t points = 1 << 20;
    const pp::counting_iterator<std::uint64_t> first(0);
    const std::uint64_t inside =
        pp::transform_reduce(policy, first, first + points, std::uint64_t{0}, pp::plus{}, is_in_circle{});
    const double pi = 4.0 * static_cast<double>(inside) / points;
    /// [monte_carlo]
    CHECK(std::abs(pi - 3.14159265) < 0.01);

    /// [integral]
    constexpr std::int64_t steps = 1000;
    const pp::counting_iterator<std::int64_t> i(0);
    const auto slice = [] PARPRIMS_HOST_DEVICE(std::int64_t k) {
        const double x = (static_cast<double>(k) + 0.5) / steps;
        return 4 / (1 + x * x) / steps;
    };
    const double area = pp::transform_reduce(policy, i, i + steps, 0.0, pp::plus{}, slice);  // pi again
    /// [integral]
    CHECK(std::abs(area - 3.14159265) < 1e-6);
}

TEST_CASE_TEMPLATE("guide: neighbours", Backend, PARPRIMS_BACKENDS)
{
    const auto policy = Backend::policy();
    const auto x = bring<Backend>(std::vector<int>{1, 1, 2, 5, 5, 5, 8});
    /// [is_sorted]
    const auto ascend = [] PARPRIMS_HOST_DEVICE(int a, int b) { return a <= b; };
    const bool sorted =
        pp::transform_reduce(policy, x.begin(), x.end() - 1, x.begin() + 1, true, pp::bit_and{}, ascend);
    /// [is_sorted]
    CHECK(sorted);
    /// [unique_count]
    const auto differ = [] PARPRIMS_HOST_DEVICE(int a, int b) { return a != b ? 1 : 0; };
    const int distinct =
        pp::transform_reduce(policy, x.begin(), x.end() - 1, x.begin() + 1, 1, pp::plus{}, differ);  // of sorted values
    /// [unique_count]
    CHECK(distinct == 4);
}

TEST_CASE_TEMPLATE("guide: rows and columns", Backend, PARPRIMS_BACKENDS)
{
    const auto policy = Backend::policy();
    constexpr std::ptrdiff_t rows = 2, columns = 3;
    const auto matrix = bring<Backend>(std::vector<float>{1, 2, 3, 4, 5, 6});
    auto row_sums = make_array<Backend, float>(rows);
    auto column_sums = make_array<Backend, float>(columns);
    /// [rows]
    for (std::ptrdiff_t row = 0; row < rows; ++row) {
        const auto first = matrix.begin() + row * columns;
        pp::reduce_into(policy, first, first + columns, row_sums.begin() + row, 0.0f);  // enqueued on the GPU
    }
    for (std::ptrdiff_t column = 0; column < columns; ++column) {
        const pp::strided_iterator first(matrix.begin() + column, columns);
        pp::reduce_into(policy, first, first + rows, column_sums.begin() + column, 0.0f);
    }
    /// [rows]
    CHECK(fetch(row_sums) == std::vector<float>{6, 15});
    CHECK(fetch(column_sums) == std::vector<float>{5, 7, 9});
}
