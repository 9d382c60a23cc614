// Measures parprims beside CUB on the same data, in the same run: what each costs, and that both agree.
//
// device_bench [--json FILE] [--log2 N]     (N: size of the inputs, 28 by default)

#include "device_support.cuh"

#include <parprims/parprims.hpp>

#include <cub/cub.cuh>

#include <cstdint>
#include <cstdio>
#include <string>

namespace pp = parprims;

namespace {

using bench::agree;
using bench::cub_scratch;
using bench::filled;
using bench::measure;
using bench::random_value;
using bench::random_word;

template <class T>
void bench_reduce(bench::report& out, const std::string& name, std::size_t n, double floor)
{
    const auto x = filled<T>(n, random_value<T>{{1}});
    pp::device_buffer<T> ours(1);
    pp::device_buffer<T> cubs(1);
    const auto cub_call = [&](void* scratch, std::size_t& bytes) {
        cub::DeviceReduce::Sum(scratch, bytes, x.data(), cubs.data(), static_cast<long long>(n));
    };
    auto scratch = cub_scratch(cub_call);
    std::size_t bytes = scratch.size();
    const auto our_call = [&] { pp::reduce_into(pp::device, x, ours.data(), T{}); };
    our_call();
    cub_call(scratch.data(), bytes);
    measure(
        out, "reduce " + name, n, static_cast<double>(n * sizeof(T)), agree(ours, cubs), our_call,
        [&] { cub_call(scratch.data(), bytes); }, floor);
}

template <class T>
void bench_scan(bench::report& out, const std::string& name, std::size_t n, pp::scan_config config, double floor)
{
    const auto x = filled<T>(n, random_value<T>{{2}});
    pp::device_buffer<T> ours(n);
    pp::device_buffer<T> cubs(n);
    const auto cub_call = [&](void* scratch, std::size_t& bytes) {
        cub::DeviceScan::InclusiveSum(scratch, bytes, x.data(), cubs.data(), static_cast<long long>(n));
    };
    auto scratch = cub_scratch(cub_call);
    std::size_t bytes = scratch.size();
    const auto our_call = [&] { pp::inclusive_scan(pp::device.with(config), x, ours.data()); };
    our_call();
    cub_call(scratch.data(), bytes);
    measure(
        out, "inclusive_scan " + name, n, static_cast<double>(2 * n * sizeof(T)), agree(ours, cubs), our_call,
        [&] { cub_call(scratch.data(), bytes); }, floor);
}

__global__ void __launch_bounds__(1024) read_all(const uint4* data, std::size_t n, float* never)
{
    unsigned all = 0;
    const std::size_t stride = gridDim.x * std::size_t{blockDim.x};
    for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i + 3 * stride < n; i += 4 * stride) {
        uint4 words[4];
#pragma unroll
        for (int k = 0; k < 4; ++k)
            words[k] = __ldcs(data + i + k * stride);
#pragma unroll
        for (int k = 0; k < 4; ++k)
            all ^= words[k].x ^ words[k].y ^ words[k].z ^ words[k].w;
    }
    if (all == 0x12345678)
        *never = 0;
}

/// How the samples of a histogram are distributed over its bins.
enum class spread { uniform, ninety, constant, zipf };

struct key_of {
    unsigned bins;
    spread how;

    __device__ std::uint32_t operator()(std::size_t i) const
    {
        const std::uint32_t word = random_word{3}(i);
        switch (how) {
        case spread::constant: return bins / 3;
        case spread::ninety: return random_word{4}(i) % 10 != 0 ? bins / 3 : word % bins;
        case spread::zipf: {  // bin k with a probability like 1 / k
            const float at = exp2f(log2f(static_cast<float>(bins)) * (static_cast<float>(word) * 0x1p-32f));
            return min(bins - 1, static_cast<unsigned>(at) - 1);
        }
        default: return word % bins;
        }
    }
};

constexpr const char* names[] = {"", ", 90 % in one", ", constant", ", Zipf"};

