// Exercise 9: a scan of many blocks. The page is README.md beside this file; try your answer with samples/exercise 9
#include "exercises/support/block_scan.hpp"

#include <parprims/simt/simt.hpp>

namespace simt = parprims::simt;

/// 1. out[i] is the inclusive scan of in[i] within each block of 256 values; the sum of block b goes to totals[b].
struct scan_blocks {
    using shared_storage = exercises::block_storage<int>;
    simt::global<const int> in;
    simt::global<int> out;
    simt::global<int> totals;
    unsigned n;

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage& shared) const
    {
        const unsigned i = static_cast<unsigned>(block.index()) * 256 + block.thread();
        int value = 0;
        if (simt::branch(i < n))
            value = in[i];
        // Your code: exercises::scan_of_block(block, shared, value) is the inclusive scan of the block's values; all threads call it.
        // Write out[i], and in one thread totals[block.index()].
    }
};

/// 2. The totals are scanned by the kernel above, in place. 3. Each block adds what comes before it.
struct add_before {
    struct shared_storage {};
    simt::global<const int> scanned_totals;
    simt::global<int> out;
    unsigned n;

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage&) const
    {
        const unsigned i = static_cast<unsigned>(block.index()) * 256 + block.thread();
        // Your code: scanned_totals[b] is the sum of the blocks 0, ..., b.
    }
};
