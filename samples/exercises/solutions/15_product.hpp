// Exercise 15: a product of matrices in tiles, solved.
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
        for (unsigned k = 0; k < n; k += 16) {
            shared.a[y][x] = a[row * n + k + x];
            shared.b[y][x] = b[(k + y) * n + column];
            block.sync();
            for (unsigned j = 0; j < 16; ++j)
                sum += shared.a[y][j] * shared.b[j][x];
            block.sync();
        }
        c[row * n + column] = sum;
    }
};
