/// @file
/// @brief  Weights of the lines of an array: the bits of weighted_histogram of each line by itself, bad input, graphs.
#include <doctest/doctest.h>

#include <parprims/axis.hpp>
#include <parprims/device_buffer.hpp>
#include <parprims/error.hpp>
#include <parprims/iterator.hpp>
#include <parprims/profile_along.hpp>
#include <parprims/view.hpp>
#include <parprims/weighted_histogram.hpp>
#include <parprims/weighted_histogram_along.hpp>

#include "support/backend.hpp"
#include "support/captured.hpp"
#include "support/data.hpp"
#include "support/refusal.hpp"
#include "support/weighted_check.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace pp = parprims;

namespace {

using triple = std::array<std::ptrdiff_t, 3>;

/// Where the elements of three dimensions lie.
struct placing {
    triple extents;
    triple strides;

    std::ptrdiff_t reach_of(bool is_below) const
    {
        std::ptrdiff_t reach = 0;
        for (std::size_t d = 0; d < 3; ++d)
            reach += (strides[d] < 0) == is_below ? (extents[d] - 1) * strides[d] : 0;
        return reach;
    }
    std::size_t size() const { return static_cast<std::size_t>(reach_of(false) - reach_of(true)) + 1; }
    std::size_t at(const triple& i) const
    {
        return static_cast<std::size_t>(i[0] * strides[0] + i[1] * strides[1] + i[2] * strides[2] - reach_of(true));
    }
    template <class Iterator>
    auto view(Iterator lowest) const
    {
        return pp::strided_view(lowest - reach_of(true), {extents[0], extents[1], extents[2]},
                                {strides[0], strides[1], strides[2]});
    }
};

/// Checks each line against weighted_histogram of its samples and weights, in row-major order.
template <class Sum, class Backend, class X, class W, class Axis>
void check_weights_of_lines(const placing& of_samples, const triple& strides_of_weights, const Axis& axis,
                            std::uint64_t seed)
{
    CAPTURE(seed);
    const placing of_weights{of_samples.extents, strides_of_weights};
    const auto samples = generate(
        of_samples.size(), [](std::uint64_t bits) { return static_cast<X>(bits >> 9 & 127); }, seed);
    auto weights = weights_with_a_peak<W>(std::max<std::size_t>(of_weights.size(), 5));
    if constexpr (std::numeric_limits<W>::has_infinity)
        weights[weights.size() / 3] = std::numeric_limits<W>::infinity();
    const auto x = place<Backend>(samples);
    const auto w = place<Backend>(weights, seed % 3);
    const triple& extents = of_samples.extents;
    const auto check = [&](const auto& dimensions, const std::array<bool, 3>& is_along) {
        std::vector<std::vector<X>> own(1);
        std::vector<std::vector<W>> of_own(1);
        triple i{};
        for (i[0] = 0; i[0] < extents[0]; ++i[0])
            for (i[1] = 0; i[1] < extents[1]; ++i[1])
                for (i[2] = 0; i[2] < extents[2]; ++i[2]) {
                    std::size_t line = 0;
                    for (std::size_t d = 0; d < 3; ++d)
                        if (!is_along[d])
                            line = line * static_cast<std::size_t>(extents[d]) + static_cast<std::size_t>(i[d]);
                    if (line >= own.size()) {
                        own.resize(line + 1);
                        of_own.resize(line + 1);
                    }
                    own[line].push_back(samples[of_samples.at(i)]);
                    of_own[line].push_back(weights[of_weights.at(i)]);
                }
        std::vector<Sum> expected(own.size() * axis.extent());
        for (std::size_t l = 0; l < own.size(); ++l)
            add_weights(pp::host.threads(1), own[l].begin(), own[l].end(), of_own[l].begin(), axis,
                        expected.begin() + static_cast<std::ptrdiff_t>(l * axis.extent()));
        const auto sums = poisoned<Backend, Sum>(expected.size());
        add_weights(Backend::policy(), of_samples.view(x.begin()), dimensions, of_weights.view(w.begin()), axis,
                    sums.begin());
        const auto found = sums.read();
        std::size_t same = 0;
        while (same < found.size() && same_sum(found[same], expected[same]))
            ++same;
        CHECK(same == found.size());
    };
    check(pp::along(0), {true, false, false});
    check(pp::along(1), {false, true, false});
    check(pp::along(2), {false, false, true});
    check(pp::along(0, 2), {true, false, true});
    check(pp::along(0, 1, 2), {true, true, true});
}

}  // namespace

