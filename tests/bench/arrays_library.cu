// Calls along the dimensions of a matrix as functions of C, for arrays_beside.py. Each returns 0 once it has been enqueued.
#include <parprims/extremes_along.hpp>
#include <parprims/reduce_along.hpp>
#include <parprims/scan_along.hpp>

#include <cuda_fp16.h>

#include <cstdint>
#include <cstdio>
#include <exception>

namespace {

template <class Call>
int enqueue(Call call)
{
    try {
        call();
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}

template <class Value, class Sum>
int sum_of(const Value* x, std::int64_t rows, std::int64_t columns, int along, Sum* out)
{
    return enqueue([&] {
        parprims::reduce(parprims::device, parprims::matrix(x, rows, columns), parprims::along(along), out, Sum(0));
    });
}

template <class Value>
int argmax_of(const Value* x, std::int64_t rows, std::int64_t columns, int along, std::int64_t* out)
{
    return enqueue([&] {
        parprims::max_element(parprims::device, parprims::matrix(x, rows, columns), parprims::along(along), out);
    });
}

}  // namespace

extern "C" int sum(const float* x, std::int64_t rows, std::int64_t columns, int along, float* out)
{
    return sum_of(x, rows, columns, along, out);
}
extern "C" int sum_half(const __half* x, std::int64_t rows, std::int64_t columns, int along, float* out)
{
    return sum_of(x, rows, columns, along, out);
}
extern "C" int sum_byte(const std::uint8_t* x, std::int64_t rows, std::int64_t columns, int along, std::int32_t* out)
{
    return sum_of(x, rows, columns, along, out);
}

extern "C" int argmax(const float* x, std::int64_t rows, std::int64_t columns, int along, std::int64_t* out)
{
    return argmax_of(x, rows, columns, along, out);
}
extern "C" int argmax_half(const __half* x, std::int64_t rows, std::int64_t columns, int along, std::int64_t* out)
{
    return argmax_of(x, rows, columns, along, out);
}
extern "C" int argmax_byte(const std::uint8_t* x, std::int64_t rows, std::int64_t columns, int along, std::int64_t* out)
{
    return argmax_of(x, rows, columns, along, out);
}

extern "C" int cumsum(const float* x, std::int64_t rows, std::int64_t columns, int along, float* out)
{
    return enqueue([&] {
        parprims::inclusive_scan(parprims::device, parprims::matrix(x, rows, columns), parprims::along(along),
                                 parprims::matrix(out, rows, columns));
    });
}

extern "C" int sum_all(const float* x, std::int64_t n, float* out)
{
    return enqueue([&] { parprims::reduce_into(parprims::device, x, x + n, out, 0.0f); });
}
