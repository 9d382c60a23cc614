// Weighted histograms of segments on the executor, against the exact sums of each segment by itself.
#include <parprims/axis.hpp>
#include <parprims/detail/device/segmented_weighted/dispatch.hpp>
#include <parprims/detail/simt/simt.hpp>
#include <parprims/iterator.hpp>
#include <parprims/product_axis.hpp>
#include <parprims/weights.hpp>

#include <doctest/doctest.h>

#include "support/exact_bins.hpp"
#include "support/lines.hpp"
#include "support/segments.hpp"
#include "support/weights.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

using namespace kernel_test;
using parprims::weighted_sum;
using parprims::detail::fixed_segments;
using parprims::detail::offset_segments;

namespace {

/// Of four calls one has room for the outliers of a few slots only.
class weights_launcher : public lines_launcher {
public:
    weights_launcher(std::uint64_t seed, std::size_t words) : lines_launcher(seed, words), seed_(seed) {}

    using lines_launcher::change;
    void change(parprims::histogram_config& config) const { config.block_threads = 32u << seed_ % 3; }
    void change(device::outlier_plan& plan) const
    {
        const std::size_t rows = seed_ % 4 == 1 ? 1 + seed_ % 50 : plan.rows;
        plan.rows = std::min(plan.rows, rows);
        plan.rest_rows = std::min(plan.rest_rows, rows + 100);
    }

private:
    std::uint64_t seed_;
};

template <class Sum, class Iterator, class W, class Axis, class Segments>
void check_segments(std::uint64_t seed, Iterator first, const W* weights, const Axis& axis, const Segments& segments,
                    const std::vector<std::size_t>& offsets)
{
    CAPTURE(seed);
    CAPTURE(segments.count);
    const std::size_t extent = axis.extent();
    memory<Sum> sums(segments.count * extent);
    weights_launcher on(seed, seed % 5 == 4 ? 40 : 1500 + 3000 * (seed % 2));
    device::enqueue_segmented_weighted(on, segments, first, weights, axis, sums.data());
    for (std::size_t s = 0; s < segments.count; ++s) {
        CAPTURE(s);
        const std::size_t begin = offsets[s];
        const auto expected =
            exact_bins<Sum>(first + static_cast<std::ptrdiff_t>(begin), offsets[s + 1] - begin, weights + begin, axis);
        for (std::size_t slot = 0; slot < extent; ++slot) {
            CAPTURE(slot);
            REQUIRE(same_sums(sums[s * extent + slot], expected[slot]));
        }
    }
}

/// Segments of one size and by offsets, with weights of every kind.
template <class Sum, class W, class Find, class Axis>
void sweep(std::uint64_t rounds, const Find& samples_at, const Axis& axis)
{
    for (std::uint64_t seed = 0; seed < rounds; ++seed) {
        const std::size_t n = 2 + mix(seed + sizeof(W)) % 2500;
        memory<W> weights(n, mix(seed + 8) % (16 / sizeof(W)) * sizeof(W));
        for (std::size_t i = 0; i < n; ++i)
            weights[i] = weight_like<W>(static_cast<weights_like>(seed % 5), i, n);
        const W* const of_samples = weights.data();
        const auto offsets = offsets_of(n, static_cast<unsigned>(seed % 6), 500, mix(seed));
        memory<std::uint32_t> shared(offsets.size());
        std::copy(offsets.begin(), offsets.end(), shared.begin());
        const std::size_t sizes[] = {1, 2, 7, 32, 33, 100, 1000, 1999, n};
        const std::size_t size = std::min(n, sizes[seed % 9]);
        samples_at(seed, n, [&](auto first) {
            check_segments<Sum>(seed, first, of_samples, axis,
                                offset_segments<const std::uint32_t*>{shared.data(), n, offsets.size() - 1}, offsets);
            check_segments<Sum>(seed, first, of_samples, axis, fixed_segments::of(n, size), equal_offsets(n, size));
        });
    }
}

/// Calls `use(first)` with samples of a type, some of which are in no bin.
template <class X>
struct array_of {
    template <class Use>
    void operator()(std::uint64_t seed, std::size_t n, Use use) const
    {
        memory<X> input(n, mix(seed + 7) % (16 / sizeof(X)) * sizeof(X));
        for (std::size_t i = 0; i < n; ++i)
            input[i] = static_cast<X>((mix(seed * n + i) >> 11) % 24);
        use(static_cast<const X*>(input.data()));
    }
};

template <class X, class Y>
struct pairs_of {
    template <class Use>
    void operator()(std::uint64_t seed, std::size_t n, Use use) const
    {
        array_of<X>{}(seed, n, [&](const X* x) {
            array_of<Y>{}(seed + 1, n, [&](const Y* y) { use(parprims::zip_iterator(x, y)); });
        });
    }
};

}  // namespace

