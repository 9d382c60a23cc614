#include "groups.hpp"
#include "histogram_bench.cuh"

void bench::histogram_words(report& out, const options& asked)
{
    using place = pp::histogram_config;
    bench_histogram_sizes<std::uint32_t>(out, asked, "u32", 256, spread::uniform, sizes(asked));
    bench_histogram_sizes<std::uint32_t>(out, asked, "u32", 16384, spread::uniform, sizes(asked));
    bench_histogram_bins<std::uint32_t>(out, asked, "u32", {8, 256, 2048, 16384, 32768, 65536, 1u << 20});
    bench_histogram_odd<std::uint32_t>(out, asked, "u32");
    bench_histogram_sizes<std::uint32_t>(out, asked, "u32", 65536, spread::uniform, {large(asked)},
                                         {.placement = place::partitioned}, "partitioned");
}
