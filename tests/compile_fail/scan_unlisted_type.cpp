// expect: compile this file as CUDA
#include <parprims/scan.hpp>

void scan(const short* first, const short* last, short* out)
{
    parprims::inclusive_scan(parprims::device, first, last, out);
}
