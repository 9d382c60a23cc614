// Calls over several ranks, small enough to be run with each planted bug.
#include "program.hpp"

#include "../../unit/support/order_oracle.hpp"
#include "../support/ranks.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

using namespace kernel_test;

namespace {

/// Borders of three ranks, of which the first one's slice is the largest.
std::vector<std::size_t> borders_of(std::size_t n, std::size_t odd)
{
    return {0, n - n / 5 - odd, n - n / 9 + odd, n};
}

void check_reduce(std::uint64_t seed)
{
    using T = float;
    const std::size_t n = 20 * order::chunk<T> + 100;
    memory<T> input(n);
    fill(input);
    const T init = element<T>(1000003);
    const T expected = order_oracle::reduce<T>(input.data(), n, init, hash{}, parprims::identity{});
    auto group = make_reduce_group<T>(borders_of(n, seed));
    for (const T& result : run_reduce(group, input, init, seed))
        mutants::require(same_bits(result, expected), "reduction over ranks");
}

void check_scan(std::uint64_t seed)
{
    using T = checked<256>;
    const std::size_t n = 44 * order::tile<T> + 1;
    memory<T> input(n);
    fill(input);
    const auto expected =
        order_oracle::scan<scan_kind::inclusive, T>(input.data(), n, std::nullopt, hash{}, parprims::identity{});
    auto group = make_scan_group<T>(borders_of(n, seed));
    const auto results = run_scan<scan_kind::inclusive, T>(group, input, nullptr, seed);
    for (std::size_t i = 0; i < n; ++i)
        mutants::require(same_bits(results[i], expected[i]), "scan over ranks");
}

}  // namespace

int main(int count, char** arguments)
{
    return mutants::run(count, arguments, [](std::uint64_t seed) {
        check_reduce(seed);
        check_scan(seed);
    });
}
