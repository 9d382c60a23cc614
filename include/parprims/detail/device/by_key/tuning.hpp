/// @file
/// @brief  The launch numbers of scans and reductions by key. None can change a result. Measured on an
///         H200 (CUDA 13.0, 2026-11-22) at f49fd4d, in a program of their kernels alone.
#pragma once

#include <cstddef>

namespace parprims::detail::device {

/// Blocks to be resident on a multiprocessor, for which registers are given out, where keys and values of a warp take so many
/// bytes of shared memory. 2^28 elements, an inclusive scan by key in three blocks and in two: i8/i8 332 and 354 us, i32/f32 851
/// and 964, i64/f32 1237 and 1092.
constexpr unsigned keyed_blocks_per_sm(std::size_t region_bytes)
{
    return region_bytes <= 6 * 1024 ? 3 : 2;
}
/// Bytes of the keys or the values of a tile at most that pass through shared memory; not compared with others.
inline constexpr std::size_t max_keyed_stage_bytes = 32 * 1024;
/// Bytes of a lane's elements at most that are read as packets; not compared with others.
inline constexpr std::size_t max_keyed_lane_bytes = 128;
/// Groups of tiles that a block folds between two barriers: with the tile's own group, one for each lane.
inline constexpr unsigned max_keyed_groups = 31;
/// Bytes of status words that the last block zeroes; more are scratch, and a memset zeroes them. Not compared.
inline constexpr std::size_t max_keyed_reset_bytes = 8 * 1024;

}  // namespace parprims::detail::device
