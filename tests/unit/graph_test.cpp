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

TEST_CASE("[device] captured exact sums of products, segments and runs add up what is there at each replay")
{
    const std::size_t n = 300007;
    const pp::stream work;
    const auto policy = pp::device.on(work);
    std::vector<std::uint32_t> keys(n), offsets;
    for (std::size_t i = 0; i < n; ++i) {
        keys[i] = static_cast<std::uint32_t>(i * i / 70000);
        if (i == 0 || keys[i] != keys[i - 1])
            offsets.push_back(static_cast<std::uint32_t>(i));
    }
    const std::size_t runs = offsets.size();
    offsets.push_back(static_cast<std::uint32_t>(n));
    pp::device_buffer<float> x(n, work), product(1, work), of_size(n, work), of_segments(runs, work), of_runs(n, work);
    const pp::device_buffer<std::uint32_t> on_device(keys, work), bounds(offsets, work);
    pp::device_buffer<std::uint32_t> unique(n, work), count(1, work);
    const captured graph(work, [&] {
        pp::transform_reduce_into(policy, x, x.begin(), product.begin(), 0.5f, pp::exact_plus{}, pp::multiplies{});
        pp::segmented_reduce(policy, x, 7, of_size.begin(), 0.5f, pp::exact_plus{});
        pp::segmented_reduce(policy, x, bounds, of_segments.begin(), 0.5f, pp::exact_plus{});
        pp::reduce_by_key_into(policy, on_device, x, unique.begin(), of_runs.begin(), count.begin(), pp::equal_to{},
                               pp::exact_plus{});
    });
    for (std::uint64_t round = 0; round < rounds; ++round) {
        CAPTURE(round);
        const std::vector<float> values = spread_values<float>(n, round);
        x.copy_from(values);
        graph.replay(work);
        const auto read = [](const pp::device_buffer<float>& from, std::size_t size) {
            std::vector<float> all = from.to_host();
            all.resize(size);
            return all;
        };
        CHECK(product.to_host().front() ==
              pp::transform_reduce(pp::host, values, values.begin(), 0.5f, pp::exact_plus{}, pp::multiplies{}));
        std::vector<float> expected((n + 6) / 7);
        pp::segmented_reduce(pp::host, values, 7, expected.begin(), 0.5f, pp::exact_plus{});
        CHECK(read(of_size, expected.size()) == expected);
        expected.resize(runs);
        pp::segmented_reduce(pp::host, values, offsets, expected.begin(), 0.5f, pp::exact_plus{});
        CHECK(of_segments.to_host() == expected);
        pp::segmented_reduce(pp::host, values, offsets, expected.begin(), 0.0f, pp::exact_plus{});
        CHECK(count.to_host().front() == runs);
        CHECK(read(of_runs, runs) == expected);
    }
}

namespace {

/// Calls `call(policy, x, out)` in a graph at each replay with other elements, and on the host, and compares what they wrote.
template <class Result, class Call>
void check_replays_of_array(std::size_t n, std::size_t results, Call call)
{
    const pp::stream work;
    pp::device_buffer<float> x(n, work);
    pp::device_buffer<Result> out(results, work);
    const captured graph(work, [&] { call(pp::device.on(work), x.data(), out.data()); });
    for (std::uint64_t round = 0; round < rounds; ++round) {
        CAPTURE(round);
        const std::vector<float> values = spread_values<float>(n, round);
        std::vector<Result> expected(results);
        x.copy_from(values);
        graph.replay(work);
        call(pp::host, values.data(), expected.data());
        CHECK(same_values(out.to_host(), expected));
    }
}

}  // namespace

TEST_CASE("[device] captured calls along dimensions work on what is there at each replay")
{
    struct shape {
        std::ptrdiff_t rows, columns;
    };
    for (const auto [rows, columns] : {shape{100, 70}, shape{3, 40001}, shape{40001, 3}, shape{700, 1000}}) {
        CAPTURE(rows);
        CAPTURE(columns);
        const auto n = static_cast<std::size_t>(rows * columns);
        for (const std::size_t d : {std::size_t{0}, std::size_t{1}}) {
            CAPTURE(d);
            const auto lines = static_cast<std::size_t>(d == 0 ? columns : rows);
            const auto of = [=](const float* x) { return pp::matrix(x, rows, columns); };
            check_replays_of_array<float>(n, lines, [&](const auto& policy, const float* x, float* out) {
                pp::reduce(policy, of(x), pp::along(d), out, 0.5f);
            });
            check_replays_of_array<float>(n, lines, [&](const auto& policy, const float* x, float* out) {
                pp::reduce(policy, of(x), pp::along(d), out, 0.5f, pp::exact_plus{});
            });
            check_replays_of_array<std::uint32_t>(n, lines,
                                                  [&](const auto& policy, const float* x, std::uint32_t* out) {
                                                      pp::max_element(policy, of(x), pp::along(d), out);
                                                  });
            check_replays_of_array<float>(n, n, [&](const auto& policy, const float* x, float* out) {
                pp::inclusive_scan(policy, of(x), pp::along(d), pp::matrix(out, rows, columns));
            });
            check_replays_of_array<float>(n, n, [&](const auto& policy, const float* x, float* out) {
                const pp::strided_view backwards(x + n - 1, {rows, columns}, {-columns, std::ptrdiff_t{-1}});
                pp::exclusive_scan(policy, backwards, pp::along(d), pp::matrix(out, rows, columns), 0.5f);
            });
            const pp::regular_axis axis(10, -1000.0f, 1000.0f);
            check_replays_of_array<std::uint32_t>(n, 10 * lines,
                                                  [&](const auto& policy, const float* x, std::uint32_t* out) {
                                                      pp::histogram(policy, of(x), pp::along(d), axis, out);
                                                  });
        }
        const pp::regular_axis axis(10, -1000.0f, 1000.0f);
        const std::ptrdiff_t pixels = rows * columns / 3;
        check_replays_of_array<std::uint32_t>(n, 30, [&](const auto& policy, const float* x, std::uint32_t* out) {
            pp::channel_histograms(policy,
                                   pp::strided_view(x, {std::ptrdiff_t{1}, pixels, std::ptrdiff_t{3}},
                                                    {3 * pixels, std::ptrdiff_t{3}, std::ptrdiff_t{1}}),
                                   out, axis, axis, axis);
        });
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
