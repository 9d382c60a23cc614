/// @file
/// @brief  Axes as values: what they refuse and what they count.
#include <doctest/doctest.h>

#include <parprims/axis.hpp>
#include <parprims/error.hpp>
#include <parprims/variable_axis.hpp>

#include "support/axis_oracle.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <list>
#include <string>

namespace pp = parprims;
using namespace parprims_test;

namespace {

struct modulus {
    unsigned n;
    PARPRIMS_HOST_DEVICE constexpr unsigned operator()(unsigned x) const { return x % n; }
};

struct below_five {
    PARPRIMS_HOST_DEVICE constexpr int operator()(int x) const { return x - 5; }
};

/// A user's number: it converts to a `T`.
template <class T>
struct converts_to {
    T value;
    operator T() const { return value; }
};

/// A bfloat16 that converts by itself, as __half does.
struct implicit_bfloat : bfloat {
    operator float() const { return static_cast<float>(static_cast<const bfloat&>(*this)); }
};

/// What `make` says when it refuses.
template <class Make>
std::string refusal(Make make)
{
    try {
        make();
    } catch (const pp::invalid_argument& error) {
        return error.what();
    }
    return "accepted";
}

/// What an axis of T says of these edges.
template <class T, class Range>
std::string refused_edges(const Range& edges)
{
    return refusal([&] { pp::variable_axis<T>{edges}; });
}

constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();
constexpr float infinity = std::numeric_limits<float>::infinity();

static_assert(pp::histogram_axis<pp::regular_axis<float>>);
static_assert(pp::histogram_axis<pp::variable_axis<double>>);
static_assert(pp::histogram_axis<pp::variable_axis_view<double>>);
static_assert(pp::histogram_axis<pp::integer_axis<int>>);
static_assert(pp::histogram_axis<pp::function_axis<modulus>>);
static_assert(!pp::histogram_axis<int>);
static_assert(pp::histogram_axis_for<pp::regular_axis<int>, bfloat>);
static_assert(!pp::histogram_axis_for<pp::regular_axis<int>, std::string>);

// No number of bins is truncated, and no bound of an integer axis.
static_assert(std::is_constructible_v<pp::regular_axis<float>, int, float, float> &&
              !std::is_constructible_v<pp::regular_axis<float>, double, float, float>);
static_assert(std::is_constructible_v<pp::function_axis<modulus>, int, modulus> &&
              !std::is_constructible_v<pp::function_axis<modulus>, float, modulus>);
static_assert(!std::is_constructible_v<pp::integer_axis<int>, int, double> &&
              !std::is_constructible_v<pp::regular_axis<int>, int, int, double>);

// A kernel gets these by value.
static_assert(std::is_trivially_copyable_v<pp::regular_axis<float>>);
static_assert(std::is_trivially_copyable_v<pp::regular_axis<std::uint64_t>>);
static_assert(std::is_trivially_copyable_v<pp::integer_axis<int>>);
static_assert(std::is_trivially_copyable_v<pp::function_axis<modulus>>);
static_assert(std::is_trivially_copyable_v<pp::variable_axis_view<float>>);

// The type of the edges is the one that holds both bounds.
static_assert(std::is_same_v<decltype(pp::regular_axis(3, 0, 1.5f))::value_type, float>);
static_assert(std::is_same_v<decltype(pp::regular_axis(3, 0.0f, 1.5))::value_type, double>);
static_assert(std::is_same_v<decltype(pp::integer_axis(0, 10u))::value_type, unsigned>);

constexpr pp::regular_axis quarters(4, 0.0f, 1.0f);
static_assert(quarters.edge(1) == 0.25f && quarters.slot(0.25f) == 1 && quarters.slot(0.2499) == 0);
static_assert(pp::regular_axis(3, -5, 5).slot(4.99) == 2 && pp::regular_axis(3, -5, 5).edge(1) == -1);
static_assert(pp::integer_axis(-1, 2).slot(1) == 2);
static_assert(pp::function_axis(8, modulus{8}).slot(21u) == 5);

}  // namespace

