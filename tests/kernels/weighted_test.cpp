// Weighted histograms on the executor: the library's own dispatch, beside the host backend.
#include <parprims/detail/device/weighted/dispatch.hpp>
#include <parprims/detail/simt/simt.hpp>
#include <parprims/iterator.hpp>
#include <parprims/product_axis.hpp>
#include <parprims/profile.hpp>
#include <parprims/variable_axis.hpp>
#include <parprims/weighted_histogram.hpp>

#include <doctest/doctest.h>

#include "support/run.hpp"
#include "support/weights.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

using parprims::histogram_config;
using parprims::profile_bin;
using parprims::weighted_sum;

namespace {

using namespace kernel_test;
using device_call = parprims::detail::weighted_call;

/// A GPU whose blocks have room for `words` words of sums.
device::gpu_properties gpu_of(std::uint64_t seed, std::size_t words)
{
    return {2 + static_cast<unsigned>(seed % 3), 2048, words * 4, 4 * words * 4 + 8192};
}

/// The call of the host, of weights or of a profile.
template <class X, class W, class Axis, class Sum, class... Bound>
void on_host(const X& samples, std::size_t n, const W* weights, const Axis& axis, Sum* sums, Bound... bound)
{
    const auto last = samples + static_cast<std::ptrdiff_t>(n);
    if constexpr (is_profile<Sum>)
        parprims::profile(parprims::host.threads(1), samples, last, weights, axis, sums, bound...);
    else
        parprims::weighted_histogram(parprims::host.threads(1), samples, last, weights, axis, sums, bound...);
}

constexpr device_call plain{"test", "weights", "sums"};

/// Sorts samples in slices of two tiles.
class launcher_of_slices : public launcher {
public:
    using launcher::launcher;

    template <class Plan>
    void change([[maybe_unused]] Plan& plan) const
    {
        if constexpr (requires { plan.slice; })
            plan.slice = 2 * plan.parts.tile;
    }
};

template <class Sum, class X, class W, class Axis>
void check(const X& samples, const memory<W>& weights, const Axis& axis, histogram_config::placement_kind placement,
           std::uint64_t seed, std::size_t words, const device_call& call = plain)
{
    const unsigned warps[] = {1, 2, 4, 3};
    const histogram_config config{placement, 32 * warps[seed * 3 % 4], 1 + static_cast<unsigned>(seed / 2 % 2),
                                  seed % 3 == 0 ? 0 : 1u << seed % 6};
    memory<Sum> sums(axis.extent());
    launcher_of_slices cpu(schedule_of(seed), gpu_of(seed, words));
    const std::size_t n = weights.size();
    device::enqueue_weighted(cpu, config, samples, n, weights.data(), axis, sums.data(), call);
    std::vector<Sum> expected(axis.extent());
    if (call.is_bounded)
        on_host(samples, n, weights.data(), axis, expected.data(), parprims::magnitude_bound(call.bound));
    else
        on_host(samples, n, weights.data(), axis, expected.data());
    std::size_t same = 0;
    while (same < axis.extent() && same_sums(sums[same], expected[same]))
        ++same;
    CAPTURE(n);
    CAPTURE(seed);
    CAPTURE(config.block_threads);
    CAPTURE(config.replicas);
    CAPTURE(static_cast<int>(placement));
    REQUIRE(same == axis.extent());
}

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

constexpr histogram_config::placement_kind all_placements[] = {histogram_config::shared, histogram_config::passes,
                                                               histogram_config::partitioned, histogram_config::global};

/// Adds one value to a sum in device memory, of weights of double.
struct addition {
    using words = device::sum_words<double>;
    static constexpr unsigned max_threads = 32;
    struct shared_storage {};

    std::uint64_t* sum;
    words::integer value;

