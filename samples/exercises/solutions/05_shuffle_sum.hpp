// Exercise 5: a sum by shuffles, solved.
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

        for (unsigned distance = 16; distance > 0; distance /= 2)
            value += simt::shuffle_down(value, distance);
        if (simt::branch(block.lane() == 0))
            shared.sums_of_warps[block.warp()] = value;
        block.sync();
        if (simt::branch(block.warp() == 0)) {
            value = 0;
            if (simt::branch(t < 8))
                value = shared.sums_of_warps[t];
            for (unsigned distance = 4; distance > 0; distance /= 2)
                value += simt::shuffle_down(value, distance);
            if (simt::branch(t == 0))
                sums[block.index()] = value;
        }
    }
};
