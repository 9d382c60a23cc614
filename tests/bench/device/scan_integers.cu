#include "groups.hpp"
#include "scan_bench.cuh"

void bench::scan_integers(report& out, const options& asked)
{
    bench_scan<std::int8_t>(out, asked, "i8");
    bench_scan<std::int16_t>(out, asked, "i16");
    bench_scan<std::int32_t>(out, asked, "i32");
    bench_scan<std::int64_t>(out, asked, "i64");
}