TEST_CASE_TEMPLATE("each line has the bits of its own weighted_histogram", Backend, PARPRIMS_BACKENDS)
{
    const pp::regular_axis floats(19, 0.0f, 100.0f);
    const pp::integer_axis bytes(10, 100);
    const placing rows{{7, 30, 41}, {30 * 50, 50, 1}};
    check_weights_of_lines<float, Backend, float, float>(rows, {30 * 41, 41, 1}, floats, 1);
    check_weights_of_lines<float, Backend, float, float>(rows, {1, 7, 210}, floats, 2);
    check_weights_of_lines<float, Backend, float, float>(rows, {0, 0, 1}, floats, 3);
    check_weights_of_lines<float, Backend, float, float>(rows, {30, -1, 0}, floats, 4);
    check_weights_of_lines<float, Backend, float, float>({{5, 300, 3}, {1, 15, -5}}, {1, 5, 0}, floats, 5);
    using squares = pp::weighted_sum<double>;
    check_weights_of_lines<squares, Backend, std::uint8_t, double>({{3, 2, 5000}, {10000, 5000, 1}}, {10001, 5000, 1},
                                                                   bytes, 6);
    using profiles = pp::profile_bin<float>;
    check_weights_of_lines<profiles, Backend, float, float>(rows, {1, 7, 210}, floats, 8);
    check_weights_of_lines<squares, Backend, std::uint8_t, double>({{900, 3, 4}, {-12, 4, 1}}, {0, 0, 0}, bytes, 7);
}

TEST_CASE_TEMPLATE("the sums of lines may lie in any order", Backend, PARPRIMS_BACKENDS)
{
    const auto x = place<Backend>(std::vector<std::int32_t>{0, 1, 1, 2, 2, 2});
    const auto sums = poisoned<Backend, double>(6);
    const pp::integer_axis axis(0, 3);
    const auto matrix = pp::matrix(x.begin(), 2, 3);
    const pp::strided_view numbers(pp::counting_iterator<std::int32_t>(1), {2, 3}, {3, 1});
    pp::weighted_histogram(Backend::policy(), matrix, pp::along(1), numbers, axis,
                           pp::strided_view(sums.begin() + 3, {2, 3}, {-3, 1}));
    CHECK(sums.read() == std::vector<double>{0, 0, 15, 1, 5, 0});
    pp::weighted_histogram(Backend::policy(), matrix, pp::along(0, 1), numbers, axis, sums.begin());
    CHECK(sums.read() == std::vector<double>{1, 5, 15, 1, 5, 0});
    const pp::strided_view none(x.begin(), {2, 0}, {3, 1});
    pp::weighted_histogram(Backend::policy(), none, pp::along(1), none, axis, sums.begin());
    CHECK(sums.read() == std::vector<double>(6));
    const auto bins = poisoned<Backend, pp::profile_bin<float>>(6);
    pp::profile(Backend::policy(), none, pp::along(1), none, axis, bins.begin());
    for (const pp::profile_bin<float>& bin : bins.read())
        CHECK((bin.count == 0 && std::isnan(bin.mean) && std::isnan(bin.variance)));
    const pp::strided_view no_lines(x.begin(), {0, 2}, {3, 1});
    pp::weighted_histogram(Backend::policy(), no_lines, pp::along(1), no_lines, axis, sums.begin());
    CHECK(sums.read() == std::vector<double>(6));
}

TEST_CASE_TEMPLATE("weights of arrays refuse what they cannot do", Backend, PARPRIMS_BACKENDS)
{
    const auto policy = Backend::policy();
    const auto x = place_guarded<Backend>(std::vector<float>(24, 1));
    const auto w = place_guarded<Backend>(std::vector<float>(24, 1));
    const auto out = poisoned<Backend, float>(40);
    const pp::integer_axis axis(0, 4);
    const auto matrix = pp::matrix(x.begin(), 4, 6);
    const auto weights = pp::matrix(w.begin(), 4, 6);
    float* const nowhere = nullptr;
    const auto refused = [&](const char* argument, const char* reason, const auto& view, const auto& along,
                             const auto& of_samples, const auto& sums) {
        check_refused("parprims::weighted_histogram", argument, reason,
                      [&] { pp::weighted_histogram(policy, view, along, of_samples, axis, sums); });
    };
    refused("along", "dimension 2, not from 0 to 1", matrix, pp::along(2), weights, out.begin());
    refused("view", "null pointer with n = 24", pp::matrix(nowhere, 4, 6), pp::along(0), weights, out.begin());
    refused("weights", "null pointer with n = 24", matrix, pp::along(0), pp::matrix(nowhere, 4, 6), out.begin());
    refused("weights", "the extent of dimension 1 is 5, but that of the samples is 6", matrix, pp::along(0),
            pp::matrix(w.begin(), 4, 5), out.begin());
    refused("sums", "null pointer with n = 16", matrix, pp::along(1), weights, nowhere);
    refused("sums", "overlaps the view", matrix, pp::along(1), weights, x.begin() + 20);
    refused("sums", "overlaps the weights", matrix, pp::along(1), weights, w.begin() + 20);
    pp::profile_bin<float>* const no_bins = nullptr;
    check_refused("parprims::profile", "bins", "null pointer with n = 16",
                  [&] { pp::profile(policy, matrix, pp::along(1), weights, axis, no_bins); });
    check_refused("parprims::profile", "values", "the extent of dimension 1 is 5",
                  [&] { pp::profile(policy, matrix, pp::along(1), pp::matrix(w.begin(), 4, 5), axis, no_bins + 1); });
    refused("sums", "the extent of dimension 1 is 3, but there are 4 results", matrix, pp::along(1), weights,
            pp::matrix(out.begin(), 4, 3));
    refused("sums", "sums of a line must be contiguous, and there may be no gaps", matrix, pp::along(1), weights,
            pp::matrix(out.begin(), 4, 4, 5));
    CHECK(out.untouched());
    check_works<Backend>();
}

