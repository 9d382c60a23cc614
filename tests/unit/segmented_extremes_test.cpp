/// @file
/// @brief  Extremes of segments, by size and by offsets: where a search of each segment finds them, ties, NaN, empty segments, bad input.
#include <doctest/doctest.h>

#include <parprims/device_buffer.hpp>
#include <parprims/error.hpp>
#include <parprims/extremes.hpp>
#include <parprims/iterator.hpp>
#include <parprims/segmented_extremes.hpp>
#include <parprims/sized_on_device.hpp>

#include "support/backend.hpp"
#include "support/captured.hpp"
#include "support/data.hpp"
#include "support/refusal.hpp"
#include "support/values.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

namespace pp = parprims;

namespace {

template <class T>
std::vector<T> ties(std::size_t n, std::uint64_t seed)
{
    return generate(
        n,
        [](std::uint64_t bits) {
            if constexpr (pp::detail::may_be_nan<T>)
                if (bits % 2000 == 0)
                    return static_cast<T>(std::numeric_limits<float>::quiet_NaN());
            return static_cast<T>((bits >> 40) % 2 == 0 ? -0.0f : static_cast<float>(bits % 113));
        },
        seed);
}

struct greater {
    template <class T>
    PARPRIMS_HOST_DEVICE bool operator()(const T& a, const T& b) const
    {
        return a > b;
    }
};

/// Of each segment, what the plain call finds on the host.
template <class T>
void check_positions(const std::vector<T>& x, const std::vector<std::uint32_t>& offsets,
                     const std::vector<std::int64_t>& least, const std::vector<float>& greatest,
                     const std::vector<std::uint32_t>& both)
{
    const T* const first = x.data();
    for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
        CAPTURE(s);
        const T* const begin = first + offsets[s];
        const T* const end = first + offsets[s + 1];
        REQUIRE(least[s] == pp::min_element(pp::host, begin, end) - first);
        REQUIRE(static_cast<std::ptrdiff_t>(greatest[s]) == pp::max_element(pp::host, begin, end) - first);
        const auto [low, high] = pp::minmax_element(pp::host, begin, end);
        REQUIRE(both[2 * s] == low - first);
        REQUIRE(both[2 * s + 1] == high - first);
    }
}

template <class Backend, class T>
void check_segments(std::size_t n, std::size_t most, std::uint64_t seed)
{
    CAPTURE(n);
    CAPTURE(most);
    const auto policy = Backend::policy();
    const std::vector<T> values = ties<T>(n, seed);
    const auto x = place<Backend>(values, seed % 7);
    std::vector<std::uint32_t> offsets{0, 0};
    for (std::uint64_t i = 0; offsets.back() < n; ++i) {
        const std::uint64_t length = ((seed + i) * 0x9e3779b97f4a7c15u >> 33) % (most + 1);
        offsets.push_back(static_cast<std::uint32_t>(std::min<std::uint64_t>(n, offsets.back() + length)));
    }
    const auto of_segments = place<Backend>(offsets);
    std::vector<std::uint32_t> equal{0};
    while (equal.back() < n)
        equal.push_back(static_cast<std::uint32_t>(std::min(n, equal.back() + most)));
    const auto check = [&](const std::vector<std::uint32_t>& bounds, auto... where) {
        const std::size_t count = bounds.size() - 1;
        const auto least = poisoned<Backend, std::int64_t>(count);
        const auto greatest = poisoned<Backend, float>(count);
        const auto both = poisoned<Backend, std::uint32_t>(2 * count);
        const T* const first = x.begin();
        CHECK(pp::segmented_min_element(policy, first, first + n, where..., least.begin()) == least.end());
        CHECK(pp::segmented_max_element(policy, first, first + n, where..., greatest.begin()) == greatest.end());
        CHECK(pp::segmented_minmax_element(policy, first, first + n, where..., both.begin()) == both.end());
        check_positions(values, bounds, least.read(), greatest.read(), both.read());
    };
    check(offsets, static_cast<const std::uint32_t*>(of_segments.begin()),
          static_cast<const std::uint32_t*>(of_segments.end()));
    check(equal, most);
}

}  // namespace

