// Exercise 11: a histogram in global memory, solved.
#include <parprims/simt/simt.hpp>

namespace simt = parprims::simt;

/// Adds to counts[b] how many of the n values are b. All values are less than 64.
struct histogram {
    simt::global<const unsigned> in;
    unsigned* counts;
    unsigned n;

    PARPRIMS_DEVICE void operator()(simt::block block) const
    {
        const unsigned i = static_cast<unsigned>(block.index()) * 256 + block.thread();
        if (simt::branch(i < n)) {
            const unsigned bin = in[i];
            simt::atomic_add(&counts[bin], 1u);
        }
    }
};
