// Measures small inputs, where launches count: back to back in a CUDA graph beside CUB, and end to end with
// synchronisation beside Thrust.
//
// small_bench [--json FILE] [--log2 N]     (N: size of the largest input, 24 by default)

#include "device_support.cuh"

#include <thrust/execution_policy.h>
#include <thrust/reduce.h>
#include <cub/cub.cuh>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>

namespace pp = parprims;

namespace {

using bench::agree;
using bench::cub_scratch;
using bench::filled;
using bench::random_value;
using bench::random_word;

void check(cudaError_t status)
{
    if (status != cudaSuccess)
        throw std::runtime_error(cudaGetErrorString(status));
}

/// The same call many times in a graph: what it costs on the GPU alone.
class repeated {
public:
    static constexpr int calls = 20;

    template <class Call>
    explicit repeated(Call call)
    {
        cudaGraph_t graph = nullptr;
        check(cudaStreamBeginCapture(stream_.get(), cudaStreamCaptureModeThreadLocal));
        for (int i = 0; i < calls; ++i)
            call(stream_.get());
        check(cudaStreamEndCapture(stream_.get(), &graph));
        check(cudaGraphInstantiate(&graph_, graph, 0));
        check(cudaGraphDestroy(graph));
    }
    ~repeated() { cudaGraphExecDestroy(graph_); }
    repeated(const repeated&) = delete;
    repeated& operator=(const repeated&) = delete;

    void launch() const { check(cudaGraphLaunch(graph_, nullptr)); }

private:
    pp::stream stream_;
    cudaGraphExec_t graph_ = nullptr;
};

/// Adds a row of medians for one call of a graph each.
template <class Ours, class Cubs>
void measure_graphs(bench::report& out, const std::string& work, std::size_t n, double bytes, Ours ours, Cubs cubs,
                    const std::function<bool()>& is_right)
{
    const repeated our_calls(ours);
    const repeated cub_calls(cubs);
    our_calls.launch();
    cub_calls.launch();
    check(cudaDeviceSynchronize());
    const bool right = is_right();
    const double our_seconds = bench::median_seconds([&] { our_calls.launch(); }, 4) / repeated::calls;
    const double cub_seconds = bench::median_seconds([&] { cub_calls.launch(); }, 4) / repeated::calls;
    out.add({work, n, bytes, our_seconds, cub_seconds, 0, right});
}

void bench_reduce(bench::report& out, std::size_t n)
{
    const auto x = filled<float>(n, random_value<float>{{1}});
    pp::device_buffer<float> ours(1);
    pp::device_buffer<float> cubs(1);
    std::size_t bytes = 0;
    cub::DeviceReduce::Sum(nullptr, bytes, x.data(), cubs.data(), static_cast<long long>(n));
    pp::device_buffer<unsigned char> scratch(bytes);
    measure_graphs(
        out, "reduce f32 in a graph", n, static_cast<double>(n * sizeof(float)),
        [&](cudaStream_t stream) { pp::reduce_into(pp::device.on(stream), x, ours.data(), 0.0f); },
        [&](cudaStream_t stream) {
            cub::DeviceReduce::Sum(scratch.data(), bytes, x.data(), cubs.data(), static_cast<long long>(n), stream);
        },
        [&] { return agree(ours, cubs); });
}

void bench_scan(bench::report& out, std::size_t n)
{
    const auto x = filled<std::int32_t>(n, random_value<std::int32_t>{{2}});
    pp::device_buffer<std::int32_t> ours(n);
    pp::device_buffer<std::int32_t> cubs(n);
    std::size_t bytes = 0;
    cub::DeviceScan::InclusiveSum(nullptr, bytes, x.data(), cubs.data(), static_cast<long long>(n));
    pp::device_buffer<unsigned char> scratch(bytes);
    measure_graphs(
        out, "inclusive_scan i32 in a graph", n, static_cast<double>(2 * n * sizeof(std::int32_t)),
        [&](cudaStream_t stream) { pp::inclusive_scan(pp::device.on(stream), x, ours.data()); },
        [&](cudaStream_t stream) {
            cub::DeviceScan::InclusiveSum(scratch.data(), bytes, x.data(), cubs.data(), static_cast<long long>(n),
                                          stream);
        },
        [&] { return agree(ours, cubs); });
}

void bench_histogram(bench::report& out, std::size_t n)
{
    const auto x = filled<std::uint32_t>(n, [] __device__(std::size_t i) { return random_word{3}(i) % 256; });
    pp::device_buffer<std::uint32_t> ours(256);
    pp::device_buffer<std::uint32_t> cubs(256);
    const auto cub_call = [&](void* place, std::size_t& bytes, cudaStream_t stream) {
        cub::DeviceHistogram::HistogramEven(place, bytes, x.data(), cubs.data(), 257, 0u, 256u,
                                            static_cast<long long>(n), stream);
    };
    std::size_t bytes = 0;
    cub_call(nullptr, bytes, nullptr);
    pp::device_buffer<unsigned char> scratch(bytes);
    measure_graphs(
        out, "histogram u32, 256 bins, in a graph", n, static_cast<double>(n * sizeof(std::uint32_t)),
        [&](cudaStream_t stream) {
            pp::histogram(pp::device.on(stream), x, pp::regular_axis(256, 0u, 256u), ours.data());
        },
        [&](cudaStream_t stream) { cub_call(scratch.data(), bytes, stream); }, [&] { return agree(ours, cubs); });
}

/// Median wall time of a call that returns a value.
template <class Call>
double wall_seconds(Call call)
{
    std::vector<double> seconds;
    call();
    for (int i = 0; i < 201; ++i) {
        const auto start = std::chrono::steady_clock::now();
        call();
        seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
    std::nth_element(seconds.begin(), seconds.begin() + 100, seconds.end());
    return seconds[100];
}

void bench_end_to_end(bench::report& out, std::size_t n)
{
    const auto x = filled<std::int32_t>(n, random_value<std::int32_t>{{1}});
    std::int32_t ours = 0;
    std::int32_t thrusts = 1;
    const double our_seconds = wall_seconds([&] { ours = pp::reduce(pp::device, x, 0); });
    const double thrust_seconds =
        wall_seconds([&] { thrusts = thrust::reduce(thrust::device, x.data(), x.data() + n, 0); });
    out.add({"reduce i32 end to end (Thrust)", n, static_cast<double>(n * sizeof(std::int32_t)), our_seconds,
             thrust_seconds, 0, ours == thrusts});
}

}  // namespace

int main(int count, char** arguments)
{
    const bench::options options = bench::parse("small inputs: in a graph, and end to end", count, arguments);
    if (pp::device_count() == 0) {
        std::puts("skipped: no GPU");
        return 77;
    }
    bench::report out;
    const unsigned most = options.log2 < 24 ? options.log2 : 24;
    for (unsigned bit = 8; bit <= most; bit += 2)
        bench_reduce(out, std::size_t{1} << bit);
    for (unsigned bit = 8; bit <= most; bit += 2)
        bench_scan(out, std::size_t{1} << bit);
    for (unsigned bit = 12; bit <= most; bit += 4)
        bench_histogram(out, std::size_t{1} << bit);
    for (unsigned bit = 8; bit <= 20; bit += 4)
        bench_end_to_end(out, std::size_t{1} << bit);
    const pp::device_info& gpu = pp::get_device_info(pp::current_device());
    return out.finish(options.json_file, gpu.name, "CUB " + std::to_string(CUB_VERSION) + " or Thrust");
}
