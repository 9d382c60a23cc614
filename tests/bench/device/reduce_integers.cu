#include "groups.hpp"
#include "reduce_bench.cuh"

void bench::reduce_integers(report& out, const options& asked)
{
    bench_reduce<std::int8_t, std::int32_t>(out, asked, "i8 to i32");
    bench_reduce<std::int16_t, std::int32_t>(out, asked, "i16 to i32");
    bench_reduce<std::int32_t>(out, asked, "i32");
    bench_reduce<std::int64_t>(out, asked, "i64");
    bench_reduce_odd<std::int8_t, std::int32_t>(out, asked, "i8 to i32");
    bench_reduce_odd<std::int16_t, std::int32_t>(out, asked, "i16 to i32");
    bench_reduce_odd<std::int32_t>(out, asked, "i32");
    bench_reduce_odd<std::int64_t>(out, asked, "i64");
}
