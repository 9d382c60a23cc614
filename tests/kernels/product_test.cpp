// Histograms of several dimensions on the executor, against counting one by one.
#include <parprims/axis.hpp>
#include <parprims/detail/simt/simt.hpp>
#include <parprims/iterator.hpp>
#include <parprims/product_axis.hpp>
#include <parprims/variable_axis.hpp>

#include <doctest/doctest.h>

#include "support/run.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <tuple>
#include <utility>
#include <vector>

using namespace kernel_test;
using parprims::histogram_config;

namespace {

/// An axis of a user.
struct parity_axis {
    std::size_t bins() const { return 2; }
    std::size_t extent() const { return 2; }
    bool has_flow() const { return false; }
    std::size_t slot(std::int16_t x) const { return x < 0 ? 2 : static_cast<std::size_t>(x % 2); }
};

/// An array of so many elements, that begins so many bytes behind a multiple of 64.
template <class X>
struct placed : memory<X> {
    explicit placed(std::pair<std::size_t, std::size_t> at) : memory<X>(at.first, at.second) {}
};
template <class... Xs>
using arrays = std::tuple<placed<Xs>...>;

/// From -2 to 97: inside of the axes and outside.
template <class X>
void fill_around(memory<X>& samples, std::uint64_t seed)
{
    for (std::size_t i = 0; i < samples.size(); ++i)
        samples[i] = static_cast<X>(static_cast<double>(mix(i * 8 + seed) % 400) / 4 - 2);
    if constexpr (std::numeric_limits<X>::has_quiet_NaN)
        for (std::size_t i = seed % 5; i < samples.size(); i += 23)
            samples[i] = std::numeric_limits<X>::quiet_NaN();
}

/// One counter after the other, the last axis fastest.
template <class Axis, class... Xs, std::size_t... I>
std::vector<std::uint32_t> count_one_by_one(const Axis& axis, const arrays<Xs...>& samples, std::index_sequence<I...>)
{
    std::vector<std::uint32_t> counts(axis.extent());
    for (std::size_t i = 0; i < std::get<0>(samples).size(); ++i) {
        const std::size_t slots[] = {axis.template axis<I>().slot(std::get<I>(samples).data()[i])...};
        const std::size_t extents[] = {axis.template axis<I>().extent()...};
        std::size_t slot = 0;
        bool is_counted = true;
        for (std::size_t d = 0; d < sizeof...(I); ++d) {
            slot = slot * extents[d] + slots[d];
            is_counted = is_counted && slots[d] < extents[d];
        }
        if (is_counted)
            ++counts[slot];
    }
    return counts;
}

/// All placements, for arrays at every combination of a few offsets.
template <class... Xs, class Axis>
void check_product(const Axis& axis, std::size_t limit)
{
    constexpr std::size_t dimensions = sizeof...(Xs);
#if defined(__SANITIZE_THREAD__)
    limit /= 4;
#endif
    std::uint64_t seed = axis.bins();
    for (const std::size_t n : {std::size_t{1}, std::size_t{40}, limit / 2, limit})
        for (const auto placement : {histogram_config::shared, histogram_config::passes, histogram_config::partitioned,
                                     histogram_config::global})
            for (const unsigned shifts :
                 {0u, 1u, 2u, 5u}) {  // in turn none, the first, the second, the first and the third
                ++seed;
                const auto offset = [&](std::size_t d) { return shifts >> d & 1 ? 1 + seed * 3 % 15 : 0; };
                [&]<std::size_t... I>(std::index_sequence<I...> each) {
                    arrays<Xs...> samples(std::pair(n, offset(I) * sizeof(Xs))...);
                    (fill_around(std::get<I>(samples), seed + I), ...);
                    memory<std::uint32_t> counts(axis.extent());
                    const parprims::zip_iterator first(std::as_const(std::get<I>(samples)).data()...);
                    const device::gpu_properties gpu{2, 2048, 2400, 4 * 2400 + 8192};
                    const histogram_config config{placement, seed % 2 != 0 ? 32u : 96u, 1, 0};
                    histogram(schedule_of(seed), config, gpu, first, n, axis, counts, seed % 3 == 0 ? 256 : 0);
                    const auto expected = count_one_by_one(axis, samples, each);
                    CAPTURE(n);
                    CAPTURE(seed);
                    CAPTURE(shifts);
                    CAPTURE(static_cast<int>(placement));
                    CHECK(std::vector<std::uint32_t>(counts.begin(), counts.end()) == expected);
                }(std::make_index_sequence<dimensions>());
            }
}

}  // namespace

