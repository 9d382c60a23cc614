// CUB's reduction, the reference beside the ladder.
#include "reduction_ladder/cub.hpp"

#include <parprims/device_buffer.hpp>
#include <parprims/error.hpp>

#include <cub/device/device_reduce.cuh>

#include <stdexcept>

namespace reduction_ladder {

template <class T>
std::size_t cub_scratch_bytes(const T* in, std::size_t n, T* out)
{
    std::size_t bytes = 0;
    cub::DeviceReduce::Sum(nullptr, bytes, in, out, static_cast<long long>(n));
    return bytes;
}

template <class T>
void cub_reduce(void* scratch, std::size_t bytes, const T* in, std::size_t n, T* out, parprims::stream_view where)
{
    const auto status = cub::DeviceReduce::Sum(scratch, bytes, in, out, static_cast<long long>(n), where.get());
    if (status != cudaSuccess)
        throw parprims::cuda_error(status, "cub::DeviceReduce::Sum");
}

template std::size_t cub_scratch_bytes(const int*, std::size_t, int*);
template std::size_t cub_scratch_bytes(const float*, std::size_t, float*);
template void cub_reduce(void*, std::size_t, const int*, std::size_t, int*, parprims::stream_view);
template void cub_reduce(void*, std::size_t, const float*, std::size_t, float*, parprims::stream_view);

}  // namespace reduction_ladder
