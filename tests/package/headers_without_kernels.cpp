// A user's program that must not compile: g++ finds no kernels in parprims::headers.
#include <parprims/histogram.hpp>
#include <parprims/reduce.hpp>

#include <cstddef>
#include <cstdint>

float total(const float* values, std::size_t n)
{
    return parprims::reduce(parprims::device, values, values + n, 0.0f);
}

void count(const double* values, std::size_t n, std::uint32_t* counts)
{
    parprims::histogram(parprims::device, values, values + n, parprims::regular_axis(4, 0.0, 4.0), counts);
}
