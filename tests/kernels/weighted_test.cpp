// Weighted histograms on the executor: the library's own dispatch, beside exact sums.
#include <parprims/detail/device/weighted/dispatch.hpp>
#include <parprims/detail/simt/simt.hpp>
#include <parprims/iterator.hpp>
#include <parprims/product_axis.hpp>
#include <parprims/variable_axis.hpp>
#include <parprims/weights.hpp>

#include <doctest/doctest.h>

#include "support/weighted.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <set>

using parprims::profile_bin;
using parprims::weighted_sum;

namespace {

using namespace kernel_test;

/// Samples of all kinds, a few sizes each.
template <class X, class W, class Sum, class Axis>
void sweep(const Axis& axis, histogram_config::placement_kind placement, std::size_t words, std::size_t offset = 0,
           std::size_t weights_offset = 0)
{
    std::uint64_t seed = axis.bins() + static_cast<unsigned>(placement);
    for (const std::size_t n : {1u, 33u, 700u, has_tsan ? 5001u : 9001u})
        for (const auto what : {weights_like::even, weights_like::early_peak, weights_like::late_peak,
                                weights_like::cancelling, weights_like::specials}) {
            if (n < 2 && what == weights_like::late_peak)
                continue;
            memory<X> samples(n, offset);
            memory<W> weights(n, weights_offset);
            ++seed;
            for (std::size_t i = 0; i < n; ++i) {
                weights[i] = weight_like<W>(what, i, n);
                const std::uint64_t key = mix(i + seed) >> 13;  // all over the axis, or nine of ten in one bin
                samples[i] = static_cast<X>(seed % 2 == 0 || key % 10 == 0 ? key % (axis.bins() + 9) : 3);
            }
            check<Sum>(static_cast<const X*>(samples.data()), weights, axis, placement, seed, words);
        }
}

constexpr unsigned many_bins = has_tsan ? 1500 : 5000;  // a thread each at last, of which TSan has few

}  // namespace

TEST_CASE("weights are added in shared memory, in copies or in one")
{
    sweep<float, float, float>(parprims::regular_axis(40, 0.0f, 40.0f).with_flow(), histogram_config::shared, 2048);
    sweep<std::uint8_t, float, weighted_sum<float>>(parprims::regular_axis(100, 0, 100), histogram_config::shared,
                                                    4096);
    if constexpr (!has_tsan) {
        sweep<std::uint32_t, float, double>(parprims::regular_axis(650, 0u, 650u), histogram_config::shared, 2048);
        sweep<float, double, weighted_sum<double>>(parprims::variable_axis<float>{0, 1, 5, 20, 100},
                                                   histogram_config::shared, 2048);
        sweep<std::uint16_t, std::int32_t, double>(parprims::integer_axis<int>(0, 50), histogram_config::shared, 2048);
    }
}

TEST_CASE("weights of a window of the bins are added in each pass")
{
    sweep<float, float, float>(parprims::regular_axis(500, 0.0f, 500.0f), histogram_config::passes, 512);
    if constexpr (!has_tsan) {
        sweep<std::uint32_t, double, double>(parprims::regular_axis(300, 0u, 300u).with_flow(),
                                             histogram_config::passes, 512);
        sweep<float, float, weighted_sum<float>>(parprims::regular_axis(400, 0.0f, 400.0f), histogram_config::passes,
                                                 512);
    }
}

TEST_CASE("weights are added in device memory")
{
    sweep<float, float, float>(parprims::regular_axis(many_bins, 0.0f, 1.0f * many_bins).with_flow(),
                               histogram_config::global, 512);
    sweep<std::uint8_t, double, weighted_sum<double>>(parprims::regular_axis(256, 0, 256), histogram_config::global,
                                                      512);
    if constexpr (!has_tsan)
        sweep<float, float, weighted_sum<float>>(parprims::regular_axis(600, 0.0f, 600.0f), histogram_config::global,
                                                 512);
}

TEST_CASE("weights are sorted with their samples, and added part by part")
{
    sweep<float, float, float>(parprims::regular_axis(many_bins, 0.0f, 1.0f * many_bins).with_flow(),
                               histogram_config::partitioned, 2048);
    sweep<std::uint32_t, double, weighted_sum<double>>(parprims::regular_axis(700, 0u, 700u),
                                                       histogram_config::partitioned, 2048, 4, 8);
    if constexpr (!has_tsan) {
        sweep<std::uint16_t, std::int8_t, double>(parprims::regular_axis(700, 0, 700), histogram_config::partitioned,
                                                  2048);
        sweep<float, float, weighted_sum<float>>(parprims::regular_axis(2000, 0.0f, 2000.0f).with_flow(),
                                                 histogram_config::partitioned, 2048);
    }
}

TEST_CASE("samples and weights that begin anywhere in a packet are added")
{
    for (const std::size_t offset : {4u, 8u, 12u})
        sweep<float, float, float>(parprims::regular_axis(30, 0.0f, 30.0f), histogram_config::shared, 2048, offset,
                                   16 - offset);
    if constexpr (!has_tsan)
        sweep<std::uint8_t, float, float>(parprims::regular_axis(30, 0, 30), histogram_config::shared, 2048, 3, 4);
}

