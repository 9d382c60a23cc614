// Steps 1 and 2 of the ladder as textbooks write them, for tests/hip/check.py: what a profile of an MI250 counted. The position in
// the input, an int or a size_t, decides whether a wavefront takes one vector instruction more.
#include <hip/hip_runtime.h>

#include <cstddef>

template <int Step, class Position>
__global__ void textbook(const float* in, float* sums, std::size_t n)
{
    extern __shared__ float values[];
    const unsigned t = threadIdx.x;
    const Position i = blockIdx.x * blockDim.x + t;
    values[t] = i < n ? in[i] : 0.0f;
    __syncthreads();
    for (unsigned distance = 1; distance < blockDim.x; distance *= 2) {
        if (Step == 1) {
            if (t % (2 * distance) == 0)
                values[t] += values[t + distance];
        } else {
            const int first = 2 * distance * t;
            if (first < blockDim.x)
                values[first] += values[first + distance];
        }
        __syncthreads();
    }
    if (t == 0)
        sums[blockIdx.x] = values[0];
}

template __global__ void textbook<1, int>(const float*, float*, std::size_t);
template __global__ void textbook<1, std::size_t>(const float*, float*, std::size_t);
template __global__ void textbook<2, int>(const float*, float*, std::size_t);
template __global__ void textbook<2, std::size_t>(const float*, float*, std::size_t);
