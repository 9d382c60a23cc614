#include "groups.hpp"
#include "scan_bench.cuh"

void bench::scan_floats(report& out, const options& asked)
{
    bench_scan<float>(out, asked, "f32");
    bench_scan<float>(out, asked, "f32", pp::plus{}, pp::three_phase_scan{}, "three phases");
    bench_scan<double>(out, asked, "f64");
    bench_scan<__half, float>(out, asked, "f16 to f32");
}
