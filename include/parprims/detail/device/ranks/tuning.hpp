/// @file
/// @brief  The launch numbers of calls over several ranks. None can change a result. Measured on an H200 (CUDA 13.0, 2026-11-22)
///         with 2^30 floats, one rank's kernels on one GPU.
#pragma once

#include <chrono>
#include <cstddef>

namespace parprims::detail::device {

/// Units of chunks that there are for each block before a unit has more than a chunk for each of its warps. 945 us; 975 where
/// each warp folds units of its own of 16 chunks (add2f7d); other numbers were not compared. One block of 512 threads on a
/// multiprocessor: 2^31 floats on two GPUs 964 us, 969 with two of 256, 974 with two of 512 (36a6d2c).
inline constexpr std::size_t rank_rounds = 8;
inline constexpr unsigned rank_fold_threads = 512;

/// Bytes that a group keeps for its calls, so that small ones allocate nothing.
inline constexpr std::size_t rank_scratch_bytes = 4 * 1024;

/// Threads of a block that folds tiles, and such blocks on a multiprocessor. From any element on: 967 us with three or four
/// blocks, 1048 with five; 1185 to 1197 through shared memory (add2f7d).
inline constexpr unsigned rank_tile_threads = 256;
inline constexpr unsigned rank_tile_blocks_per_sm = 4;

// Not compared with other values.

/// How long the host looks for the value of a reduction before it asks the driver whether the stream has completed.
inline constexpr std::chrono::microseconds rank_max_spin_time(200);
/// Totals that a lane folds at a time, of complete units.
template <class T>
inline constexpr unsigned rank_lane_totals = sizeof(T) <= 4   ? 16
                                             : sizeof(T) <= 8 ? 8
                                                              : 1;
/// Totals of chunks that a block folds between two barriers.
template <class T>
inline constexpr unsigned max_rank_totals = sizeof(T) <= 16 ? 512 : 32;
/// Threads of the block that combines the messages of a reduction; of blocks that scan the borders and the start; of blocks that
/// convert counters or sums, and the most of these.
inline constexpr unsigned rank_finish_threads = 256;
inline constexpr unsigned rank_scan_threads = 512;
inline constexpr unsigned rank_counts_threads = 256;
inline constexpr std::size_t max_rank_counts_blocks = 1024;
/// Batches of 32 totals that are loaded ahead, and shuffles before their results are needed.
template <class T>
inline constexpr unsigned rank_batches_ahead = sizeof(T) <= 8 ? 4 : 1;
template <class T>
inline constexpr unsigned rank_shuffles_at_once = sizeof(T) <= 16 ? 8 : 1;

}  // namespace parprims::detail::device