    void operator()(parprims::detail::simt::block block, shared_storage&) const
    {
        if (block.thread() == 0)
            words::add_global(sum, 1, value, true);
    }
};

/// Adds pairs of values to two sums that share a word, and what is spilled to `sums`.
struct paired_additions {
    using words = device::paired_words;
    static constexpr unsigned max_threads = 32;
    struct shared_storage {};

    std::uint32_t* shared_words;
    const std::uint64_t (*values)[2];
    std::size_t n;
    std::uint64_t* sums;

    void operator()(parprims::detail::simt::block block, shared_storage&) const
    {
        if (block.thread() != 0)
            return;
        for (std::size_t i = 0; i < n; ++i)
            words::add_shared(shared_words, 1, values[i], [&](std::int32_t high0, std::int32_t high1) {
                sums[0] += static_cast<std::uint64_t>(high0) << 32;
                sums[1] += static_cast<std::uint64_t>(high1) << 32;
            });
        words::load_shared(shared_words, 1, 1, 0, [&](auto, std::uint64_t sum, unsigned v) { sums[v] += sum; });
    }
};

}  // namespace

TEST_CASE("two sums that share a word pass the ends of their halves in both directions")
{
    for (std::size_t n = 200; n < 2000; n += 100) {
        CAPTURE(n);
        std::uint64_t values[2000][2], expected[2] = {};
        for (std::size_t i = 0; i < n; ++i)
            for (unsigned v = 0; v < 2; ++v) {
                values[i][v] = static_cast<std::uint64_t>(static_cast<std::int64_t>(mix(2 * i + v)) >> 15);  // 49 bits
                expected[v] += values[i][v];
            }
        memory<std::uint32_t> words(device::paired_words::shared_words);
        memory<std::uint64_t> sums(2);
        std::fill(words.begin(), words.end(), 0);
        std::fill(sums.begin(), sums.end(), 0);
        launcher cpu(schedule_of(1), gpu_of(1, 512));
        cpu.launch({1, 32, 0}, paired_additions{words.data(), values, n, sums.data()});
        CHECK(sums[0] == expected[0]);
        CHECK(sums[1] == expected[1]);
    }
}

TEST_CASE("a sum of more than 2^32 weights carries out of its low word")
{
    memory<std::uint64_t> sum(2);
    sum[0] = ~std::uint64_t{0} - 4;  // 2^64 - 5
    sum[1] = 7;
    launcher cpu(schedule_of(1), gpu_of(1, 512));
    cpu.launch({1, 32, 0}, addition{sum.data(), addition::words::integer{3} << 32 | 15});
    CHECK(sum[0] == 10);
    CHECK(sum[1] == 7 + 3 + (std::uint64_t{1} << 32));
}