TEST_CASE("an axis counts its bins, and three more with flow")
{
    CHECK(quarters.bins() == 4);
    CHECK(quarters.extent() == 4);
    CHECK_FALSE(quarters.has_flow());
    CHECK(quarters.with_flow().extent() == 7);
    CHECK(quarters.with_flow().has_flow());
    CHECK(pp::integer_axis(-2, 3).with_flow().extent() == 8);
    CHECK(pp::function_axis(5, modulus{5}).with_flow().extent() == 8);
    const pp::variable_axis axis{0.0, 1.0, 5.0};
    CHECK(axis.extent() == 2);
    CHECK(axis.with_flow().extent() == 5);
    CHECK(axis.with_flow().view().extent() == 5);
}

TEST_CASE("samples in no bin have a slot each for below, above and NaN, with flow or without")
{
    for (const auto& axis : {quarters, quarters.with_flow()}) {
        CHECK(axis.slot(-0.1f) == 4);
        CHECK(axis.slot(-infinity) == 4);
        CHECK(axis.slot(1.0f) == 5);
        CHECK(axis.slot(infinity) == 5);
        CHECK(axis.slot(not_a_number) == 6);
    }
    CHECK(pp::integer_axis(0, 3).slot(not_a_number) == 5);
    CHECK(pp::variable_axis{1, 2, 3}.slot(not_a_number) == 4);
    CHECK(pp::function_axis(3, below_five{}).slot(4) == 3);
    CHECK(pp::function_axis(3, below_five{}).slot(8) == 4);
}

TEST_CASE("index is the bin, or nothing")
{
    CHECK(quarters.index(0.5f) == std::optional<std::size_t>(2));
    CHECK(quarters.index(2) == std::nullopt);
    CHECK(pp::variable_axis{0.0, 1.0, 5.0}.index(4.0f) == std::optional<std::size_t>(1));
    CHECK(pp::integer_axis(-3, 3).index(-3) == std::optional<std::size_t>(0));
    CHECK(pp::function_axis(7, modulus{7}).index(8u) == std::optional<std::size_t>(1));
}

TEST_CASE("bins of an axis of integers lie between fractions, as those of NumPy and CUB do")
{
    std::array<int, 3> counts{};
    for (int x = 0; x < 10; ++x)
        ++counts.at(pp::regular_axis(3, 0, 10).slot(x));
    CHECK(counts == std::array{4, 3, 3});

    const pp::regular_axis tenths(10, 0, 1);
    const double samples[] = {0.0, 0.05, 0.1, 0.25, 0.3, 0.31, 0.7, 0.95, 1 - 0x1p-53, 1.0, -0x1p-1074};
    const std::size_t slots[] = {0, 0, 1, 2,  2, 3,
                                 6, 9, 9, 11, 10};  // the doubles 0.3 and 0.7 are below these fractions
    for (std::size_t i = 0; i < std::size(samples); ++i) {
        CAPTURE(samples[i]);
        CHECK(tenths.slot(samples[i]) == slots[i]);
    }
    CHECK(tenths.slot(0.3f) == 3);
    CHECK(tenths.slot(bfloat{0x3e99}) == 2);  // 0.2988
    CHECK(pp::regular_axis(3, -5, 5).slot(-1.67) == 0);
    CHECK(pp::regular_axis(3, -5, 5).slot(-1.66) == 1);
    CHECK(pp::regular_axis(4, -1, 1).slot(-0x1p-149f) == 1);
}

TEST_CASE("edges of integers are rounded up exactly, to the last one, where a product has more than 32 or 64 bits")
{
    const pp::regular_axis<int> narrow(3, -5, 5);
    CHECK(narrow.edge(0) == -5);
    CHECK(narrow.edge(1) == -1);
    CHECK(narrow.edge(2) == 2);
    CHECK(narrow.edge(3) == 5);
    CHECK(narrow.edge(4) == 5);
    CHECK(pp::regular_axis<std::uint32_t>(7, 0u, UINT32_MAX).edge(6) == 3681400539u);
    const pp::regular_axis<std::int64_t> wide(3, INT64_MIN, INT64_MAX);
    CHECK(wide.edge(2) == 3074457345618258602);
    CHECK(wide.edge(3) == INT64_MAX);
}

