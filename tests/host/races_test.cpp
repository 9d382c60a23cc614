/// @file
/// @brief  The threads of the host backend order what they share. TSan sees a missing order in whatever way they happen to run.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>

#include <parprims/axis.hpp>
#include <parprims/histogram.hpp>
#include <parprims/reduce.hpp>
#include <parprims/scan.hpp>
#include <parprims/variable_axis.hpp>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <thread>
#include <vector>

namespace pp = parprims;

namespace {

constexpr std::size_t n = 1'000'001;  // of std::uint32_t: more than 100 tiles, in several groups
constexpr unsigned thread_counts[] = {2, 5, 0};

std::vector<std::uint32_t> numbers()
{
    std::vector<std::uint32_t> x(n);
    for (std::size_t i = 0; i < n; ++i)
        x[i] = static_cast<std::uint32_t>(i % 1000);
    return x;
}

}  // namespace

TEST_CASE("threads that reduce race for nothing")
{
    const std::vector<std::uint32_t> x = numbers();
    for (const unsigned threads : thread_counts)
        CHECK(pp::reduce(pp::host.threads(threads), x.begin(), x.end(), 1u) == 499'500'001);
}

TEST_CASE("threads that scan race for nothing, out of place and in place")
{
    const std::vector<std::uint32_t> x = numbers();
    for (const unsigned threads : thread_counts) {
        std::vector<std::uint32_t> y(n);
        pp::inclusive_scan(pp::host.threads(threads), x.begin(), x.end(), y.begin());
        CHECK(y.back() == 499'500'000);
        y = x;
        pp::exclusive_scan(pp::host.threads(threads), y.begin(), y.end(), y.begin(), 7u);
        CHECK(y.back() == 499'500'007);
    }
}

TEST_CASE("threads that scan race for nothing when one of them fails")
{
    const std::vector<std::uint32_t> x = numbers();
    std::vector<std::uint32_t> y(n);
    const auto failing = [](std::uint32_t a, std::uint32_t b) {
        if (a == 400'000'000)
            throw std::runtime_error("this operator fails");
        return a < 400'000'000 && a + b > 400'000'000 ? 400'000'000 : a + b;
    };
    for (const unsigned threads : thread_counts)
        CHECK_THROWS_AS(pp::inclusive_scan(pp::host.threads(threads), x.begin(), x.end(), y.begin(), failing),
                        std::runtime_error);
}

TEST_CASE("threads that count race for nothing, in counters of their own and in parts of all of them")
{
    const std::vector<std::uint32_t> x = numbers();
    std::vector<std::uint8_t> bytes(n);
    for (std::size_t i = 0; i < n; ++i)
        bytes[i] = static_cast<std::uint8_t>(x[i] % 250);
    for (const unsigned threads : thread_counts) {
        for (const std::uint32_t bins : {1000u, 100'000u, 2'000'000u}) {
            std::vector<std::uint32_t> counts(bins, 3);
            pp::histogram(pp::host.threads(threads), x.begin(), x.end(), pp::integer_axis(0u, bins), counts.begin());
            CHECK(counts[0] == 1001);
            CHECK(counts[999] == 1000);
        }
        std::vector<std::uint32_t> counts(256, 3);
        pp::histogram(pp::host.threads(threads), bytes.begin(), bytes.end(), pp::integer_axis(0, 256), counts.begin());
        CHECK(counts[0] == 4001);
        CHECK(counts[255] == 0);
    }
}

TEST_CASE("threads that copy an axis race for nothing")
{
    int last[4] = {};
    std::vector<std::thread> threads;
    {
        const pp::variable_axis<int> axis{1, 2, 3, 400};
        for (int& edge : last)
            threads.emplace_back([axis, &edge] {
                for (int i = 0; i < 100; ++i)
                    edge = pp::variable_axis<int>(axis).edge(3);
            });
    }
    for (std::thread& each : threads)
        each.join();
    for (const int edge : last)
        CHECK(edge == 400);
}
