// Exercise 7: a scan in two buffers. The page is README.md beside this file; try your answer with samples/exercise 7
#include <parprims/simt/simt.hpp>

namespace simt = parprims::simt;

/// out[i] is the sum of in[0], ..., in[i], within each block of 256 values: an inclusive scan.
struct block_scan {
    struct shared_storage {
        simt::shared_array<int, 2, 256> values;  // int values[2][256]
    };
    simt::global<const int> in;
    simt::global<int> out;
    unsigned n;

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage& shared) const
    {
        const unsigned t = block.thread();
        const unsigned i = static_cast<unsigned>(block.index()) * 256 + t;
        int value = 0;
        if (simt::branch(i < n))
            value = in[i];
        shared.values[0][t] = value;
        block.sync();

        // Your code: rounds with distance 1, 2, 4, ..., 128. Read from one buffer and write to the other, then change their roles:
        // thread t adds the value at t - distance to its own if there is one, and keeps its own otherwise. Then write out[i].
    }
};
