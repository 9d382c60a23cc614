// Exercise 6: one sum, by a grid of any size. The page is README.md beside this file; try your answer with samples/exercise 6
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
        // Your code: each thread adds every k-th element, where k is the number of threads of the grid: block.count() * 256.
        // exercises::sum_of_block(block, shared, value) is the sum of the block's values, in all threads; all of them must call it.
        // One thread adds it to the total: simt::atomic_add(total, sum).
    }
};
