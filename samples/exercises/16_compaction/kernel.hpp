// Exercise 16: the values that a filter keeps. The page is README.md beside this file; try your answer with samples/exercise 16
#include <parprims/simt/simt.hpp>

namespace simt = parprims::simt;

/// Writes the values that are not 0 to out, in their order, and their number to *kept. One block of 256 threads does it all.
struct compaction {
    struct shared_storage {
        simt::shared_array<unsigned, 8> of_warps;
    };
    simt::global<const int> in;
    simt::global<int> out;
    simt::global<unsigned> kept;
    unsigned n;

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage& shared) const
    {
        unsigned written = 0;  // before this tile, the same in all threads
        for (unsigned first = 0; first < n; first += 256) {
            const unsigned i = first + block.thread();
            int value = 0;
            if (simt::branch(i < n))
                value = in[i];
            // Your code: votes = simt::ballot(value != 0) has a bit for each lane of the warp. Those below this lane say how many values of
            // the warp come before it. Each warp leaves its count in shared.of_warps; after a barrier every thread adds those of the warps
            // before its own, writes its value to its place, and adds all 8 to `written`.
        }
        if (block.thread() == 0)
            kept[0] = written;
    }
};
