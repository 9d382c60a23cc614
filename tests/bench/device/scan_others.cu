#include "groups.hpp"
#include "scan_bench.cuh"

void bench::scan_others(report& out, const options& asked)
{
    bench_scan<triple>(out, asked, "12-byte struct", add_numbers{});
    bench_scan<std::uint32_t>(out, asked, "u32", compound{}, {}, "custom operator");
}
