/// @file
/// @brief  The order contract between the backends: the GPU gives the bits that the host gives, for every launch
///         configuration, method, stream and alignment. That the host gives the contract's is host_order_test's business.
#include <doctest/doctest.h>

#include <parprims/launch_config.hpp>
#include <parprims/reduce.hpp>
#include <parprims/scan.hpp>
#include <parprims/stream.hpp>

#include "support/backend.hpp"
#include "support/data.hpp"
#include "support/values.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

namespace pp = parprims;

TEST_CASE_TEMPLATE("the numbers of this file show the order they are added in", T, float, double)
{
    for (const std::size_t n : {std::size_t{5000}, std::size_t{1000000}}) {
        CAPTURE(n);
        std::vector<T> values = spread_values<T>(n);
        const T contract = pp::reduce(pp::host, values, T{0});
        const T forward = std::accumulate(values.begin(), values.end(), T{0});
        CHECK(!same_bits(contract, forward));
        std::vector<T> sums(n);
        pp::inclusive_scan(pp::host, values, sums.begin());
        CHECK(!same_bits(sums.back(), contract));

        // The bits change if the numbers move one place on.
        std::rotate(values.begin(), values.begin() + 1, values.end());
        CHECK(!same_bits(pp::reduce(pp::host, values, T{0}), contract));
    }
}

TEST_CASE_TEMPLATE("the host gives the same bits at every alignment and for any number of threads", T, float, double)
{
    for (const std::size_t n : {std::size_t{33}, std::size_t{4099}, std::size_t{1000003}}) {
        CAPTURE(n);
        const std::vector<T> values = spread_values<T>(n);
        const T total = pp::reduce(pp::host.threads(1), values, T{1});
        std::vector<T> sums(n);
        pp::inclusive_scan(pp::host.threads(1), values, sums.begin());
        for (const std::size_t offset : {1, 2, 3})
            for (const unsigned threads : {0u, 1u, 3u}) {
                CAPTURE(offset);
                CAPTURE(threads);
                const auto x = place<host_backend>(values, offset);
                CHECK(same_bits(pp::reduce(pp::host.threads(threads), x.begin(), x.end(), T{1}), total));
                const auto out = poisoned<host_backend, T>(n, offset);
                pp::inclusive_scan(pp::host.threads(threads), x.begin(), x.end(), out.begin());
                CHECK(first_difference(out.read(), sums) == n);
            }
    }
}

#if PARPRIMS_CUDA_COMPILER

