// Exercise 14: a transposition in tiles. The page is README.md beside this file; try your answer with samples/exercise 14
#include <parprims/simt/simt.hpp>

namespace simt = parprims::simt;

/// out[c][r] = in[r][c], of n x n numbers, n a multiple of 32. A block of 1024 threads has a tile of 32 x 32; block.warp() is its row.
struct transpose {
    struct shared_storage {
        simt::shared_array<int, 32, 32> tile;  // int tile[32][32]
    };
    simt::global<const int> in;
    simt::global<int> out;
    unsigned n;

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage& shared) const
    {
        const unsigned tiles = n / 32;
        const unsigned row = static_cast<unsigned>(block.index()) / tiles * 32;  // where the tile begins in `in`
        const unsigned column = static_cast<unsigned>(block.index()) % tiles * 32;
        // Your code: bring the tile to shared memory by rows of `in`, then write it by rows of `out`. Look at the bank conflicts, and change
        // the tile above.
    }
};
