// Weighted histograms of segments and of lines on the executor, against the exact sums of each by itself.
#include <parprims/axis.hpp>
#include <parprims/detail/contract/weighted_lines.hpp>
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

/// Three dimensions in memory: which varies fastest, whether with gaps or backwards, is random.
struct layout {
    std::ptrdiff_t strides[3] = {};
    std::size_t start = 0;
    std::size_t reach = 1;

    layout(std::uint64_t seed, const std::size_t (&extents)[3], bool has_gaps)
    {
        for (unsigned k = 0; k < 3; ++k) {
            const auto d = static_cast<unsigned>((k + mix(seed)) % 3);
            const bool is_reversed = mix(seed + 10 + k) % 4 == 0;
            strides[d] = static_cast<std::ptrdiff_t>(is_reversed ? -reach : reach);
            start += is_reversed ? (extents[d] - 1) * reach : 0;
            reach *= extents[d] + (has_gaps && mix(seed + 20 + k) % 3 == 0 ? 2 : 0);
        }
    }
    std::size_t at(std::size_t i, std::size_t j, std::size_t k) const
    {
        return start + static_cast<std::size_t>(static_cast<std::ptrdiff_t>(i) * strides[0] +
                                                static_cast<std::ptrdiff_t>(j) * strides[1] +
                                                static_cast<std::ptrdiff_t>(k) * strides[2]);
    }
};

/// Samples, weights and sums of three dimensions, each in an order of its own; some weights are those of many samples.
template <class Sum, class X, class W, class Axis>
void sweep_lines(std::uint64_t rounds, const Axis& axis)
{
    for (std::uint64_t seed = 0; seed < rounds; ++seed) {
        CAPTURE(seed);
        const auto random = [&](unsigned k) { return mix(mix(seed + 100) + k) >> 20; };
        const bool has_long_runs = random(30) % 3 == 0;  // of min_run samples and more
        std::size_t extents[3];
        for (unsigned d = 0; d < 3; ++d)
            extents[d] = 1 + random(1 + d) % (!has_long_runs ? 17 : d == 0 ? 400 : 7);
        std::uint64_t order = random(4);
        while (has_long_runs && mix(order) % 3 != 0)  // the long dimension varies fastest
            ++order;
        const layout of_samples(order, extents, true);
        layout of_weights(random(5) % 2 == 0 ? order : random(6), extents, true);
        for (unsigned d = 0; d < 3; ++d)
            if (random(7 + d) % 4 == 0) {
                of_weights.start -=
                    of_weights.strides[d] < 0 ? (extents[d] - 1) * static_cast<std::size_t>(-of_weights.strides[d]) : 0;
                of_weights.strides[d] = 0;
            }
        const unsigned along = 1 + static_cast<unsigned>(seed % 7);
        const bool is_along[] = {(along & 1) != 0, (along & 2) != 0, (along & 4) != 0};
        const std::size_t of_lines[] = {is_along[0] ? 1 : extents[0], is_along[1] ? 1 : extents[1],
                                        is_along[2] ? 1 : extents[2]};
        const layout places(random(11), of_lines, false);
        const std::size_t length = extents[0] * extents[1] * extents[2] / places.reach;

        memory<X> samples(of_samples.reach, random(12) % (16 / sizeof(X)) * sizeof(X));
        for (std::size_t i = 0; i < samples.size(); ++i)
            samples[i] = static_cast<X>((mix(seed * 10000 + i) >> 11) % 24);
        memory<W> weights(of_weights.reach, random(13) % (16 / sizeof(W)) * sizeof(W));
        for (std::size_t i = 0; i < weights.size(); ++i)
            weights[i] = weight_like<W>(static_cast<weights_like>(seed % 5), i, weights.size());
        parprims::detail::dimension dimensions[3];
        std::ptrdiff_t strides_of_places[3];
        for (unsigned d = 0; d < 3; ++d) {
            dimensions[d] = {extents[d], of_samples.strides[d], 0};
            strides_of_places[d] = is_along[d] ? 0 : places.strides[d];
        }
        const auto lines = parprims::detail::weighted_lines::of(
            dimensions, 3, is_along, of_weights.strides, strides_of_places, static_cast<std::ptrdiff_t>(places.start));
        memory<Sum> sums(places.reach * axis.extent());
        weights_launcher on(seed, seed % 5 == 4 ? 40 : 1500 + 3000 * (seed % 2));
        device::enqueue_weighted_lines(
            on, lines, device::array_input<const X*>{samples.data(), of_samples.start, of_samples.reach},
            device::array_input<const W*>{weights.data(), of_weights.start, of_weights.reach}, axis, sums.data());

        std::vector<std::vector<X>> samples_of(places.reach);
        std::vector<std::vector<W>> weights_in(places.reach);
        for (std::size_t i = 0; i < extents[0]; ++i)
            for (std::size_t j = 0; j < extents[1]; ++j)
                for (std::size_t k = 0; k < extents[2]; ++k) {
                    const std::size_t place = places.at(is_along[0] ? 0 : i, is_along[1] ? 0 : j, is_along[2] ? 0 : k);
                    samples_of[place].push_back(samples[of_samples.at(i, j, k)]);
                    weights_in[place].push_back(weights[of_weights.at(i, j, k)]);
                }
        for (std::size_t place = 0; place < places.reach; ++place) {
            CAPTURE(place);
            REQUIRE(samples_of[place].size() == length);
            const auto expected = exact_bins<Sum>(samples_of[place].data(), length, weights_in[place].data(), axis);
            for (std::size_t slot = 0; slot < axis.extent(); ++slot) {
                CAPTURE(slot);
                REQUIRE(same_sums(sums[place * axis.extent() + slot], expected[slot]));
            }
        }
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

TEST_CASE("weights are added in the bins of each line")
{
    sweep_lines<float, float, float>(42, parprims::regular_axis(19, 0.0f, 19.0f));
    sweep_lines<parprims::weighted_sum<double>, std::uint8_t, double>(14, parprims::integer_axis(3, 20));
}

TEST_CASE("profiles of each segment and of each line")
{
    sweep<parprims::profile_bin<float>, float>(9, array_of<float>{}, parprims::regular_axis(19, 0.0f, 19.0f));
    sweep_lines<parprims::profile_bin<double>, std::uint8_t, double>(14, parprims::integer_axis(3, 20));
}

TEST_CASE("the lines of an array without samples have sums and profiles of none")
{
    const parprims::detail::dimension samples[] = {{3, 1, 0}, {0, 3, 0}};
    const bool is_along[] = {false, true};
    const std::ptrdiff_t of_weights[] = {1, 3};
    const std::ptrdiff_t places[] = {1, 0};
    const auto lines = parprims::detail::weighted_lines::of(samples, 2, is_along, of_weights, places, 0);
    const float* const none = nullptr;
    const device::array_input<const float*> nothing{none, 0, 0};
    memory<parprims::profile_bin<float>> bins(3 * 4);
    memory<float> sums(3 * 4);
    weights_launcher on(1, 1500);
    device::enqueue_weighted_lines(on, lines, nothing, nothing, parprims::regular_axis(4, 0.0f, 1.0f), bins.data());
    device::enqueue_weighted_lines(on, lines, nothing, nothing, parprims::regular_axis(4, 0.0f, 1.0f), sums.data());
    for (std::size_t i = 0; i < bins.size(); ++i) {
        CHECK(bins[i].count == 0);
        CHECK(bins[i].mean != bins[i].mean);
        CHECK(sums[i] == 0);
    }
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
