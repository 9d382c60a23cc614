/// @file
/// @brief  The guide's programs that need a scan or a histogram. Each compares its answer with one that is known.
#include <doctest/doctest.h>

#include <parprims/histogram.hpp>
#include <parprims/iterator.hpp>
#include <parprims/product_axis.hpp>
#include <parprims/reduce.hpp>
#include <parprims/scan.hpp>

#include "support.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace pp = parprims;

namespace {

/// [recurrence_types]
using step = pp::tuple<double, double>;  // y -> a * y + b

struct then {  // not commutative, which a scan does not need
    PARPRIMS_HOST_DEVICE step operator()(const step& first, const step& second) const
    {
        const auto [a, b] = first;
        const auto [c, d] = second;
        return {c * a, c * b + d};
    }
};
/// [recurrence_types]

}  // namespace

TEST_CASE_TEMPLATE("guide: places from lengths", Backend, PARPRIMS_BACKENDS)
{
    const auto policy = Backend::policy();
    const auto lengths = bring<Backend>(std::vector<std::uint32_t>{3, 0, 2, 4});
    auto offsets = make_array<Backend, std::uint64_t>(lengths.size() + 1);
    /// [offsets]
    const auto end = pp::exclusive_scan(policy, lengths, offsets.begin(), std::uint64_t{0});
    pp::reduce_into(policy, lengths, end, std::uint64_t{0});  // the end of the last, as CSR wants it
    /// [offsets]
    CHECK(fetch(offsets) == std::vector<std::uint64_t>{0, 3, 3, 5, 9});

    const auto x = bring<Backend>(std::vector<int>{5, -1, 7, 0, 9});
    auto places = make_array<Backend, std::uint32_t>(x.size());
    /// [compaction]
    const auto is_kept = [] PARPRIMS_HOST_DEVICE(int a) { return a > 0 ? 1u : 0u; };
    pp::transform_exclusive_scan(policy, x, places.begin(), 0u, pp::plus{}, is_kept);  // where each kept value goes
    /// [compaction]
    CHECK(fetch(places) == std::vector<std::uint32_t>{0, 1, 1, 2, 2});
}

TEST_CASE_TEMPLATE("guide: running maximum and drawdown", Backend, PARPRIMS_BACKENDS)
{
    const auto policy = Backend::policy();
    const auto prices = bring<Backend>(std::vector<float>{3, 5, 4, 8, 2, 6});
    auto peaks = make_array<Backend, float>(prices.size());
    /// [drawdown]
    pp::inclusive_scan(policy, prices, peaks.begin(), pp::maximum{});
    const auto fall = [] PARPRIMS_HOST_DEVICE(float peak, float price) { return peak - price; };
    const float drawdown =
        pp::transform_reduce(policy, peaks.begin(), peaks.end(), prices.begin(), 0.0f, pp::maximum{}, fall);
    /// [drawdown]
    CHECK(fetch(peaks) == std::vector<float>{3, 5, 5, 8, 8, 8});
    CHECK(drawdown == 6);
}

TEST_CASE_TEMPLATE("guide: balanced brackets", Backend, PARPRIMS_BACKENDS)
{
    const auto policy = Backend::policy();
    constexpr std::string_view brackets = "(()(()))";
    const auto text = bring<Backend>(std::vector<char>(brackets.begin(), brackets.end()));
    auto depths = make_array<Backend, int>(text.size());
    /// [brackets]
    const auto change = [] PARPRIMS_HOST_DEVICE(char c) { return c == '(' ? 1 : c == ')' ? -1 : 0; };
    pp::transform_inclusive_scan(policy, text, depths.begin(), pp::plus{}, change);
    const bool balanced = pp::reduce(policy, depths, 0, pp::minimum{}) == 0 &&
                          pp::transform_reduce(policy, text, 0, pp::plus{}, change) == 0;
    /// [brackets]
    CHECK(balanced);
    CHECK(fetch(depths) == std::vector<int>{1, 2, 1, 2, 3, 2, 1, 0});
}

