// Sums, running totals and a histogram of a million numbers: on the GPU if there is one, otherwise on the CPU.
#include <parprims/parprims.hpp>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

namespace pp = parprims;

int main()
{
    std::vector<float> values(1'000'000);
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = std::sin(static_cast<float>(i));

    const float on_cpu = pp::reduce(pp::host, values, 0.0f);
    std::printf("sum on the CPU  %.9g\n", static_cast<double>(on_cpu));
    if (pp::device_count() == 0) {
        std::printf("no GPU here\n");
        return 0;
    }

    pp::device_buffer<float> x = pp::to_device(values);    // a copy on the GPU
    const float on_gpu = pp::reduce(pp::device, x, 0.0f);  // waits for the value
    std::printf("sum on the GPU  %.9g\n", static_cast<double>(on_gpu));

    pp::device_buffer<std::uint32_t> counts(8);
    pp::histogram(pp::device, x, pp::regular_axis(8, -1.0f, 1.0f), counts.begin());  // enqueued
    pp::inclusive_scan(pp::device, x, x.begin());                                    // enqueued behind it, in place
    for (const std::uint32_t count : counts.to_host())                               // waits for both
        std::printf("%u ", count);
    std::printf("\n");
    return on_cpu == on_gpu ? 0 : 1;  // the same bits
}
