/// @file
/// @brief  weighted_histogram on the device beyond what all backends share: placements, alignment, captured calls.
#include <doctest/doctest.h>

#include <parprims/device_buffer.hpp>
#include <parprims/launch_config.hpp>
#include <parprims/stream.hpp>
#include <parprims/weighted_histogram.hpp>

#include "support/backend.hpp"
#include "support/data.hpp"
#include "support/refusal.hpp"
#include "support/weighted_check.hpp"

#if PARPRIMS_CUDA_COMPILER

#include <cstddef>
#include <cstdint>
#include <vector>

namespace pp = parprims;

TEST_CASE("[device] weighted_histogram has the bits of the host with every placement and at every alignment")
{
    using config = pp::histogram_config;
    const auto weights = weights_with_a_peak<float>(many_weights);
    for (const auto placement :
         {config::automatic, config::shared, config::passes, config::partitioned, config::global})
        for (const unsigned bins : {3u, 5000u, 70000u, 1000000u}) {
            if (placement == config::shared && bins > 20000)
                continue;
            CAPTURE(static_cast<int>(placement));
            CAPTURE(bins);
            const auto samples = generate(many_weights, [=](std::uint64_t bits) {
                return static_cast<std::uint32_t>((bits >> 33) % (bins + 1));
            });
            check_sums<float, device_backend>(samples, weights, pp::regular_axis(bins, 0u, bins),
                                              pp::device.with(config{placement, 512, 2, 0}), bins % 4);
        }
}

TEST_CASE("[device] weighted_histogram refuses a placement that it does not have")
{
    const auto x = place<device_backend>(std::vector<float>(10, 0.5f));
    const auto sums = poisoned<device_backend, float>(4);
    const auto bytes = place<device_backend>(std::vector<std::uint8_t>(10));
    const auto config = [](auto placement) { return pp::histogram_config{placement, 1024, 1, 0}; };
    check_refused("parprims::weighted_histogram", "config.placement", "a number of bins that fits shared memory", [&] {
        pp::weighted_histogram(pp::device.with(config(pp::histogram_config::shared)), x.begin(), x.end(), x.begin(),
                               pp::regular_axis(200000, 0.0f, 1.0f), sums.begin());
    });
    check_refused("parprims::weighted_histogram", "config.placement", "a number of bins that can be partitioned", [&] {
        pp::weighted_histogram(pp::device.with(config(pp::histogram_config::partitioned)), bytes.begin(), bytes.end(),
                               x.begin(), pp::regular_axis(4, 0, 256), sums.begin());
    });
    CHECK(sums.untouched());
}

TEST_CASE("[device] a captured weighted_histogram adds what is there at each replay")
{
    const auto x = place<device_backend>(samples_between(many_weights, 0, 1));
    auto values = weights_with_a_peak<float>(many_weights);
    pp::device_buffer<float> weights(values), sums(10);
    const auto axis = pp::regular_axis(10, 0.0f, 1.0f);
    pp::stream work;
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t executable = nullptr;
    const auto stream = static_cast<cudaStream_t>(pp::stream_view(work));
    REQUIRE(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal) == cudaSuccess);
    pp::weighted_histogram(pp::device.on(work), x.begin(), x.end(), weights.begin(), axis, sums.begin());
    REQUIRE(cudaStreamEndCapture(stream, &graph) == cudaSuccess);
    REQUIRE(cudaGraphInstantiate(&executable, graph, 0) == cudaSuccess);
    for (int replay = 0; replay < 2; ++replay) {
        CHECK(cudaGraphLaunch(executable, stream) == cudaSuccess);
        CHECK(cudaStreamSynchronize(stream) == cudaSuccess);
        std::vector<float> expected(10);
        pp::weighted_histogram(pp::host, x.read(), values.begin(), axis, expected.begin());
        CHECK(sums.to_host() == expected);
        values.front() = -4000;  // far above the others
        weights.copy_from(values);
    }
    cudaGraphExecDestroy(executable);
    cudaGraphDestroy(graph);
}

#endif