/// @tparam Sample  what the keys become: integers as they are, floats in [0, 1)
template <class Sample>
void bench_histogram(bench::report& out, const std::string& name, std::size_t n, unsigned bins, spread how,
                     pp::histogram_config config, double floor)
{
    const key_of key{bins, how};
    const auto upper = std::is_floating_point_v<Sample> ? Sample(1) : static_cast<Sample>(bins);
    const auto keys = filled<Sample>(n, [=] __device__(std::size_t i) {
        return std::is_floating_point_v<Sample> ? static_cast<Sample>((key(i) + 0.5) / bins)
                                                : static_cast<Sample>(key(i));
    });
    pp::device_buffer<std::uint32_t> ours(bins);
    pp::device_buffer<std::uint32_t> cubs(bins);
    const auto cub_call = [&](void* scratch, std::size_t& bytes) {
        if constexpr (sizeof(Sample) == 1)
            cub::DeviceHistogram::HistogramEven(scratch, bytes, keys.data(), cubs.data(), static_cast<int>(bins) + 1, 0,
                                                static_cast<int>(bins), static_cast<long long>(n));
        else
            cub::DeviceHistogram::HistogramEven(scratch, bytes, keys.data(), cubs.data(), static_cast<int>(bins) + 1,
                                                Sample(0), upper, static_cast<long long>(n));
    };
    auto scratch = cub_scratch(cub_call);
    std::size_t bytes = scratch.size();
    const auto our_call = [&] {
        if constexpr (sizeof(Sample) == 1)
            pp::histogram(pp::device.with(config), keys, pp::regular_axis(bins, 0, static_cast<int>(bins)),
                          ours.data());
        else
            pp::histogram(pp::device.with(config), keys, pp::regular_axis(bins, Sample(0), upper), ours.data());
    };
    our_call();
    cub_call(scratch.data(), bytes);
    measure(
        out, "histogram " + name + names[static_cast<int>(how)], n, static_cast<double>(n * sizeof(Sample)),
        agree(ours, cubs), our_call, [&] { cub_call(scratch.data(), bytes); }, floor);
}

/// The limits of the card beside which the rest is to be seen: reading, in the reference's column copying.
void bench_limits(bench::report& out, std::size_t n)
{
    const auto x = filled<float>(n, random_value<float>{{1}});
    pp::device_buffer<float> copy(n);
    pp::device_buffer<float> sum(1);
    const auto read = [&] { read_all<<<264, 1024>>>(reinterpret_cast<const uint4*>(x.data()), n / 4, sum.data()); };
    const auto duplicate = [&] { cudaMemcpyAsync(copy.data(), x.data(), n * sizeof(float), cudaMemcpyDeviceToDevice); };
    duplicate();
    measure(out, "limits: reading, copying", n, static_cast<double>(n * sizeof(float)), agree(x, copy), read, duplicate,
            0);
}

}  // namespace

int main(int count, char** arguments)
{
    const bench::options options = bench::parse("parprims beside CUB on one GPU", count, arguments);
    if (pp::device_count() == 0) {
        std::puts("skipped: no GPU");
        return 77;
    }

    using scan = pp::scan_config;
    using place = pp::histogram_config;
    const std::size_t n = std::size_t{1} << options.log2;
    bench::report out;
    bench_limits(out, n);
    bench_reduce<float>(out, "f32", n, 0.90);
    bench_reduce<float>(out, "f32", 4 * n, 0);
    bench_reduce<std::int32_t>(out, "i32", n, 0);
    bench_reduce<std::int8_t>(out, "i8", n, 0);
    bench_reduce<std::int16_t>(out, "i16", n, 0);
    bench_reduce<std::int64_t>(out, "i64", n / 2, 0);
    bench_reduce<double>(out, "f64", n / 2, 0);
    bench_scan<float>(out, "f32", n, {}, 0.90);
    bench_scan<float>(out, "f32, three phases", n, {.method = scan::three_phase}, 0);
    bench_scan<std::int32_t>(out, "i32", n, {}, 0);
    bench_scan<std::int8_t>(out, "i8", n, {}, 0);
    bench_scan<std::int16_t>(out, "i16", n, {}, 0);
    bench_scan<double>(out, "f64", n / 2, {}, 0);
    for (const spread how : {spread::uniform, spread::ninety, spread::constant, spread::zipf}) {
        const bool is_uniform = how == spread::uniform;
        bench_histogram<std::uint8_t>(out, "u8, 256 bins", n, 256, how, {}, 0);
        for (const unsigned bins : {8u, 256u, 2048u, 16384u, 32768u, 65536u, 1u << 20})
            bench_histogram<std::uint32_t>(out, "u32, " + std::to_string(bins) + " bins", n, bins, how, {},
                                           is_uniform && bins == 2048 ? 5 : 0);
        bench_histogram<float>(out, "f32, 2048 bins", n, 2048, how, {}, 0);
    }
    bench_histogram<std::uint32_t>(out, "u32, 65536 bins, packed", n, 65536, spread::uniform,
                                   {.placement = place::packed}, 0);
    bench_histogram<std::uint32_t>(out, "u32, 65536 bins, partitioned", n, 65536, spread::uniform,
                                   {.placement = place::partitioned}, 0);
    const pp::device_info& gpu = pp::get_device_info(pp::current_device());
    return out.finish(options.json_file, gpu.name, "CUB " + std::to_string(CUB_VERSION));
}
