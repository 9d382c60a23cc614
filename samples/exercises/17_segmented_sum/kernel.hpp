// Exercise 17: a sum for each row of any length. The page is README.md beside this file; try your answer with samples/exercise 17
#include <parprims/simt/simt.hpp>

namespace simt = parprims::simt;

/// sums[r] is the sum of in[offsets[r]], ..., in[offsets[r + 1] - 1]. A warp has one row; a block of 256 threads has 8.
struct row_sums {
    simt::global<const int> in;
    simt::global<const unsigned> offsets;  // rows + 1
    simt::global<int> sums;
    unsigned rows;

    PARPRIMS_DEVICE void operator()(simt::block block) const
    {
        const unsigned row = static_cast<unsigned>(block.index()) * 8 + block.warp();
        if (simt::branch(row >= rows))
            return;  // a whole warp: its lanes have the same row
        const unsigned begin = offsets[row], end = offsets[row + 1];
        // Your code: the lanes go along the row together, 32 values at a time, and each adds its own. Five shuffles bring the lanes' sums
        // together, also in a row without a value.
    }
};
