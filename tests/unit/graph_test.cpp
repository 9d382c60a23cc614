/// @file
/// @brief  What is enqueued does not wait, and can be captured into a CUDA graph and replayed, each time on the data of the
///         moment.
#include <doctest/doctest.h>

#include <parprims/parprims.hpp>

#include "support/backend.hpp"
#include "support/captured.hpp"
#include "support/data.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <vector>

namespace pp = parprims;

#if PARPRIMS_CUDA_COMPILER

namespace {

constexpr std::uint64_t rounds = 4;

struct is_negative {
    PARPRIMS_HOST_DEVICE bool operator()(float x) const { return x < 0; }
};

__global__ void take_a_while()
{
    for (int i = 0; i < 300000; ++i)
        __nanosleep(1000);  // some tenths of a second in all
}

/// Lets the kernel after it start, and writes late what that one reads.
__global__ void write_late(float* values, std::size_t n)
{
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;");
#endif
    for (int i = 0; i < 100; ++i)
        __nanosleep(1000);
    for (std::size_t i = threadIdx.x; i < n; i += blockDim.x)
        values[i] = static_cast<float>(i % 7);
}

}  // namespace

TEST_CASE("[device] a call reads what the kernel before it writes, though that one has let it start")
{
    const pp::regular_axis axis(7, 0.0f, 7.0f);
    for (const std::size_t n : {std::size_t{100}, std::size_t{5000}, std::size_t{200000}, std::size_t{5000000}}) {
        CAPTURE(n);
        std::vector<float> values(n), expected(n);
        for (std::size_t i = 0; i < n; ++i)
            values[i] = static_cast<float>(i % 7);
        const pp::stream work;
        const auto policy = pp::device.on(work);
        pp::device_buffer<float> x(n, work), total(1, work), sums(n, work);
        pp::device_buffer<std::uint32_t> counts(7, work);
        const auto write = [&] {
            x.copy_from(std::vector<float>(n, 3.0f));
            work.synchronize();
            write_late<<<1, 1024, 0, work.get()>>>(x.data(), n);
        };
        write();
        pp::reduce_into(policy, x, total.begin(), 0.0f);
        CHECK(total.to_host().front() == pp::reduce(pp::host, values, 0.0f));
        write();
        pp::inclusive_scan(policy, x, sums.begin());
        pp::inclusive_scan(pp::host, values, expected.begin());
        CHECK(first_difference(sums.to_host(), expected) == n);
        write();
        pp::inclusive_scan(policy.with(pp::three_phase_scan{}), x, sums.begin());
        CHECK(first_difference(sums.to_host(), expected) == n);
        write();
        pp::histogram(policy, x, axis, counts.begin());
        std::vector<std::uint32_t> counted(7);
        pp::histogram(pp::host, values, axis, counted.begin());
        CHECK(counts.to_host() == counted);
    }
}

TEST_CASE("[device] what leaves its results on the device returns before the stream has got there")
{
    if (is_quick())
        return;  // tools wait for every kernel
    const std::size_t n = 500000;
    const std::vector<float> values = small_values<float>(n);
    const pp::stream work;
    const auto policy = pp::device.on(work);
    const pp::device_buffer<float> x = pp::to_device(values, work);
    pp::device_buffer<float> total(1, work), sums(n, work);
    pp::device_buffer<std::uint32_t> counts(3, work);
    const auto enqueue = [&] {
        pp::reduce_into(policy, x, total.begin(), 0.0f);
        pp::inclusive_scan(policy, x, sums.begin());
        pp::inclusive_scan(policy.with(pp::three_phase_scan{}), x, sums.begin());
        pp::histogram(policy, x, pp::regular_axis(3, 0.0f, 3.0f), counts.begin());
    };
    enqueue();  // kernels are loaded at their first launch
    work.synchronize();

    pp::event slept;
    take_a_while<<<1, 1, 0, work.get()>>>();
    slept.record(work);
    enqueue();
    CHECK(!slept.is_ready());
    const float expected = pp::reduce(pp::host, values, 0.0f);
    CHECK(total.to_host().front() == expected);
    CHECK(sums.to_host().back() == expected);
}

TEST_CASE("[device] a captured reduction adds up what is there at each replay")
{
    for (const std::size_t n : {std::size_t{0}, std::size_t{1000}, std::size_t{1000003}}) {
        CAPTURE(n);
        const pp::stream work;
        pp::device_buffer<float> x(n, work), total(1, work);
        const captured graph(work, [&] { pp::reduce_into(pp::device.on(work), x, total.begin(), 0.5f); });
        for (std::uint64_t round = 0; round < rounds; ++round) {
            CAPTURE(round);
            const std::vector<float> values = spread_values<float>(n, round);
            x.copy_from(values);
            graph.replay(work);
            CHECK(same_bits(total.to_host().front(), pp::reduce(pp::host, values, 0.5f)));
        }
    }
}

