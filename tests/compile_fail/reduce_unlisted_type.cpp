// expect: compile this file as CUDA
#include <parprims/reduce.hpp>

short sum(const short* first, const short* last)
{
    return parprims::reduce(parprims::device, first, last, short{0});
}
