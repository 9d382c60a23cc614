/// @file
/// @brief  Histograms of two to four dimensions: the slots of a product_axis, and counts against a loop over its axes.
#include <doctest/doctest.h>

#include <parprims/error.hpp>
#include <parprims/histogram.hpp>
#include <parprims/iterator.hpp>
#include <parprims/product_axis.hpp>
#include <parprims/variable_axis.hpp>

#include "support/backend.hpp"
#include "support/data.hpp"
#include "support/refusal.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#if PARPRIMS_CUDA_COMPILER
#include <parprims/stream.hpp>
#include <parprims/weighted_histogram.hpp>
#endif

namespace pp = parprims;

namespace {

struct low_bits {
    PARPRIMS_HOST_DEVICE unsigned operator()(std::uint8_t x) const { return x % 8u; }
};

/// Around [0, 100), beyond both ends, and NaN.
std::vector<float> floats(std::size_t n, std::uint64_t seed)
{
    std::vector<float> values = generate(
        n, [](std::uint64_t bits) { return static_cast<float>(bits >> 40) * 0x1p-24f * 120 - 10; }, seed);
    for (std::size_t i = seed % 7; i < n; i += 11)
        values[i] = i % 2 != 0 ? std::numeric_limits<float>::quiet_NaN() : 100.0f;
    return values;
}

std::vector<std::uint8_t> bytes(std::size_t n, std::uint64_t seed)
{
    return generate(
        n, [](std::uint64_t bits) { return static_cast<std::uint8_t>(bits >> 30); }, seed);
}

/// Counts of two dimensions: rows of the first axis.
template <class Axis, class X, class Y>
std::vector<std::uint32_t> count_pairs(const Axis& axis, const std::vector<X>& x, const std::vector<Y>& y)
{
    const auto& rows = axis.template axis<0>();
    const auto& columns = axis.template axis<1>();
    std::vector<std::uint32_t> counts(rows.extent() * columns.extent());
    for (std::size_t i = 0; i < x.size(); ++i)
        if (rows.slot(x[i]) < rows.extent() && columns.slot(y[i]) < columns.extent())
            ++counts[rows.slot(x[i]) * columns.extent() + columns.slot(y[i])];
    return counts;
}

/// For two arrays that begin at different places in a packet.
template <class Backend, class Axis, class X, class Y>
void check_pairs(const Axis& axis, const std::vector<X>& x, const std::vector<Y>& y)
{
    const auto expected = count_pairs(axis, x, y);
    for (const auto& [first, second] : {std::pair(0, 0), std::pair(1, 1), std::pair(0, 3)}) {
        CAPTURE(axis.bins());
        CAPTURE(x.size());
        CAPTURE(first);
        CAPTURE(second);
        const auto a = place<Backend>(x, static_cast<std::size_t>(first));
        const auto b = place<Backend>(y, static_cast<std::size_t>(second));
        const auto counts = poisoned<Backend, std::uint32_t>(axis.extent(), 1);
        const pp::zip_iterator points(a.begin(), b.begin());
        const auto end = points + static_cast<std::ptrdiff_t>(x.size());
        CHECK(pp::histogram(Backend::policy(), points, end, axis, counts.begin()) == counts.end());
        CHECK(first_difference(counts.read(), expected) == expected.size());
    }
}

constexpr std::size_t many_points = 100003;

}  // namespace

TEST_CASE("the last axis of a product is fastest, and flow belongs to its axes")
{
    const pp::product_axis axis(pp::regular_axis(4, 0.0f, 1.0f), pp::integer_axis(10, 13).with_flow(),
                                pp::variable_axis<double>{0, 1, 5});
    static_assert(pp::histogram_axis_for<decltype(axis), pp::tuple<float, int, double>>);
    static_assert(!pp::histogram_axis_for<decltype(axis), pp::tuple<float, int>>);
    static_assert(!pp::histogram_axis_for<decltype(axis), float>);
    CHECK(axis.extent() == 4 * 6 * 2);
    CHECK(axis.bins() == axis.extent());
    CHECK(!axis.has_flow());
    using sample = pp::tuple<float, int, double>;
    CHECK(axis.slot(sample(0.3f, 11, 2.0)) == (1 * 6 + 1) * 2 + 1);
    CHECK(axis.slot(sample(0.3f, 9, 2.0)) == (1 * 6 + 3) * 2 + 1);   // underflow of the second axis has slots
    CHECK(axis.slot(sample(0.3f, 13, 0.0)) == (1 * 6 + 4) * 2 + 0);  // and so has its overflow
    CHECK(axis.slot(sample(1.0f, 11, 2.0)) == axis.bins());          // the first axis drops its upper bound
    CHECK(axis.slot(sample(0.3f, 11, 5.0)) == axis.bins());
    CHECK(axis.index(sample(0.3f, 11, 2.0)) == 15);
    CHECK(axis.index(sample(0.3f, 11, 5.0)) == std::nullopt);
    for (std::size_t slot = 0; slot < axis.extent(); ++slot) {
        CAPTURE(slot);
        const auto [i, j, k] = axis.position(slot);
        CHECK((i * 6 + j) * 2 + k == slot);
        CHECK(axis.slot_at(i, j, k) == slot);
    }
    CHECK(axis.slot_at(4, 0, 0) == axis.bins());
    CHECK(axis.slot_at(0, 6, 0) == axis.bins());
    CHECK(axis == decltype(axis)(axis));
    CHECK(!(axis == decltype(axis)(axis.axis<0>().with_flow(), axis.axis<1>(), axis.axis<2>())));
}

