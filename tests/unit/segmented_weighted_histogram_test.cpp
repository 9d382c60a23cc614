/// @file
/// @brief  Weights of each segment, by size and by offsets: the bits of weighted_histogram of each segment by itself, bad input, graphs.
#include <doctest/doctest.h>

#include <parprims/axis.hpp>
#include <parprims/device_buffer.hpp>
#include <parprims/error.hpp>
#include <parprims/iterator.hpp>
#include <parprims/product_axis.hpp>
#include <parprims/segmented_profile.hpp>
#include <parprims/segmented_weighted_histogram.hpp>
#include <parprims/variable_axis.hpp>
#include <parprims/weighted_histogram.hpp>

#include "support/backend.hpp"
#include "support/captured.hpp"
#include "support/data.hpp"
#include "support/refusal.hpp"
#include "support/weighted_check.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

namespace pp = parprims;

namespace {

/// Weights whose segments differ by many powers of two, a few of them infinite or NaN.
template <class W>
std::vector<W> weights_of_segments(std::size_t n)
{
    auto weights = weights_with_a_peak<W>(n);
    if constexpr (std::is_floating_point_v<W>)
        for (std::size_t i = 0; i < n; ++i) {
            weights[i] = std::ldexp(weights[i], static_cast<int>(i / 700 % 80) - 40);
            if (i % 9973 == 17)
                weights[i] = i % 2 == 0 ? std::numeric_limits<W>::infinity() : std::numeric_limits<W>::quiet_NaN();
        }
    return weights;
}

/// segmented_weighted_histogram, or segmented_profile of bins of a profile.
template <class Sum, class... Arguments>
auto add_weights_of_segments(const Arguments&... arguments)
{
    if constexpr (is_profile<Sum>)
        return pp::segmented_profile(arguments...);
    else
        return pp::segmented_weighted_histogram(arguments...);
}

/// Checks segments of `most` samples, and of up to as many.
template <class Sum, class Backend, class X, class W, class Axis>
void check_segmented_sums(const std::vector<X>& samples, const std::vector<W>& weights, std::size_t most,
                          const Axis& axis)
{
    CAPTURE(most);
    const std::size_t n = samples.size();
    const auto x = place<Backend>(samples, most % 3);
    const auto w = place<Backend>(weights, most % 5);
    std::vector<std::uint32_t> offsets{0, 0}, equal{0};
    for (std::uint64_t i = 0; offsets.back() < n; ++i) {
        const std::uint64_t length = (most + i) * 0x9e3779b97f4a7c15u % (most + 1);
        offsets.push_back(static_cast<std::uint32_t>(std::min<std::uint64_t>(n, offsets.back() + length)));
    }
    while (equal.back() < n)
        equal.push_back(static_cast<std::uint32_t>(std::min(n, equal.back() + most)));
    const auto of_segments = place<Backend>(offsets);
    const auto check = [&](const std::vector<std::uint32_t>& bounds, auto... where) {
        std::vector<Sum> expected((bounds.size() - 1) * axis.extent());
        for (std::size_t s = 0; s + 1 < bounds.size(); ++s)
            add_weights(pp::host.threads(1), samples.begin() + bounds[s], samples.begin() + bounds[s + 1],
                        weights.begin() + bounds[s], axis, expected.begin() + s * axis.extent());
        const auto sums = poisoned<Backend, Sum>(expected.size());
        CHECK(add_weights_of_segments<Sum>(Backend::policy(), x.begin(), x.end(), where..., w.begin(), axis,
                                           sums.begin()) == sums.end());
        const auto found = sums.read();
        std::size_t same = 0;
        while (same < found.size() && same_sum(found[same], expected[same]))
            ++same;
        CHECK(same == found.size());
    };
    check(offsets, of_segments.begin(), of_segments.end());
    check(equal, most);
}

}  // namespace

TEST_CASE_TEMPLATE("each segment has the bits of its own weighted_histogram", Backend, PARPRIMS_BACKENDS)
{
    for (const std::size_t n : {std::size_t{10}, std::size_t{100003}}) {
        const auto samples = samples_between(n, -1, 3);
        const auto bytes = generate(n, [](std::uint64_t bits) { return static_cast<std::uint8_t>(bits >> 30); });
        const auto singles = weights_of_segments<float>(n);
        for (const std::size_t most : {7u, 700u, 80000u}) {
            check_segmented_sums<float, Backend>(samples, singles, most, pp::regular_axis(16, -1.0f, 3.0f));
            check_segmented_sums<pp::weighted_sum<double>, Backend>(
                samples, weights_of_segments<double>(n), most, pp::variable_axis<float>{-1, 0, 0.5f, 3}.with_flow());
            check_segmented_sums<pp::profile_bin<double>, Backend>(samples, singles, most,
                                                                   pp::regular_axis(5, -1.0f, 3.0f));
            check_segmented_sums<pp::weighted_sum<float>, Backend>(bytes, singles, most, pp::integer_axis(10, 40));
        }
    }
    const auto integers = weights_of_segments<std::int8_t>(100003);
    check_segmented_sums<double, Backend>(samples_between(100003, -1, 3), integers, 30000,
                                          pp::regular_axis(60000, -1.0f, 3.0f));
}

