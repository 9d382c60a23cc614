/// @file
/// @brief  The numbers of calls along dimensions. None can change a result.
#pragma once

#include <parprims/detail/contract/order.hpp>

#include <cstddef>

namespace parprims::detail::device {

/// What a thread folds at a time: positions; positions with all elements of a chunk in flight, so there are fewer threads; or leaves.
enum class along_way { positions, deep, leaves };

inline constexpr unsigned along_threads = 256;  ///< of a block, at most; not compared
/// Bytes of the totals of a block in shared memory, about: a tile may have half as many more. Not compared.
inline constexpr std::size_t along_shared_bytes = 32 * 1024;
/// Packets, or single positions, that a block folds: about so many. Not compared.
inline constexpr std::size_t along_packets = 1024;
inline constexpr std::size_t along_singles = 4096;
/// Loads of a block that takes all positions of its lines, at most. Columns of 4096^2 f32: 28.3 us, for 8192 loads 30.1; of 256^2 f32: 8.8,
/// by shares 14.3; of 1024^2 u8: 13.7 and 27.9 (H200, beside 39b72927).
inline constexpr std::size_t along_small_loads = 16384;
/// About so many of these blocks for each multiprocessor. One and four are no faster (H200, beside 39b72927).
inline constexpr std::size_t along_small_blocks_per_sm = 2;
/// Elements of a line for each line of a multiprocessor, up to which a thread folds a whole one, where leaves are not folded.
/// `along_long_sum_elements` are those of lines longer than `along_short_length`; extremes of these are searched in units of blocks. 2^28 f32 in
/// lines of 100: 281 us, in units of blocks more than 1000; of 128: 265 (H200, beside 49de4c70). Maxima of 40000 lines of 1000 and 80000 of 2000: 131
/// and 280 us, in units of blocks 65 and 179; of 178956 lines of 1500 291 and 299; of 30000 lines of 300 21 and 41, sums of these 13 and 33 (H200,
/// beside 8b96aa75). Sums of 60000 lines of 600: 53 us, in units of blocks 70; of 30000: 47 and 42; of 100000 lines of 1000: 107 and 120, of 60000:
/// 87 and 80, of 169000, a few more than run at a time: 219 and 187 (H200, beside 4108177c).
inline constexpr std::size_t along_short_elements = 4;
/// `along_short_elements` of rows, of which none is longer than `along_short_length`. Rows of f32 with longer gaps, in units of blocks and by a
/// thread each, sums, then maxima: 262144 of 100 359 and 126 us, 479 and 112; 131072 of 512 261 and 213, 380 and 141; 20000 of 300 57 and 44, 80
/// and 43; 3000 of 60 7.8 and 12.1, 8.5 and 11.7. 268435 of 1000, which a transform reads: 618 and 860 (H200, CUDA 13.0, beside c527110d).
inline constexpr std::size_t along_short_row_elements = 2;
inline constexpr std::size_t along_short_length = 512;
inline constexpr std::size_t along_long_sum_elements = 2;
/// Elements of a row from which on a warp folds it, if the gap behind it is longer, and no tile leaves it out; otherwise a thread folds it, or
/// blocks do. Rows of f32, sums, by a thread and by a warp, us: 1048576 of 64 of 256 271 and 402; 262144 of 100 of 1024 125 and 106, of 300 320 and
/// 125, maxima 319 and 110 (H200, CUDA 13.0, beside 3f565eaf).
inline constexpr std::size_t min_far_segment = 96;
/// Elements of a line up to which a thread folds several lines at a time, and these lines. Sums of 3 and of 2 rows of 2^28 f32, four lines
/// a thread: 328 and 373 us; two 327 and 383; one 379 and 495; one in 16-byte packets 393 and 464 (H200, plain kernels, beside 8b96aa75).
inline constexpr std::size_t along_few_elements = 4;
template <class Element>
inline constexpr unsigned along_few_lines = order::power_of_two_within(16, sizeof(Element), 8);
/// Blocks of these lines, at most: each has one tile. The same sums by 8 and by 32 blocks for each multiprocessor, which take tiles in turn:
/// 403 and 378 us of 3 rows, 469 and 422 of 2 (H200, plain kernels, beside 8b96aa75). Where a thread has one line, sums of 5 and of 8 rows
/// take 9 and 6 % longer by a block for each tile.
inline constexpr std::size_t max_few_lines_blocks = std::size_t{1} << 30;
/// Blocks of short lines for the registers of a multiprocessor. Sums of 5 and of 16 rows of 2^28 f32: 380 and 277 us; with eight, whose registers
/// spill, 500 and 320 (H200, beside 8b96aa75).
template <class T, unsigned Lines>
inline constexpr unsigned along_short_min_blocks = Lines > 1       ? 4
                                                   : sizeof(T) > 4 ? 0
                                                                   : 5;
/// Bytes of the values of neighbouring lines that a thread loads together. Sums of 2^28 f32, us, one by one and two at a time: 100 rows 270 and
/// 253, 500 284 and 254, 1024 255 and 245, 1500 347 and 253; four at a time spill registers or leave too few threads (H200, beside 376cd48b).
/// Where they lie in no packets, one by one and two at a time: 33 rows 296 and 271, 1000 x 268435 276 and 268, 1024 x 262143 298 and 270, i32
/// 1000 x 268435 285 and 254 (H200, beside ecac0c83).
/// In a search among elements narrower than 4 bytes it also limits the packets of longer lines. Maxima of columns, us, one by one, 4 and 8 bytes:
/// 16, 64 and 300 rows of 2^27 halves 226, 100 and 95, 191, 83 and 70, 203, 87 and 78; 16 and 1024 rows of 2^28 bytes 315, 168 and 172, 265, 174
/// and 171; of longer lines, 16 and 8 bytes: 16384 rows of halves 136 and 120 (H200, beside 05f28697).
inline constexpr std::size_t along_packet_bytes = 8;
/// Neighbouring lines, at most, that a thread folds together if they lie in no packets, so that it loads their elements one by one. Maxima of lines
/// of 500 and of 32, us: of bytes, one line and eight 252 and 755, 302 and 746; of halves, one and four 144 and 93, 172 and 97 (H200, CUDA 13.0,
/// beside 3603f540).
inline constexpr unsigned along_single_lines = 4;
/// Elements of a line above which a thread folds neighbouring lines together: of 8 and of 16 rows 286 and 277 us, two at a time 297 and 273 (H200,
/// beside 376cd48b).
inline constexpr std::size_t along_packet_elements = 8;
/// Lines for each multiprocessor from which on it does. One by one and two at a time, us: 100 x 100000 11.3 and 16.3; 1500 x 135168,
/// 1024 for each multiprocessor, 192 and 189 (H200, beside 376cd48b).
inline constexpr std::size_t along_packet_lines_per_sm = 1024;
/// Bytes of the loads of a thread in flight, and blocks for the registers of a multiprocessor. Maxima of 2684354 and of 1000 rows of f32, 100 and
/// 1000 columns: 292 and 5.9 us; with 128 bytes, whose registers spill, 281 and 6.2 (H200, beside 8b96aa75). Single f32, three and four blocks: the
/// sum of a misaligned region of 7001x8999 114 and 99 us, columns of stride 2 131 and 126 (H200, CUDA 13.0, beside bbe26135).
template <class T, unsigned Items, class Loaded, along_way Way>
inline constexpr unsigned along_loads = order::power_of_two_within(Way == along_way::deep   ? 256
                                                                   : Items * sizeof(T) > 16 ? 64
                                                                                            : 128,
                                                                   sizeof(Loaded), 16);
template <class T, unsigned Items, along_way Way>
inline constexpr unsigned along_min_blocks = Items * sizeof(T) > 32         ? 0
                                             : Items == 1 && sizeof(T) <= 4 ? 4
                                             : Way != along_way::positions  ? 2
                                                                            : 3;
/// Leaves for each multiprocessor and each of their rows from which on threads fold leaves of neighbouring lines, not single positions. Columns,
/// us, by positions and by leaves: sums of 4096 x 65536 bytes 178 and 82, 1024 x 131072 halves 128 and 76, 16384 x 8192 f32 133 and 128; maxima of
/// 1024 x 131072 f32 166 and 124, 2000 x 33552 halves 54 and 46; for fewer leaves, 130000 x 256 halves 32 and 52, 4000 x 4192 f32 25 and 21,
/// 2000 x 1040 f32 6.1 and 7.8 (H200, CUDA 13.0, beside 181ac9df).
inline constexpr std::size_t along_leaves_per_row = 24;
/// Bytes of the elements of neighbouring lines at one position, from which on threads fold leaves, as the loads of a warp are then whole sectors of
/// memory: if lines lie in packets; if they do not, in small arrays, and in large ones. Packets of elements narrower than 4 bytes are folded by
/// leaves in any case. Sums, us, by positions and by leaves, of f32: 2684354 x 100 246 and 261, 1048576 x 256 249 and 243; in no packets, 2657776 x
/// 101 250 and 398, 268167 x 1001 264 and 273, 3999 x 67109 276 and 259; of bytes, 2000 x 511 11 and 5.5 (H200, CUDA 13.0, beside 3603f540).
inline constexpr std::size_t along_packet_group_bytes = 1024;
inline constexpr std::size_t along_small_group_bytes = 128;
inline constexpr std::size_t along_large_group_bytes = 4096;
/// Elements of a small array for each multiprocessor, at most. In large ones, leaves of elements narrower than 4 bytes that lie in no packets are not
/// folded. Sums and maxima, us, by positions or lines and by leaves: 2000 x 67103 halves 101 and 105, 108 and 135; 1000 x 2095 8.3 and 5.5, 7.5 and
/// 6.0; 500 x 33551 bytes 21 and 24, 28 and 25; 500 x 8383 29 and 8.3, 12 and 8.8 (H200, CUDA 13.0, beside 181ac9df).
inline constexpr std::size_t along_small_elements_per_sm = 32768;
/// Lines for each multiprocessor and each element of a line from which on a thread folds a whole line, not leaves of it. By leaves and by lines, us:
/// sums of 250 x 134208 halves 31 and 29, maxima of 100 x 83872 bytes 11 and 8.1; with fewer lines, sums of 500 x 67104 halves 21 and 53 (H200,
/// CUDA 13.0, beside 181ac9df). Maxima of lines that are too long for a thread, in units of blocks and by leaves: 600 x 238000 f32 261 and 142,
/// 700 x 280000 halves 207 and 109, bytes 232 and 139 (H200, CUDA 13.0, beside f56b47d6).
inline constexpr std::size_t along_whole_lines = 3;
/// Packets for each multiprocessor from which on a thread has all elements of a chunk in flight. Before and then, us: sums of f32, 2^28 elements,
/// 16384^2 268 and 257, 2684354 x 100 271 and 256 (H200, beside 376cd48b); 8192^2 81 and 75, 4096^2 25 and 23, 1048576 x 16 45 and 44; maxima of
/// f32, 8192^2 88 and 85, 4096 x 8192 50 and 47, but 16777 x 1000 29 and 32; of f64, 4096^2 50 and 48, 16777 x 1000 50 and 52; but sums of 16-bit
/// integers, 8192 x 16384 83 and 95, so of values of at least 4 bytes only (H200, beside 05f28697).
inline constexpr std::size_t along_deep_packets_per_sm = 30000;
/// At most one in so many positions may then be of an incomplete chunk. 3000 x 20000, half of them: 72 us, and 77; 1000 x 60000, all: 75 and 96.
inline constexpr std::size_t along_deep_positions = 8;
/// Elements of a line of several dimensions from which on its packets are loaded: then each line has blocks of its own. Sums of f32, us, one by
/// one and in packets: 65536 lines of four runs of 256 185 and 86, 262144 of four runs of 64 673 and 322 (H200, CUDA 13.0, beside bbe26135).
inline constexpr std::size_t along_run_packet_elements = 256;
/// A longer line has several blocks, too few where threads load packets of small arrays. So then a multiprocessor must have that many elements.
/// Sums and maxima of regions of f32 to one value, us, one by one and in packets: 200x200 5.7 and 10.7, 6.3 and 15.6; 1000x1000 7.4 and 8.7, 8.0 and
/// 10.5; 1500x1500 11.7 and 10.0, 12.8 and 11.7; over N, H and W of 4x32x112x112 8.5 and 13.0, of 64x8x64x64 9.4 and 8.9 (H200, CUDA 13.0, beside
/// 76eb9417).
inline constexpr std::size_t along_run_packet_long_elements = 16384;
inline constexpr std::size_t along_run_packet_elements_per_sm = 14000;
/// Positions of a chunk in a search among elements narrower than 4 bytes. Maxima of columns, us, for those of a row of the order contract and
/// for 64: 1024 rows of 2^27 halves 160 and 130, 2000 of 2^28 bytes 648 and 218, 26843 230 and 203; for 64 and 32: 134217 rows of halves 118 and
/// 127 (H200, beside 05f28697).
inline constexpr unsigned along_narrow_row = 64;
inline constexpr unsigned along_radix = 8;  ///< totals that a thread folds at a time; not compared
/// Blocks for each multiprocessor up to which tiles become smaller. Columns of f32, us, 16, 8, 5 and 3: sums of 8192 x 4096 43, 42, 40, 40, of
/// 11184810 x 3 53, 43, 42, 42, maxima of 3000 x 11184 56, 49, 48, 48, of 33554 x 1000 52, 49, 49, 53; sums of 16384 x 8192 halves 89, 87, 84, 84
/// (beside 05f28697). Over N, H and W of 64x256x56x56 f32, 16 and 5: sums 71 and 65, maxima 88 and 71 (H200, CUDA 13.0, beside bbe26135).
inline constexpr std::size_t along_blocks_per_sm = 5;
/// Blocks for each multiprocessor at most: a block takes several tiles, then. Not compared.
inline constexpr std::size_t max_along_blocks_per_sm = 256;
/// Positions of a tile, if lines have as many. Not compared.
inline constexpr std::size_t along_positions = 16;
/// Neighbouring lines of a tile are a multiple of this, if they are not all. Not compared.
inline constexpr std::size_t along_sector_lines = 8;
/// Bytes of the totals of shares that one block folds, and shares at most. Sums of 128 columns took 90 us longer where one block folded
/// those of 4096 shares (H100, e6c9b00).
inline constexpr std::size_t along_group_bytes = 16 * 1024;
inline constexpr unsigned along_most_shares = 1024;

/// Threads of a block that scans rows. Columns of 16384^2 f32: 603 us; of 64 and 96 threads 640 and 643 (H200, 3c21affc). Of 256, before there
/// were windows: 1071 in the place of 911 (beside 8328767e).
inline constexpr unsigned along_scan_threads = 128;
/// Resident blocks that registers must allow; shared memory allows three. The same columns: 752 us with three, and 16 lanes of a row loaded at a
/// time; 797 with four, and eight lanes (H200, beside 8328767e).
inline constexpr unsigned along_scan_blocks_per_sm = 3;
/// Bytes of registers of the elements that a lane copies together where rows are staged. Not compared.
inline constexpr std::size_t along_stage_bytes = 64;
/// Resident blocks that registers must allow then, if values have at most four bytes; shared memory allows three of whole rows. 2^26 f32, with an
/// earlier way to find addresses: 8192 rows 277 us for four, 308 for six, whose registers spill; 4194304 x 16 279 and 295 (H200, beside 3f565eaf).
inline constexpr unsigned along_stage_blocks_per_sm = 5;
/// Up to so many contiguous lines of at most a row for each multiprocessor, blocks scan them; rows of more lines are staged. f32, us:
/// 1000 x 100 2.2 and 7.7, 10000 x 100 5.7 and 7.8, 671088 x 100 247 and 182, 10000 x 10 5.4 and 3.3, 100000 x 10 33 and 7.6; lines of more
/// than a row: 447392 x 150 252 and 311 (H200, CUDA 13.0, beside 3f565eaf).
inline constexpr std::size_t along_few_short_lines_per_sm = 128;
/// Bytes of registers of the elements of a row that are in flight together. The same columns: 604 us, with 256 bytes 680 (H200, beside 4140587d).
inline constexpr unsigned along_row_bytes = 512;
/// Rows of a window. A thread reads up to eight totals and seven windows in the place of up to 63 totals: 736 us in the place of 911 (H200,
/// beside 8328767e). Other numbers were not compared.
inline constexpr unsigned along_window_rows = 8;
/// Rows that a warp of a block has in registers, where blocks scan contiguous lines. 2^28 f32 in lines of 16384 and of 16385: 614 and 663
/// us; with four rows, in two blocks of 512 threads, 604 and 775 (H200, beside 12802e33).
inline constexpr unsigned along_warp_rows = 8;
/// Blocks with all rows of a tile that a multiprocessor has room for. 2^28 f32 in lines of 128 and of 256: 848 and 663 us; for three
/// blocks 971 and 708 (H200, beside 12802e33).
inline constexpr unsigned along_tile_blocks_per_sm = 4;
/// Tiles of a line for each contiguous line, above which each line is scanned by a pass of its own. 100 lines of 2684354 f32: 1106 us by
/// passes, 1320 by blocks; 16 of 300000: 71 and 124; 1024 of 262144: 4717 and 650 (H200, beside 12802e33).
inline constexpr std::size_t along_pass_tiles = 2;

}  // namespace parprims::detail::device
