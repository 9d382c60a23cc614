/// @file
/// @brief  A histogram of each segment, by size and by offsets: the counts of each segment by itself, bad input, graphs.
#include <doctest/doctest.h>

#include <parprims/axis.hpp>
#include <parprims/device_buffer.hpp>
#include <parprims/error.hpp>
#include <parprims/histogram.hpp>
#include <parprims/iterator.hpp>
#include <parprims/product_axis.hpp>
#include <parprims/segmented_histogram.hpp>
#include <parprims/variable_axis.hpp>

#include "support/backend.hpp"
#include "support/captured.hpp"
#include "support/data.hpp"
#include "support/refusal.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace pp = parprims;

namespace {

template <class T>
std::vector<T> spread_samples(std::size_t n, std::uint64_t seed)
{
    return generate(
        n, [](std::uint64_t bits) { return static_cast<T>(bits % 7 == 0 ? 3 : bits / 7 % 120); }, seed);
}

/// Counts one by one.
template <class Counter, class T, class Axis>
std::vector<Counter> counted_one_by_one(const std::vector<T>& x, const std::vector<std::uint32_t>& offsets,
                                        const Axis& axis)
{
    std::vector<Counter> counts((offsets.size() - 1) * axis.extent());
    for (std::size_t s = 0; s + 1 < offsets.size(); ++s)
        for (std::size_t i = offsets[s]; i < offsets[s + 1]; ++i)
            if (const std::size_t slot = axis.slot(x[i]); slot < axis.extent())
                ++counts[s * axis.extent() + slot];
    return counts;
}

template <class Backend, class T, class Counter, class Axis>
void check_segmented_counts(std::size_t n, std::size_t most, const Axis& axis, std::uint64_t seed)
{
    CAPTURE(n);
    CAPTURE(most);
    const auto policy = Backend::policy();
    const std::vector<T> values = spread_samples<T>(n, seed);
    const auto x = place<Backend>(values, seed % 7);
    std::vector<std::uint32_t> offsets{0, 0};
    for (std::uint64_t i = 0; offsets.back() < n; ++i) {
        const std::uint64_t length = ((seed + i) * 0x9e3779b97f4a7c15u >> 33) % (most + 1);
        offsets.push_back(static_cast<std::uint32_t>(std::min<std::uint64_t>(n, offsets.back() + length)));
    }
    std::vector<std::uint32_t> equal{0};
    while (equal.back() < n)
        equal.push_back(static_cast<std::uint32_t>(std::min(n, equal.back() + most)));
    const auto of_segments = place<Backend>(offsets);
    const auto check = [&](const std::vector<std::uint32_t>& bounds, auto... where) {
        const auto counts = poisoned<Backend, Counter>((bounds.size() - 1) * axis.extent());
        const T* const first = x.begin();
        CHECK(pp::segmented_histogram(policy, first, first + n, where..., axis, counts.begin()) == counts.end());
        CHECK(counts.read() == counted_one_by_one<Counter>(values, bounds, axis));
    };
    check(offsets, static_cast<const std::uint32_t*>(of_segments.begin()),
          static_cast<const std::uint32_t*>(of_segments.end()));
    check(equal, most);
}

}  // namespace

TEST_CASE_TEMPLATE("segments are counted each by itself", Backend, PARPRIMS_BACKENDS)
{
    std::uint64_t seed = 0;
    for (const std::size_t n : {std::size_t{1}, std::size_t{1000}, std::size_t{100003}})
        for (const std::size_t most : {1u, 64u, 1000u, 5000u, 300000u}) {
            check_segmented_counts<Backend, float, std::uint32_t>(n, most, pp::regular_axis(16, 0.0f, 100.0f), ++seed);
            check_segmented_counts<Backend, double, double>(n, most, pp::regular_axis(5, 10.0, 100.0).with_flow(),
                                                            ++seed);
            check_segmented_counts<Backend, std::uint8_t, std::uint64_t>(n, most, pp::integer_axis(3, 90), ++seed);
            check_segmented_counts<Backend, std::int32_t, float>(
                n, most, pp::variable_axis(std::vector<std::int32_t>{1, 2, 40, 90}), ++seed);
        }
    check_segmented_counts<Backend, float, std::uint32_t>(300000, 100000, pp::regular_axis(70000, 0.0f, 100.0f), 77);
}

TEST_CASE_TEMPLATE("segments of pairs, of ranges, of nothing", Backend, PARPRIMS_BACKENDS)
{
    const auto policy = Backend::policy();
    const auto x = place<Backend>(std::vector<float>{0.1f, 0.6f, 0.7f, 0.2f, 0.3f});
    const auto y = place<Backend>(std::vector<float>{0.1f, 0.1f, 0.9f, 0.9f, 0.9f});
    const pp::regular_axis half(2, 0.0f, 1.0f);
    const auto counts = poisoned<Backend, std::uint32_t>(8);
    const pp::zip_iterator pairs(static_cast<const float*>(x.begin()), static_cast<const float*>(y.begin()));
    pp::segmented_histogram(policy, pairs, pairs + 5, 3, pp::product_axis(half, half), counts.begin());
    CHECK(counts.read() == std::vector<std::uint32_t>{1, 0, 1, 1, 0, 2, 0, 0});

    const auto none = poisoned<Backend, std::uint32_t>(4);
    const float* const first = x.begin();
    CHECK(pp::segmented_histogram(policy, first, first, 3, half, none.begin()) == none.begin());
    const pp::constant_iterator<int> zero(0);
    CHECK(pp::segmented_histogram(policy, first, first, zero, zero, half, none.begin()) == none.begin());
    CHECK(pp::segmented_histogram(policy, first, first, zero, zero + 3, half, none.begin()) == none.end());
    CHECK(none.read() == std::vector<std::uint32_t>(4));
    const pp::counting_iterator<std::int32_t> numbers(0);
    pp::segmented_histogram(policy, numbers, numbers + 10, 5, pp::integer_axis(2, 6), counts.begin());
    CHECK(counts.read() == std::vector<std::uint32_t>{1, 1, 1, 0, 0, 0, 0, 1});
}

