// expect: compile this file as CUDA
#include <parprims/reduce.hpp>

float product(const float* first, const float* last)
{
    return parprims::reduce(parprims::device, first, last, 1.0f, [](float a, float b) { return a * b; });
}
