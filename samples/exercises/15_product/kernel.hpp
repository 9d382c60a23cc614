// Exercise 15: a product of matrices in tiles. The page is README.md beside this file; try your answer with samples/exercise 15
#include <parprims/simt/simt.hpp>

namespace simt = parprims::simt;

/// c = a * b, of n x n numbers, n a multiple of 16. A block of 256 threads has a tile of 16 x 16 of c.
struct product {
    struct shared_storage {
        simt::shared_array<float, 16, 16> a;
        simt::shared_array<float, 16, 16> b;
    };
    simt::global<const float> a;
    simt::global<const float> b;
    simt::global<float> c;
    unsigned n;

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage& shared) const
    {
        const unsigned tiles = n / 16;
        const unsigned x = block.thread() % 16, y = block.thread() / 16;
        const unsigned row = static_cast<unsigned>(block.index()) / tiles * 16 + y;
        const unsigned column = static_cast<unsigned>(block.index()) % tiles * 16 + x;
        float sum = 0;
        // Your code: for each k = 0, 16, 32, ... bring a tile of a (rows of this block, columns from k on) and one of b (rows from k on,
        // columns of this block) to shared memory, and add 16 products to the sum.
        c[row * n + column] = sum;
    }
};