TEST_CASE("a callable may be a lambda with captures and return any integer")
{
    unsigned factor = 2;
    ++factor;
    const pp::function_axis axis(10, [factor](unsigned x) { return static_cast<std::int8_t>(x * factor); });
    CHECK(axis.slot(2u) == 6);
    CHECK(axis.slot(50u) == 10);  // 150 is negative in 8 bits
    CHECK(axis.slot(40u) == 11);
    CHECK(pp::function_axis(2, [](int x) { return x > 0; }).slot(5) == 1);
    CHECK(pp::function_axis(2, [](int) { return ~std::uint64_t{0}; }).slot(5) == 3);
}

TEST_CASE("edges of a variable axis come from any range and are shared by copies")
{
    const std::array<float, 3> edges{1, 2, 4};
    const pp::variable_axis from_array(edges);
    const pp::variable_axis from_list(std::list<float>{1, 2, 4});
    const pp::variable_axis from_vector(std::vector<float>{1, 2, 4});
    CHECK(from_array == from_list);
    CHECK(from_array == from_vector);
    const pp::variable_axis copy = from_array.with_flow();
    CHECK(copy.edges().data() == from_array.edges().data());
    CHECK(copy != from_array);
    CHECK(copy.edge(1) == 2.0f);
    const std::vector<float> elsewhere = from_array.edges();
    CHECK(from_array.view_at(elsewhere.data()).edges() == elsewhere.data());
    CHECK(from_array.view_at(elsewhere.data()).slot(3) == 1);
}

TEST_CASE("axes are equal if they have the same edges and flow")
{
    CHECK(pp::regular_axis(4, 0.0f, 1.0f) == quarters);
    CHECK(pp::regular_axis(5, 0.0f, 1.0f) != quarters);
    CHECK(quarters.with_flow() != quarters);
    CHECK(pp::integer_axis(1, 3) == pp::integer_axis(1, 3));
    CHECK(pp::integer_axis(1, 3) != pp::integer_axis(1, 4));
}

TEST_CASE("bounds that make no axis are refused by name, with value and limit")
{
    CHECK(refusal([] { pp::regular_axis(0, 0, 1); }) == "parprims::regular_axis: bins: 0 is not in [1, 4294967295]");
    CHECK(refusal([] { pp::regular_axis((1u << 30) + 1, 0.0f, 1.0f); }) ==
          "parprims::regular_axis: bins: 1073741825 is not in [1, 1073741824]");
    CHECK(refusal([] { pp::regular_axis(1, 1.0f, 1.0f); }) ==
          "parprims::regular_axis: upper: 1 is not greater than lower (1)");
    CHECK(refusal([] { pp::regular_axis(1, 2, -7); }) ==
          "parprims::regular_axis: upper: -7 is not greater than lower (2)");
    CHECK(refusal([] { pp::regular_axis(1, not_a_number, 1.0f); }) ==
          "parprims::regular_axis: lower: nan is not finite");
    CHECK(refusal([] { pp::regular_axis(1, 0.0f, infinity); }) == "parprims::regular_axis: upper: inf is not finite");
    CHECK(refusal([] { pp::regular_axis<float>(1, 0.0, 1e300); }) ==
          "parprims::regular_axis: upper: 1e+300 is not in [-3.4028235e+38, 3.4028235e+38]");
    CHECK(refusal([] { pp::regular_axis(1, -1, 1u); }) ==
          "parprims::regular_axis: lower: -1 is not in [0, 4294967295]");
    CHECK(refusal([] { pp::regular_axis<std::int8_t>(1, 0, 128); }) ==
          "parprims::regular_axis: upper: 128 is not in [-128, 127]");
    CHECK(refusal([] { pp::integer_axis(3, 3); }) == "parprims::integer_axis: upper: 3 is not greater than lower (3)");
    CHECK(refusal([] { pp::integer_axis(std::int64_t{0}, (std::int64_t{1} << 53) + 1); }) ==
          "parprims::integer_axis: upper: 9007199254740993 is more than 9007199254740992 above lower (0)");
    CHECK(refusal([] { pp::function_axis(0, modulus{1}); }) ==
          "parprims::function_axis: bins: 0 is not in [1, 9007199254740992]");
}