TEST_CASE_TEMPLATE("histograms of segments refuse what they cannot do", Backend, PARPRIMS_BACKENDS)
{
    const auto policy = Backend::policy();
    const auto x = place_guarded<Backend>(std::vector<number>(100, 1));
    const auto offsets = place_guarded<Backend>(std::vector<number>{0, 40, 100});
    const auto out = poisoned<Backend, number>(40);
    const pp::integer_axis axis(0, 4);
    const number* const first = x.begin();
    const number* const last = x.end();
    number* const nowhere = nullptr;
    const auto refused = [&](const number* from, const number* to, int size, number* counts, const char* argument,
                             const char* reason) {
        check_refused("parprims::segmented_histogram", argument, reason,
                      [&] { pp::segmented_histogram(policy, from, to, size, axis, counts); });
    };
    refused(nowhere, nowhere + 5, 2, out.begin(), "first", "null pointer with n = 5");
    refused(last, first, 2, out.begin(), "last", "comes before first, by 100");
    refused(first, last, 0, out.begin(), "segment_size", "must be at least 1, not 0");
    refused(first, last, 10, nowhere, "counts", "null pointer with n = 40");
    refused(first, last, 10, x.begin() + 99, "counts", "overlaps [first, last)");
    check_refused("parprims::segmented_histogram", "counts", "overlaps the offsets", [&] {
        pp::segmented_histogram(policy, first, last, offsets.begin(), offsets.end(), axis, offsets.begin() + 2);
    });
    check_refused("parprims::segmented_histogram", "offsets_last", "comes before first", [&] {
        pp::segmented_histogram(policy, first, last, offsets.end(), offsets.begin(), axis, out.begin());
    });
    const pp::constant_iterator<number> many(1);
    const auto narrow = poisoned<Backend, float>(4);
    check_refused("parprims::segmented_histogram", "counts",
                  "a counter holds at most 16777216, a segment may have 16777217",
                  [&] { pp::segmented_histogram(policy, many, many + 16777217, 16777217, axis, narrow.begin()); });
    check_refused("parprims::segmented_histogram", "counts", "do not fit any memory", [&] {
        pp::segmented_histogram(policy, many, many + 1000, 1, pp::integer_axis<std::int64_t>(0, std::int64_t{1} << 53),
                                out.begin());
    });
    CHECK(out.untouched());
    CHECK(narrow.untouched());
    check_works<Backend>();
}

#if PARPRIMS_CUDA_COMPILER

TEST_CASE("one graph counts segments [device]")
{
    const std::size_t n = 100000;
    const pp::stream work;
    const pp::device_policy policy = pp::device.on(work);
    std::vector<std::uint32_t> bounds{0};
    while (bounds.back() < n)
        bounds.push_back(static_cast<std::uint32_t>(std::min<std::size_t>(n, bounds.back() + bounds.size() % 65)));
    const pp::device_buffer<std::uint32_t> offsets(bounds, work);
    const pp::regular_axis axis(10, 0.0f, 100.0f);
    pp::device_buffer<float> x(n, work);
    pp::device_buffer<std::uint32_t> by_size(1000, work), by_offsets(10 * (bounds.size() - 1), work);
    const captured graph(work, [&] {
        pp::segmented_histogram(policy, x, 1000, axis, by_size.begin());
        pp::segmented_histogram(policy, x, offsets, axis, by_offsets.begin());
    });
    for (std::uint64_t round = 0; round < 3; ++round) {
        CAPTURE(round);
        const auto values = spread_samples<float>(n, round);
        x.copy_from(values);
        graph.replay(work);
        std::vector<std::uint32_t> expected(1000), expected_by_offsets(10 * (bounds.size() - 1));
        pp::segmented_histogram(pp::host, values, 1000, axis, expected.begin());
        pp::segmented_histogram(pp::host, values, bounds, axis, expected_by_offsets.begin());
        CHECK(by_size.to_host() == expected);
        CHECK(by_offsets.to_host() == expected_by_offsets);
    }
}

#endif

TEST_CASE("the examples of histograms of segments")
{
    /// [segmented_histogram]
    const std::vector<float> x{0.1f, 0.9f, 0.8f, 0.2f, 0.3f, 0.4f};
    std::vector<int> counts(4);
    pp::segmented_histogram(pp::host, x, 3, pp::regular_axis(2, 0.0f, 1.0f), counts.begin());  // 1 2, 3 0
    /// [segmented_histogram]
    CHECK(counts == std::vector<int>{1, 2, 3, 0});

    /// [segmented_histogram_offsets]
    const std::vector<int> offsets{0, 2, 6};
    pp::segmented_histogram(pp::host, x, offsets, pp::regular_axis(2, 0.0f, 1.0f), counts.begin());  // 1 1, 3 1
    /// [segmented_histogram_offsets]
    CHECK(counts == std::vector<int>{1, 1, 3, 1});
}
