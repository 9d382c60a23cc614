// Sweeps the launch configurations of reduce and scan over one input size, to fill the launch table.
//
// config_sweep [--size 2^28]     (of the inputs)

#include "report.hpp"

#include <parprims/parprims.hpp>
#include <parprims/timer.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

namespace pp = parprims;

namespace {

template <class T>
pp::device_buffer<T> random_values(std::size_t n)
{
    std::vector<T> values(n);
    std::uint32_t state = 1;
    for (T& value : values) {
        state = state * 1664525u + 1013904223u;
        value = static_cast<T>(static_cast<std::int8_t>(state >> 24));
    }
    return pp::to_device(values);
}

template <class Call>
double median_microseconds(Call call)
{
    std::vector<double> times;
    pp::timer timer;
    call();
    for (int round = 0; round < 7; ++round) {
        timer.start();
        for (int i = 0; i < 4; ++i)
            call();
        timer.stop();
        times.push_back(timer.elapsed().count() / 4 * 1e6);
    }
    std::nth_element(times.begin(), times.begin() + 3, times.end());
    return times[3];
}

template <class T>
void sweep_reduce(const char* type, std::size_t n)
{
    const pp::device_buffer<T> x = random_values<T>(n);
    pp::device_buffer<T> out(1);
    for (const unsigned threads : {256u, 512u, 1024u})
        for (const unsigned blocks : {1u, 2u, 4u})
            for (const unsigned chunks : {0u, 1u, 2u, 4u, 8u, 16u, 32u}) {
                if (threads * blocks > 2048)
                    continue;
                const pp::reduce_config config{threads, blocks, chunks};
                const double us =
                    median_microseconds([&] { pp::reduce_into(pp::device.with(config), x, out.data(), T{}); });
                std::printf("reduce %s: %8.1f us %6.0f GB/s  %s\n", type, us,
                            static_cast<double>(n * sizeof(T)) / us * 1e-3, to_string(config).c_str());
            }
}

template <class T>
void sweep_scan(const char* type, std::size_t n)
{
    const pp::device_buffer<T> x = random_values<T>(n);
    pp::device_buffer<T> out(n);
    for (const unsigned threads : {256u, 512u, 768u, 1024u})
        for (const unsigned blocks : {1u, 2u, 3u, 4u})
            for (const unsigned stages : {2u, 3u, 4u}) {
                if (threads * blocks > 2048 || stages * blocks > 6)
                    continue;
                const pp::scan_config config{threads, blocks, stages};
                const double us =
                    median_microseconds([&] { pp::inclusive_scan(pp::device.with(config), x, out.data()); });
                std::printf("scan %s: %8.1f us %6.0f GB/s  %s\n", type, us,
                            static_cast<double>(2 * n * sizeof(T)) / us * 1e-3, to_string(config).c_str());
            }
}

}  // namespace

int main(int count, char** arguments)
{
    const bench::options options = bench::parse("launch configurations of reduce and scan", count, arguments);
    if (pp::device_count() == 0) {
        std::puts("skipped: no GPU");
        return 77;
    }
    const std::size_t n = std::size_t{1} << options.log2;
    sweep_reduce<float>("f32", n);
    sweep_scan<float>("f32", n);
    sweep_scan<std::int8_t>("i8", n);
    sweep_scan<double>("f64", n / 2);
    return 0;
}
