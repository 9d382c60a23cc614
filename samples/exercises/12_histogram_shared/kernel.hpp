// Exercise 12: a histogram in shared memory. The page is README.md beside this file; try your answer with samples/exercise 12
#include <parprims/simt/simt.hpp>

namespace simt = parprims::simt;

/// Adds to counts[b] how many of the n values are b. All values are less than 64. The grid has any number of blocks of 256 threads.
struct histogram {
    struct shared_storage {
        simt::shared_array<unsigned, 64> counts;
    };
    simt::global<const unsigned> in;
    unsigned* counts;
    unsigned n;

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage& shared) const
    {
        const unsigned t = block.thread();
        const unsigned stride = static_cast<unsigned>(block.count()) * 256;
        // Your code: set the counts of the block to 0; count its values there, by a grid-stride loop and simt::atomic_add(&shared.counts.data()[b], 1u);
        // then add them to the counts of all. What must not begin before all threads are done with the step before it?
    }
};