namespace {

/// T from the random elements: a scan's or reduction's first value.
template <class T>
T some_init()
{
    return spread_values<T>(1, 99).front();
}

template <class T, class Transform = pp::identity, class Accumulator = T>
void check_reduce_sizes(const Accumulator& init, Transform transform = {})
{
    for (const std::size_t n : reduce_sizes<T>())
        for (const std::size_t offset : {0, 1, 2, 3}) {
            CAPTURE(n);
            CAPTURE(offset);
            const std::vector<T> values = spread_values<T>(n, n + 1);
            const auto x = place<device_backend>(values, offset);
            const Accumulator expected = pp::transform_reduce(pp::host, values, init, pp::plus{}, transform);
            CHECK(
                same_bits(pp::transform_reduce(pp::device, x.begin(), x.end(), init, pp::plus{}, transform), expected));
        }
}

/// Calls `check(config)` with a configuration of each kind of scan.
template <class Check>
void for_each_scan(Check check)
{
    check(pp::scan_config{});
    check(pp::three_phase_scan{});
}

/// Reductions and scans of squares, from aligned memory, from any other, and through an iterator.
template <class T, class Op>
void check_products(Op op)
{
    const std::size_t n = 100003;
    const std::vector<T> values =
        generate(n, [](std::uint64_t bits) { return T(static_cast<float>(bits % 1000) / 997); });
    const T total = pp::transform_reduce(pp::host, values, T(0.0f), op, square{});
    std::vector<T> sums(values);
    pp::transform_inclusive_scan(pp::host, values, sums.begin(), op, square{});
    for (const std::size_t offset : {0, 1}) {
        CAPTURE(offset);
        const auto x = place<device_backend>(values, offset);
        const pp::transform_iterator<square, const T*> first(x.begin(), square{}), last(x.end(), square{});
        CHECK(same_bits(pp::transform_reduce(pp::device, x.begin(), x.end(), T(0.0f), op, square{}), total));
        CHECK(same_bits(pp::reduce(pp::device, first, last, T(0.0f), op), total));
        for_each_scan([&](const auto& config) {
            CAPTURE(pp::to_string(config));
            const auto policy = pp::device.with(config);
            const auto out = poisoned<device_backend, T>(n, offset);
            pp::transform_inclusive_scan(policy, x.begin(), x.end(), out.begin(), op, square{});
            CHECK(first_difference(out.read(), sums) == n);
            pp::inclusive_scan(policy, first, last, out.begin(), op);
            CHECK(first_difference(out.read(), sums) == n);
        });
    }
}

/// Reductions and scans of readings, whose conversion to a To multiplies: of few and many, from aligned memory and any other.
template <class To, class T, class Op = pp::plus>
void check_readings(Op op = {})
{
    for (const std::size_t n : {std::size_t{1003}, std::size_t{20001}, std::size_t{1000003}}) {
        CAPTURE(n);
        const auto values = spread_values<reading<T>>(n);
        const To init(some_init<T>());
        const To total = pp::reduce(pp::host, values, init, op);
        std::vector<To> inclusive(n, init), exclusive(n, init);
        pp::inclusive_scan(pp::host, values, inclusive.begin(), op, init);
        pp::exclusive_scan(pp::host, values, exclusive.begin(), init, op);
        for (const std::size_t offset : {0, 1}) {
            CAPTURE(offset);
            const auto x = place<device_backend>(values, offset);
            CHECK(same_bits(pp::reduce(pp::device, x.begin(), x.end(), init, op), total));
            for_each_scan([&](const auto& config) {
                CAPTURE(pp::to_string(config));
                const auto policy = pp::device.with(config);
                const auto out = poisoned<device_backend, To>(n, offset);
                pp::inclusive_scan(policy, x.begin(), x.end(), out.begin(), op, init);
                CHECK(first_difference(out.read(), inclusive) == n);
                pp::exclusive_scan(policy, x.begin(), x.end(), out.begin(), init, op);
                CHECK(first_difference(out.read(), exclusive) == n);
            });
        }
    }
}

template <class T>
void check_reduce_configs(std::size_t n)
{
    const T init = some_init<T>();
    const std::vector<T> values = spread_values<T>(n);
    const T expected = pp::reduce(pp::host, values, init);
    const auto x = place<device_backend>(values);
    const auto y = place<device_backend>(values, 1);
    for (unsigned block_threads = 32; block_threads <= 1024; block_threads += 32)
        for (const unsigned blocks_per_sm : {1u, 2u, 3u, 8u})
            for (const unsigned subtree_chunks : {0u, 1u, 4u, 32u}) {
                const pp::reduce_config config{block_threads, blocks_per_sm, subtree_chunks};
                CAPTURE(n);
                CAPTURE(pp::to_string(config));
                CHECK(same_bits(pp::reduce(pp::device.with(config), x.begin(), x.end(), init), expected));
                CHECK(same_bits(pp::reduce(pp::device.with(config), y.begin(), y.end(), init), expected));
            }
}

template <class T, class Transform = pp::identity>
void check_scan_sizes(Transform transform = {})
{
    const T init = some_init<T>();
    for (const std::size_t n : scan_sizes<T>()) {
        const std::vector<T> values = spread_values<T>(n, n + 1);
        std::vector<T> inclusive(values), exclusive(values);
        pp::transform_inclusive_scan(pp::host, values, inclusive.begin(), pp::plus{}, transform);
        pp::transform_exclusive_scan(pp::host, values, exclusive.begin(), init, pp::plus{}, transform);
        for (const std::size_t offset : {0, 1, 2, 3})
            for_each_scan([&](const auto& config) {
                CAPTURE(n);
                CAPTURE(offset);
                CAPTURE(pp::to_string(config));
                const auto policy = pp::device.with(config);
                const auto x = place<device_backend>(values, offset);
                const auto out = poisoned<device_backend, T>(n, 3 - offset);
                pp::transform_inclusive_scan(policy, x.begin(), x.end(), out.begin(), pp::plus{}, transform);
                CHECK(first_difference(out.read(), inclusive) == n);
                pp::transform_exclusive_scan(policy, x.begin(), x.end(), out.begin(), init, pp::plus{}, transform);
                CHECK(first_difference(out.read(), exclusive) == n);
            });
    }
}

template <class T>
void check_scan_configs(std::size_t n)
{
    const T init = some_init<T>();
    const std::vector<T> values = spread_values<T>(n);
    std::vector<T> expected(values);
    pp::inclusive_scan(pp::host, values, expected.begin(), pp::plus{}, init);
    const auto x = place<device_backend>(values);
    const auto out = poisoned<device_backend, T>(n);
    const auto check = [&](const auto& config) {
        CAPTURE(n);
        CAPTURE(pp::to_string(config));
        pp::inclusive_scan(pp::device.with(config), x.begin(), x.end(), out.begin(), pp::plus{}, init);
        CHECK(first_difference(out.read(), expected) == n);
    };
    check(pp::scan_config{});
    for (unsigned block_threads = 32; block_threads <= 1024; block_threads += 32)
        for (const unsigned blocks_per_sm : {1u, 2u, 8u}) {
            if (is_quick() && (block_threads % 256 != 32 || blocks_per_sm == 2))
                continue;
            for (const unsigned stages : {2u, 3u, 4u})
                check(pp::scan_config{block_threads, blocks_per_sm, stages, 0});  // small scans do not look at the rest
            check(pp::three_phase_scan{block_threads, blocks_per_sm});
        }
}

}  // namespace

