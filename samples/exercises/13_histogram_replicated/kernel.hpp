// Exercise 13: a histogram of skewed data. The page is README.md beside this file; try your answer with samples/exercise 13
#include <parprims/simt/simt.hpp>

namespace simt = parprims::simt;

/// As in exercise 12, but nearly all values are the same.
struct histogram {
    static constexpr unsigned replicas = 8;
    struct shared_storage {
        simt::shared_array<unsigned, 64 * replicas> counts;
    };
    simt::global<const unsigned> in;
    unsigned* counts;
    unsigned n;

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage& shared) const
    {
        const unsigned t = block.thread();
        const unsigned stride = static_cast<unsigned>(block.count()) * 256;
        for (unsigned k = t; k < 64 * replicas; k += 256)
            shared.counts[k] = 0;
        block.sync();
        // Your code: each bin has 8 counts, shared.counts[b * 8 + r], and a lane takes the one with r = its number % 8. Count, then add the
        // 8 counts of each bin, and add the sum to counts[b].
    }
};
