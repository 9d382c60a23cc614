/// @file
/// @brief  The product of two matrices with tiles in shared memory and a square of C in the registers of each thread.
///
/// A value that comes from shared memory serves eight multiplications, 16 bytes come at a time, and two tiles are on their
/// way from global memory while a third one is worked on.
/// @source  Volkov and Demmel, "Benchmarking GPUs to Tune Dense Linear Algebra"
#pragma once

#include "matrix_multiply/kernels.hpp"

namespace matrix_multiply {

/// Four neighbours in a row, read and written as one.
struct alignas(16) quad {
    float values[4];
};

struct blocked_kernel {
    static constexpr unsigned threads = 256;
    static constexpr unsigned max_threads = 512;  // leaves registers for two blocks on a multiprocessor
    static constexpr unsigned tile = 128;         // rows and columns of C that a block makes
    static constexpr unsigned depth = 16;         // columns of A, rows of B at a time
    static constexpr unsigned stages = 3;
    static constexpr unsigned side = 8;             // a thread makes side x side elements of C
    static constexpr unsigned lines = tile / side;  // and the next of its rows is `lines` further down

    struct stage {
        float a[tile][depth + 4];  // four more: the rows that a warp reads begin in different banks
        float b[depth][tile];
    };
    struct alignas(16) shared_storage {
        stage stages[blocked_kernel::stages];
    };

    product p;
    bool has_quads;  ///< every row of A, B and C begins at a multiple of 16 bytes

    std::size_t blocks() const { return ceil_div(p.m, tile) * ceil_div(p.n, tile); }

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage& shared) const
    {
        const corner at = corner_of(block.index());
        const bool is_whole = has_quads && at.row + tile <= p.m && at.column + tile <= p.n && p.k % depth == 0;
        if (is_whole)
            multiply<true>(block, shared, at);
        else
            multiply<false>(block, shared, at);
    }

private:
    using packet = simt::packet<16>;

    /// Where a block's part of C begins.
    struct corner {
        std::size_t row;
        std::size_t column;
    };

    /// Blocks go down 8 tiles before they go right, so that those that run together share what is in the cache.
    PARPRIMS_DEVICE corner corner_of(std::size_t block) const
    {
        const std::size_t down = ceil_div(p.m, tile), across = ceil_div(p.n, tile), group = 8 * across;
        const std::size_t first = block / group * 8, rows = down - first < 8 ? down - first : 8;
        return {(first + block % group % rows) * tile, block % group / rows * tile};
    }

    template <bool IsWhole>
    PARPRIMS_DEVICE void multiply(simt::block block, shared_storage& shared, const corner& at) const
    {
        // A warp makes 4 x 8 of the threads' squares, so that its lanes together read little of A and B; and lanes next to
        // each other read the same of B, those two apart the same of A, which the hardware serves at once.
        const unsigned lane = block.lane();
        const unsigned y = block.warp() / 2 * 4 + lane / 16 * 2 + lane % 2;
        const unsigned x = block.warp() % 2 * 8 + lane / 2 % 8;
        float sums[side][side] = {};
        const std::size_t steps = ceil_div(p.k, depth);

        // 1. All stages but one are on their way.
        for (unsigned s = 0; s + 1 < stages; ++s) {
            if (s < steps)
                fetch<IsWhole>(block, shared.stages[s], at, s * depth);
            simt::commit_copies();
        }
        unsigned now = 0, next = stages - 1;
        for (std::size_t step = 0; step < steps; ++step) {
            // 2. This step's stage is there, and everybody is done with the one before, which is free now.
            simt::wait_copies<stages - 2>();
            block.sync();
            if (step + stages - 1 < steps)
                fetch<IsWhole>(block, shared.stages[next], at, (step + stages - 1) * depth);
            simt::commit_copies();
            // 3. The product of the tiles.
            accumulate(shared.stages[now], y, x, sums);
            now = now + 1 == stages ? 0 : now + 1;
            next = next + 1 == stages ? 0 : next + 1;
        }
        write<IsWhole>(at, y, x, sums);
    }

