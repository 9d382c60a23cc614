// expect: compile this file as CUDA
#include <parprims/histogram.hpp>

void count(const unsigned* first, const unsigned* last, unsigned* counts)
{
    const auto residue = parprims::function_axis(7, [](unsigned x) { return x % 7; });
    parprims::histogram(parprims::device, first, last, residue, counts);
}
