// Exercise 4: the first addition while loading. The page is README.md beside this file; try your answer with samples/exercise 4
#include <parprims/simt/simt.hpp>

namespace simt = parprims::simt;

/// Each block of 256 threads leaves the sum of its 512 values in sums[block.index()].
struct block_sum {
    struct shared_storage {
        simt::shared_array<int, 256> values;
    };
    simt::global<const int> in;
    simt::global<int> sums;
    unsigned n;  // values in all: the last block may have fewer than 512

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage& shared) const
    {
        const unsigned t = block.thread();
        const unsigned i = static_cast<unsigned>(block.index()) * 512 + t;
        // Your code: set values[t] to the sum of two elements that are 256 apart, in[i] and in[i + 256], of which either may not exist.
        // Then a barrier.

        for (unsigned distance = 128; distance > 0; distance /= 2) {
            if (simt::branch(t < distance))
                shared.values[t] += shared.values[t + distance];
            block.sync();
        }
        if (simt::branch(t == 0))
            sums[block.index()] = shared.values[0];
    }
};