TEST_CASE("values of a profile are added with their squares and a count, in every placement")
{
    sweep<float, float, profile_bin<float>>(parprims::regular_axis(40, 0.0f, 40.0f).with_flow(),
                                            histogram_config::shared, 2048);
    sweep<std::uint32_t, double, profile_bin<double>>(parprims::regular_axis(900, 0u, 900u).with_flow(),
                                                      histogram_config::global, 512);
    if constexpr (!has_tsan) {
        sweep<std::uint32_t, double, profile_bin<double>>(parprims::regular_axis(100, 0u, 100u),
                                                          histogram_config::passes, 512);
        sweep<float, float, profile_bin<float>>(parprims::regular_axis(1500, 0.0f, 1500.0f),
                                                histogram_config::partitioned, 2048);
    }
}

TEST_CASE("functions of arrays are samples and weights, too")
{
    const auto doubled = [](auto x) { return static_cast<float>(2 * x); };
    for (const std::size_t n : {1u, 5u, 1003u})
        for (const std::size_t offset : {0u, 4u}) {
            memory<float> x(n, offset), weights(n), twice(n);
            memory<std::int16_t> small(n, offset / 2);
            for (std::size_t i = 0; i < n; ++i) {
                x[i] = static_cast<float>(mix(i) % 40) / 2;
                small[i] = static_cast<std::int16_t>(mix(i + 1) % 1000);
                weights[i] = static_cast<float>(small[i]);
                twice[i] = 2 * weights[i];
            }
            const parprims::transform_iterator samples(static_cast<const float*>(x.data()), doubled);
            const parprims::regular_axis axis(30, 0.0f, 30.0f);
            check<float>(samples, weights, axis, histogram_config::shared, n, 2048);
            memory<float> sums(axis.extent());
            launcher cpu(schedule_of(n), gpu_of(n, 2048));
            device::enqueue_weighted(cpu, histogram_config{histogram_config::shared, 64, 1, 0}, samples, n,
                                     parprims::transform_iterator(static_cast<const std::int16_t*>(small.data()),
                                                                  doubled),
                                     axis, sums.data());
            const auto expected = exact_bins<float>(samples, n, static_cast<const float*>(twice.data()), axis);
            CHECK(std::equal(expected.begin(), expected.end(), sums.data()));
        }
}

TEST_CASE("looks at weights fall into most columns of an image")
{
    using parprims::detail::looked_weight;
    using parprims::detail::looked_weights;
    for (const std::size_t n :
         {std::size_t{300}, std::size_t{1} << 26, (std::size_t{1} << 26) + 77, std::size_t{1} << 45}) {
        std::set<std::size_t> columns;
        for (unsigned look = 0; look < looked_weights; ++look) {
            const std::size_t i = looked_weight(look, n);
            REQUIRE(i < n);
            if (look != 0)
                REQUIRE(looked_weight(look - 1, n) < i);
            columns.insert(i % 1024);
        }
        CHECK(columns.size() > 150);
    }
    CHECK(looked_weight(3, 3) == 3);  // there are no more
}

TEST_CASE("samples of two dimensions that are zipped have weights")
{
    const std::size_t n = 1001;
    memory<float> x(n, 4), weights(n, 8);
    memory<std::uint16_t> y(n, 2);
    for (std::size_t i = 0; i < n; ++i) {
        x[i] = static_cast<float>(mix(i) % 11);
        y[i] = static_cast<std::uint16_t>(mix(i + n) % 9);
        weights[i] = weight_like<float>(weights_like::late_peak, i, n);
    }
    const parprims::zip_iterator points(static_cast<const float*>(x.data()),
                                        static_cast<const std::uint16_t*>(y.data()));
    const parprims::product_axis axis(parprims::regular_axis(10, 0.0f, 10.0f).with_flow(),
                                      parprims::integer_axis<int>(0, 8));
    for (const auto placement : all_placements)
        check<float>(points, weights, axis, placement, 1, 2048);
}

TEST_CASE("a huge weight changes no other bin, and none if its sample is in no bin")
{
    for (const std::size_t n : {2u, 4097u})
        for (const std::size_t at : {std::size_t{0}, n - 1})  // looked at first, or not
            for (const float sample : {-1.0f, 1e9f, std::numeric_limits<float>::quiet_NaN(), 7.0f})
                for (const float huge : {9.97e36f, -1e30f, 1e-30f}) {
                    // Values make no races: under TSan one of each kind, in a bin and in none, among many.
                    if (has_tsan && n > 2 && (huge != 9.97e36f || (sample != -1.0f && sample != 7.0f)))
                        continue;
                    memory<float> samples(n), weights(n);
                    for (std::size_t i = 0; i < n; ++i) {
                        samples[i] = static_cast<float>(mix(i) % 20);
                        weights[i] = static_cast<float>(1 + i % 3);
                    }
                    samples[at] = sample;
                    weights[at] = huge;
                    const auto axis = parprims::regular_axis(20, 0.0f, 20.0f);
                    const float* const x = samples.data();
                    for (const auto placement : all_placements) {
                        check<float>(x, weights, axis, placement, n + at, 1024);
                        check<weighted_sum<float>>(x, weights, axis, placement, n + at + 1, 1024);
                    }
                }
}
