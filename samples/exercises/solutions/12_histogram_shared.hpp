// Exercise 12: a histogram in shared memory, solved.
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
        if (simt::branch(t < 64))
            shared.counts[t] = 0;
        block.sync();
        for (unsigned i = static_cast<unsigned>(block.index()) * 256 + t; simt::branch(i < n); i += stride) {
            const unsigned bin = in[i];
            simt::atomic_add(&shared.counts.data()[bin], 1u);
        }
        block.sync();
        if (simt::branch(t < 64))
            simt::atomic_add(&counts[t], static_cast<unsigned>(shared.counts[t]));
    }
};
