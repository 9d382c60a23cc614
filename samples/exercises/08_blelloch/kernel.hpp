// Exercise 8: a scan with as few additions as a loop. The page is README.md beside this file; try your answer with samples/exercise 8
#include <parprims/simt/simt.hpp>

namespace simt = parprims::simt;

/// out[i] is the sum of the elements before in[i], within each block of 512 values: an exclusive scan.
struct block_scan {
    struct shared_storage {
        simt::shared_array<int, 528> values;  // 512, and room for padding
    };
    simt::global<const int> in;
    simt::global<int> out;
    unsigned n;

    /// Where value k is kept. Change it last, when the scan is right: with k itself there are bank conflicts.
    PARPRIMS_DEVICE static unsigned place(unsigned k) { return k; }

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage& shared) const
    {
        const unsigned t = block.thread();
        const unsigned first = static_cast<unsigned>(block.index()) * 512;
        for (unsigned k = t; k < 512; k += 256) {
            int value = 0;
            if (simt::branch(first + k < n))
                value = in[first + k];
            shared.values[place(k)] = value;
        }
        block.sync();

        // Your code, up: with distance 1, 2, 4, ..., 256, thread t < 256 / distance adds the value at k - distance to that at k, where
        // k = 2 * distance * (t + 1) - 1. Then set value 511 to 0. Down: with distance 256, ..., 2, 1, the same threads set the value at
        // k - distance to that at k, and add what was there to the value at k. Each round ends with a barrier.

        for (unsigned k = t; k < 512; k += 256)
            if (simt::branch(first + k < n))
                out[first + k] = shared.values[place(k)];
    }
};
