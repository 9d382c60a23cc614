/// @file
/// @brief  How a reduction is launched.
#pragma once

namespace parprims {

/// @brief  Launch numbers of `reduce` on the device. None of them changes a result, only the time it takes.
struct reduce_config {
    unsigned block_threads =
        512;                      ///< threads per block, a multiple of 32 from 32 to 1024; large inputs use at most 512
    unsigned blocks_per_sm = 1;   ///< blocks per multiprocessor: 1 to 32
    unsigned subtree_chunks = 0;  ///< minimum of chunks that a warp folds in a row: a power of two; 0 chooses by n

    friend bool operator==(const reduce_config&, const reduce_config&) = default;
};

}  // namespace parprims
