/// @file
/// @brief  The guide's examples that need nvcc: a CUDA graph, and a kernel of one's own between two calls.
#include <doctest/doctest.h>

#include <parprims/config.hpp>

#if PARPRIMS_CUDA_COMPILER

#include <parprims/device_buffer.hpp>
#include <parprims/reduce.hpp>
#include <parprims/scan.hpp>
#include <parprims/stream.hpp>

#include <cstddef>
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

}  // namespace

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

#endif
