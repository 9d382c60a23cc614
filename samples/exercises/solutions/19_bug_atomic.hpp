// Exercise 19: find the bug: the last block adds, solved.
#include "exercises/support/block_scan.hpp"

#include <parprims/simt/simt.hpp>

namespace simt = parprims::simt;

/// The sum of all values, in one launch: each block leaves its sum, and the last block that arrives adds them.
struct total_sum {
    using shared_storage = exercises::block_storage<int>;
    simt::global<const int> in;
    simt::global<int> sums;  // one a block
    unsigned* arrived;       // 0 at first
    simt::global<int> total;
    unsigned n;

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage& shared) const
    {
        const unsigned i = static_cast<unsigned>(block.index()) * 256 + block.thread();
        int value = 0;
        if (simt::branch(i < n))
            value = in[i];
        const int sum = exercises::sum_of_block(block, shared, value);
        if (simt::branch(block.thread() != 0))
            return;
        sums[block.index()] = sum;
        const unsigned before = simt::atomic_add_acq_rel(arrived, 1);
        if (simt::branch(before + 1 < block.count()))
            return;
        int all = 0;
        for (unsigned b = 0; b < block.count(); ++b)
            all += sums[b];
        total[0] = all;
    }
};
