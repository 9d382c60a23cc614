/// @file
/// @brief  Every call that takes values of any type, with values of many sizes and alignments. Compiled to PTX, never run: what
///         fits one size, such as a workspace, need not fit the next. And segments with the largest operator that kernels take.
#include <parprims/by_key.hpp>
#include <parprims/copy_if.hpp>
#include <parprims/extremes.hpp>
#include <parprims/reduce.hpp>
#include <parprims/scan.hpp>
#include <parprims/segmented.hpp>
#include <parprims/segmented_scan.hpp>
#include <parprims/transform.hpp>

#include <cstddef>

namespace pp = parprims;

template <std::size_t Size, std::size_t Alignment>
struct alignas(Alignment) bytes {
    unsigned char values[Size];

    __host__ __device__ bytes operator+(const bytes& other) const
    {
        return values[0] < other.values[0] ? other : *this;
    }
    __host__ __device__ bool operator<(const bytes& other) const { return values[0] < other.values[0]; }
    __host__ __device__ bool operator==(const bytes& other) const { return values[0] == other.values[0]; }
};

struct is_small {
    template <class T>
    __host__ __device__ bool operator()(const T& x) const
    {
        return x.values[0] < 3;
    }
};

template <class T>
void call_all(T* in, T* out, int* keys, std::size_t* count, std::size_t n)
{
    const pp::device_policy policy = pp::device;
    pp::reduce_into(policy, in, in + n, out, T{}, pp::plus{});
    pp::inclusive_scan(policy, in, in + n, out, pp::plus{});
    pp::exclusive_scan(policy, in, in + n, out, T{}, pp::plus{});
    pp::inclusive_scan_by_key(policy, keys, keys + n, in, out);
    pp::exclusive_scan_by_key(policy, keys, keys + n, in, out, T{});
    pp::reduce_by_key_into(policy, keys, keys + n, in, keys, out, count);
    pp::reduce_by_key_into(policy, in, in + n, keys, out, keys, count);
    pp::segmented_reduce(policy, in, in + n, std::size_t{7}, out, T{}, pp::plus{});
    pp::segmented_reduce(policy, in, in + n, keys, keys + 9, out, T{}, pp::plus{});
    pp::segmented_inclusive_scan(policy, in, in + n, std::size_t{7}, out, pp::plus{});
    pp::segmented_inclusive_scan(policy, in, in + n, keys, keys + 9, out, pp::plus{});
    pp::minmax_element_into(policy, in, in + n, count);
    pp::copy_if_into(policy, in, in + n, out, count, is_small{});
    pp::transform(policy, in, in + n, out, pp::identity{});
}

template void call_all(bytes<3, 1>*, bytes<3, 1>*, int*, std::size_t*, std::size_t);
template void call_all(bytes<9, 1>*, bytes<9, 1>*, int*, std::size_t*, std::size_t);
template void call_all(bytes<16, 16>*, bytes<16, 16>*, int*, std::size_t*, std::size_t);
template void call_all(bytes<24, 8>*, bytes<24, 8>*, int*, std::size_t*, std::size_t);
template void call_all(bytes<40, 8>*, bytes<40, 8>*, int*, std::size_t*, std::size_t);
template void call_all(bytes<100, 4>*, bytes<100, 4>*, int*, std::size_t*, std::size_t);

struct add_scaled {
    double scales[500];  // 4000 bytes; with the other parameters of a segmented reduction, 4096

    __host__ __device__ double operator()(double a, double b) const { return a + b * scales[0]; }
};

void reduce_segments(double* in, double* out, int* offsets, std::size_t n, const add_scaled& op)
{
    pp::segmented_reduce(pp::device, in, in + n, std::size_t{7}, out, 0.0, op);
    pp::segmented_reduce(pp::device, in, in + n, offsets, offsets + 9, out, 0.0, op);
}
