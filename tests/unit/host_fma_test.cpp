/// @file
/// @brief  The bits of the order contract where the compiler may fuse a product with the sum after it: the host backend
///         compiled for a CPU with such an instruction (support/fused_sums.cpp) against the oracle, which is not.
#include <parprims/functional.hpp>

#include <doctest/doctest.h>

#include "support/data.hpp"
#include "support/fused_sums.hpp"
#include "support/order_oracle.hpp"
#include "support/values.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace {

namespace order = parprims::detail::order;
using parprims::detail::scan_kind;

/// Parts of a row, of a chunk and of a tile, each of which has loops of its own, and complete ones.
template <class T>
std::vector<std::size_t> sizes()
{
    const std::size_t row = order::row<T>, chunk = order::chunk<T>, tile = order::tile<T>;
    return {3, row - 1, row, 2 * row + 5, chunk, 3 * chunk + row + 7, tile, 5 * tile + row + 7};
}

/// Of readings as numbers, and as readings that `plus` converts.
template <class To, class T>
void check_readings()
{
    for (const std::size_t n : sizes<reading<T>>()) {
        CAPTURE(n);
        const auto values = spread_values<reading<T>>(n);
        const To expected =
            order_oracle::reduce<reading<T>>(values.begin(), n, To(1), parprims::plus{}, parprims::identity{});
        CHECK(same_bits(sum_of_readings<To>(values), expected));
    }
    for (const std::size_t n : sizes<To>()) {
        CAPTURE(n);
        const auto values = spread_values<reading<T>>(n);
        const std::vector<To> inclusive = order_oracle::scan<scan_kind::inclusive, To>(
            values.begin(), n, std::optional<To>(1), parprims::plus{}, parprims::identity{});
        CHECK(first_difference(inclusive_scan_of_readings<To>(values), inclusive) == n);
        const std::vector<To> exclusive = order_oracle::scan<scan_kind::exclusive, To>(
            values.begin(), n, std::optional<To>(1), parprims::plus{}, parprims::identity{});
        CHECK(first_difference(exclusive_scan_of_readings<To>(values), exclusive) == n);
    }
}

}  // namespace

TEST_CASE("[needs AVX2 and FMA] the compiler does fuse in the file that is tested here")
{
    const float x = 1 + 0x1p-12f;  // x * x is 1 + 2^-11 + 2^-24, whose last bit a rounded product has not
    CHECK(fused(x, x, -1) == 0x1p-11f + 0x1p-24f);
}

TEST_CASE_TEMPLATE("[needs AVX2 and FMA] the host fuses no product of a transform with the sum of a reduction", T,
                   float, double)
{
    for (const std::size_t n : sizes<T>()) {
        CAPTURE(n);
        const std::vector<T> values = spread_values<T>(n);
        const T expected = order_oracle::reduce<T>(values.begin(), n, T{1}, parprims::plus{}, square{});
        CHECK(same_bits(sum_of_squares(values), expected));
    }
}

TEST_CASE_TEMPLATE("[needs AVX2 and FMA] the host fuses no product of a transform with the sum of a scan", T, float,
                   double)
{
    for (const std::size_t n : sizes<T>()) {
        CAPTURE(n);
        const std::vector<T> values = spread_values<T>(n);
        const std::vector<T> expected = order_oracle::scan<scan_kind::inclusive, T>(
            values.begin(), n, std::optional<T>(1), parprims::plus{}, square{});
        CHECK(first_difference(scan_of_squares(values), expected) == n);
    }
}

TEST_CASE_TEMPLATE("[needs AVX2 and FMA] the host fuses no product of a conversion with the sum", T, float, double)
{
    check_readings<T, T>();
}

TEST_CASE_TEMPLATE("[needs AVX2 and FMA] plus fuses no product that its own arguments are converted to", T, float,
                   double)
{
    check_readings<reading<T>, T>();
}

TEST_CASE("[needs AVX2 and FMA] the host fuses no product of a constructor with the sum")
{
    for (const std::size_t n : sizes<float>()) {
        CAPTURE(n);
        const std::vector<float> values = spread_values<float>(n);
        const moments total =
            order_oracle::reduce<float>(values.begin(), n, moments(1), parprims::plus{}, parprims::identity{});
        CHECK(same_bits(sum_of_moments(values), total));
        const std::vector<moments> sums = order_oracle::scan<scan_kind::inclusive, moments>(
            values.begin(), n, std::optional<moments>(1), parprims::plus{}, parprims::identity{});
        CHECK(first_difference(scan_of_moments(values), sums) == n);
    }
}

TEST_CASE_TEMPLATE("[needs AVX2 and FMA] multiplies rounds the product of two converted elements", T, float, double)
{
    const std::size_t n = 5000;
    const auto values = spread_values<reading<T>>(n);
    const std::vector<T> expected = order_oracle::scan<scan_kind::inclusive, T>(values.begin(), n, std::optional<T>(1),
                                                                                parprims::plus{}, square_and_add{});
    CHECK(first_difference(scan_of_products(values), expected) == n);
}

TEST_CASE("[needs AVX2 and FMA] the host fuses no product that converts a union with a sum of unions")
{
    const std::size_t n = 5000;
    std::vector<converting_union> values;
    for (const reading<float>& each : spread_values<reading<float>>(n))
        values.emplace_back(each.raw, each.gain);
    const auto expected = order_oracle::scan<scan_kind::inclusive, converting_union>(
        values.begin(), n, std::optional<converting_union>(1.0f), parprims::plus{}, parprims::identity{});
    CHECK(first_difference(scan_of_unions(values), expected) == n);
}

TEST_CASE("[needs AVX2 and FMA] the host fuses no product of an iterator with the sum in a predicate")
{
    const float x = 1 + 0x1p-12f;
    CHECK(squares_above({x, 2, x}, 1 + 0x1p-11f) == 1);
}

TEST_CASE("[needs AVX2 and FMA] the host fuses no product of an iterator with the sum in an axis")
{
    const float x = 1 + 0x1p-12f;
    CHECK(squares_counted_above({x, 2, x}, 1 + 0x1p-11f) == 1);
    CHECK(pairs_counted_above({x, 2, x, x, 2, x}, 1 + 0x1p-11f) == 2);
}

TEST_CASE("[needs AVX2 and FMA] the host fuses no product that converts a sample with the arithmetic of an axis")
{
    constexpr std::size_t bins = 12288;
    std::vector<raw_number> values;
    std::vector<std::uint32_t> expected(bins);
    for (std::int16_t raw = 0; raw < INT16_MAX; ++raw) {
        values.push_back({raw});
        ++expected[static_cast<std::size_t>(static_cast<double>(static_cast<float>(values.back())) * bins / 4096)];
    }
    CHECK(counts_of_raw(values, bins) == expected);
}
