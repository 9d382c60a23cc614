/// @file
/// @brief  The ways to call a scan: ranges, iterators as input and output.
#include <doctest/doctest.h>

#include <parprims/device.hpp>
#include <parprims/iterator.hpp>
#include <parprims/scan.hpp>
#include <parprims/tuple.hpp>

#include "support/backend.hpp"
#include "support/data.hpp"
#include "support/scan_check.hpp"
#include "support/values.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <ranges>
#include <span>
#include <vector>

namespace pp = parprims;

namespace {

using word = std::uint64_t;

using pair = pp::tuple<std::uint32_t, std::int64_t>;

/// The sum of the first parts, and the last of the second ones: does not commute.
struct sum_and_last {
    PARPRIMS_HOST_DEVICE pair operator()(const pair& a, const pair& b) const
    {
        return {pp::get<0>(a) + pp::get<0>(b), pp::get<1>(b)};
    }
};

constexpr std::size_t sizes[] = {0, 1, 1000, 300001};

}  // namespace

TEST_CASE("scans take ranges that end with a sentinel")
{
    std::vector<int> sums(5);
    const auto numbers = std::views::iota(1) | std::views::take(5);
    CHECK(pp::inclusive_scan(pp::host, numbers, sums.begin()) == sums.end());
    CHECK(sums == std::vector<int>{1, 3, 6, 10, 15});
    CHECK(pp::exclusive_scan(pp::host, numbers, sums.begin(), 2) == sums.end());
    CHECK(sums == std::vector<int>{2, 3, 5, 8, 12});
}

TEST_CASE("scans on the host take truth values")
{
    const std::size_t n = 1000003;
    const auto values = std::make_unique<bool[]>(n);
    const auto out = std::make_unique<bool[]>(n);
    for (std::size_t i = 0; i < n; i += 3)
        values[i] = true;
    pp::inclusive_scan(pp::host, values.get(), values.get() + n, out.get(), pp::bit_xor{});
    bool odd = false;
    for (std::size_t i = 0; i < n; ++i) {
        CAPTURE(i);
        REQUIRE(out[i] == (odd = odd != values[i]));
    }
    pp::exclusive_scan(pp::host, values.get(), values.get() + n, out.get(), false, pp::maximum{});
    CHECK(!out[0]);
    for (std::size_t i = 1; i < n; ++i) {
        CAPTURE(i);
        REQUIRE(out[i]);
    }
}

/// The product of all elements of a tuple, as a T.
template <class T>
struct product_of {
    template <class... Elements>
    PARPRIMS_HOST_DEVICE T operator()(const pp::tuple<Elements...>& elements) const
    {
        T result = static_cast<T>(get<0>(elements) * get<1>(elements));
        if constexpr (sizeof...(Elements) == 3)
            result = static_cast<T>(result * get<2>(elements));
        return result;
    }
};

/// Scans a function of arrays that begin one, two and three elements behind aligned addresses: in many tiles, too, for which a
/// lane loads elements ahead.
template <class Backend, class T>
void check_scan_of_arrays(std::size_t n)
{
    CAPTURE(n);
    std::vector<T> values = small_values<T>(n + 2), two(n), three(n);
    for (std::size_t i = 0; i < n; ++i) {
        two[i] = static_cast<T>(values[i] * values[i + 1]);
        three[i] = static_cast<T>(two[i] * values[i + 2]);
    }
    const auto x = place<Backend>(values, 1);
    const auto sums = poisoned<Backend, T>(n, 3);
    const T* const first = x.begin();
    const auto check = [&](const auto& zip, const std::vector<T>& expected) {
        const pp::transform_iterator in(zip, product_of<T>{});
        for_each_scan_policy<Backend>([&](const auto& policy) {
            pp::inclusive_scan(policy, in, in + static_cast<std::ptrdiff_t>(n), sums.begin());
            CHECK(first_difference(sums.read(), loop_scan(true, expected, std::optional<T>(), pp::plus{})) == n);
        });
    };
    check(pp::zip_iterator(first, first + 1), two);
    check(pp::zip_iterator(first, first + 1, first + 2), three);
}

TEST_CASE_TEMPLATE("scan reads functions of several arrays", Backend, PARPRIMS_BACKENDS)
{
    for (const std::size_t n : {5000, 200001, 5000003}) {
        check_scan_of_arrays<Backend, std::uint16_t>(n);
        check_scan_of_arrays<Backend, std::uint32_t>(n);
        check_scan_of_arrays<Backend, std::uint64_t>(n);
    }
}

