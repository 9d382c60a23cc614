/// @file
/// @brief  Histograms of the lines of an array, and of the channels of an image: the counts of each by itself, bad input.
#include <doctest/doctest.h>

#include <parprims/axis.hpp>
#include <parprims/error.hpp>
#include <parprims/histogram_along.hpp>
#include <parprims/iterator.hpp>
#include <parprims/view.hpp>

#include "support/backend.hpp"
#include "support/data.hpp"
#include "support/refusal.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace pp = parprims;

namespace {

template <class T>
std::vector<T> image_samples(std::size_t n, std::uint64_t seed)
{
    return generate(
        n, [](std::uint64_t bits) { return static_cast<T>(bits % 200); }, seed);
}

/// Counts the lines of a 3-dimensional array one by one, in row-major order.
template <class T, class Axis>
std::vector<std::uint32_t> counts_of_lines(const std::vector<T>& x, std::size_t start,
                                           const std::array<std::ptrdiff_t, 3>& extents,
                                           const std::array<std::ptrdiff_t, 3>& strides,
                                           const std::array<bool, 3>& is_along, const Axis& axis)
{
    std::size_t lines = 1;
    std::array<std::size_t, 3> of_line{};
    for (std::size_t d = 3; d-- > 0;)
        if (!is_along[d]) {
            of_line[d] = lines;
            lines *= static_cast<std::size_t>(extents[d]);
        }
    std::vector<std::uint32_t> counts(lines * axis.extent());
    for (std::ptrdiff_t i = 0; i < extents[0]; ++i)
        for (std::ptrdiff_t j = 0; j < extents[1]; ++j)
            for (std::ptrdiff_t k = 0; k < extents[2]; ++k) {
                const std::size_t at =
                    start + static_cast<std::size_t>(i * strides[0] + j * strides[1] + k * strides[2]);
                const std::size_t line = static_cast<std::size_t>(i) * of_line[0] +
                                         static_cast<std::size_t>(j) * of_line[1] +
                                         static_cast<std::size_t>(k) * of_line[2];
                if (const std::size_t slot = axis.slot(x[at]); slot < axis.extent())
                    ++counts[line * axis.extent() + slot];
            }
    return counts;
}

template <class Backend, class T>
void check_lines(const std::array<std::ptrdiff_t, 3>& extents, const std::array<std::ptrdiff_t, 3>& strides,
                 std::uint64_t seed)
{
    std::ptrdiff_t low = 0;
    std::ptrdiff_t high = 0;
    for (std::size_t d = 0; d < 3; ++d)
        (strides[d] < 0 ? low : high) += (extents[d] - 1) * strides[d];
    const std::vector<T> values = image_samples<T>(static_cast<std::size_t>(high - low) + 1, seed);
    const auto x = place<Backend>(values);
    const pp::strided_view view(x.begin() - low, {extents[0], extents[1], extents[2]},
                                {strides[0], strides[1], strides[2]});
    const pp::integer_axis axis(10, 150);
    const auto check = [&](const auto& dimensions, const std::array<bool, 3>& is_along) {
        const auto expected = counts_of_lines(values, static_cast<std::size_t>(-low), extents, strides, is_along, axis);
        const auto counts = poisoned<Backend, std::uint32_t>(expected.size());
        pp::histogram(Backend::policy(), view, dimensions, axis, counts.begin());
        CHECK(counts.read() == expected);
    };
    check(pp::along(0), {true, false, false});
    check(pp::along(1), {false, true, false});
    check(pp::along(2), {false, false, true});
    check(pp::along(0, 2), {true, false, true});
    check(pp::along(1, 2), {false, true, true});
    check(pp::along(0, 1, 2), {true, true, true});
}

}  // namespace

TEST_CASE_TEMPLATE("lines are counted each by itself", Backend, PARPRIMS_BACKENDS)
{
    check_lines<Backend, std::uint8_t>({7, 30, 41}, {30 * 41, 41, 1}, 1);
    check_lines<Backend, float>({7, 30, 41}, {30 * 50, 50, 1}, 2);
    check_lines<Backend, std::int32_t>({5, 300, 3}, {1, 15, -5}, 3);
    check_lines<Backend, float>({5, 40, 300}, {0, -1, 40}, 4);
    check_lines<Backend, std::uint16_t>({1, 2, 50000}, {1, 50000, 1}, 5);
}

TEST_CASE_TEMPLATE("the counters of lines may lie in any order", Backend, PARPRIMS_BACKENDS)
{
    const auto x = place<Backend>(std::vector<std::int32_t>{0, 1, 1, 2, 2, 2});
    const auto counts = poisoned<Backend, std::uint32_t>(6);
    const pp::integer_axis axis(0, 3);
    const auto matrix = pp::matrix(x.begin(), 2, 3);
    pp::histogram(Backend::policy(), matrix, pp::along(1), axis, pp::strided_view(counts.begin() + 3, {2, 3}, {-3, 1}));
    CHECK(counts.read() == std::vector<std::uint32_t>{0, 0, 3, 1, 2, 0});
    const pp::strided_view none(x.begin(), {2, 0}, {3, 1});
    pp::histogram(Backend::policy(), none, pp::along(1), axis, counts.begin());
    CHECK(counts.read() == std::vector<std::uint32_t>(6));
}

