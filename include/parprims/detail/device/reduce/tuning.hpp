/// @file
/// @brief  The launch numbers of reductions. None can change a result. Measured on an H200 (CUDA 13.0) by device_bench.
#pragma once

#include <parprims/detail/device/launch/tuning_table.hpp>
#include <parprims/reduce_config.hpp>

#include <cstddef>

namespace parprims::detail::device {

/// The configuration of a call that names none.
inline constexpr tuning_row<reduce_config> reduce_tuning[] = {
    {75, 1, false, {512, 1, 0}},  {90, 1, true, {512, 1, 0}},    {90, 33, true, {512, 2, 0}},
    {100, 1, false, {512, 1, 0}}, {100, 33, false, {512, 2, 0}},
};

// Many elements.

/// Threads of a block at most: with 512, a multiprocessor's registers hold all 16 rows of a chunk for each warp. 2^30 floats:
/// 936 us by one block of 512 threads, 951 by two blocks whose warps hold 8 rows (2e8bbf5).
inline constexpr unsigned max_reduce_threads = 512;
inline constexpr std::size_t max_single_block_subtrees = 16;
inline constexpr std::size_t min_reduce_warps = 4;  ///< of a block, when blocks shrink to occupy all multiprocessors
/// Subtrees that each warp folds in a run at most. 3 * 2^25 halves: 49.4 us in 96 blocks of two runs of eight rounds, 47.6 in
/// 128 blocks of three runs of four (2e8bbf5).
inline constexpr std::size_t max_run_rounds = 8;
/// Bytes of partials in words of all runs. The workspace of a stream has room for as much.
inline constexpr std::size_t max_partial_bytes = 32 * 1024;
inline constexpr std::size_t max_large_runs = 1024;  ///< of values of more than 16 bytes, whose words may be scratch

/// Values of more bytes are loaded one by one: for rows of them the first-level cache is too small. 2^27 values of 40 bytes:
/// 2.29 ms one by one, 2.50 four at a time (2e8bbf5).
inline constexpr std::size_t max_batched_bytes = 32;

// Few elements.

/// Values of more bytes are reduced by the kernel for many elements once one cluster is not enough: 2^18 doubles take 5.3 us
/// in words of the small kernel, 5.1 in the other (2e8bbf5).
inline constexpr std::size_t max_small_word_bytes = 4;

}  // namespace parprims::detail::device
