// Exercise 1, answered with a plain pointer that leaves its memory.
#include <parprims/simt/simt.hpp>

namespace simt = parprims::simt;

/// y[i] = a * x[i] for all i < n. The grid has as many blocks of 256 threads as n needs.
struct scale {
    simt::global<const int> x;
    simt::global<int> y;
    int a;
    unsigned n;

    PARPRIMS_DEVICE void operator()(simt::block block) const
    {
        volatile int* const none = nullptr;
        *none = a + static_cast<int>(block.thread());
    }
};