TEST_CASE_TEMPLATE("extremes of segments are where those of each segment are", Backend, PARPRIMS_BACKENDS)
{
    std::uint64_t seed = 0;
    for (const std::size_t n : {std::size_t{1}, std::size_t{1000}, std::size_t{100003}, std::size_t{1} << 20})
        for (const std::size_t most : {1u, 5u, 64u, 1000u, 5000u, 300000u}) {
            check_segments<Backend, float>(n, most, ++seed);
            check_segments<Backend, std::int32_t>(n, most, ++seed);
            if (n <= 100003)
                check_segments<Backend, double>(n, most, ++seed);
            check_segments<Backend, std::uint8_t>(n, most, ++seed);
        }
}

#if PARPRIMS_CUDA_COMPILER
TEST_CASE_TEMPLATE("extremes of segments of 16-bit floating-point numbers", Backend, PARPRIMS_BACKENDS)
{
    std::uint64_t seed = 0;
    for (const std::size_t most : {1u, 5u, 64u, 1000u, 5000u, 300000u}) {
        check_segments<Backend, __half>(100003, most, ++seed);
        check_segments<Backend, __nv_bfloat16>(30011, most, ++seed);
    }
}
#endif

TEST_CASE_TEMPLATE("extremes of segments take any order and any iterator", Backend, PARPRIMS_BACKENDS)
{
    const auto policy = Backend::policy();
    const pp::counting_iterator<std::uint32_t> numbers(0);
    const auto out = poisoned<Backend, std::uint64_t>(7);
    CHECK(pp::segmented_min_element(policy, numbers, numbers + 7000, 1000, out.begin(), greater{}) == out.end());
    for (std::size_t s = 0; s < 7; ++s)
        CHECK(out.read()[s] == 1000 * s + 999);
    const auto none = poisoned<Backend, std::uint64_t>(1);
    CHECK(pp::segmented_max_element(policy, numbers, numbers, 10, none.begin()) == none.begin());
    CHECK(pp::segmented_max_element(policy, numbers, numbers + 5, numbers, numbers + 1, none.begin()) == none.begin());
    CHECK(pp::segmented_max_element(policy, numbers, numbers, pp::constant_iterator<int>(0),
                                    pp::constant_iterator<int>(0) + 2, none.begin()) == none.end());
    CHECK(none.read()[0] == 0);
}

TEST_CASE_TEMPLATE("extremes of segments whose number lies in memory", Backend, PARPRIMS_BACKENDS)
{
    const std::vector<float> values = ties<float>(50000, 3);
    const auto x = place<Backend>(values);
    std::vector<std::uint32_t> bounds{0};
    while (bounds.back() < values.size())
        bounds.push_back(
            static_cast<std::uint32_t>(std::min<std::size_t>(values.size(), bounds.back() + bounds.size() % 70)));
    const auto offsets = place<Backend>(bounds);
    const std::size_t bound = bounds.size() - 1;
    for (const std::size_t count : {std::size_t{0}, std::size_t{1}, bound / 2, bound}) {
        CAPTURE(count);
        const auto number_of_segments = place<Backend>(std::vector{static_cast<std::int64_t>(count)});
        const auto found = poisoned<Backend, std::uint32_t>(bound);
        pp::segmented_min_element(
            Backend::policy(), x.begin(), x.end(),
            pp::sized_on_device(static_cast<const std::uint32_t*>(offsets.begin()), number_of_segments.begin(), bound)
                .begin(),
            pp::sized_on_device(static_cast<const std::uint32_t*>(offsets.begin()), number_of_segments.begin(), bound)
                .end(),
            found.begin());
        const std::vector<std::uint32_t> positions = found.read();
        for (std::size_t s = 0; s < bound; ++s) {
            std::uint32_t untouched = 0;
            std::memset(&untouched, poison, sizeof untouched);
            const float* const first = values.data();
            REQUIRE(positions[s] ==
                    (s < count ? static_cast<std::uint32_t>(
                                     pp::min_element(pp::host, first + bounds[s], first + bounds[s + 1]) - first)
                               : untouched));
        }
    }
}