TEST_CASE("the rule for bytes finds the bins of every axis that it is for")
{
    using window = parprims::detail::axis::byte_bins;
    std::size_t wrong = 0, axes = 0;
    for (int range = 1; range <= 256; ++range)
        for (int bins = 1; bins <= range; bins += range < 32 ? 1 : 1 + range / 16) {
            const int lower = (range * 7 + bins) % 600 - 300;
            REQUIRE(window::exists(lower, static_cast<unsigned>(range), static_cast<unsigned>(bins)));
            const auto rule = window::of(lower, static_cast<unsigned>(range), static_cast<unsigned>(bins));
            const pp::regular_axis axis(static_cast<std::size_t>(bins), lower, lower + range);
            ++axes;
            for (int x = -128; x < 256; ++x) {
                const auto found = rule(x);
                wrong += found.inside != (axis.slot(x) < axis.bins()) || (found.inside && found.offset != axis.slot(x));
            }
        }
    CHECK(wrong == 0);
    CHECK(axes > 3000);
    CHECK(!window::exists(0, 257, 200));
    CHECK(!window::exists(600, 10, 10));
}

TEST_CASE("a product of more than 2^53 counters is refused")
{
    const pp::integer_axis<std::int64_t> half(0, std::int64_t{1} << 27);
    CHECK(pp::product_axis(half, pp::integer_axis(0, 1 << 26)).extent() == std::size_t{1} << 53);
    check_refused("parprims::product_axis", "axes", "134217728 times 134217728 counters are more than 9007199254740992",
                  [&] { pp::product_axis(half, half); });
    check_refused("parprims::product_axis", "axes", "than 9007199254740992", [&] {
        const pp::integer_axis<std::int64_t> all(0, std::int64_t{1} << 53);
        pp::product_axis(all, all, all, all);
    });
}

TEST_CASE_TEMPLATE("histogram of two floats, wherever the counters live", Backend, PARPRIMS_BACKENDS)
{
    for (const std::size_t n : {std::size_t{1}, std::size_t{37}, many_points}) {
        const auto x = floats(n, 1), y = floats(n, 2);
        for (const std::size_t bins : {8u, 64u, 300u, 700u}) {  // some, few and many counters: in passes, and in parts
            const auto axis = pp::regular_axis<float>(bins, 0, 100);
            check_pairs<Backend>(pp::product_axis(axis, axis), x, y);
        }
        const auto axis = pp::regular_axis<float>(50, 0, 100);
        check_pairs<Backend>(pp::product_axis(axis.with_flow(), axis), x, y);
    }
}

TEST_CASE_TEMPLATE("histogram of bytes beside floats, over axes that own edges and have functions", Backend,
                   PARPRIMS_BACKENDS)
{
    const auto x = bytes(many_points, 3);
    const auto y = floats(many_points, 4);
    check_pairs<Backend>(
        pp::product_axis(pp::function_axis(8, low_bits{}), pp::variable_axis<float>{0, 1, 50, 99}.with_flow()), x, y);
}

TEST_CASE_TEMPLATE("histogram of two bytes, of 256 x 256 too", Backend, PARPRIMS_BACKENDS)
{
    const auto x = bytes(many_points, 5), y = bytes(many_points, 6);
    const auto all = pp::integer_axis(0, 256);
    check_pairs<Backend>(pp::product_axis(all, all), x, y);
    const auto some = pp::integer_axis(3, 200);
    check_pairs<Backend>(pp::product_axis(some, some.with_flow()), x, y);
}