TEST_CASE_TEMPLATE("guide: a strided scan", Backend, PARPRIMS_BACKENDS)
{
    const auto policy = Backend::policy();
    constexpr std::ptrdiff_t frames = 3, channels = 2;
    const auto samples = bring<Backend>(std::vector<float>{1, 10, 2, 20, 3, 30});  // left, right, left, right, ...
    auto sums = make_array<Backend, float>(samples.size());
    /// [strided]
    for (std::ptrdiff_t channel = 0; channel < channels; ++channel) {
        const pp::strided_iterator from(samples.begin() + channel, channels);
        const pp::strided_iterator to(sums.begin() + channel, channels);
        pp::inclusive_scan(policy, from, from + frames, to);
    }
    /// [strided]
    CHECK(fetch(sums) == std::vector<float>{1, 10, 3, 30, 6, 60});
}

TEST_CASE_TEMPLATE("guide: a zipped scan", Backend, PARPRIMS_BACKENDS)
{
    const auto policy = Backend::policy();
    const auto a = bring<Backend>(std::vector<double>{0, 2, 0.5, 3});
    const auto b = bring<Backend>(std::vector<double>{1, 1, 4, -1});
    auto y = make_array<Backend, double>(a.size());
    /// [recurrence]
    const pp::zip_iterator steps(a.begin(), b.begin());
    const pp::zip_iterator to(pp::discard_iterator{}, y.begin());  // y[i] = a[i] * y[i - 1] + b[i]
    pp::inclusive_scan(policy, steps, steps + static_cast<std::ptrdiff_t>(a.size()), to, then{});
    /// [recurrence]
    CHECK(fetch(y) == std::vector<double>{1, 3, 5.5, 15.5});
}

TEST_CASE_TEMPLATE("guide: a histogram of one dimension, and the median from it", Backend, PARPRIMS_BACKENDS)
{
    const auto policy = Backend::policy();
    const auto x = bring<Backend>(std::vector<float>{0.15f, 0.32f, 0.35f, 0.45f, 0.95f});
    auto counts = make_array<Backend, std::uint32_t>(10);
    /// [histogram]
    const pp::regular_axis axis(10, 0.0f, 1.0f);
    pp::histogram(policy, x, axis, counts.begin());
    /// [histogram]
    CHECK(fetch(counts) == std::vector<std::uint32_t>{0, 1, 0, 2, 1, 0, 0, 0, 0, 1});
    /// [median]
    pp::inclusive_scan(policy, counts, counts.begin());  // in place: how many samples are below each bin's upper edge
    const std::vector<std::uint32_t> below = fetch(counts);  // counts.to_host(), on the GPU
    const auto bin = std::ranges::find_if(below, [&](std::uint32_t n) { return 2 * n >= below.back(); });
    const float median = axis.edge(static_cast<std::size_t>(bin - below.begin()));  // the lower edge of its bin
    /// [median]
    CHECK(median == axis.edge(3));
}

TEST_CASE_TEMPLATE("guide: a histogram of two dimensions", Backend, PARPRIMS_BACKENDS)
{
    const auto policy = Backend::policy();
    const auto x = bring<Backend>(std::vector<float>{0.1f, 0.6f, 0.7f, 2.0f});
    const auto y = bring<Backend>(std::vector<float>{5.0f, 15.0f, 16.0f, 1.0f});
    auto counts = make_array<Backend, std::uint32_t>(8);
    /// [histogram_2d]
    const pp::product_axis axis(pp::regular_axis(4, 0.0f, 1.0f), pp::regular_axis(2, 0.0f, 20.0f));
    const pp::zip_iterator points(x.begin(), y.begin());
    const auto end = points + static_cast<std::ptrdiff_t>(x.size());
    pp::histogram(policy, points, end, axis, counts.begin());  // counts[2 * i + j]: bin i of x, bin j of y
    /// [histogram_2d]
    CHECK(fetch(counts) == std::vector<std::uint32_t>{1, 0, 0, 0, 0, 2, 0, 0});
}
