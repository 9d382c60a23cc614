/// @file
/// @brief  The guide's examples that need nvcc: a CUDA graph, and a kernel of one's own between two calls.
#include <doctest/doctest.h>

#include <parprims/config.hpp>

#if PARPRIMS_CUDA_COMPILER

#include <parprims/axis.hpp>
#include <parprims/by_key.hpp>
#include <parprims/copy_if.hpp>
#include <parprims/device_buffer.hpp>
#include <parprims/error.hpp>
#include <parprims/histogram.hpp>
#include <parprims/iterator.hpp>
#include <parprims/reduce.hpp>
#include <parprims/scan.hpp>
#include <parprims/simt/launch.hpp>
#include <parprims/sized_on_device.hpp>
#include <parprims/stream.hpp>
#include <parprims/transform.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace pp = parprims;

namespace {

/// [kernel]
__global__ void divide(float* x, const float* by, std::size_t n)
{
    const std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
    if (i < n)
        x[i] /= *by;
}
/// [kernel]

/// [own_kernel]
struct divide_kernel {
    pp::simt::global<float> x;
    pp::simt::global<const float> by;
    std::size_t n;

    PARPRIMS_DEVICE void operator()(pp::simt::block block) const
    {
        const std::size_t i = block.index() * block.threads() + block.thread();
        if (pp::simt::branch(i < n))
            x[i] /= by[0];
    }
};
/// [own_kernel]

/// [pipeline_functions]
struct volts {
    PARPRIMS_HOST_DEVICE float operator()(std::int16_t raw) const { return 0.001f * static_cast<float>(raw); }
};
struct is_valid {
    PARPRIMS_HOST_DEVICE bool operator()(float v) const { return v > 0; }
};
struct whole_volts {
    PARPRIMS_HOST_DEVICE int operator()(float v) const { return static_cast<int>(v); }
};

struct readings {  // memory for at most `bound` of them, on the GPU or on the host
    std::int16_t* raw;
    std::uint32_t* count;
    float *values, *kept, *totals;
    std::uint32_t *kept_count, *runs;
    int* level;
    std::uint32_t* counts;
};

/// Nothing in it waits: each call reads on the GPU how many results the one before has.
template <class Policy>
void evaluate(const Policy& on, const readings& r, std::size_t bound)
{
    pp::transform(on, pp::sized_on_device(r.raw, r.count, bound), r.values, volts{});
    pp::copy_if_into(on, pp::sized_on_device(r.values, r.count, bound), r.kept, r.kept_count, is_valid{});
    const pp::transform_iterator levels(r.kept, whole_volts{});  // runs of readings between the same whole volts
    pp::reduce_by_key_into(on, pp::sized_on_device(levels, r.kept_count, bound),
                           pp::sized_on_device(r.kept, r.kept_count, bound), r.level, r.totals, r.runs);
    pp::histogram(on, pp::sized_on_device(r.totals, r.runs, bound), pp::regular_axis(10, 0.0f, 100.0f), r.counts);
}
/// [pipeline_functions]

}  // namespace

TEST_CASE("[device] guide: a kernel that the executor runs, too")
{
    /// [own_kernel_launch]
    pp::device_buffer<float> x = pp::to_device(std::vector<float>(1000, 6.0f));
    pp::device_buffer<float> by = pp::to_device(std::vector<float>{2.0f});
    pp::simt::launch(pp::device, 4, 256, divide_kernel{x.data(), by.data(), x.size()});  // enqueued
    const std::vector<float> quotients = x.to_host();                                    // 3 each
    /// [own_kernel_launch]
    CHECK(quotients == std::vector<float>(1000, 3.0f));
}

TEST_CASE("[device] guide: a kernel between two calls")
{
    const pp::stream work;
    pp::device_buffer<float> x(std::vector<float>{1, 2, 1}, work);
    /// [kernel_call]
    pp::device_buffer<float> sum(1, work);
    const pp::device_policy policy = pp::device.on(work);
    pp::reduce_into(policy, x, sum.begin(), 0.0f);
    divide<<<1, 256, 0, work.get()>>>(x.data(), sum.data(), x.size());  // shares
    pp::inclusive_scan(policy, x, x.begin());                           // their running totals
    /// [kernel_call]
    CHECK(x.to_host() == std::vector<float>{0.25f, 0.75f, 1});
}