TEST_CASE("edges that make no axis are refused by name, with value and limit")
{
    CHECK(refusal([] { pp::variable_axis(std::vector<int>{}); }) ==
          "parprims::variable_axis: edges: 0 given, at least 2 are needed");
    CHECK(refusal([] { pp::variable_axis{1.0f}; }) == "parprims::variable_axis: edges: 1 given, at least 2 are needed");
    CHECK(refusal([] {
              pp::variable_axis{0.1, 0.2, 0.2};
          }) == "parprims::variable_axis: edges[2]: 0.2 is not greater than the edge before it (0.2)");
    CHECK(refusal([] {
              pp::variable_axis{0.0f, not_a_number};
          }) == "parprims::variable_axis: edges[1]: nan is not finite");
    CHECK(refusal([] {
              pp::variable_axis{-infinity, 0.0f};
          }) == "parprims::variable_axis: edges[0]: -inf is not finite");
}

TEST_CASE("an edge that the type of the axis does not have is refused, before it is converted")
{
    CHECK(refused_edges<std::uint8_t>(std::vector<int>{0, 300, 600}) ==
          "parprims::variable_axis: edges[1]: 300 is not in [0, 255]");
    CHECK(refused_edges<std::uint8_t>(std::vector<int>{-1, 3}) ==
          "parprims::variable_axis: edges[0]: -1 is not in [0, 255]");
    CHECK(refused_edges<std::uint8_t>(std::array<char, 2>{-1, 3}) ==
          "parprims::variable_axis: edges[0]: -1 is not in [0, 255]");
    CHECK(refused_edges<char>(std::array<unsigned char, 2>{3, 128}) ==
          "parprims::variable_axis: edges[1]: 128 is not in [-128, 127]");
    CHECK(refused_edges<int>(std::list<std::int64_t>{0, std::int64_t{1} << 32}) ==
          "parprims::variable_axis: edges[1]: 4294967296 is not in [-2147483648, 2147483647]");
    CHECK(refused_edges<std::int64_t>(std::vector<std::uint64_t>{0, ~std::uint64_t{0}}) ==
          "parprims::variable_axis: edges[1]: 18446744073709551615 is not in [-9223372036854775808, "
          "9223372036854775807]");

    CHECK(refused_edges<int>(std::vector<double>{0, 0.5}) ==
          "parprims::variable_axis: edges[1]: 0.5 is not an integer in [-2147483648, 2147483647]");
    CHECK(refused_edges<int>(std::vector<double>{0, 1e20}) ==
          "parprims::variable_axis: edges[1]: 1e+20 is not an integer in [-2147483648, 2147483647]");
    CHECK(refused_edges<int>(std::vector<float>{not_a_number, 1}) ==
          "parprims::variable_axis: edges[0]: nan is not an integer in [-2147483648, 2147483647]");
    CHECK(refused_edges<int>(std::vector<float>{0, infinity}) ==
          "parprims::variable_axis: edges[1]: inf is not an integer in [-2147483648, 2147483647]");
    CHECK(refused_edges<int>(std::vector<implicit_bfloat>{{{0}}, {{0x3f00}}}) ==
          "parprims::variable_axis: edges[1]: 0.5 is not an integer in [-2147483648, 2147483647]");
    CHECK(refused_edges<std::int64_t>(std::vector<float>{0, 0x1p63f}) ==
          "parprims::variable_axis: edges[1]: 9.223372e+18 is not an integer in [-9223372036854775808, "
          "9223372036854775807]");
    CHECK(refused_edges<int>(std::vector<converts_to<double>>{{0}, {0.5}}) ==
          "parprims::variable_axis: edges[1]: 0.5 is not an integer in [-2147483648, 2147483647]");

    CHECK(refused_edges<float>(std::vector<double>{0, 1e300}) ==
          "parprims::variable_axis: edges[1]: 1e+300 is not in [-3.4028235e+38, 3.4028235e+38]");
    CHECK(refused_edges<float>(std::vector<double>{-1e39, 0}) ==
          "parprims::variable_axis: edges[0]: -1e+39 is not in [-3.4028235e+38, 3.4028235e+38]");
    CHECK(refused_edges<double>(std::vector<long double>{0, 1e4000L}) ==
          "parprims::variable_axis: edges[1]: inf is not in [-1.7976931348623157e+308, 1.7976931348623157e+308]");
    CHECK(refused_edges<float>(std::vector<double>{not_a_number, 0}) ==
          "parprims::variable_axis: edges[0]: nan is not finite");
    CHECK(refused_edges<float>(std::vector<double>{0, infinity}) ==
          "parprims::variable_axis: edges[1]: inf is not finite");
}

