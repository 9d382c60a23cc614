// Measures parprims beside CUB on the same data, in the same run: what each costs, and that both agree.
//
// device_bench [--json FILE] [--log2 N]     (N: size of the inputs, 28 by default)

#include "report.hpp"

#include <parprims/parprims.hpp>

#include <cub/cub.cuh>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

namespace pp = parprims;

namespace {

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
double median_seconds(const std::function<void()>& call, int calls)
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

/// Measures ours and CUB's and adds a row.
void measure(bench::report& out, const std::string& work, std::size_t n, double bytes, bool is_right,
             const std::function<void()>& ours, const std::function<void()>& cubs, double floor)
{
    const int calls = n >= std::size_t{1} << 26 ? 4 : 20;
    const double our_seconds = median_seconds(ours, calls);
    const double cub_seconds = median_seconds(cubs, calls);
    out.add({work, n, bytes, our_seconds, cub_seconds, floor, is_right});
}

pp::device_buffer<unsigned char> cub_scratch(const std::function<void(void*, std::size_t&)>& call)
{
    std::size_t bytes = 0;
    call(nullptr, bytes);
    return pp::device_buffer<unsigned char>(bytes);
}

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

void bench_histogram(bench::report& out, const std::string& name, std::size_t n, unsigned bins, bool is_skewed,
                     pp::histogram_config config, double floor)
{
    const auto keys = filled<std::uint32_t>(n, [=] __device__(std::size_t i) {
        const std::uint32_t word = random_word{3}(i);
        return is_skewed && random_word{4}(i) % 10 != 0 ? bins / 3 : word % bins;
    });
    pp::device_buffer<std::uint32_t> ours(bins);
    pp::device_buffer<std::uint32_t> cubs(bins);
    const auto cub_call = [&](void* scratch, std::size_t& bytes) {
        cub::DeviceHistogram::HistogramEven(scratch, bytes, keys.data(), cubs.data(), static_cast<int>(bins) + 1, 0u,
                                            bins, static_cast<long long>(n));
    };
    auto scratch = cub_scratch(cub_call);
    std::size_t bytes = scratch.size();
    const pp::regular_axis axis(bins, 0u, bins);
    const auto our_call = [&] { pp::histogram(pp::device.with(config), keys, axis, ours.data()); };
    our_call();
    cub_call(scratch.data(), bytes);
    measure(
        out, "histogram u32 " + name, n, static_cast<double>(n * sizeof(std::uint32_t)), agree(ours, cubs), our_call,
        [&] { cub_call(scratch.data(), bytes); }, floor);
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
    bench_reduce<float>(out, "f32", n, 0.90);
    bench_reduce<std::int32_t>(out, "i32", n, 0);
    bench_reduce<double>(out, "f64", n / 2, 0);
    bench_reduce<float>(out, "f32", std::size_t{1} << 20, 0);
    bench_reduce<float>(out, "f32", std::size_t{1} << 16, 0);
    bench_scan<float>(out, "f32", n, {}, 0.90);
    bench_scan<float>(out, "f32, three phases", n, {.method = scan::three_phase}, 0);
    bench_scan<std::int32_t>(out, "i32", n, {}, 0);
    bench_scan<std::int8_t>(out, "i8", n, {}, 0);
    bench_scan<double>(out, "f64", n / 2, {}, 0);
    bench_scan<float>(out, "f32", std::size_t{1} << 20, {}, 0);
    for (const bool is_skewed : {false, true}) {
        const std::string skew = is_skewed ? ", 90 % in one" : "";
        bench_histogram(out, "256 bins" + skew, n, 256, is_skewed, {}, 0);
        bench_histogram(out, "2048 bins" + skew, n, 2048, is_skewed, {}, is_skewed ? 0 : 5);
        bench_histogram(out, "16384 bins" + skew, n, 16384, is_skewed, {}, 0);
        bench_histogram(out, "65536 bins" + skew, n, 65536, is_skewed, {}, 0);
        bench_histogram(out, "65536 bins, packed" + skew, n, 65536, is_skewed, {.placement = place::packed}, 0);
        bench_histogram(out, "65536 bins, partitioned" + skew, n, 65536, is_skewed, {.placement = place::partitioned},
                        0);
        bench_histogram(out, "2^20 bins" + skew, n, 1 << 20, is_skewed, {}, 0);
    }
    const pp::device_info& gpu = pp::get_device_info(pp::current_device());
    return out.finish(options.json_file, gpu.name, "CUB " + std::to_string(CUB_VERSION));
}
