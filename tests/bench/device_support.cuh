// What the benches on a GPU share: random data, agreement with the reference, the median of repeated calls.
#pragma once

#include "report.hpp"

#include <parprims/parprims.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <type_traits>
#include <vector>

namespace bench {

namespace pp = parprims;

/// Uniform 32-bit words, a different one for each index and seed.
struct random_word {
    std::uint32_t seed;

    __host__ __device__ std::uint32_t operator()(std::size_t i) const
    {
        auto x = static_cast<std::uint32_t>(i * 2654435761u) ^ seed;
        x ^= x >> 16;
        x *= 0x7feb352du;
        x ^= x >> 15;
        x *= 0x846ca68bu;
        return x ^ (x >> 16);
    }
};

template <class T>
struct random_value {
    random_word word;

    __host__ __device__ T operator()(std::size_t i) const
    {
        if constexpr (std::is_floating_point_v<T>)
            return static_cast<T>(word(i)) * T(1.0 / 4294967296.0) - T(0.5);
        else
            return static_cast<T>(word(i));
    }
};

template <class T, class F>
__global__ void fill(T* data, std::size_t n, F f)
{
    for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < n;
         i += gridDim.x * std::size_t{blockDim.x})
        data[i] = f(i);
}

template <class T, class F>
pp::device_buffer<T> filled(std::size_t n, F f)
{
    pp::device_buffer<T> data(n);
    fill<<<2048, 256>>>(data.data(), n, f);
    return data;
}

template <class T>
__global__ void count_differences(const T* a, const T* b, std::size_t n, unsigned long long* differences)
{
    unsigned long long mine = 0;
    for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < n;
         i += gridDim.x * std::size_t{blockDim.x}) {
        if constexpr (std::is_floating_point_v<T>) {
            const T size = fabs(a[i]) > T(1) ? fabs(a[i]) : T(1);
            mine += !(fabs(a[i] - b[i]) <= T(1e-2) * size);
        } else {
            mine += a[i] != b[i];
        }
    }
    if (mine != 0)
        atomicAdd(differences, mine);
}

/// Integers agree exactly; sums of floats to a hundredth, because CUB's order is another one.
template <class T>
bool agree(const pp::device_buffer<T>& a, const pp::device_buffer<T>& b)
{
    pp::device_buffer<unsigned long long> differences = pp::to_device(std::vector<unsigned long long>{0});
    count_differences<<<1024, 256>>>(a.data(), b.data(), a.size(), differences.data());
    return differences.to_host()[0] == 0;
}

/// Median time of one call in seconds, over rounds of several calls each.
inline double median_seconds(const std::function<void()>& call, int calls)
{
    constexpr int rounds = 11;
    std::vector<double> seconds;
    pp::timer timer;
    call();
    for (int round = 0; round < rounds; ++round) {
        timer.start();
        for (int i = 0; i < calls; ++i)
            call();
        timer.stop();
        seconds.push_back(timer.elapsed().count() / calls);
    }
    std::nth_element(seconds.begin(), seconds.begin() + rounds / 2, seconds.end());
    return seconds[rounds / 2];
}

/// Measures ours and the reference's and adds a row.
inline void measure(report& out, const std::string& work, std::size_t n, double bytes, bool is_right,
                    const std::function<void()>& ours, const std::function<void()>& cubs, double floor)
{
    const int calls = n >= std::size_t{1} << 26 ? 4 : 20;
    const double our_seconds = median_seconds(ours, calls);
    const double cub_seconds = median_seconds(cubs, calls);
    out.add({work, n, bytes, our_seconds, cub_seconds, floor, is_right});
}

inline pp::device_buffer<unsigned char> cub_scratch(const std::function<void(void*, std::size_t&)>& call)
{
    std::size_t bytes = 0;
    call(nullptr, bytes);
    return pp::device_buffer<unsigned char>(bytes);
}

}  // namespace bench
