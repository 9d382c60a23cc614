// Exercise 6: one sum, by a grid of any size, solved.
#include "exercises/support/block_scan.hpp"

#include <parprims/simt/simt.hpp>

#include <cstdint>

namespace simt = parprims::simt;

/// Adds the sum of in[0], ..., in[n - 1] to *total, with as many blocks of 256 threads as there happen to be.
struct grid_sum {
    using shared_storage = exercises::block_storage<std::uint64_t>;
    simt::global<const unsigned> in;  // any numbers of 32 bits
    std::uint64_t* total;             // 0 at first
    unsigned n;

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage& shared) const
    {
        const unsigned stride = static_cast<unsigned>(block.count()) * 256;
        std::uint64_t value = 0;
        for (unsigned i = static_cast<unsigned>(block.index()) * 256 + block.thread(); simt::branch(i < n); i += stride)
            value += in[i];
        const std::uint64_t sum = exercises::sum_of_block(block, shared, value);
        if (simt::branch(block.thread() == 0))
            simt::atomic_add(total, sum);
    }
};