TEST_CASE("edges that rounding makes equal do not ascend")
{
    CHECK(refused_edges<float>(std::vector<double>{1, 1 + 1e-12}) ==
          "parprims::variable_axis: edges[1]: 1 is not greater than the edge before it (1)");
    CHECK(refused_edges<float>(std::vector<int>{16777216, 16777217}) ==
          "parprims::variable_axis: edges[1]: 16777216 is not greater than the edge before it (16777216)");
}

TEST_CASE("edges of another type keep their values, or are rounded to those of a floating-point axis")
{
    const pp::variable_axis<int> one_to_three{1, 2, 3};
    CHECK(pp::variable_axis<int>(std::vector<double>{1, 2, 3}) == one_to_three);
    CHECK(pp::variable_axis<int>(std::vector<std::uint64_t>{1, 2, 3}) == one_to_three);
    CHECK(pp::variable_axis<int>(std::vector<implicit_bfloat>{{{0x3f80}}, {{0x4000}}, {{0x4040}}}) == one_to_three);
    CHECK(pp::variable_axis<int>(std::vector<bool>{false, true}) == pp::variable_axis<int>{0, 1});
    CHECK(pp::variable_axis<std::uint8_t>(std::vector<int>{0, 255}).edge(1) == 255);
    CHECK(pp::variable_axis<std::int8_t>(std::vector<double>{-128, -0.0, 127}).edge(0) == -128);
    CHECK(pp::variable_axis<std::int64_t>(std::vector<float>{-0x1p63f, 0x1p62f}).edge(0) == INT64_MIN);
    CHECK(pp::variable_axis<float>(std::vector<double>{0.1, 0.2}).edge(0) == 0.1f);
    CHECK(pp::variable_axis<float>(std::vector<int>{0, 16777217}).edge(1) == 16777216.0f);
    CHECK(pp::variable_axis<float>(std::vector<double>{0, std::numeric_limits<float>::max()}).edge(1) ==
          std::numeric_limits<float>::max());
    CHECK(pp::variable_axis<double>(std::vector<long double>{0, 1}).edge(1) == 1.0);
    CHECK(pp::variable_axis<float>(std::vector<converts_to<double>>{{0}, {0.1}}).edge(1) == 0.1f);
}

TEST_CASE("the most bins there can be")
{
    const pp::regular_axis fine(std::size_t{1} << 30, 0.0, 1.0);
    CHECK(fine.slot(0.5) == std::size_t{1} << 29);
    CHECK(pp::regular_axis(UINT32_MAX, INT32_MIN, INT32_MAX).slot(INT32_MAX - 1) == UINT32_MAX - 1);
    const pp::integer_axis wide(std::int64_t{-5}, (std::int64_t{1} << 53) - 5);
    CHECK(wide.slot((std::int64_t{1} << 53) - 6) == (std::size_t{1} << 53) - 1);
    CHECK(wide.with_flow().slot(not_a_number) == (std::size_t{1} << 53) + 2);
}
