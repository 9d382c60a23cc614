/// @file
/// @brief  The launch numbers of calls over several ranks. None can change a result. Measured on an H200 (CUDA 13.0, 2026-11-22)
///         with 2^30 floats, one rank's kernels on one GPU.
#pragma once

#include <cstddef>

namespace parprims::detail::device {

/// Units of chunks that there are for each block before a unit has more than a chunk for each of its warps. 945 us; 975 where
/// each warp folds units of its own of 16 chunks (add2f7d); other numbers were not compared.
inline constexpr std::size_t rank_rounds = 8;
inline constexpr unsigned rank_fold_threads = 512;

/// Bytes that a group keeps for its calls, so that small ones allocate nothing.
inline constexpr std::size_t rank_scratch_bytes = 4 * 1024;

/// Threads of a block that folds tiles, and such blocks on a multiprocessor. From any element on: 967 us with three or four
/// blocks, 1048 with five; 1185 to 1197 through shared memory (add2f7d).
inline constexpr unsigned rank_tile_threads = 256;
inline constexpr unsigned rank_tile_blocks_per_sm = 4;

}  // namespace parprims::detail::device
