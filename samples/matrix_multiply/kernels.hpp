/// @file
/// @brief  The product of two matrices: from global memory, and through tiles in shared memory.
/// @source  NVIDIA, "CUDA C++ Programming Guide", shared memory
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <cstddef>

namespace matrix_multiply {

namespace simt = parprims::detail::simt;
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

/// Tiles in shared memory: what a block reads of A and B it reads once, and each value serves `Tile` threads.
template <unsigned Tile>
struct tiled_kernel {
    static constexpr unsigned threads = Tile * Tile;
    static constexpr unsigned max_threads = threads;
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
        const std::size_t row = block.index() / across * Tile + y;
        const std::size_t column = block.index() % across * Tile + x;
        float sum = 0;
        for (std::size_t first = 0; first < p.k; first += Tile) {
            // 1. Each thread brings one value of either tile; zeros beyond the matrices.
            shared.a[y][x] = row < p.m && first + x < p.k ? static_cast<float>(p.a[row * p.k + first + x]) : 0.0f;
            shared.b[y][x] =
                first + y < p.k && column < p.n ? static_cast<float>(p.b[(first + y) * p.n + column]) : 0.0f;
            block.sync();
            // 2. The product of the tiles.
#pragma unroll
            for (unsigned i = 0; i < Tile; ++i)
                sum += shared.a[y][i] * shared.b[i][x];
            block.sync();
        }
        if (branch(row < p.m && column < p.n))
            p.c[row * p.n + column] = sum;
    }
};

}  // namespace matrix_multiply