TEST_CASE("[device] a captured exact sum adds up what is there at each replay")
{
    for (const std::size_t n : {std::size_t{0}, std::size_t{1000}, std::size_t{1000003}}) {
        CAPTURE(n);
        const pp::stream work;
        pp::device_buffer<float> x(n, work), total(1, work);
        const captured graph(work,
                             [&] { pp::reduce_into(pp::device.on(work), x, total.begin(), 0.5f, pp::exact_plus{}); });
        for (std::uint64_t round = 0; round < rounds; ++round) {
            CAPTURE(round);
            const std::vector<float> values = spread_values<float>(n, round);
            x.copy_from(values);
            graph.replay(work);
            CHECK(same_bits(total.to_host().front(), pp::reduce(pp::host, values, 0.5f, pp::exact_plus{})));
        }
    }
}

TEST_CASE("[device] captured searches and compactions work on what is there at each replay")
{
    for (const std::size_t n : {std::size_t{1000}, std::size_t{1000003}}) {
        CAPTURE(n);
        const pp::stream work;
        const auto policy = pp::device.on(work);
        pp::device_buffer<float> x(n, work), kept(n, work), doubled(n, work);
        pp::device_buffer<std::uint64_t> found(3, work);
        const captured graph(work, [&] {
            pp::minmax_element_into(policy, x.begin(), x.end(), found.begin());
            pp::copy_if_into(policy, x, kept.begin(), found.begin() + 2, is_negative{});
            pp::transform(policy, x, doubled.begin(), is_negative{});
        });
        for (std::uint64_t round = 0; round < rounds; ++round) {
            CAPTURE(round);
            const std::vector<float> values = spread_values<float>(n, round);
            x.copy_from(values);
            graph.replay(work);
            const auto both = std::minmax_element(values.begin(), values.end());
            std::vector<float> negative;
            std::copy_if(values.begin(), values.end(), std::back_inserter(negative), is_negative{});
            CHECK(found.to_host() == std::vector{static_cast<std::uint64_t>(both.first - values.begin()),
                                                 static_cast<std::uint64_t>(both.second - values.begin()),
                                                 static_cast<std::uint64_t>(negative.size())});
            const std::vector<float> read = kept.to_host();
            CHECK(std::equal(negative.begin(), negative.end(), read.begin()));
            CHECK(doubled.to_host().back() == (values.back() < 0 ? 1.0f : 0.0f));
        }
    }
}

TEST_CASE("[device] captured calls by key work on what is there at each replay")
{
    for (const std::size_t n : {std::size_t{1000}, std::size_t{1000003}}) {
        CAPTURE(n);
        const pp::stream work;
        const auto policy = pp::device.on(work);
        pp::device_buffer<float> x(n, work), sums(n, work), totals(n, work), in_sevens(n, work), in_rows(n, work);
        pp::device_buffer<std::uint8_t> keys(n, work), run_keys(n, work);
        pp::device_buffer<std::uint64_t> count(1, work);
        const auto offsets = offsets_by(n, [](std::uint64_t bits) { return bits % 64; });
        const auto row_offsets = pp::to_device(offsets, work);
        const captured graph(work, [&] {
            pp::inclusive_scan_by_key(policy, keys, x, sums.begin());
            pp::reduce_by_key_into(policy, keys, x, run_keys.begin(), totals.begin(), count.begin());
            pp::segmented_inclusive_scan(policy, x, 7, in_sevens.begin());
            pp::segmented_inclusive_scan(policy, x, row_offsets, in_rows.begin());
        });
        for (std::uint64_t round = 0; round < rounds; ++round) {
            CAPTURE(round);
            const std::vector<float> values = spread_values<float>(n, round);
            const auto places = generate(
                n, [](std::uint64_t bits) { return static_cast<std::uint8_t>(bits % 2); }, round);
            x.copy_from(values);
            keys.copy_from(places);
            graph.replay(work);
            std::vector<float> expected_sums(n), expected(n);
            std::vector<std::uint8_t> expected_keys(n);
            pp::inclusive_scan_by_key(pp::host, places, values, expected_sums.begin());
            const std::size_t runs =
                pp::reduce_by_key(pp::host, places, values, expected_keys.begin(), expected.begin());
            CHECK(sums.to_host() == expected_sums);
            pp::segmented_inclusive_scan(pp::host, values, 7, expected_sums.begin());
            CHECK(in_sevens.to_host() == expected_sums);
            pp::segmented_inclusive_scan(pp::host, values, offsets, expected_sums.begin());
            CHECK(in_rows.to_host() == expected_sums);
            CHECK(count.to_host().front() == runs);
            const std::vector<float> read = totals.to_host();
            CHECK(std::equal(read.begin(), read.begin() + static_cast<std::ptrdiff_t>(runs), expected.begin()));
        }
    }
}

