// Exercise 1, answered with a loop that does not end.
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
        for (volatile unsigned i = block.thread(); i < n;)
            y[i] = a * x[i];
    }
};