    /// Starts the copies of a stage: each thread brings two quads of A and two of B.
    template <bool IsWhole>
    PARPRIMS_DEVICE void fetch(simt::block block, stage& to, const corner& at, std::size_t first) const
    {
#pragma unroll
        for (unsigned i = 0; i < tile * depth / 4 / threads; ++i) {
            const unsigned quad = block.thread() + i * threads;
            const unsigned row = quad / (depth / 4), column = quad % (depth / 4) * 4;
            fetch_quad<IsWhole>(&to.a[row][column], p.a.data, p.k, p.m, at.row + row, first + column);
        }
#pragma unroll
        for (unsigned i = 0; i < depth * tile / 4 / threads; ++i) {
            const unsigned quad = block.thread() + i * threads;
            const unsigned row = quad / (tile / 4), column = quad % (tile / 4) * 4;
            fetch_quad<IsWhole>(&to.b[row][column], p.b.data, p.n, p.k, first + row, at.column + column);
        }
    }

    /// Four values of a matrix; zeros beyond its end.
    template <bool IsWhole>
    PARPRIMS_DEVICE void fetch_quad(float* to, const float* matrix, std::size_t width, std::size_t height,
                                    std::size_t row, std::size_t column) const
    {
        const float* const from = matrix + row * width + column;
        if (IsWhole || (has_quads && row < height && column < width)) {
            simt::copy_async(reinterpret_cast<packet*>(to), reinterpret_cast<const packet*>(from));
        } else {
            fetch_some(to, from, row < height && column < width ? width - column : 0);
        }
    }

    /// The first `count` of four values, and zeros.
    PARPRIMS_DEVICE static void fetch_some(float* to, const float* from, std::size_t count)
    {
        for (unsigned e = 0; e < 4; ++e) {
            if (e < count)
                simt::copy_async(reinterpret_cast<simt::packet<4>*>(to + e),
                                 reinterpret_cast<const simt::packet<4>*>(from + e));
            else
                simt::store(to + e, 0.0f);
        }
    }

    PARPRIMS_DEVICE static quad read(const float* from) { return simt::load(reinterpret_cast<const quad*>(from)); }

    /// The thread's square of C grows by what one stage gives: 8 rows of A, four columns at a time, against 4 + 4 columns
    /// of B.
    PARPRIMS_DEVICE static void accumulate(const stage& from, unsigned y, unsigned x, float (&sums)[side][side])
    {
#pragma unroll
        for (unsigned first = 0; first < depth; first += 4) {
            quad a[side];
#pragma unroll
            for (unsigned j = 0; j < side; ++j)
                a[j] = read(&from.a[y + lines * j][first]);
#pragma unroll
            for (unsigned i = 0; i < 4; ++i) {
                const quad b[2] = {read(&from.b[first + i][4 * x]), read(&from.b[first + i][tile / 2 + 4 * x])};
#pragma unroll
                for (unsigned j = 0; j < side; ++j)
#pragma unroll
                    for (unsigned e = 0; e < side; ++e)
                        sums[j][e] += a[j].values[i] * b[e / 4].values[e % 4];
            }
        }
    }

    PARPRIMS_DEVICE static void write_some(float* to, const float* from, std::size_t count)
    {
#pragma unroll
        for (unsigned e = 0; e < 4; ++e)
            if (e < count)
                simt::store(to + e, from[e]);
    }

    template <bool IsWhole>
    PARPRIMS_DEVICE void write(const corner& at, unsigned y, unsigned x, const float (&sums)[side][side]) const
    {
#pragma unroll
        for (unsigned j = 0; j < side; ++j) {
            const std::size_t row = at.row + y + lines * j;
#pragma unroll
            for (unsigned half = 0; half < 2; ++half) {
                const std::size_t column = at.column + half * tile / 2 + 4 * x;
                float* const to = p.c.data + row * p.n + column;
                const float* const from = sums[j] + 4 * half;
                const bool is_inside = IsWhole || (row < p.m && column < p.n);
                if (IsWhole || (has_quads && is_inside))
                    simt::store(reinterpret_cast<quad*>(to), quad{{from[0], from[1], from[2], from[3]}});
                else if (is_inside)
                    write_some(to, from, p.n - column);
            }
        }
    }
};

}  // namespace matrix_multiply
