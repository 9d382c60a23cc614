/// @file
/// @brief  Calls by key and of segments, searches and copies on the host, for every size up to a few thousand, beside plain loops and
///         the standard library.
#include <doctest/doctest.h>

#include <parprims/by_key.hpp>
#include <parprims/copy_if.hpp>
#include <parprims/extremes.hpp>
#include <parprims/functional.hpp>
#include <parprims/segmented.hpp>
#include <parprims/segmented_scan.hpp>
#include <parprims/transform.hpp>

#include "support/data.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <numeric>
#include <vector>

namespace pp = parprims;

namespace {

using word = std::uint32_t;

constexpr std::size_t most = 2500;

/// So many values, of which neighbours are often equal.
std::vector<word> values_of(std::size_t n)
{
    return generate(
        n, [](std::uint64_t bits) { return static_cast<word>(bits >> 40) % 3; }, n);
}

/// Begin and end of each run of equal values.
std::vector<std::ptrdiff_t> runs_of(const std::vector<word>& keys)
{
    std::vector<std::ptrdiff_t> ends{0};
    for (std::size_t i = 1; i <= keys.size(); ++i)
        if (i == keys.size() || keys[i] != keys[i - 1])
            ends.push_back(static_cast<std::ptrdiff_t>(i));
    return ends;
}

/// Of random, equal or very unequal lengths; some have no elements.
std::vector<std::ptrdiff_t> offsets_of(std::size_t n)
{
    switch (n % 8) {
    case 0: return std::vector<std::ptrdiff_t>(n + 1, 0);
    case 1: return offsets_by(n, [](std::uint64_t) { return 1; });
    case 2: return offsets_by(n, [](std::uint64_t) { return 2; });
    case 3: return offsets_by(n, [](std::uint64_t bits) { return 31 + bits % 3; });
    case 4: return offsets_by(n, [](std::uint64_t bits) { return bits % 65; });
    case 5: return {0, 0, static_cast<std::ptrdiff_t>(n), static_cast<std::ptrdiff_t>(n)};
    case 6: return offsets_by(n, [](std::uint64_t bits) { return most / (1 + bits % most); });
    default: return offsets_by(n, [n](std::uint64_t bits) { return bits % (n + 1); });
    }
}

/// Sums of the values between neighbouring offsets, inclusive scans, and exclusive ones that begin with 7.
struct loops {
    std::vector<word> totals, inclusive, exclusive;

    loops(const std::vector<word>& x, const std::vector<std::ptrdiff_t>& offsets)
        : inclusive(x.size()), exclusive(x.size())
    {
        for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
            const auto first = x.begin() + offsets[s], last = x.begin() + offsets[s + 1];
            totals.push_back(std::accumulate(first, last, word{0}));
            std::partial_sum(first, last, inclusive.begin() + offsets[s]);
            std::exclusive_scan(first, last, exclusive.begin() + offsets[s], word{7});
        }
    }
};

}  // namespace

TEST_CASE("calls by key on the host are loops over runs, for every size")
{
    for (std::size_t n = 0; n <= most; ++n) {
        CAPTURE(n);
        const std::vector<word> keys = values_of(n), x = generate(n, [](std::uint64_t bits) { return word(bits); });
        const auto runs = runs_of(keys);
        const loops expected(x, runs);
        std::vector<word> out(n), run_keys(n), totals(n), expected_keys;
        std::unique_copy(keys.begin(), keys.end(), std::back_inserter(expected_keys));
        pp::inclusive_scan_by_key(pp::host, keys, x, out.begin());
        REQUIRE(out == expected.inclusive);
        pp::exclusive_scan_by_key(pp::host, keys, x, out.begin(), word{7});
        REQUIRE(out == expected.exclusive);
        const std::size_t count = pp::reduce_by_key(pp::host, keys, x, run_keys.begin(), totals.begin());
        run_keys.resize(count);
        totals.resize(count);
        REQUIRE(run_keys == expected_keys);
        REQUIRE(totals == expected.totals);
    }
}

TEST_CASE("calls of segments on the host are loops over segments, for every size")
{
    for (std::size_t n = 0; n <= most; ++n) {
        CAPTURE(n);
        const std::vector<word> x = generate(n, [](std::uint64_t bits) { return word(bits); });
        std::vector<word> out(n);
        const auto offsets = offsets_of(n);
        const loops expected(x, offsets);
        std::vector<word> totals(offsets.size() - 1);
        pp::segmented_reduce(pp::host, x, offsets, totals.begin(), word{0});
        REQUIRE(totals == expected.totals);
        if (offsets.back() == static_cast<std::ptrdiff_t>(n)) {
            pp::segmented_inclusive_scan(pp::host, x, offsets, out.begin());
            REQUIRE(out == expected.inclusive);
            pp::segmented_exclusive_scan(pp::host, x, offsets, out.begin(), word{7});
            REQUIRE(out == expected.exclusive);
        }
        const std::size_t size = 1 + n * 7919 % 100;
        const loops of_one_size(x, offsets_by(n, [=](std::uint64_t) { return size; }));
        totals.resize(of_one_size.totals.size());
        pp::segmented_reduce(pp::host, x, size, totals.begin(), word{0});
        REQUIRE(totals == of_one_size.totals);
        pp::segmented_inclusive_scan(pp::host, x, size, out.begin());
        REQUIRE(out == of_one_size.inclusive);
    }
}

TEST_CASE("searches, copies and transforms on the host are those of the standard library, for every size")
{
    const auto is_two = [](word x) { return x == 2; };
    for (std::size_t n = 0; n <= most; ++n) {
        CAPTURE(n);
        const std::vector<word> x = values_of(n);
        REQUIRE(pp::min_element(pp::host, x) == std::min_element(x.begin(), x.end()));
        REQUIRE(pp::max_element(pp::host, x) == std::max_element(x.begin(), x.end()));
        std::vector<word> kept(n), expected;
        kept.erase(pp::copy_if(pp::host, x, kept.begin(), is_two), kept.end());
        std::copy_if(x.begin(), x.end(), std::back_inserter(expected), is_two);
        REQUIRE(kept == expected);
        std::vector<word> negative(n);
        pp::transform(pp::host, x, negative.begin(), std::negate<word>());
        expected.resize(n);
        std::transform(x.begin(), x.end(), expected.begin(), std::negate<word>());
        REQUIRE(negative == expected);
    }
}
