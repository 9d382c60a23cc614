#include "groups.hpp"
#include "reduce_bench.cuh"

#include <algorithm>

void bench::reduce_others(report& out, const options& asked)
{
    options large = asked;
    large.log2 = std::min(asked.log2, 26u);
    bench_reduce<triple>(out, asked, "12-byte struct", add_numbers{});
    bench_reduce<numbers<10>>(out, large, "40-byte struct", add_numbers{});
    bench_reduce<numbers<16>>(out, large, "64-byte struct", add_numbers{});
    bench_reduce<std::uint32_t>(out, asked, "u32", compound{}, "custom operator");
}
