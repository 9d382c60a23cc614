#include "groups.hpp"
#include "reduce_bench.cuh"

void bench::reduce_floats(report& out, const options& asked)
{
    bench_reduce<float>(out, asked, "f32");
    bench_reduce<double>(out, asked, "f64");
    bench_reduce<__half, float>(out, asked, "f16 to f32");
    bench_reduce_odd<float>(out, asked, "f32");
    bench_reduce_odd<double>(out, asked, "f64");
    bench_reduce_odd<__half, float>(out, asked, "f16 to f32");
}