TEST_CASE_TEMPLATE("weights of segments of pairs, of ranges, of nothing", Backend, PARPRIMS_BACKENDS)
{
    const auto policy = Backend::policy();
    const auto x = place<Backend>(std::vector<float>{0.1f, 0.6f, 0.7f, 0.2f, 0.3f});
    const auto y = place<Backend>(std::vector<float>{0.1f, 0.1f, 0.9f, 0.9f, 0.9f});
    const pp::regular_axis half(2, 0.0f, 1.0f);
    const auto sums = poisoned<Backend, double>(8);
    const pp::zip_iterator pairs(static_cast<const float*>(x.begin()), static_cast<const float*>(y.begin()));
    pp::segmented_weighted_histogram(policy, pairs, pairs + 5, 3, pp::counting_iterator(1),
                                     pp::product_axis(half, half), sums.begin());
    CHECK(sums.read() == std::vector<double>{1, 0, 2, 3, 0, 9, 0, 0});

    const auto none = poisoned<Backend, double>(4);
    const float* const first = x.begin();
    const auto of_nothing = [&](auto... where) {
        return pp::segmented_weighted_histogram(policy, first, first, where..., first, half, none.begin());
    };
    CHECK(of_nothing(3) == none.begin());
    const pp::constant_iterator<int> zero(0);
    CHECK(of_nothing(zero, zero) == none.begin());
    CHECK(of_nothing(zero, zero + 3) == none.end());
    CHECK(none.read() == std::vector<double>(4));
    const pp::counting_iterator<std::int32_t> numbers(0);
    pp::segmented_weighted_histogram(policy, numbers, numbers + 10, 5, numbers, pp::integer_axis(2, 6), sums.begin());
    CHECK(sums.read() == std::vector<double>{2, 3, 4, 0, 0, 0, 0, 5});
}

TEST_CASE_TEMPLATE("weights of segments refuse what they cannot do", Backend, PARPRIMS_BACKENDS)
{
    const auto policy = Backend::policy();
    const auto x = place_guarded<Backend>(std::vector<float>(100, 1));
    const auto w = place_guarded<Backend>(std::vector<float>(100, 1));
    const auto offsets = place_guarded<Backend>(std::vector<number>{0, 40, 100});
    const auto out = poisoned<Backend, float>(40);
    const pp::integer_axis axis(0, 4);
    const float* const first = x.begin();
    const float* const last = x.end();
    const float* const nowhere = nullptr;
    float* const no_sums = nullptr;
    const auto refused = [&](const char* argument, const char* reason, const float* from, const float* to, int size,
                             const float* weights, float* sums) {
        check_refused("parprims::segmented_weighted_histogram", argument, reason,
                      [&] { pp::segmented_weighted_histogram(policy, from, to, size, weights, axis, sums); });
    };
    refused("first", "null pointer with n = 5", nowhere, nowhere + 5, 2, w.begin(), out.begin());
    refused("last", "comes before first, by 100", last, first, 2, w.begin(), out.begin());
    refused("segment_size", "must be at least 1, not 0", first, last, 0, w.begin(), out.begin());
    refused("weights", "null pointer with n = 100", first, last, 10, nowhere, out.begin());
    refused("sums", "null pointer with n = 40", first, last, 10, w.begin(), no_sums);
    refused("sums", "overlaps [first, last)", first, last, 10, w.begin(), x.begin() + 99);
    refused("sums", "overlaps the weights", first, last, 10, w.begin(), w.begin() + 99);
    check_refused("parprims::segmented_weighted_histogram", "sums", "overlaps the offsets", [&] {
        pp::segmented_weighted_histogram(policy, first, last, offsets.begin(), offsets.end(), w.begin(), axis,
                                         reinterpret_cast<float*>(offsets.begin() + 2));
    });
    check_refused("parprims::segmented_weighted_histogram", "offsets_last", "comes before first", [&] {
        pp::segmented_weighted_histogram(policy, first, last, offsets.end(), offsets.begin(), w.begin(), axis,
                                         out.begin());
    });
    const pp::constant_iterator<number> many(1);
    check_refused("parprims::segmented_weighted_histogram", "sums", "do not fit any memory", [&] {
        pp::segmented_weighted_histogram(policy, many, many + 1000, 1, many,
                                         pp::integer_axis<std::int64_t>(0, std::int64_t{1} << 53), out.begin());
    });
    CHECK(out.untouched());
    check_works<Backend>();
}

