/// @file
/// @brief  The tuning constants of segmented reductions. None can change a result. Measured on an H200 (CUDA 13.0) by
///         device_bench; "not compared" marks a number for which no alternative has been timed.
#pragma once

#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/device/load/input.hpp>
#include <parprims/detail/numeric/integers.hpp>

#include <cstddef>

namespace parprims::detail::device {

/// Threads of a block, blocks of a multiprocessor, and bytes of the elements of a tile, without those of its last piece that
/// lie behind it. 2^28 ints in segments of 1 to 64, of 16, of 1000 and of 2^24: 432, 303, 282 and 270 us with 256, 4 and 40
/// KiB; 396, 320, 304 and 313 us with 384, 3 and 48 KiB (fe457d4). Over 84 sizes and kinds of offsets, the geometric mean of
/// the share of 4250 GB/s was 0.87; 0.86 with 512, 2 and 88 KiB, 0.81 to 0.87 with four others (1b71961).
inline constexpr unsigned segmented_threads = 256;
inline constexpr unsigned segmented_blocks_per_sm = 4;
inline constexpr std::size_t segmented_tile_bytes = 40 * 1024;
/// Blocks of a multiprocessor at most, each of which runs as several, if the number of segments lies in device memory: of tiles, and of the
/// kernel of the ends of tiles. 2^20 f32 of a bound of 2^30, 16 each: 9.4 us with 8, 12.9 with 16, 19.7 with 32, 116 with a block for each tile;
/// 2^27 f32, the bound itself, of the time of a number from the host: 16 each 1.018, 1.015, 1.003; 1000 each 1.062, 1.043, 1.024 (beside
/// 3488ebe5). Tiles that 4 blocks draw: 2^27 f32, 16 and 1000 each 1.009 and 1.030, where it is 1.035 and 1.058; but 2^24, 1000 each 1.093, 1.048,
/// and 2^20, 16 each 7.96 us, 7.54 (beside bbe26135).
inline constexpr std::size_t sized_tile_blocks_per_sm = 8;
inline constexpr std::size_t sized_ends_blocks_per_sm = 16;
/// That of the kernel of long segments, whose blocks draw. 2^24 f32 of 3000 each, of the time of a number from the host: 1.029 with 4, 1.073 with 8,
/// 1.092 with 16 blocks that draw none; 2^27 0.993, 1.012 and 1.014 (beside bbe26135).
inline constexpr std::size_t sized_long_blocks_per_sm = 4;
/// Of a tile of segments by offsets, which has no room for padding of its own. 2^28 ints, 1000 each, 9000 each, 1 to 64 and up to
/// 4000: 0.81, 0.87, 0.73 and 0.69 of 4250 GB/s; 0.75, 0.77, 0.68 and 0.64 with 40 KiB (beside 0ef6994).
inline constexpr std::size_t searched_tile_bytes = 45 * 1024;
/// Bytes of lines between which tiles leave out the gaps: at least, and at most where gaps are no longer than lines, and where they are longer. A
/// gap has at least `least_gap_bytes / unit` of a line that is copied by `unit` bytes: an eighth by 16 bytes, half by 4. Rows of f32, 2^26
/// elements with their gaps, us, beside tiles with gaps or a warp for each row: 64 of 72 71.8 and 74.3, 33 of 64, by 4 bytes, 59 and 70; 512
/// of 1024 37 and 67, 64 of 256 22 and 79, 300 of 1024 28 and 34, 500 of 1024 39 and 37, maxima 38 and 34; maxima of 3 of 5 112 and 92 (H200,
/// beside 6a68f152).
inline constexpr std::size_t min_line_bytes = 32;
inline constexpr std::size_t max_line_bytes = 2048;
inline constexpr std::size_t max_far_line_bytes = 1280;
inline constexpr std::size_t least_gap_bytes = 2;
/// Bytes of an element from which on a warp reads longer rows with such gaps where they lie: it loads elements one by one. Rows of f32, 2^26
/// elements with their gaps, us, in tiles and by a warp: 1000 of 1128 69 and 56, of 1512 70 and 43; by the kernel of long segments and by a warp:
/// 2000 of 2512 54 and 50; of f64 500 of 756 63 and 43; but of halves, in tiles and by a warp, 1100 of 1660 88 and 108, and of bytes, 2100 of 3156
/// 109 and 141 (H200, beside 05f28697).
inline constexpr std::size_t min_in_place_bytes = 4;
/// Of a tile of elements that are computed, for which shared memory must leave room in the L1 cache: what is loaded at random waits there. 2^26 f32,
/// 1000 each, us, read where they are, and with 24, 32 and 40 KiB: reversed 231, 149, 128 and 112, sums of zipped arrays 252, 197, 177 and 161;
/// products with elements at random indices 527, 507, 511 and 724, by offsets of 0 to 100 628, 527, 527 and 766 (H200, CUDA 13.0, beside ae178881).
inline constexpr std::size_t computed_tile_bytes = 32 * 1024;
/// Bytes of an element, at most, that is computed and copied. Not compared.
inline constexpr std::size_t max_computed_bytes = 16;
/// Positions of a tile that is not copied. Not compared.
inline constexpr std::size_t uncopied_segmented_tile = 4096;
/// Fewest positions of a tile, when tiles shrink to occupy all multiprocessors. Not compared.
inline constexpr std::size_t min_segmented_tile = 1024;
/// Chunks of more bytes are not copied to shared memory. Not compared.
inline constexpr std::size_t max_copied_chunk_bytes = 16 * 1024;
/// Totals of chunks, or of runs, that a lane loads at a time. Not compared.
template <class T>
inline constexpr unsigned lane_totals = sizeof(T) <= 16 ? 4 : 1;
/// Few elements: threads of a block, and segments for each multiprocessor. 2^12 ints by offsets, 16 each: 1.9 us in blocks of 256
/// threads, 3.0 of 512, 5.3 of 1024. 2^16 ints, 16 each: 2.7 us, 2.1 by tiles; by offsets 3.4, and 7.9 (beside add2f7d).
inline constexpr unsigned small_threads = 256;
inline constexpr std::size_t max_small_segments_per_sm = 16;
inline constexpr std::size_t max_small_searched_per_sm = 32;
/// Many segments by offsets are folded by `long_segments_kernel` from a mean of so many quarters of a chunk on. 2^28 f32 of 0 to 4095: 387 us,
/// in tiles 438; of 0 to 2400: 450, in tiles 412 (H100, in a graph, beside 002e575).
inline constexpr std::size_t min_long_mean_quarters = 3;
/// The second launch bound; 0 leaves the registers to nvcc. In a graph, 2^12 values of 8 bytes by offsets, 1000 each: 2.2 us with
/// 1, 3.9 with 0; of one size 2.2 and 2.4. 2^16 ints by offsets, 16 each: 3.1 and 2.8 us (beside 0ef6994).
template <class T, bool IsSearched>
inline constexpr unsigned small_min_blocks = IsSearched && sizeof(T) < 8 ? 0 : 1;
/// Blocks of the smallest inputs: so many let the next kernel of the stream start early. In a graph, 2^12 and 2^13 ints, 32 each:
/// 1.10 and 1.11 us, 1.28 and 1.32 by more blocks; but 2^18, 1000 each: 2.17 us, 1.90 (beside 0ef6994).
inline constexpr unsigned few_small_blocks = 64;
/// Where segments may have several chunks: most chunks of the input, a quarter if it has fewer segments. 2^18 ints by offsets,
/// 100 each: 2.9 us, 8.3 by tiles; but one segment of 2^18 ints 31 us, 9.1 by tiles (beside add2f7d).
template <class Value, class T>
inline constexpr unsigned max_small_chunks =
    order::power_of_two_within(8 * 1024, sizeof(T), order::lane_items<Value> <= 4 ? 128 : 32);
/// Rows that a lane loads from where they are before it uses any: up to 128 bytes of registers. Not compared.
template <class Value, class T>
inline constexpr unsigned rows_in_flight =
    order::power_of_two_within(128, order::lane_items<Value>* larger_of<std::size_t>(sizeof(T), 4), 8);
/// Segments of several chunks: most threads of a block, blocks of a multiprocessor, and chunks of a subtree for each warp of a group.
/// The registers of a multiprocessor hold all 16 rows of a chunk for each warp, as in a reduction. 2^28 ints in segments of 2049
/// and of 65536: 265 and 240 us, 300 and 241 with 512 and 1, 414 and 306 by tiles (beside add2f7d).
inline constexpr unsigned long_threads = 256;
inline constexpr unsigned long_blocks_per_sm = 2;
template <class T>
inline constexpr unsigned long_rounds = order::power_of_two_within(2 * 1024, sizeof(T), 8);
/// Subtrees that a block looks for at boundaries, at most. 2^28 f64 by offsets of 0 to 4095: 750 us, 801 with 8 (H100, in a graph, beside
/// 002e575).
inline constexpr unsigned max_block_tasks = 64;
inline constexpr unsigned ends_threads = 128;  ///< of a block that finds the ends of tiles; not compared
/// Rows that a lane loads from shared memory before it uses any. Not compared.
template <class Value>
inline constexpr unsigned copied_rows_in_flight = order::lane_items<Value> <= 4 ? 4 : 1;
/// Elements of a packet from which on a tile inside one segment is copied to shared memory. One segment of 2^28 among 10^6 empty
/// ones, copied / in place: ints 363 / 308 us, bytes by Zipf 110 / 174 (beside add2f7d).
inline constexpr unsigned min_copied_inner_items = 5;
/// Bytes that the distance between segments is a multiple of, if their copy is padded. Sums of 2^28 bytes, padded and not, us: 48 each 122 and
/// 156, 208 each 103 and 153, but 16 each 175 and 168; of 2^27 halves 600 each 88 and 112. Maxima of bytes, 48 each 102 and 96, of 16-bit
/// integers 40 each 84 and 73 (H200, beside d5c5efeb).
template <class T>
inline constexpr std::size_t padded_multiple = is_located<T> ? 32 : 16;
/// Rows of elements narrower than 4 bytes, at most, that a few lanes fold, if their copy is padded, and if not; a warp folds more. Segments of
/// halves, us: padded, 3000 each, 12 rows, 81 by lanes and 71 by a warp, while 2000 each, 8 rows, took 77 by lanes; not padded, 300 each, two rows,
/// 85 and 182; of bytes, not padded, 600 each, two rows, 113 and 236, 1500 each, three rows, 155 and 135 (H200, beside d5c5efeb).
inline constexpr unsigned max_padded_rows = 8;
inline constexpr unsigned max_unpadded_rows = 2;
/// Lanes that fold a segment of a few rows. 2^28 ints by offsets, lengths from 100 to 300 and up to 500: 352 and 373 us; a few
/// lanes for each, whose columns are apart, 455 and 494 (beside add2f7d).
inline constexpr unsigned group_lanes = 8;
/// Rows of a segment that a group folds, at most. Not compared.
inline constexpr unsigned max_group_rows = 4;
/// Elements of a segment, on average, from which groups fold. 2^20 ints, 16 each: 14.0 us by groups, 10.0 without.
inline constexpr unsigned min_group_elements = 64;

}  // namespace parprims::detail::device