TEST_CASE("[device] guide: a stream from elsewhere")
{
    const pp::device_buffer<float> x = pp::to_device({1.0f, 2.0f});
    cudaStream_t theirs = nullptr;
    cudaStreamCreate(&theirs);
    /// [stream_view]
    const pp::stream_view where = theirs;  // of any library; it is not owned
    const float sum = pp::reduce(pp::device.on(where), x, 0.0f);
    where.synchronize();
    /// [stream_view]
    cudaStreamDestroy(theirs);
    CHECK(sum == 3);
}

TEST_CASE("[device] guide: a CUDA graph")
{
    const pp::stream work;
    pp::device_buffer<float> x(std::vector<float>{1, 2, 3}, work);
    pp::device_buffer<float> sum(1, work);
    /// [graph]
    cudaGraph_t graph = nullptr;
    cudaStreamBeginCapture(work.get(), cudaStreamCaptureModeGlobal);
    pp::inclusive_scan(pp::device.on(work), x, x.begin());
    pp::reduce_into(pp::device.on(work), x, sum.begin(), 0.0f);
    cudaStreamEndCapture(work.get(), &graph);

    cudaGraphExec_t runnable = nullptr;
    cudaGraphInstantiate(&runnable, graph, 0);
    cudaGraphLaunch(runnable, work.get());  // as often as needed, one launch at a time
    const float total = sum.to_host().front();
    /// [graph]
    cudaGraphExecDestroy(runnable);
    cudaGraphDestroy(graph);
    CHECK(total == 10);  // 1 + 3 + 6
}

TEST_CASE("[device] guide: a pipeline in one graph, for inputs of any size")
{
    std::vector<std::vector<std::int16_t>> inputs;
    for (std::size_t i = 0; i < 10; ++i) {
        inputs.emplace_back(i * i * 97);
        for (std::size_t k = 0; k < inputs[i].size(); ++k)
            inputs[i][k] = static_cast<std::int16_t>(k * 7919 % 9000 / (1 + i) - 300);
    }
    std::vector<std::vector<std::uint32_t>> results;
    /// [pipeline]
    constexpr std::size_t bound = 10000;
    const pp::stream work;
    pp::device_buffer<std::int16_t> raw(bound, work);
    pp::device_buffer<float> values(bound, work), kept(bound, work), totals(bound, work);
    pp::device_buffer<int> level(bound, work);
    pp::device_buffer<std::uint32_t> count(1, work), kept_count(1, work), runs(1, work), counts(10, work);
    const readings on_gpu{raw.data(),        count.data(), values.data(), kept.data(),  totals.data(),
                          kept_count.data(), runs.data(),  level.data(),  counts.data()};
    cudaGraph_t graph = nullptr;
    cudaStreamBeginCapture(work.get(), cudaStreamCaptureModeGlobal);
    evaluate(pp::device.on(work), on_gpu, bound);
    cudaStreamEndCapture(work.get(), &graph);
    cudaGraphExec_t runnable = nullptr;
    cudaGraphInstantiate(&runnable, graph, 0);

    for (const std::vector<std::int16_t>& input : inputs) {  // of other sizes, one graph
        const std::uint32_t n = static_cast<std::uint32_t>(input.size());
        cudaMemcpyAsync(raw.data(), input.data(), n * sizeof(std::int16_t), cudaMemcpyDefault, work.get());
        cudaMemcpyAsync(count.data(), &n, sizeof n, cudaMemcpyDefault, work.get());
        cudaGraphLaunch(runnable, work.get());
        results.push_back(counts.to_host());  // waits; throws if n was above the bound
    }
    /// [pipeline]
    cudaGraphExecDestroy(runnable);
    cudaGraphDestroy(graph);

    for (std::size_t i = 0; i < inputs.size(); ++i) {  // the same program on the host
        std::vector<std::int16_t> x = inputs[i];
        auto n = static_cast<std::uint32_t>(x.size());
        std::uint32_t kept_here = 0, runs_here = 0;
        std::vector<float> a(bound), b(bound), c(bound);
        std::vector<int> d(bound);
        std::vector<std::uint32_t> expected(10);
        x.resize(bound);
        evaluate(pp::host,
                 {x.data(), &n, a.data(), b.data(), c.data(), &kept_here, &runs_here, d.data(), expected.data()},
                 bound);
        CHECK(results[i] == expected);
    }
}

#endif