TEST_CASE("weights of segments on the host refuse offsets that do not ascend, and too many bins")
{
    const std::vector<float> x(10, 1);
    const std::vector<int> offsets{0, 5, 4};
    std::vector<float> sums(8, 7);
    const auto refused = [&](const char* argument, const char* reason, const auto& where, const auto& axis) {
        check_refused("parprims::segmented_weighted_histogram", argument, reason,
                      [&] { pp::segmented_weighted_histogram(pp::host, x, where, x.begin(), axis, sums.begin()); });
    };
    refused("offsets", "offset 2 is 4, less than the 5 before it", offsets, pp::integer_axis(0, 4));
    refused("axis", "4294967296 bins; weights on the host have at most 4294967295", 5,
            pp::integer_axis(std::int64_t{0}, std::int64_t{1} << 32));
    CHECK(sums == std::vector<float>(8, 7));
}

#if PARPRIMS_CUDA_COMPILER

TEST_CASE("one graph adds the weights of segments [device]")
{
    const std::size_t n = 100000;
    const pp::stream work;
    const pp::device_policy policy = pp::device.on(work);
    std::vector<std::uint32_t> bounds{0};
    while (bounds.back() < n)
        bounds.push_back(static_cast<std::uint32_t>(std::min<std::size_t>(n, bounds.back() + bounds.size() % 65)));
    const pp::device_buffer<std::uint32_t> offsets(bounds, work);
    const pp::regular_axis axis(10, 0.0f, 1.0f);
    pp::device_buffer<float> x(n, work), w(n, work);
    pp::device_buffer<float> by_size(1000, work), by_offsets(10 * (bounds.size() - 1), work);
    const captured graph(work, [&] {
        pp::segmented_weighted_histogram(policy, x, 1000, w.begin(), axis, by_size.begin());
        pp::segmented_weighted_histogram(policy, x, offsets, w.begin(), axis, by_offsets.begin());
    });
    for (int round = 0; round < 3; ++round) {
        CAPTURE(round);
        const auto values = samples_between(n, -0.5f * static_cast<float>(round), 1);
        auto weights = weights_with_a_peak<float>(n);
        weights[static_cast<std::size_t>(round)] = 1e30f;
        x.copy_from(values);
        w.copy_from(weights);
        graph.replay(work);
        std::vector<float> expected(1000), expected_by_offsets(10 * (bounds.size() - 1));
        pp::segmented_weighted_histogram(pp::host, values, 1000, weights.begin(), axis, expected.begin());
        pp::segmented_weighted_histogram(pp::host, values, bounds, weights.begin(), axis, expected_by_offsets.begin());
        CHECK(by_size.to_host() == expected);
        CHECK(by_offsets.to_host() == expected_by_offsets);
    }
}

#endif

TEST_CASE("the examples of weights of segments")
{
    /// [segmented_weighted_histogram]
    const std::vector<float> x{0.1f, 0.9f, 0.8f, 0.2f, 0.3f, 0.4f};
    const std::vector<float> weights{1, 2, 0.5f, 4, -1, 8};
    const pp::regular_axis axis(2, 0.0f, 1.0f);
    std::vector<double> sums(4);
    pp::segmented_weighted_histogram(pp::host, x, 3, weights.begin(), axis, sums.begin());  // 1 2.5, 11 0
    /// [segmented_weighted_histogram]
    CHECK(sums == std::vector<double>{1, 2.5, 11, 0});

    /// [segmented_weighted_histogram_offsets]
    const std::vector<int> offsets{0, 2, 6};
    pp::segmented_weighted_histogram(pp::host, x, offsets, weights.begin(), axis, sums.begin());  // 1 2, 11 0.5
    /// [segmented_weighted_histogram_offsets]
    CHECK(sums == std::vector<double>{1, 2, 11, 0.5});

    /// [segmented_profile]
    const std::vector<float> values{1, 2, 0.5f, 4, -1, 8};
    std::vector<pp::profile_bin<double>> bins(4);
    pp::segmented_profile(pp::host, x, 3, values.begin(), axis, bins.begin());
    // means: 1 and 1.25, then 11/3 and none
    /// [segmented_profile]
    CHECK(bins[1] == pp::profile_bin<double>{2, 1.25, 1.125});
    CHECK(bins[2].mean == 11.0 / 3);
    CHECK(bins[3].count == 0);
    pp::segmented_profile(pp::host, x, offsets, values.begin(), axis, bins.begin());
    CHECK(bins[3].count == 1);
}