TEST_CASE("floats in two dimensions are counted once, with flow in one of them and without")
{
    const auto a = parprims::regular_axis(16, 0.0f, 64.0f);
    const auto b = parprims::regular_axis(11, 3.0f, 70.0f);
    check_product<float, float>(parprims::product_axis(a, b), 900);
    check_product<float, float>(parprims::product_axis(a, b.with_flow()), 900);
}

TEST_CASE("bytes, shorts and floats in three dimensions are counted once, whatever the axes")
{
    const parprims::product_axis axis(parprims::integer_axis(0, 60).with_flow(), parity_axis{},
                                      parprims::variable_axis<float>{0.0f, 1.5f, 30.0f, 90.0f});
    check_product<std::uint8_t, std::int16_t, float>(axis, 900);
}

TEST_CASE("bytes beside doubles, which are eight times as large, are counted once")
{
    check_product<std::uint8_t, double>(
        parprims::product_axis(parprims::regular_axis(10, 0, 60), parprims::regular_axis(40, -1.0, 77.0)), 400);
}

TEST_CASE("floats and shorts are counted once by axes of integers whose edges are fractions")
{
    check_product<float, std::int16_t>(
        parprims::product_axis(parprims::regular_axis(50, 0, 60), parprims::regular_axis(7, 0, 60)), 400);
}

TEST_CASE("bytes are counted once by axes that have a bin for each value, and by axes that have not")
{
    const auto all = parprims::regular_axis(7, 0, 256);
    const auto all_signed = parprims::regular_axis(9, -128, 128);
    check_product<std::uint8_t, std::int8_t>(parprims::product_axis(all, all_signed), 500);
    check_product<std::uint8_t, std::int8_t>(parprims::product_axis(parprims::regular_axis(7, 0, 90), all_signed), 500);
}

TEST_CASE("counts are added to earlier ones, and stop at the largest count")
{
    const parprims::product_axis axis(parprims::regular_axis(5, 0, 100), parprims::regular_axis(3, 0, 100));
    for (const auto placement : {histogram_config::shared, histogram_config::passes, histogram_config::partitioned,
                                 histogram_config::global}) {
        memory<std::uint8_t> x(500), y(500);
        fill_around(x, 1);
        fill_around(y, 2);
        const parprims::zip_iterator first(x.data(), y.data());
        memory<std::uint32_t> once(axis.extent()), counts(axis.extent());
        const device::gpu_properties gpu{2, 2048, 2400, 4 * 2400 + 8192};
        histogram(schedule_of(1), {placement, 64, 1, 0}, gpu, first, x.size(), axis, once);
        std::vector<std::uint32_t> expected;
        for (std::size_t i = 0; i < counts.size(); ++i) {
            counts[i] = static_cast<std::uint32_t>(i * 1000);
            expected.push_back(std::min<std::uint32_t>(counts[i] + once[i], 10000));
            if (i >= 11)
                expected.back() = counts[i];  // more than the largest count stays
        }
        REQUIRE(once[10] > 0);
        CAPTURE(static_cast<int>(placement));
        accumulate(schedule_of(2), {placement, 64, 1, 0}, gpu, first, x.size(), axis, counts, 10000u);
        CHECK(std::vector<std::uint32_t>(counts.begin(), counts.end()) == expected);
    }
}
