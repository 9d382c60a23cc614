// CUB's scan, the reference.
#include "scan_methods/cub.hpp"

#include <parprims/error.hpp>

#include <cub/device/device_scan.cuh>

namespace scan_methods {

template <class T>
void cub_scan(void* scratch, std::size_t& bytes, const T* in, T* out, std::size_t n, parprims::stream_view where)
{
    const auto status = cub::DeviceScan::InclusiveSum(scratch, bytes, in, out, static_cast<long long>(n), where.get());
    if (status != cudaSuccess)
        throw parprims::cuda_error(status, "cub::DeviceScan::InclusiveSum");
}

template void cub_scan(void*, std::size_t&, const int*, int*, std::size_t, parprims::stream_view);
template void cub_scan(void*, std::size_t&, const float*, float*, std::size_t, parprims::stream_view);

}  // namespace scan_methods
