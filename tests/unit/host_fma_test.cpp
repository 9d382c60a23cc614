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
