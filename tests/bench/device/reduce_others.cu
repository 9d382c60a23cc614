#include "groups.hpp"
#include "reduce_bench.cuh"

void bench::reduce_others(report& out, const options& asked)
{
    bench_reduce<triple>(out, asked, "12-byte struct", add_triples{});
    bench_reduce<std::uint32_t>(out, asked, "u32", compound{}, "custom operator");
}
