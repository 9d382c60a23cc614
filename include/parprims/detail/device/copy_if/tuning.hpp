/// @file
/// @brief  The launch numbers of `copy_if`. None can change a result. Measured on an H200 (CUDA 13.0) by device_bench at d18e659,
///         2^28 elements, half kept; "not compared" marks a number for which no alternative has been timed.
#pragma once

#include <cstddef>

namespace parprims::detail::device {

/// Two blocks of 256 threads with 8 packets each: 184 us (8 bits), 462 (32 bits), 868 (64 bits). One block of 512 threads: 211,
/// 531, 990; four of 128: 181, 540, 1058; three of 256 with 4 packets: 202, 519, 996.
inline constexpr unsigned copy_if_threads = 256;
struct large_tile {
    static constexpr unsigned blocks_per_sm = 2;  ///< resident, for which registers are given out
    static constexpr unsigned rows = 8;           ///< packets of a lane
};
/// With few elements, smaller tiles occupy more multiprocessors, and there is less code to fetch: 2^8 ints take 1.8 us, not 2.6;
/// 2^20 bytes 4.3, not 6.2. Up to a tile for each multiprocessor: 3 * 2^16 ints take 3.7 us, not 4.4, 2^18 3.8, not 4.4 (78e79d1).
struct small_tile {
    static constexpr unsigned blocks_per_sm = 4;
    static constexpr unsigned rows = 2;
};
/// Between them, up to a tile for each multiprocessor, and for a tile alone. Measured at c6b3c6e: 2^12 ints take 2.1 us, 2.6 with
/// tiles of 8 packets a lane; 2^14 bytes 3.0, 3.5 with tiles of 2; 2^21 bytes 5.0, 2^19 ints 4.1, 6.2 and 4.3 with tiles of 8.
struct medium_tile {
    static constexpr unsigned blocks_per_sm = 2;
    static constexpr unsigned rows = 4;
};
/// Elements of a packet at most for which one large tile is better than several small ones, whose blocks wait for each other: 3072
/// to 8192 ints take 2.5 to 3.0 us, not 3.1 to 3.3; but 8192 bytes 3.5, not 2.3 (2cb9c6c).
inline constexpr std::size_t max_single_tile_items = 4;
/// Bytes of a value at most that stays in registers between its predicate and its store. Not compared.
inline constexpr std::size_t max_staged_bytes = 16;
/// Bytes of the values of a packet at most, as computed from its elements, so that a warp fits 64 KiB of shared memory:
/// the least that a GPU has.
inline constexpr std::size_t max_staged_packet_bytes = 128;

}  // namespace parprims::detail::device
