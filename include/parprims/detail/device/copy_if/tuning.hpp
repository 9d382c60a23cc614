/// @file
/// @brief  The launch numbers of `copy_if`. None can change a result. Measured on an H200 (CUDA 13.0) by device_bench at d18e659,
///         2^28 elements, half kept; "not compared" marks a number for which no alternative has been timed.
#pragma once

#include <cstddef>

namespace parprims::detail::device {

/// Two blocks of 256 threads with 8 packets each: 184 us (8 bits), 462 (32 bits), 868 (64 bits). One block of 512 threads: 211,
/// 531, 990; four of 128: 181, 540, 1058; three of 256 with 4 packets: 202, 519, 996.
inline constexpr unsigned copy_if_threads = 256;
inline constexpr unsigned copy_if_blocks_per_sm = 2;  ///< resident, for which registers are given out
inline constexpr unsigned copy_if_rows = 8;           ///< packets of a lane
inline constexpr unsigned copy_if_element_rows = 8;   ///< elements of a lane, where they are no packets; not compared
/// Bytes of status words that the last block zeroes; more are scratch, and a memset zeroes them. Not compared.
inline constexpr std::size_t max_reset_bytes = 8 * 1024;
/// Bytes of a value at most that stays in registers between its predicate and its store. Not compared.
inline constexpr std::size_t max_staged_bytes = 16;
/// Bytes of the values of a packet at most, as computed from its elements, so that a warp fits 64 KiB of shared memory:
/// the least that a GPU has.
inline constexpr std::size_t max_staged_packet_bytes = 128;

}  // namespace parprims::detail::device
