/// @file
/// @brief  The launch numbers of `copy_if`. None can change a result. Measured on an H200 (CUDA 13.0) by device_bench at d18e659,
///         2^28 elements, half kept, or beside the commit that is named; "not compared" marks a number for which no alternative has
///         been timed.
#pragma once

#include <cstddef>

namespace parprims::detail::device {

inline constexpr unsigned copy_if_threads = 256;  ///< of a block, at most
/// Threads of a block with a small tile, or with one of few medium tiles, where elements of one or two bytes are a stencil: a packet then keeps up
/// to 16 elements of another array. 65536, 10^6 and 3 * 10^6 flags, i32: 4.1, 5.2 and 7.4 us, with 256 threads 5.4, 5.9 and 8.4; f64: 3.9, 5.5 and
/// 9.1, with 256 5.8, 6.4 and 10.2; with 64 threads 65536 take as long, 10^6 7.2 us (in a graph, beside 6033b12b and 6dfb6020).
inline constexpr unsigned few_stencil_threads = 128;

/// Many tiles. Two blocks of 256 threads with 8 packets each: 184 us (8 bits), 462 (32 bits), 868 (64 bits). One block of 512
/// threads: 211, 531, 990; four of 128: 181, 540, 1058; three of 256 with 4 packets: 202, 519, 996. Not for stencils of bytes: 9 * 10^6
/// and 10^8 flags, i32, 44 and 209 us, in medium tiles 29 and 212; i8 27 and 147, 16 and 160; f64 54 and 321, 39 and 310 (beside 6dfb6020).
struct large_tile {
    static constexpr unsigned rows = 8;           ///< packets of a lane
    static constexpr unsigned blocks_per_sm = 2;  ///< resident, for which registers are given out
};
/// Few elements: smaller tiles occupy more multiprocessors, and there is less code to fetch.
struct medium_tile {
    static constexpr unsigned rows = 4;
    static constexpr unsigned blocks_per_sm = 2;
};
struct small_tile {
    static constexpr unsigned rows = 2;
    static constexpr unsigned blocks_per_sm = 4;
};
/// Tiles for each multiprocessor at most, so that a block has each, if they may be larger. 12 MiB of ints in large tiles 5.5 us, 8.3 by tickets;
/// 16 MiB 7.7 and 8.7, of doubles 7.9 and 8.3 (beside d346ccb). 3 * 10^6 ints in large tiles 6.0 us, in as many medium ones 7.6 (beside 6dfb6020).
inline constexpr unsigned max_copied_tiles_per_sm = 4;
/// That of the largest tiles: three for each block that is resident. 5 * 10^6 ints, 3 * 10^6 doubles, 10^7 of 16 bits: 10.1, 9.8 and 13.5 us, by
/// tickets 12.7, 12.2 and 15.7; runs of 3 and of 1, 5 * 10^6 ints 16.2 and 29.9, by tickets 18.7 and 28.1. Seven instead of six change the time of
/// 7 * 10^6 ints and 3.5 * 10^6 doubles by -9 to 18 % (in a graph, beside 6dfb6020).
inline constexpr unsigned max_largest_tiles_per_sm = 6;
/// Small tiles for each multiprocessor at most, if a packet has few elements. 2 MiB in small tiles or medium ones: ints
/// 3.1 and 3.0 us, doubles 3.0 and 2.7, but bytes 3.6 and 3.8; 1 MiB: ints 2.5 and 2.6, bytes 2.9 and 3.4 (beside d346ccb).
inline constexpr unsigned max_sparse_tiles_per_sm = 1;
/// Elements of a packet at most that are few. Then one medium tile is better than two small ones, too: 4096 ints take 1.5 us, not
/// 1.9, but 16384 bytes 2.4, not 2.3 (beside d346ccb).
inline constexpr std::size_t max_sparse_items = 4;

/// Elements of `source` that a lane reads before it writes any. Not compared.
inline constexpr unsigned other_batch = 8;

/// Bytes of a value at most that stays in registers between its predicate and its store. Not compared.
inline constexpr std::size_t max_staged_bytes = 16;
/// Bytes of the values of a packet at most, as computed from its elements, so that a warp fits 64 KiB of shared memory:
/// the least that a GPU has.
inline constexpr std::size_t max_staged_packet_bytes = 128;

}  // namespace parprims::detail::device
