/// @file
/// @brief  The numbers of calls with many histograms. None can change a result.
#pragma once

#include <cstddef>

namespace parprims::detail::device {

/// Threads of a block, and of all blocks on a multiprocessor: so each has 80 registers. 10^4 rows of 65536 f32 in 256 bins, the slowest of
/// six spreads (H200, read limit 582 us): 647 us with 256 threads, 664 with 384, 747 with 768; 922 with 512 threads of 64 registers.
inline constexpr unsigned lines_block_threads = 256;
inline constexpr unsigned lines_sm_threads = 768;
/// Blocks at most where each has one line or a part of it. 630 us with a block for each of these rows, 647 with as many as are resident.
inline constexpr std::size_t max_line_blocks = std::size_t{1} << 20;
/// Samples of a tile for each thread where lines are split, at least; of lines of all tiles of a block, if lengths differ. Not compared.
inline constexpr std::size_t max_line_samples = 128;
/// Tiles of a block, at least, where lines are split and their lengths differ. Not compared.
inline constexpr std::size_t block_tiles = 4;
/// Samples of a run from which on threads take runs, not each sample by itself. Not compared.
inline constexpr std::size_t min_run = 16;
/// Packets of a thread in a run, before more threads count it; but a warp counts a run where a line has many. 16 images of 7680 x 4320
/// pixels of 4 bytes, pitched, the slowest of four spreads (H200, read limit 471 us): 592 us with a warp, 631 with two, 1423 with 24.
inline constexpr unsigned group_packets = 16;
inline constexpr std::size_t many_runs = 64;
/// Samples for each thread of a group from which on all threads of a block count a run. Not compared.
inline constexpr std::size_t max_group_samples = 128;
/// Counters that are zeroed and written in the time of counting a sample. Not compared.
inline constexpr std::size_t counters_per_sample = 2;
/// Bytes of the replicas of a line, at most. 32 of 4 x 256 counters leave room for one block on a multiprocessor. Not compared.
inline constexpr std::size_t max_replicated_bytes = 144 * 1024;
/// Loads of a thread in flight where samples do not follow one another. Not compared.
inline constexpr unsigned strided_loads = 8;
/// Neighbouring lines of a tile where neighbouring threads take them. Not compared.
inline constexpr std::size_t across_lines = 32;

}  // namespace parprims::detail::device
