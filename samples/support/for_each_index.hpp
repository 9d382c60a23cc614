/// @file
/// @brief  A map, which needs no primitive: `f(i)` for every i below `n`, in no order.
///
/// On the GPU it is a kernel of the sample's own, in the stream of the policy: between two calls of parprims nothing has
/// to be waited for.
#pragma once

#include <parprims/error.hpp>
#include <parprims/execution.hpp>

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cstddef>

namespace samples {

template <class F>
void for_each_index(const parprims::host_policy&, std::size_t n, F f)
{
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, n, 4096), [f](const tbb::blocked_range<std::size_t>& part) {
        for (std::size_t i = part.begin(); i != part.end(); ++i)
            f(i);
    });
}

#if PARPRIMS_CUDA_COMPILER

template <class F>
__global__ void for_each_index_kernel(std::size_t n, F f)
{
    const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
    for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += step)
        f(i);
}

template <class F>
void for_each_index(const parprims::device_policy& policy, std::size_t n, F f)
{
    constexpr std::size_t threads = 256, most_blocks = 4096;
    if (n == 0)
        return;
    const auto blocks = static_cast<unsigned>(std::min((n + threads - 1) / threads, most_blocks));
    for_each_index_kernel<<<blocks, threads, 0, policy.stream()>>>(n, f);
    if (const cudaError_t status = cudaGetLastError(); status != cudaSuccess)
        throw parprims::cuda_error(status, "samples::for_each_index");
}

#endif

}  // namespace samples
