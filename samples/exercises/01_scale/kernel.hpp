// Exercise 1: a function of each element. The page is README.md beside this file; try your answer with samples/exercise 1
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
        // Your code: which i is this thread's? Leave out those that do not exist. block.index(), block.threads() and
        // block.thread() are CUDA's blockIdx.x, blockDim.x and threadIdx.x.
    }
};