TEST_CASE_TEMPLATE("[device] reduce has the bits of the host", T, float, double, vec3)
{
    check_reduce_sizes<T>(some_init<T>());
}

TEST_CASE("[device] reduce of squares has the bits of the host")
{
    check_reduce_sizes<float>(some_init<float>(), square{});
    check_reduce_sizes<float>(some_init<double>(), square{});
}

TEST_CASE("[device] reduce of squares has the bits of the host, whatever adds them up")
{
    check_products<float>(plain_add{});
    check_products<double>(plain_add{});
    check_products<__half>(plain_add{});
    check_products<__half>(pp::plus{});
    check_products<__nv_bfloat16>(pp::plus{});
}

TEST_CASE("[device] reduce to a type that multiplies what it is made of has the bits of the host")
{
    const std::vector<float> values = spread_values<float>(100003);
    const moments expected = pp::reduce(pp::host, values, moments(0.0f));
    for (const std::size_t offset : {0, 1}) {
        CAPTURE(offset);
        const auto x = place<device_backend>(values, offset);
        CHECK(same_bits(pp::reduce(pp::device, x.begin(), x.end(), moments(0.0f)), expected));
    }
}

TEST_CASE(
    "[device] reduce and scan of what is converted by multiplying have the bits of the host, where plus converts too")
{
    check_readings<float, float>();
    check_readings<double, double>();
    check_readings<float, float>(plain_add{});
    check_readings<reading<float>, float>();
    check_readings<reading<double>, double>();
}

TEST_CASE("[device] reduce has the bits of the host for every launch configuration: floats")
{
    check_reduce_configs<float>(100003);
    check_reduce_configs<float>(is_quick() ? 5000 : 3000017);
}

TEST_CASE("[device] reduce has the bits of the host for every launch configuration: doubles")
{
    check_reduce_configs<double>(is_quick() ? 5000 : 1000003);
}

TEST_CASE("[device] reduce of a large input has the bits of the host")
{
    const std::size_t n = is_quick() ? std::size_t{1} << 22 : (std::size_t{1} << 26) + 12345;
    const std::vector<float> values = spread_values<float>(n);
    const pp::device_buffer<float> x = pp::to_device(values);
    CHECK(same_bits(pp::reduce(pp::device, x, 0.0f), pp::reduce(pp::host, values, 0.0f)));
}

TEST_CASE_TEMPLATE("[device] scan has the bits of the host", T, float, double, vec3)
{
    check_scan_sizes<T>();
}

TEST_CASE("[device] scan of squares has the bits of the host")
{
    check_scan_sizes<float>(square{});
}

TEST_CASE("[device] scan has the bits of the host for every launch configuration: floats")
{
    check_scan_configs<float>(is_quick() ? 20000 : 2000003);
}

TEST_CASE("[device] scan has the bits of the host for every launch configuration: doubles")
{
    check_scan_configs<double>(is_quick() ? 10000 : 1000003);
}

TEST_CASE("[device] scan of a large input has the bits of the host")
{
    const std::size_t n = is_quick() ? std::size_t{1} << 21 : (std::size_t{1} << 25) + 12345;
    const std::vector<float> values = spread_values<float>(n);
    const pp::device_buffer<float> x = pp::to_device(values);
    pp::device_buffer<float> sums(n);
    std::vector<float> expected(n);
    pp::inclusive_scan(pp::host, values, expected.begin());
    for_each_scan([&](const auto& config) {
        CAPTURE(pp::to_string(config));
        pp::inclusive_scan(pp::device.with(config), x, sums.begin());
        CHECK(first_difference(sums.to_host(), expected) == n);
    });
}

TEST_CASE("[device] reductions and scans of many streams at once have the bits of the host")
{
    const std::size_t n = 500009;
    const std::vector<float> values = spread_values<float>(n);
    const float total = pp::reduce(pp::host, values, 0.0f);
    std::vector<float> sums(n);
    pp::inclusive_scan(pp::host, values, sums.begin());
    const pp::device_buffer<float> x = pp::to_device(values);
    pp::stream_view().synchronize();

    constexpr std::size_t streams = 4;
    std::vector<pp::stream> work(streams);
    std::vector<pp::device_buffer<float>> totals, scans;
    for (const pp::stream& where : work) {
        totals.emplace_back(1, where);
        scans.emplace_back(n, where);
    }
    for (int round = 0; round < 10; ++round)
        for (std::size_t s = 0; s < streams; ++s) {
            pp::reduce_into(pp::device.on(work[s]), x, totals[s].begin(), 0.0f);
            pp::inclusive_scan(pp::device.on(work[s]), x, scans[s].begin());
        }
    for (std::size_t s = 0; s < streams; ++s) {
        CAPTURE(s);
        CHECK(same_bits(totals[s].to_host().front(), total));
        CHECK(first_difference(scans[s].to_host(), sums) == n);
    }
}

#endif
