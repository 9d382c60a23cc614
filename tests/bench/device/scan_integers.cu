#include "groups.hpp"
#include "scan_bench.cuh"

void bench::scan_integers(report& out, const options& asked)
{
    bench_scan<std::uint8_t, std::uint32_t>(out, asked, "u8 to u32");
    bench_scan<std::int16_t, std::int32_t>(out, asked, "i16 to i32");
    bench_scan<std::int32_t>(out, asked, "i32");
    bench_scan<std::int64_t>(out, asked, "i64");
}
