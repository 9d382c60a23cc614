// Exercise 2: a sum as a tree in shared memory. The page is README.md beside this file; try your answer with samples/exercise 2
#include <parprims/simt/simt.hpp>

namespace simt = parprims::simt;

/// Each block of 256 threads leaves the sum of its 256 values in sums[block.index()].
struct block_sum {
    struct shared_storage {
        simt::shared_array<int, 256> values;
    };
    simt::global<const int> in;
    simt::global<int> sums;
    unsigned n;  // values in all: the last block may have fewer than 256

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage& shared) const
    {
        const unsigned t = block.thread();
        const unsigned i = static_cast<unsigned>(block.index()) * 256 + t;
        int value = 0;  // the identity of +, for threads without an element
        if (simt::branch(i < n))
            value = in[i];
        shared.values[t] = value;
        block.sync();

        // Your code: rounds with distance 1, 2, 4, ..., 128, in which thread t adds values[t + distance] to values[t], if t is a multiple
        // of twice the distance. No thread may read a sum before it is there. Thread 0 writes the sum of all.
    }
};
