#include "groups.hpp"
#include "histogram_bench.cuh"

void bench::histogram_floats(report& out, const options& asked)
{
    bench_histogram_sizes<float>(out, asked, "f32", 2048, spread::uniform, sizes(asked));
    bench_histogram_bins<float>(out, asked, "f32", {8, 256, 2048, 16384, 32768, 65536, 1u << 20});
    bench_histogram_odd<float>(out, asked, "f32");
    bench_histogram_sizes<double>(out, asked, "f64", 256, spread::uniform, sizes(asked));
    bench_histogram_sizes<__half>(out, asked, "f16", 256, spread::uniform, sizes(asked));
}
