#include "groups.hpp"
#include "histogram_bench.cuh"

void bench::histogram_others(report& out, const options& asked)
{
    bench_histogram_sizes<std::uint8_t>(out, asked, "u8", 256, spread::uniform, sizes(asked));
    bench_histogram_bins<std::uint8_t>(out, asked, "u8", {256});
    bench_histogram_sizes<std::int16_t>(out, asked, "i16", 256, spread::uniform, sizes(asked));
    bench_histogram_sizes<std::int64_t>(out, asked, "i64", 256, spread::uniform, sizes(asked));
}
