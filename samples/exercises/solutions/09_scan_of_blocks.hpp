// Exercise 9: a scan of many blocks, solved.
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
        const int sum = exercises::scan_of_block(block, shared, value);
        if (simt::branch(i < n))
            out[i] = sum;
        if (simt::branch(block.thread() == 255))
            totals[block.index()] = sum;
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
        if (simt::branch(block.index() > 0 && i < n))
            out[i] += scanned_totals[block.index() - 1];
    }
};
