/// @file
/// @brief  Calls on two GPUs: in turns from one thread, and side by side from two.
#include <doctest/doctest.h>

#include <parprims/axis.hpp>
#include <parprims/device.hpp>
#include <parprims/device_buffer.hpp>
#include <parprims/histogram.hpp>
#include <parprims/reduce.hpp>
#include <parprims/scan.hpp>
#include <parprims/stream.hpp>

#include "support/data.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <utility>
#include <vector>

namespace pp = parprims;

namespace {

struct results {
    float sum = 0;
    std::vector<float> sums;
    std::vector<std::uint32_t> counts;
    friend bool operator==(const results&, const results&) = default;
};

constexpr int bins = 3000;

results on_the_host(const std::vector<float>& values)
{
    results all{0, std::vector<float>(values.size()), std::vector<std::uint32_t>(bins)};
    all.sum = pp::reduce(pp::host, values);
    pp::inclusive_scan(pp::host, values, all.sums.begin());
    pp::histogram(pp::host, values, pp::regular_axis<float>(bins, -100, 100), all.counts.begin());
    return all;
}

/// All three on the current GPU, in `work`.
results on_a_gpu(const std::vector<float>& values, pp::stream_view work)
{
    const pp::device_buffer<float> x(values, work);
    pp::device_buffer<float> sums(values.size(), work);
    pp::device_buffer<std::uint32_t> counts(bins, work);
    const auto policy = pp::device.on(work);
    results all;
    pp::inclusive_scan(policy, x, sums.begin());
    pp::histogram(policy, x, pp::regular_axis<float>(bins, -100, 100), counts.begin());
    all.sum = pp::reduce(policy, x);
    all.sums = sums.to_host();
    all.counts = counts.to_host();
    return all;
}

constexpr std::array<std::size_t, 4> sizes{1000, 50000, 1000000, 5000000};

}  // namespace

TEST_CASE("[device] [needs two GPUs] calls on two GPUs in turns have the bits of the host's")
{
    const std::array<pp::stream, 2> streams = [] {
        pp::stream first;
        const pp::device_guard guard(1);
        return std::array<pp::stream, 2>{std::move(first), pp::stream()};
    }();
    for (const std::size_t n : sizes) {
        const std::vector<float> values = spread_values<float>(n);
        const results wanted = on_the_host(values);
        for (const int id : {0, 1, 1, 0}) {
            CAPTURE(n);
            CAPTURE(id);
            CHECK(on_a_gpu(values, streams[static_cast<std::size_t>(id)]) == wanted);  // whichever is current
            const pp::device_guard guard(id);
            CHECK(on_a_gpu(values, {}) == wanted);
        }
    }
    CHECK(pp::current_device() == 0);
}

TEST_CASE("[device] [needs two GPUs] threads of two GPUs run side by side")
{
    for (const std::size_t n : sizes) {
        CAPTURE(n);
        const std::vector<float> values = spread_values<float>(n);
        const results wanted = on_the_host(values);
        std::array<int, 2> right{};
        const auto run = [&](int id) {
            const pp::device_guard guard(id);
            for (int repeat = 0; repeat < 20; ++repeat)
                right[static_cast<std::size_t>(id)] += on_a_gpu(values, {}) == wanted;
        };
        std::thread second(run, 1);
        run(0);
        second.join();
        CHECK(right == std::array<int, 2>{20, 20});
    }
}
