/// @file
/// @brief  The product of two matrices: from global memory, and through tiles in shared memory.
/// @source  NVIDIA, "CUDA C++ Programming Guide", shared memory
#pragma once

#include <parprims/config.hpp>
#include <parprims/simt/simt.hpp>

#include <cstddef>

namespace matrix_multiply {

namespace simt = parprims::simt;
using simt::branch;

/// C = A B, each stored row by row: A has m rows of k, B has k rows of n, C has m rows of n.
struct product {
    simt::global<const float> a;
    simt::global<const float> b;
    simt::global<float> c;
    std::size_t m;
    std::size_t n;
    std::size_t k;
};

PARPRIMS_HOST_DEVICE constexpr std::size_t ceil_div(std::size_t n, std::size_t unit)
{
    return (n + unit - 1) / unit;
}

/// The textbook's: a thread for each element of C, which reads its row of A and its column of B.
struct naive_kernel {
    static constexpr unsigned tile = 16;  // of a block's threads
    static constexpr unsigned threads = tile * tile;
    static constexpr unsigned max_threads = threads;
    struct shared_storage {};

    product p;

    std::size_t blocks() const { return ceil_div(p.m, tile) * ceil_div(p.n, tile); }

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage&) const
    {
        const std::size_t across = ceil_div(p.n, tile);
        const std::size_t row = block.index() / across * tile + block.thread() / tile;
        const std::size_t column = block.index() % across * tile + block.thread() % tile;
        if (branch(row >= p.m || column >= p.n))
            return;
        float sum = 0;
        for (std::size_t i = 0; i < p.k; ++i)
            sum += p.a[row * p.k + i] * p.b[i * p.n + column];
        p.c[row * p.n + column] = sum;
    }
};

/// Tiles in shared memory: what a block reads of A and B it reads once, and each value serves `Tile` elements of C.
///
/// The textbook's thread makes one element: two values from shared memory for each product, which is what then limits it.
/// A thread with `Rows` of a column reads the value of B once for all of them.
template <unsigned Tile, unsigned Rows = 1>
struct tiled_kernel {
    static constexpr unsigned height = Tile / Rows;  // of the block's threads
    static constexpr unsigned threads = Tile * height;
    static constexpr unsigned max_threads = threads;
    static_assert(Tile % Rows == 0 && threads % simt::warp_size == 0, "whole rows of threads, whole warps");
    struct shared_storage {
        alignas(16) simt::shared_array<float, Tile, Tile> a;
        alignas(16) simt::shared_array<float, Tile, Tile> b;
    };

    product p;

    std::size_t blocks() const { return ceil_div(p.m, Tile) * ceil_div(p.n, Tile); }

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage& shared) const
    {
        const std::size_t across = ceil_div(p.n, Tile);
        const unsigned y = block.thread() / Tile, x = block.thread() % Tile;
        const std::size_t top = block.index() / across * Tile;
        const std::size_t column = block.index() % across * Tile + x;
        float sums[Rows] = {};  // of rows y, y + height ... of the tile
        for (std::size_t first = 0; first < p.k; first += Tile) {
            // 1. The threads bring both tiles; zeros beyond the matrices.
#pragma unroll
            for (unsigned r = 0; r < Rows; ++r) {
                const unsigned line = y + r * height;
                const std::size_t row = top + line;
                shared.a[line][x] =
                    row < p.m && first + x < p.k ? static_cast<float>(p.a[row * p.k + first + x]) : 0.0f;
                shared.b[line][x] =
                    first + line < p.k && column < p.n ? static_cast<float>(p.b[(first + line) * p.n + column]) : 0.0f;
            }
            block.sync();
            // 2. The product of the tiles.
#pragma unroll
            for (unsigned i = 0; i < Tile; ++i) {
                const float b = shared.b[i][x];
#pragma unroll
                for (unsigned r = 0; r < Rows; ++r)
                    sums[r] += shared.a[y + r * height][i] * b;
            }
            block.sync();
        }
        // 3. Each thread writes what it made.
#pragma unroll
        for (unsigned r = 0; r < Rows; ++r) {
            const std::size_t row = top + y + r * height;
            if (branch(row < p.m && column < p.n))
                p.c[row * p.n + column] = sums[r];
        }
    }
};

}  // namespace matrix_multiply
