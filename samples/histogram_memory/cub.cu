// CUB's histogram, the reference.
#include "histogram_memory/cub.hpp"

#include "histogram_memory/keys.hpp"

#include <parprims/error.hpp>

#include <thrust/iterator/transform_iterator.h>
#include <cub/device/device_histogram.cuh>

namespace histogram_memory {

void cub_histogram(void* scratch, std::size_t& bytes, const request& what, const std::uint32_t* keys,
                   std::uint32_t* counts, parprims::stream_view where)
{
    const auto levels = static_cast<int>(what.bins) + 1;
    const auto n = static_cast<long long>(what.n);
    cudaError_t status = cudaSuccess;
    if (what.by_range)
        status = cub::DeviceHistogram::HistogramEven(scratch, bytes, keys, counts, levels, 0u, 1u << key_bits, n,
                                                     where.get());
    else
        status = cub::DeviceHistogram::HistogramEven(scratch, bytes,
                                                     thrust::make_transform_iterator(keys, modulus{what.bins}), counts,
                                                     levels, 0u, what.bins, n, where.get());
    if (status != cudaSuccess)
        throw parprims::cuda_error(status, "cub::DeviceHistogram::HistogramEven");
}

}  // namespace histogram_memory