TEST_CASE("weights are added in shared memory, in copies or in one, as on the host")
{
    sweep<float, float, float>(parprims::regular_axis(40, 0.0f, 40.0f).with_flow(), histogram_config::shared, 2048);
    sweep<std::uint8_t, float, weighted_sum<float>>(parprims::regular_axis(100, 0, 100), histogram_config::shared,
                                                    2048);
    if constexpr (!has_tsan) {
        sweep<std::uint32_t, float, double>(parprims::regular_axis(700, 0u, 700u), histogram_config::shared, 2048);
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

TEST_CASE("a call with a bound adds once, and makes NaN of a bin with a larger weight")
{
    memory<float> samples(1500), weights(1500);
    for (std::size_t i = 0; i < 1500; ++i) {
        samples[i] = static_cast<float>(mix(i) % 21);
        weights[i] = weight_like<float>(i < 1200 ? weights_like::even : weights_like::specials, i, 1500);
    }
    weights[2] = 4;
    const auto axis = parprims::regular_axis(20, 0.0f, 20.0f);
    const float* const x = samples.data();
    for (const auto placement : all_placements) {
        const device_call bounded = plain.bounded_by(parprims::magnitude_bound(4));
        check<float>(x, weights, axis, placement, 3, 1024, bounded);
        check<profile_bin<float>>(x, weights, axis, placement, 5, 1024, bounded);

        const device_call low = plain.bounded_by(parprims::magnitude_bound(3.9));
        const std::size_t bad = *axis.index(x[2]);
        memory<float> expected(20), sums(20);
        for (const float sign : {-1.0f, 1.0f}) {
            weights[2] = sign * 4;
            on_host(x, 1500, weights.data(), axis, expected.data());
            launcher cpu(schedule_of(7), gpu_of(7, 1024));
            device::enqueue_weighted(cpu, histogram_config{placement, 64, 1, 0}, x, 1500, weights.data(), axis,
                                     sums.data(), low);
            for (std::size_t b = 0; b < 20; ++b)
                CHECK(::same_sums(sums[b], b == bad ? std::numeric_limits<float>::quiet_NaN() : expected[b]));
        }
    }
}

TEST_CASE("a bound that no float is equal to is rounded up")
{
    memory<int> samples(3);
    memory<float> weights(3);
    memory<double> sums(3);
    std::iota(samples.begin(), samples.end(), 0);
    for (const auto& [bound, largest] :
         {std::pair(0.1, 0.1f), std::pair(0.7, std::nextafter(0.7f, 1.0f)), std::pair(1 + 0x1p-40, 1 + 0x1p-23f)}) {
        CAPTURE(bound);
        weights[0] = -largest;
        weights[1] = std::nextafter(largest, 2.0f);
        weights[2] = 0x1p-60f;
        launcher cpu(schedule_of(7), gpu_of(7, 1024));
        device::enqueue_weighted(cpu, {}, static_cast<const int*>(samples.data()), 3, weights.data(),
                                 parprims::integer_axis(0, 3), sums.data(),
                                 plain.bounded_by(parprims::magnitude_bound(bound)));
        CHECK(sums[0] == -largest);
        CHECK(std::isnan(sums[1]));
        CHECK(sums[2] == (bound > 1 ? 0 : 0x1p-60));  // half of the unit, which the bound decides; or a multiple of it
    }
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

TEST_CASE("a huge weight of a sample in no bin decides the scale, and is not added; a bound holds for samples in bins")
{
    for (const std::size_t n : {2u, 6000u})
        for (const std::size_t at : {std::size_t{0}, n - 1})  // seen by the first look, or not
            for (const float outside : {-1.0f, 1e9f, std::numeric_limits<float>::quiet_NaN()}) {
                memory<float> samples(n), weights(n);
                for (std::size_t i = 0; i < n; ++i) {
                    samples[i] = static_cast<float>(mix(i) % 20);
                    weights[i] = weight_like<float>(weights_like::even, i, n);
                }
                samples[at] = outside;
                weights[at] = 1e30f;
                const auto axis = parprims::regular_axis(20, 0.0f, 20.0f);
                const float* const x = samples.data();
                for (const auto placement : all_placements) {
                    check<float>(x, weights, axis, placement, n + at, 1024);
                    check<float>(x, weights, axis, placement, n + at, 1024,
                                 plain.bounded_by(parprims::magnitude_bound(1)));
                }
            }
}

TEST_CASE("more samples than a block's 32-bit counts hold are added in device memory")
{
    const device::gpu_properties gpu{132, 2048, 227 * 1024, 228 * 1024};
    const auto windows_of = [&](std::size_t n, std::size_t counters) {
        const auto placement = counters > 1000 ? histogram_config::passes : histogram_config::shared;
        const histogram_config config{placement, 1024, 1, 0};
        return device::plan_weighted("test", {n, counters, counters, 24, 16}, config, gpu).windows;
    };
    const std::size_t many = 132ull << 31;
    CHECK(windows_of(many - 1, 300) == 1);
    CHECK(windows_of(many, 300) == 0);
    CHECK(windows_of(many / 2 - 1, 12000) == 2);
    CHECK(windows_of(many / 2, 12000) == 0);
}
