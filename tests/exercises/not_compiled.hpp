// Exercise 1, answered with a value that has no type, and in CUDA's words.
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
        const unsigned i = static_cast<unsigned>(block.index()) * 256 + threadIdx.x;
        auto value = x[block.thread()];
        y[i] = a * value;
    }
};