TEST_CASE("[device] a captured scan scans what is there at each replay, in one pass and in three phases")
{
    const auto check = [](const auto& config) {
        for (const std::size_t n : {std::size_t{1000}, std::size_t{600011}}) {
            CAPTURE(pp::to_string(config));
            CAPTURE(n);
            const pp::stream work;
            pp::device_buffer<float> x(n, work), sums(n, work);
            const captured graph(work, [&] { pp::inclusive_scan(pp::device.on(work).with(config), x, sums.begin()); });
            std::vector<float> expected(n);
            for (std::uint64_t round = 0; round < rounds; ++round) {
                CAPTURE(round);
                const std::vector<float> values = spread_values<float>(n, round);
                x.copy_from(values);
                graph.replay(work);
                pp::inclusive_scan(pp::host, values, expected.begin());
                CHECK(first_difference(sums.to_host(), expected) == n);
            }
        }
    };
    check(pp::scan_config{});
    check(pp::three_phase_scan{});
}

TEST_CASE("[device] a captured histogram counts what is there at each replay, wherever its bins live")
{
    using config = pp::histogram_config;
    const std::size_t n = 300001;
    for (const auto placement :
         {config::automatic, config::shared, config::passes, config::partitioned, config::global})
        for (const float bins : {200.0f, 50000.0f}) {
            config chosen;
            chosen.placement = placement;
            CAPTURE(pp::to_string(chosen));
            CAPTURE(bins);
            const auto axis = pp::regular_axis<float>(static_cast<std::size_t>(bins), 0, bins).with_flow();
            const pp::stream work;
            pp::device_buffer<float> x(n, work);
            pp::device_buffer<std::uint32_t> counts(axis.extent(), work);
            const captured graph(work,
                                 [&] { pp::histogram(pp::device.on(work).with(chosen), x, axis, counts.begin()); });
            std::vector<std::uint32_t> expected(axis.extent());
            for (std::uint64_t round = 0; round < rounds; ++round) {
                CAPTURE(round);
                const std::vector<float> values = spread_values<float>(n, round);
                x.copy_from(values);
                graph.replay(work);
                pp::histogram(pp::host, values, axis, expected.begin());
                CHECK(counts.to_host() == expected);
            }
        }
}

TEST_CASE("[device] a captured histogram keeps the edges of its axis, which may be gone at the replay")
{
    const std::size_t n = 100003;
    const std::vector<float> edges{-1000, -1, -0.5, 0, 0.25, 3, 4, 1e6};
    const pp::stream work;
    pp::device_buffer<float> x(n, work);
    pp::device_buffer<std::uint32_t> counts(edges.size() - 1, work);
    std::optional<pp::variable_axis<float>> axis(std::in_place, edges);
    const captured graph(work, [&] { pp::histogram(pp::device.on(work), x, *axis, counts.begin()); });
    axis.reset();
    const std::vector<std::vector<float>> in_their_place(100, std::vector<float>(edges.size(), 7.0f));
    for (std::uint64_t round = 0; round < rounds; ++round) {
        CAPTURE(round);
        const std::vector<float> values = spread_values<float>(n, round);
        x.copy_from(values);
        graph.replay(work);
        std::vector<std::uint32_t> expected(edges.size() - 1);
        pp::histogram(pp::host, values, pp::variable_axis<float>(edges), expected.begin());
        CHECK(counts.to_host() == expected);
    }
}

TEST_CASE("[device] a captured reduction may run in another stream, beside others in the stream of its capture")
{
    const std::size_t n = 1000003;
    const std::vector<float> values = spread_values<float>(n);
    const float expected = pp::reduce(pp::host, values, 0.0f);
    const pp::stream work, other;
    const pp::device_buffer<float> x = pp::to_device(values, work);
    pp::device_buffer<float> replayed(1, other), direct(1, work);
    work.synchronize();
    other.synchronize();
    const captured graph(work, [&] { pp::reduce_into(pp::device.on(work), x, replayed.begin(), 0.0f); });
    for (int round = 0; round < 50; ++round) {
        graph.replay(other);
        pp::reduce_into(pp::device.on(work), x, direct.begin(), 0.0f);
    }
    CHECK(same_bits(replayed.to_host().front(), expected));
    CHECK(same_bits(direct.to_host().front(), expected));
}

#endif
