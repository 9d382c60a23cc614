// The kernels of samples/histogram_memory on the executor, against plain counting.
#include "histogram_memory/count.hpp"
#include "support/executor_launcher.hpp"

#include <doctest/doctest.h>

#include "support/run.hpp"

#include <cstdint>
#include <string>

using namespace kernel_test;
using namespace histogram_memory;

namespace {

#if defined(__SANITIZE_THREAD__)
constexpr unsigned blocks[] = {32, 64, 96};
constexpr std::size_t stride = 599, most = 300;
#else
constexpr unsigned blocks[] = {32, 64, 96, 256};
constexpr std::size_t stride = 1, most = 3000;
#endif

/// Rule, skew, block, grid and schedule go round at their own paces.
void check(method which, std::size_t n, std::uint32_t bins, std::uint64_t seed)
{
    const request what{n, bins, seed % 2 == 0, seed % 3 == 0, blocks[seed / 2 % std::size(blocks)], 1 + seed % 5};
    CAPTURE(std::string(names[which]));
    CAPTURE(n);
    CAPTURE(bins);
    CAPTURE(what.by_range);
    CAPTURE(what.is_skewed);
    CAPTURE(what.block);
    CAPTURE(what.grid);
    CAPTURE(seed);
    samples::executor_launcher launcher(schedule_of(seed));
    std::vector<std::uint32_t> values(n), expected(bins);
    with_rule(what, [&](auto rule) {
        for (std::size_t i = 0; i < n; ++i) {
            values[i] = make_key{what.is_skewed}(i);
            ++expected[rule(values[i])];
        }
        auto* const counts = launcher.allocate<std::uint32_t>(bins);
        count(launcher, which, what, rule, launcher.bring(values), counts);
        REQUIRE(launcher.fetch(counts, bins) == expected);
    });
}

}  // namespace

TEST_CASE("every method counts right for every n up to 5000")
{
    const std::uint32_t bins[] = {1, 8, 64, 256, 4096};
    for (std::size_t n = 1; n <= 5000; n += stride)
        for (const method which : {global_atomics, shared_atomics, replicated})
            check(which, n, bins[n / 5 % std::size(bins)], 7 * n + which);  // rule, skew and so on differ for each n
}

TEST_CASE("every method counts right near every multiple of its units")
{
    std::uint64_t seed = 0;
    for (const method which : {global_atomics, shared_atomics, replicated})
        for (const std::size_t n : sizes(most, {32, 256}, seed))
            if (n > 0) {
                ++seed;
                check(which, n, 1u << seed % 10, seed);
            }
}

TEST_CASE("bins of any number are counted by their remainders")
{
    for (std::uint32_t bins = 1; bins <= 100; bins += 3)
        for (const method which : {global_atomics, shared_atomics, replicated})
            check(which, 777, bins, 2 * bins + 1);
}
