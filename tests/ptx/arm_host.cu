// Calls on both backends, compiled by nvcc for a host with a 64-bit Arm CPU.
#include <parprims/reduce.hpp>

#include <cstddef>

#if !defined(__aarch64__)
#error "this compiler is not for 64-bit Arm"
#endif

float on_device(const float* x, std::size_t n)
{
    return parprims::reduce(parprims::device, x, x + n, 0.0f);
}

float on_host(const float* x, std::size_t n)
{
    return parprims::reduce(parprims::host, x, x + n, 0.0f);
}