TEST_CASE_TEMPLATE("histogram of four dimensions, and of tuples that are computed", Backend, PARPRIMS_BACKENDS)
{
    const auto x = bytes(many_points, 7);
    const auto y = floats(many_points, 8);
    const auto in_floats = pp::regular_axis(3, 0.0f, 100.0f);
    const pp::product_axis axis(in_floats, pp::regular_axis(5, 0, 200), in_floats, pp::integer_axis(100, 103));
    const auto a = place<Backend>(x);
    const auto b = place<Backend>(y);
    const auto c = place<Backend>(x, 1);
    std::vector<std::uint32_t> expected(axis.extent());
    for (std::size_t i = 0; i < many_points; ++i)
        if (const std::size_t slot = axis.slot_at(in_floats.slot(y[i]), axis.template axis<1>().slot(x[i]),
                                                  in_floats.slot(y[i]), axis.template axis<3>().slot(int{x[i]}));
            slot < expected.size())
            ++expected[slot];
    const auto check = [&](auto points) {
        const auto counts = poisoned<Backend, std::uint32_t>(axis.extent());
        pp::histogram(Backend::policy(), points, points + static_cast<std::ptrdiff_t>(many_points), axis,
                      counts.begin());
        CHECK(first_difference(counts.read(), expected) == expected.size());
    };
    check(pp::zip_iterator(b.begin(), a.begin(), b.begin(), c.begin()));
    check(pp::zip_iterator(b.begin(), a.begin(), pp::strided_iterator(b.begin(), 1), c.begin()));
}

#if PARPRIMS_CUDA_COMPILER

TEST_CASE("[device] a captured histogram keeps the edges of a product, which may be gone at the replay")
{
    const auto x = floats(many_points, 9), y = floats(many_points, 10);
    const pp::stream work;
    const pp::device_buffer<float> a = pp::to_device(x, work), b = pp::to_device(y, work);
    pp::device_buffer<std::uint32_t> counts(12, work);
    const auto make = [] {
        return pp::product_axis(pp::variable_axis<float>{0, 1, 5, 50, 100}, pp::variable_axis<float>{3, 30, 70, 80});
    };
    auto axis = std::optional(make());
    const auto expected = count_pairs(*axis, x, y);
    const pp::zip_iterator points(a.begin(), b.begin());
    REQUIRE(cudaStreamBeginCapture(work.get(), cudaStreamCaptureModeGlobal) == cudaSuccess);
    pp::histogram(pp::device.on(work), points, points + static_cast<std::ptrdiff_t>(many_points), *axis,
                  counts.begin());
    cudaGraph_t graph = nullptr;
    REQUIRE(cudaStreamEndCapture(work.get(), &graph) == cudaSuccess);
    axis.reset();
    const std::vector<std::vector<float>> in_their_place(100, std::vector<float>(5, 7.0f));
    cudaGraphExec_t executable = nullptr;
    REQUIRE(cudaGraphInstantiate(&executable, graph, 0) == cudaSuccess);
    REQUIRE(cudaGraphLaunch(executable, work.get()) == cudaSuccess);
    CHECK(counts.to_host() == expected);
    cudaGraphExecDestroy(executable);
    cudaGraphDestroy(graph);
}

TEST_CASE("[device] an array of the host is refused wherever it is in a zip")
{
    const std::vector<float> values(1000, 1.0f);
    const pp::device_buffer<float> x = pp::to_device(values);
    const auto counts = poisoned<device_backend, std::uint32_t>(4);
    const pp::regular_axis axis(2, 0.0f, 2.0f);
    const auto count = [&](const float* a, const float* b) {
        const pp::zip_iterator points(a, b);
        pp::histogram(pp::device, points, points + 1000, pp::product_axis(axis, axis), counts.begin());
    };
    check_refused("parprims::histogram", "first", "", [&] { count(values.data(), x.data()); });
    check_refused("parprims::histogram", "first", "", [&] { count(x.data(), values.data()); });
    CHECK(counts.untouched());
    count(x.data(), x.data());
    CHECK(counts.read() == std::vector<std::uint32_t>{0, 0, 0, 1000});
    const pp::zip_iterator partly(x.data(), values.data());
    const auto sums = poisoned<device_backend, float>(4);
    check_refused("parprims::weighted_histogram", "first", "", [&] {
        pp::weighted_histogram(pp::device, partly, partly + 1000, x.data(), pp::product_axis(axis, axis), sums.begin());
    });
    CHECK(sums.untouched());
}

#endif
