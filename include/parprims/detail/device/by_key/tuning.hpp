/// @file
/// @brief  The launch numbers of scans and reductions by key. None can change a result. Measured on an H200 (CUDA 13.0, 2026-11-22)
///         in a program of their kernels alone: 2^28 elements, runs of 2.
#pragma once

#include <cstddef>

namespace parprims::detail::device {

/// Blocks to be resident on a multiprocessor, for which registers are given out. Of 128 threads, by the shared memory of a block:
/// a segmented scan of f32 (33 KB) in four blocks, three: 681 and 693 us; an inclusive scan by key of i32/f32 (50 KB) in three,
/// four: 837 and 951; more than 75 KiB fit only twice. Of 256 threads, a reduction of i8/i8 took 447 us in two blocks and in
/// three, where registers were spilled.
constexpr unsigned keyed_blocks_per_sm(unsigned threads, std::size_t shared_bytes)
{
    if (threads > 128 || shared_bytes > 75 * 1024)
        return 2;
    return shared_bytes <= 40 * 1024 ? 4 : 3;
}
/// Bytes of the keys or the values of a tile at most that pass through shared memory: of elements of up to 64 bytes, and of larger
/// ones, so that a block needs at most 99 KiB. Not compared with others.
constexpr std::size_t max_keyed_stage_bytes(std::size_t element_bytes)
{
    return element_bytes <= 64 ? 32 * 1024 : 16 * 1024;
}
/// Bytes of a lane's elements at most that are read as packets, and of its keys that stay in registers; not compared with others.
inline constexpr std::size_t max_keyed_lane_bytes = 256;
/// Groups of tiles that a block folds between two barriers, if their totals have so many bytes: with the tile's own group, at most
/// one for each lane.
constexpr unsigned max_keyed_groups(std::size_t total_bytes)
{
    return total_bytes <= 512 ? 31 : total_bytes <= 8 * 1024 ? static_cast<unsigned>(16 * 1024 / total_bytes) : 1;
}
/// Groups of tiles of which the warps of a block read the words at a time. A reduction of i32/f32: 956 us, with half as many 1020.
inline constexpr unsigned keyed_groups_at_a_time = 16;
/// Bytes of status words that the last block zeroes; more are scratch, and a memset zeroes them. Not compared.
inline constexpr std::size_t max_keyed_reset_bytes = 8 * 1024;

}  // namespace parprims::detail::device
