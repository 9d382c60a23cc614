/// @file
/// @brief  The tuning constants of segmented reductions. None can change a result. Measured on an H200 (CUDA 13.0) by
///         device_bench; "not compared" marks a number for which no alternative has been timed.
#pragma once

#include <parprims/detail/order.hpp>

#include <cstddef>

namespace parprims::detail::device {

/// Threads of a block, blocks of a multiprocessor, and bytes of the elements of a tile, without those of its last piece that
/// lie behind it. 2^28 ints in segments of 1 to 64, of 16, of 1000 and of 2^24: 432, 303, 282 and 270 us with 256, 4 and 40
/// KiB; 396, 320, 304 and 313 us with 384, 3 and 48 KiB (fe457d4). Over 84 sizes and kinds of offsets, the geometric mean of
/// the share of 4250 GB/s was 0.87; 0.86 with 512, 2 and 88 KiB, 0.81 to 0.87 with four others (1b71961).
inline constexpr unsigned segmented_threads = 256;
inline constexpr unsigned segmented_blocks_per_sm = 4;
inline constexpr std::size_t segmented_tile_bytes = 40 * 1024;
/// Positions of a tile that is not copied. Not compared.
inline constexpr std::size_t uncopied_segmented_tile = 4096;
/// Fewest positions of a tile, when tiles shrink to occupy all multiprocessors. Not compared.
inline constexpr std::size_t min_segmented_tile = 1024;
/// Chunks of more bytes are not copied to shared memory. Not compared.
inline constexpr std::size_t max_copied_chunk_bytes = 16 * 1024;
/// Totals of chunks that a lane of the second kernel loads at a time. Not compared.
template <class T>
inline constexpr unsigned finish_items = sizeof(T) <= 16 ? 8 : 1;
/// Most chunks of an input without a second kernel, one for each warp: the block with the begin of a segment folds all of its
/// chunks. 2^14 ints by offsets take 3.0 to 3.3 us in a graph, 6.2 to 6.4 with a second kernel; one segment of 2^14 ints 4.5
/// and 7.1 (1b71961). None of narrow values, of which a warp has one row in flight: one segment of 2^14 bytes took 8.7 and
/// 7.5 us (f21fbcc).
template <class Value>
inline constexpr unsigned lone_chunks = order::lane_items<Value> <= 4 ? segmented_threads / order::lanes : 0;
inline constexpr unsigned finish_tiles = 4;           ///< that a warp of the second kernel looks at, if there are many
inline constexpr unsigned max_finish_threads = 1024;  ///< of a block of the second kernel; not compared

}  // namespace parprims::detail::device
