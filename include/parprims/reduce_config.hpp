/// @file
/// @brief  The launch configuration of reductions.
#pragma once

#include <parprims/detail/push_macros.hpp>  // first

namespace parprims {

/// @brief  The launch configuration of `reduce` on the device. It changes the time of a call, never its result.
/// @snippet device.cpp configs
struct reduce_config {
    /// Threads per block, at most: a multiple of 32 from 32 to 1024, rounded down to a power of two if there are several blocks.
    /// Large inputs use at most 512; values of more than 16 bytes at most 256, fewer where shared memory is short. Few values of 9
    /// to 16 bytes use at most 256, few of 17 to 64 bytes at most 128.
    unsigned block_threads = 512;
    /// Blocks per multiprocessor, at most: 1 to 32. Small inputs have one.
    unsigned blocks_per_sm = 1;
    /// Consecutive chunks that a warp folds, at least: a power of two. 0: chosen by the library, which also takes the kernel for
    /// small inputs where it is faster.
    unsigned subtree_chunks = 0;

    friend bool operator==(const reduce_config&, const reduce_config&) = default;
};

}  // namespace parprims

#include <parprims/detail/pop_macros.hpp>
