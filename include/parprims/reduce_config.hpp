/// @file
/// @brief  The launch configuration of reductions.
#pragma once

namespace parprims {

/// @brief  The launch configuration of `reduce` on the device. It changes the time of a call, never its result.
/// @snippet device.cpp configs
struct reduce_config {
    /// Threads a block: a multiple of 32 from 32 to 1024. Large inputs use at most 512; values of
    /// more than 16 bytes at most 256, and no more than their rings in shared memory allow.
    unsigned block_threads = 512;
    unsigned blocks_per_sm = 1;   ///< blocks a multiprocessor: 1 to 32
    unsigned subtree_chunks = 0;  ///< fewest consecutive chunks that a warp folds: a power of two; 0: chosen by n

    friend bool operator==(const reduce_config&, const reduce_config&) = default;
};

}  // namespace parprims