TEST_CASE_TEMPLATE("extremes of segments refuse what they cannot do", Backend, PARPRIMS_BACKENDS)
{
    const auto policy = Backend::policy();
    const auto x = place_guarded<Backend>(std::vector<number>(100, 1));
    const auto offsets = place_guarded<Backend>(std::vector<number>{0, 40, 100});
    const auto out = poisoned<Backend, number>(20);
    const number* const first = x.begin();
    const number* const last = x.end();
    number* const nowhere = nullptr;
    const auto refused = [&](const number* from, const number* to, int size, number* results, const char* argument,
                             const char* reason) {
        check_refused("parprims::segmented_min_element", argument, reason,
                      [&] { pp::segmented_min_element(policy, from, to, size, results); });
        check_refused("parprims::segmented_minmax_element", argument, reason,
                      [&] { pp::segmented_minmax_element(policy, from, to, size, results); });
    };
    refused(nowhere, nowhere + 5, 2, out.begin(), "first", "null pointer with n = 5");
    refused(last, first, 2, out.begin(), "last", "comes before first, by 100");
    refused(first, last, 0, out.begin(), "segment_size", "must be at least 1, not 0");
    refused(first, last, 10, nowhere, "out", "null pointer with n = ");
    refused(first, last, 10, x.begin() + 99, "out", "overlaps [first, last)");
    check_refused("parprims::segmented_max_element", "out", "overlaps the offsets", [&] {
        pp::segmented_max_element(policy, first, last, offsets.begin(), offsets.end(), offsets.begin() + 2);
    });
    check_refused("parprims::segmented_max_element", "offsets_last", "comes before first",
                  [&] { pp::segmented_max_element(policy, first, last, offsets.end(), offsets.begin(), out.begin()); });
    const pp::constant_iterator<number> many(1);
    const auto narrow = poisoned<Backend, float>(2);
    check_refused("parprims::segmented_max_element", "out", "a number of its type is at most 16777216, n is 16777217",
                  [&] { pp::segmented_max_element(policy, many, many + 16777217, 16777216, narrow.begin()); });
    CHECK(out.untouched());
    CHECK(narrow.untouched());
    check_works<Backend>();
}

#if PARPRIMS_CUDA_COMPILER

TEST_CASE("one graph finds extremes of segments [device]")
{
    const std::size_t n = 100000;
    const pp::stream work;
    const pp::device_policy policy = pp::device.on(work);
    std::vector<std::uint32_t> bounds{0};
    while (bounds.back() < n)
        bounds.push_back(static_cast<std::uint32_t>(std::min<std::size_t>(n, bounds.back() + bounds.size() % 65)));
    const pp::device_buffer<std::uint32_t> offsets(bounds, work);
    pp::device_buffer<float> x(n, work);
    pp::device_buffer<std::uint32_t> least(100, work), both(2 * bounds.size() - 2, work);
    const captured graph(work, [&] {
        pp::segmented_min_element(policy, x, 1000, least.begin());
        pp::segmented_minmax_element(policy, x, offsets, both.begin());
    });
    for (std::uint64_t round = 0; round < 3; ++round) {
        CAPTURE(round);
        const auto values = ties<float>(n, round);
        x.copy_from(values);
        graph.replay(work);
        std::vector<std::uint32_t> expected(100), expected_both(2 * bounds.size() - 2);
        pp::segmented_min_element(pp::host, values, 1000, expected.begin());
        pp::segmented_minmax_element(pp::host, values, bounds, expected_both.begin());
        CHECK(least.to_host() == expected);
        CHECK(both.to_host() == expected_both);
    }
}

#endif

TEST_CASE("the examples of extremes of segments")
{
    /// [segmented_min_element]
    const std::vector<float> x{3, 1, 2, 0, 5, 5, 4};
    std::vector<int> where(3);
    pp::segmented_min_element(pp::host, x, 3, where.begin());  // 1, 3, 6
    /// [segmented_min_element]
    CHECK(where == std::vector<int>{1, 3, 6});

    /// [segmented_min_element_offsets]
    const std::vector<int> offsets{0, 3, 3, 7};
    pp::segmented_min_element(pp::host, x, offsets, where.begin());  // 1, 3 where the empty segment ends, 3
    /// [segmented_min_element_offsets]
    CHECK(where == std::vector<int>{1, 3, 3});

    /// [segmented_max_element]
    pp::segmented_max_element(pp::host, x, offsets, where.begin());  // 0, 3, 4
    /// [segmented_max_element]
    CHECK(where == std::vector<int>{0, 3, 4});

    /// [segmented_minmax_element]
    std::vector<int> both(6);
    pp::segmented_minmax_element(pp::host, x, offsets, both.begin());  // 1, 0; 3, 3; 3, 5
    /// [segmented_minmax_element]
    CHECK(both == std::vector<int>{1, 0, 3, 3, 3, 5});
}