TEST_CASE("weights of arrays on the host refuse too many bins")
{
    const std::vector<float> x(6, 1);
    const auto matrix = pp::matrix(x.begin(), 2, 3);
    std::vector<double> sums(1);
    const pp::integer_axis axis(std::int64_t{0}, std::int64_t{1} << 32);
    check_refused("parprims::weighted_histogram", "axis",
                  "4294967296 bins; weights on the host have at most 4294967295",
                  [&] { pp::weighted_histogram(pp::host, matrix, pp::along(1), matrix, axis, sums.begin()); });
}

#if PARPRIMS_CUDA_COMPILER

TEST_CASE("one graph adds the weights of rows and of columns [device]")
{
    const std::size_t n = 300 * 200;
    const pp::stream work;
    const pp::device_policy policy = pp::device.on(work);
    const pp::regular_axis axis(10, 0.0f, 1.0f);
    pp::device_buffer<float> x(n, work), w(n, work);
    pp::device_buffer<float> of_rows(10 * 300, work), of_columns(10 * 200, work);
    const auto matrix = [](const auto* first) { return pp::matrix(first, 300, 200); };
    const captured graph(work, [&] {
        pp::weighted_histogram(policy, matrix(x.data()), pp::along(1), matrix(w.data()), axis, of_rows.data());
        pp::weighted_histogram(policy, matrix(x.data()), pp::along(0), matrix(w.data()), axis, of_columns.data());
    });
    for (int round = 0; round < 2; ++round) {
        CAPTURE(round);
        const auto values = samples_between(n, -0.5f * static_cast<float>(round), 1);
        auto weights = weights_with_a_peak<float>(n);
        weights[static_cast<std::size_t>(round)] = 1e30f;
        x.copy_from(values);
        w.copy_from(weights);
        graph.replay(work);
        std::vector<float> rows(10 * 300), columns(10 * 200);
        pp::weighted_histogram(pp::host, matrix(values.data()), pp::along(1), matrix(weights.data()), axis,
                               rows.begin());
        pp::weighted_histogram(pp::host, matrix(values.data()), pp::along(0), matrix(weights.data()), axis,
                               columns.begin());
        CHECK(of_rows.to_host() == rows);
        CHECK(of_columns.to_host() == columns);
    }
}

#endif

TEST_CASE("the examples of weights of arrays")
{
    /// [weighted_histogram]
    const std::vector<float> x{0.1f, 0.9f, 0.8f,  // a matrix of two rows
                               0.2f, 0.3f, 0.4f};
    const std::vector<float> weights{1, 2, 0.5f, 4, -1, 8};
    const pp::regular_axis axis(2, 0.0f, 1.0f);
    std::vector<double> sums(4);
    const auto samples = pp::matrix(x.begin(), 2, 3);
    pp::weighted_histogram(pp::host, samples, pp::along(1), pp::matrix(weights.begin(), 2, 3), axis,
                           sums.begin());  // 1 2.5, 11 0
    const std::vector<float> of_columns{1, 10, 100};
    const pp::strided_view repeated(of_columns.begin(), {2, 3}, {0, 1});  // each row has these weights
    std::vector<double> of_rows(4);
    pp::weighted_histogram(pp::host, samples, pp::along(1), repeated, axis, of_rows.begin());  // 1 110, 111 0
    /// [weighted_histogram]
    CHECK(sums == std::vector<double>{1, 2.5, 11, 0});
    CHECK(of_rows == std::vector<double>{1, 110, 111, 0});
    /// [profile]
    std::vector<pp::profile_bin<double>> bins(2 * 3);
    pp::profile(pp::host, samples, pp::along(0), pp::matrix(weights.begin(), 2, 3), axis, bins.begin());
    const double mean_of_column = bins[0].mean;  // 2.5, of the first column's samples below 0.5
    /// [profile]
    CHECK(mean_of_column == 2.5);
}
