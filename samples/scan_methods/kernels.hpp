/// @file
/// @brief  From blocks to inputs of any length: block scan -> block sums -> scan of the sums -> fixup, and the other way
///         round: block sums -> scan of the sums -> block scan.
/// @source  Harris, Sengupta and Owens, "Parallel Prefix Sum (Scan) with CUDA", GPU Gems 3
#pragma once

#include "scan_methods/block_scans.hpp"

#include <cstddef>

namespace scan_methods {

/// Scans one value a thread; `sums` gets the block's sum, where there is more than one block. With `prefixes`, what comes
/// before the block is added.
template <class Method, class T>
struct scan_kernel {
    static constexpr unsigned max_threads = 1024;
    using shared_storage = typename Method::shared_storage;

    simt::global<const T> in;
    simt::global<T> out;  ///< may be `in`
    std::size_t n;
    simt::global<T> sums;            ///< or null
    simt::global<const T> prefixes;  ///< or null: of block b the sum of all blocks to b

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage& shared) const
    {
        const std::size_t i = block.index() * block.threads() + block.thread();
        T sum = Method::scan(block, shared, i < n ? static_cast<T>(in[i]) : T{});
        if (branch(sums.data != nullptr && block.thread() == block.threads() - 1))
            sums[block.index()] = sum;
        if (branch(prefixes.data != nullptr && block.index() > 0))
            sum = add<T>(prefixes[block.index() - 1], sum);
        if (branch(i < n))
            out[i] = sum;
    }
};

/// Adds to the values of each block what comes before it.
template <class T>
struct fixup_kernel {
    static constexpr unsigned max_threads = 1024;
    struct shared_storage {};

    simt::global<T> values;
    std::size_t n;
    simt::global<const T> prefixes;

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage&) const
    {
        const std::size_t i = block.index() * block.threads() + block.thread();
        begin_step(block);
        if (branch(block.index() > 0 && i < n))
            values[i] = add<T>(prefixes[block.index() - 1], values[i]);
    }
};

/// The sums of the blocks alone.
template <class T>
struct sums_kernel {
    static constexpr unsigned max_threads = 1024;
    struct shared_storage {
        simt::shared_array<T, 32> warp_sums;
    };

    simt::global<const T> in;
    std::size_t n;
    simt::global<T> sums;

    PARPRIMS_DEVICE static T fold_warp(simt::block block, T sum)
    {
#pragma unroll
        for (unsigned distance = simt::warp_size / 2; distance > 0; distance /= 2) {
            begin_step(block);
            sum = add(sum, simt::shuffle_down(sum, distance));
        }
        return sum;
    }

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage& shared) const
    {
        const std::size_t i = block.index() * block.threads() + block.thread();
        T sum = fold_warp(block, i < n ? static_cast<T>(in[i]) : T{});
        if (branch(block.lane() == 0))
            shared.warp_sums[block.warp()] = sum;
        block.sync();
        if (branch(block.warp() != 0))
            return;
        sum = fold_warp(block, block.lane() < block.warps() ? static_cast<T>(shared.warp_sums[block.lane()]) : T{});
        if (branch(block.lane() == 0))
            sums[block.index()] = sum;
    }
};

}  // namespace scan_methods