TEST_CASE_TEMPLATE("scan reads and writes zip iterators", Backend, PARPRIMS_BACKENDS)
{
    for (const std::size_t n : sizes) {
        CAPTURE(n);
        const std::vector<std::uint32_t> values = small_values<std::uint32_t>(n);
        const auto x = place<Backend>(values, 1);
        const auto sums = poisoned<Backend, std::uint32_t>(n, 1);
        const auto lasts = poisoned<Backend, std::int64_t>(n);
        const pp::zip_iterator in(x.begin(), pp::counting_iterator<std::int64_t>(-5));
        const pp::zip_iterator out(sums.begin(), lasts.begin());
        for_each_scan_policy<Backend>([&](const auto& policy) {
            const auto end = pp::inclusive_scan(policy, in, in + static_cast<std::ptrdiff_t>(n), out, sum_and_last{});
            CHECK(static_cast<std::size_t>(end - out) == n);
            CHECK(first_difference(sums.read(), loop_scan(true, values, std::optional<std::uint32_t>(), pp::plus{})) ==
                  n);
            const std::vector<std::int64_t> seen = lasts.read();
            std::size_t wrong = 0;
            for (std::size_t i = 0; i < n; ++i)
                wrong += seen[i] != static_cast<std::int64_t>(i) - 5;
            CHECK(wrong == 0);
        });
    }
}

TEST_CASE_TEMPLATE("scan writes strided elements and leaves those between them alone", Backend, PARPRIMS_BACKENDS)
{
    for (const std::size_t n : sizes) {
        CAPTURE(n);
        const pp::counting_iterator<word> first(1);
        for_each_scan_policy<Backend>([&](const auto& policy) {
            const auto out = poisoned<Backend, word>(3 * n, 1);
            pp::exclusive_scan(policy, first, first + static_cast<std::ptrdiff_t>(n),
                               pp::strided_iterator(out.begin(), 3), word{7});
            const std::vector<word> answers = out.read();
            std::size_t wrong = 0;
            for (word i = 0; i < n; ++i) {
                wrong += answers[3 * i] != 7 + i * (i + 1) / 2;
                wrong += answers[3 * i + 1] != 0xA5A5A5A5A5A5A5A5u || answers[3 * i + 2] != 0xA5A5A5A5A5A5A5A5u;
            }
            CHECK(wrong == 0);
        });
    }
}

TEST_CASE_TEMPLATE("scan reads transform iterators and writes to nowhere", Backend, PARPRIMS_BACKENDS)
{
    const pp::transform_iterator squares(pp::counting_iterator<word>(0), square{});
    const auto out = poisoned<Backend, word>(100000);
    pp::inclusive_scan(Backend::policy(), squares, squares + 100000, out.begin());
    const std::vector<word> answers = out.read();
    word expected = 0;
    std::size_t wrong = 0;
    for (word i = 0; i < answers.size(); ++i)
        wrong += answers[i] != (expected += i * i);
    CHECK(wrong == 0);
    const auto end = pp::inclusive_scan(Backend::policy(), squares, squares + 100000, pp::discard_iterator());
    CHECK(end - pp::discard_iterator() == 100000);
}

TEST_CASE("scan takes ranges of the host, contiguous or not, on any number of threads")
{
    const std::vector<int> values = small_values<int>(100000);
    const std::vector<int> inclusive = loop_scan(true, values, std::optional<int>(), pp::plus{});
    const std::vector<int> largest = loop_scan(true, values, std::optional(1), pp::maximum{});
    const std::vector<int> exclusive = loop_scan(false, values, std::optional(5), pp::plus{});
    for (const unsigned threads : {0u, 1u, 2u, 64u}) {
        CAPTURE(threads);
        const auto policy = pp::host.threads(threads);
        std::vector<int> out(values.size());
        CHECK(pp::inclusive_scan(policy, values, out.begin()) == out.end());
        CHECK(out == inclusive);
        pp::inclusive_scan(policy, std::span<const int>(values), out.begin(), pp::maximum{}, 1);
        CHECK(out == largest);
        pp::exclusive_scan(policy, values, out.begin(), 5);
        CHECK(out == exclusive);
        std::deque<int> deque(values.begin(), values.end());
        pp::exclusive_scan(policy, deque, deque.begin(), 5, pp::plus{});
        CHECK(std::vector<int>(deque.begin(), deque.end()) == exclusive);
        out.assign(values.size(), 0);
        pp::transform_exclusive_scan(policy, values, out.begin(), 5, pp::plus{}, [](int x) { return -x; });
        CHECK(out.back() == 5 - (exclusive.back() - 5));
        pp::transform_inclusive_scan(
            policy, values, out.begin(), pp::plus{}, [](int x) { return -x; }, 5);
        CHECK(out.back() == 5 - inclusive.back());
        pp::transform_inclusive_scan(policy, values, out.begin(), pp::plus{}, [](int x) { return -x; });
        CHECK(out.back() == -inclusive.back());
    }
}
