// Exercise 5: a sum by shuffles. The page is README.md beside this file; try your answer with samples/exercise 5
#include <parprims/simt/simt.hpp>

namespace simt = parprims::simt;

/// Each block of 256 threads leaves the sum of its 256 values in sums[block.index()].
struct block_sum {
    struct shared_storage {
        simt::shared_array<int, 8> sums_of_warps;
    };
    simt::global<const int> in;
    simt::global<int> sums;
    unsigned n;  // values in all: the last block may have fewer than 256

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage& shared) const
    {
        const unsigned t = block.thread();
        const unsigned i = static_cast<unsigned>(block.index()) * 256 + t;
        int value = 0;
        if (simt::branch(i < n))
            value = in[i];

        // Your code: five rounds of value += simt::shuffle_down(value, distance) leave the sum of each warp in its lane 0. That lane
        // writes it to shared.sums_of_warps. After a barrier, warp 0 adds these 8 sums by three more rounds, and thread 0 writes.
    }
};