TEST_CASE("weights are added in the bins of each segment")
{
    sweep<float, float>(18, array_of<float>{}, parprims::regular_axis(19, 0.0f, 19.0f));
    sweep<weighted_sum<double>, double>(9, array_of<std::uint32_t>{}, parprims::regular_axis(5, 2u, 22u).with_flow());
    sweep<weighted_sum<float>, float>(9, array_of<std::uint8_t>{}, parprims::integer_axis(3, 20));
    sweep<double, std::int8_t>(6, array_of<std::uint16_t>{}, parprims::regular_axis(16, 0, 20));
}

TEST_CASE("weights of pairs, and of what an iterator computes, are added in the bins of each segment")
{
    const parprims::regular_axis axis(4, 0.0f, 20.0f);
    const parprims::product_axis plane(axis, parprims::integer_axis<int>(0, 5));
    sweep<float, float>(6, pairs_of<float, std::uint16_t>{}, plane);
    sweep<double, std::int8_t>(9, pairs_of<std::uint8_t, std::uint8_t>{}, plane);
    sweep<float, std::int16_t>(9, pairs_of<std::uint16_t, std::uint16_t>{}, plane);
    const auto computed = [](std::uint64_t, std::size_t, auto use) {
        use(parprims::transform_iterator(parprims::counting_iterator<std::uint32_t>(0),
                                         [](std::uint32_t i) { return static_cast<float>(i % 23); }));
    };
    sweep<double, float>(6, computed, axis);
}

TEST_CASE("a short run of narrow pairs has no more samples outside of packets than its threads take")
{
    using pair = std::uint8_t;
    const parprims::integer_axis<int> two(0, 2);
    const parprims::product_axis axis(two, two);
    for (const std::size_t size : {15u, 16u, 31u, 100u})
        for (std::size_t offset = 0; offset < 16; offset += 5) {
            CAPTURE(size);
            CAPTURE(offset);
            const std::size_t n = 64 * size;
            memory<pair> x(n, offset), y(n, 0);
            memory<std::int8_t> weights(n, 0);
            std::fill_n(x.data(), n, pair{0});
            std::fill_n(y.data(), n, pair{1});
            std::fill_n(weights.data(), n, std::int8_t{1});
            memory<float> sums(64 * 4);
            launcher on(schedule_of(offset), device::gpu_properties{2});
            device::enqueue_segmented_weighted(on, fixed_segments::of(n, size),
                                               parprims::zip_iterator(static_cast<const pair*>(x.data()),
                                                                      static_cast<const pair*>(y.data())),
                                               static_cast<const std::int8_t*>(weights.data()), axis, sums.data());
            for (std::size_t s = 0; s < 64; ++s)
                REQUIRE(sums[4 * s] + sums[4 * s + 1] + sums[4 * s + 2] + sums[4 * s + 3] == static_cast<float>(size));
        }
}

TEST_CASE("offsets of any kind lead to no access outside of the weights and the sums")
{
    const parprims::regular_axis axis(7, 0.0f, 20.0f);
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        const std::size_t n = 1 + mix(seed) % 600;
        const std::size_t segments = 1 + mix(seed + 1) % 60;
        memory<std::int32_t> offsets(segments + 1);
        for (std::size_t i = 0; i <= segments; ++i)
            offsets[i] = static_cast<std::int32_t>(mix(seed * 1000 + i) % (n + 200)) - 100;
        memory<float> weights(n), sums(segments * axis.extent());
        for (std::size_t i = 0; i < n; ++i)
            weights[i] = weight_like<float>(weights_like::cancelling, i, n);
        array_of<float>{}(seed, n, [&](const float* first) {
            weights_launcher on(seed, seed % 5 == 4 ? 10 : 1500);
            device::enqueue_segmented_weighted(on, offset_segments<const std::int32_t*>{offsets.data(), n, segments},
                                               first, static_cast<const float*>(weights.data()), axis, sums.data());
        });
    }
}