TEST_CASE_TEMPLATE("channels are counted each by itself", Backend, PARPRIMS_BACKENDS)
{
    const auto policy = Backend::policy();
    const pp::integer_axis axis(0, 150);
    const pp::integer_axis few(5, 9);
    for (const std::size_t samples : {2u, 3u, 4u}) {
        CAPTURE(samples);
        const std::ptrdiff_t rows = 50;
        const std::ptrdiff_t columns = 67;
        const auto pixel = static_cast<std::ptrdiff_t>(samples);
        const std::ptrdiff_t pitch = columns * pixel + 5;
        const auto values = image_samples<std::uint8_t>(static_cast<std::size_t>(rows * pitch), samples);
        const auto x = place<Backend>(values, samples);
        const auto expected = [&](std::ptrdiff_t channel, const auto& of) {
            std::vector<std::uint32_t> counts(of.extent());
            for (std::ptrdiff_t r = 0; r < rows; ++r)
                for (std::ptrdiff_t c = 0; c < columns; ++c)
                    if (const auto slot = of.slot(values[static_cast<std::size_t>(r * pitch + c * pixel + channel)]);
                        slot < of.extent())
                        ++counts[slot];
            return counts;
        };
        std::vector<std::uint32_t> all = expected(0, axis);
        const auto append = [&](const std::vector<std::uint32_t>& more) {
            all.insert(all.end(), more.begin(), more.end());
        };
        append(expected(1, few));
        if (samples == 2) {
            const auto counts = poisoned<Backend, std::uint32_t>(all.size());
            CHECK(pp::channel_histograms(policy,
                                         pp::strided_view(x.begin(), {rows, columns, std::ptrdiff_t{2}},
                                                          {pitch, pixel, std::ptrdiff_t{1}}),
                                         counts.begin(), axis, few) == counts.end());
            CHECK(counts.read() == all);
            continue;
        }
        append(expected(2, axis));
        const auto counts = poisoned<Backend, std::uint32_t>(all.size());  // of four samples, three are counted
        pp::channel_histograms(
            policy, pp::strided_view(x.begin(), {rows, columns, std::ptrdiff_t{3}}, {pitch, pixel, std::ptrdiff_t{1}}),
            counts.begin(), axis, few, axis);
        CHECK(counts.read() == all);
    }
}

TEST_CASE_TEMPLATE("histograms of arrays refuse what they cannot do", Backend, PARPRIMS_BACKENDS)
{
    const auto policy = Backend::policy();
    const auto x = place_guarded<Backend>(std::vector<number>(24, 1));
    const auto out = poisoned<Backend, number>(40);
    const pp::integer_axis axis(0, 4);
    const auto matrix = pp::matrix(x.begin(), 4, 6);
    number* const nowhere = nullptr;
    const auto refused = [&](const char* argument, const char* reason, const auto& view, const auto& along,
                             const auto& counts) {
        check_refused("parprims::histogram", argument, reason,
                      [&] { pp::histogram(policy, view, along, axis, counts); });
    };
    refused("along", "dimension 2, not from 0 to 1", matrix, pp::along(2), out.begin());
    refused("view", "null pointer with n = 24", pp::matrix(nowhere, 4, 6), pp::along(0), out.begin());
    refused("counts", "null pointer with n = 16", matrix, pp::along(1), nowhere);
    refused("counts", "overlaps the view", matrix, pp::along(1), x.begin() + 20);
    refused("counts", "the extent of dimension 1 is 3, but there are 4 results", matrix, pp::along(1),
            pp::matrix(out.begin(), 4, 3));
    refused("counts", "must be contiguous", matrix, pp::along(1), pp::strided_view(out.begin(), {4, 4}, {1, 4}));
    refused("counts", "there may be no gaps", matrix, pp::along(1), pp::matrix(out.begin(), 4, 4, 5));
    check_refused("parprims::channel_histograms", "view", "the extent of its last dimension is 6, but there are 2 axes",
                  [&] { pp::channel_histograms(policy, matrix, out.begin(), axis, axis); });
    const pp::strided_view pixels(x.begin(), {4, 3, 2}, {6, 2, 1});
    check_refused("parprims::channel_histograms", "counts", "overlaps the view",
                  [&] { pp::channel_histograms(policy, pixels, x.begin() + 23, axis, axis); });
    check_refused("parprims::channel_histograms", "counts", "null pointer with n = 8",
                  [&] { pp::channel_histograms(policy, pixels, nowhere, axis, axis); });
    CHECK(out.untouched());
    check_works<Backend>();
}

TEST_CASE("the examples of histograms of arrays")
{
    /// [histogram]
    const std::vector<float> x{0.1f, 0.9f, 0.8f,  // a matrix of two rows
                               0.2f, 0.3f, 0.4f};
    std::vector<int> counts(4);
    const pp::regular_axis axis(2, 0.0f, 1.0f);
    pp::histogram(pp::host, pp::matrix(x.begin(), 2, 3), pp::along(1), axis, counts.begin());  // 1 2, 3 0
    /// [histogram]
    CHECK(counts == std::vector<int>{1, 2, 3, 0});

    /// [channel_histograms]
    const std::vector<std::uint8_t> image{10, 200, 30, 255, 11, 201, 31, 255};  // two RGBA pixels
    std::vector<int> of_channels(3 * 256);
    const pp::integer_axis values(0, 256);
    const pp::strided_view rgb(image.begin(), {1, 2, 3}, {8, 4, 1});  // rows, columns, channels: without A
    pp::channel_histograms(pp::host, rgb, of_channels.begin(), values, values, values);
    /// [channel_histograms]
    CHECK(of_channels[10] + of_channels[11] == 2);
    CHECK(of_channels[256 + 201] == 1);
    CHECK(of_channels[512 + 31] == 1);
    CHECK(of_channels[255] == 0);
}
