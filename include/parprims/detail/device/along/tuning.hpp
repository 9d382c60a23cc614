/// @file
/// @brief  The numbers of calls along dimensions. None can change a result.
#pragma once

#include <parprims/detail/contract/order.hpp>

#include <cstddef>

namespace parprims::detail::device {

inline constexpr unsigned along_threads = 256;  ///< of a block, at most; not compared
/// Bytes of the totals of a block in shared memory, at most. Not compared.
inline constexpr std::size_t along_shared_bytes = 32 * 1024;
/// Positions that a thread loads at a time where neighbouring lanes have neighbouring lines. Not compared.
inline constexpr unsigned along_leaf = 4;
/// Elements of a line for each line of a multiprocessor, up to which a thread folds a whole one. Where it begins was not compared.
inline constexpr std::size_t along_short_elements = 4;
/// Loads of a thread in flight: elements, or packets of several lines. Sums of columns of 2^28 f32 in packets: 386 us with 16, 366 with
/// 8 (16384 columns, H100, e6c9b00).
template <class T, unsigned Items>
inline constexpr unsigned along_loads =
    order::power_of_two_within(Items > 1 ? 128 : 512, Items * (sizeof(T) < 4 ? 4 : sizeof(T)), Items > 1 ? 8 : 16);
/// Leaves that a thread folds at most, and the levels of their tree. Not compared.
inline constexpr unsigned along_leaves = 16;
inline constexpr unsigned along_levels = 5;
inline constexpr unsigned along_radix = 8;     ///< slots whose totals a thread folds at a time; not compared
inline constexpr unsigned along_partials = 8;  ///< partials that a thread folds at a time; not compared
/// Blocks for each multiprocessor from which on more parts of a line are not worth it. Not compared.
inline constexpr std::size_t along_blocks_per_sm = 16;
/// Blocks for each multiprocessor at most: a block takes several tiles, then. Not compared.
inline constexpr std::size_t max_along_blocks_per_sm = 256;
/// Bytes of neighbouring lines from which on a thread takes several positions. Not compared.
inline constexpr std::size_t along_column_bytes = 64;
/// Shares whose partials one block folds: a power of two. Sums of 128 columns took 90 us longer where one block folded 4096 (H100, e6c9b00).
inline constexpr std::size_t along_group = 32;
/// Rounds of a block at most before the totals of its threads are folded. Not compared.
inline constexpr unsigned along_rounds = 8;
/// Neighbouring columns of a tile, if they lie in packets, and if not: then a row should begin and end with few parts of sectors. Not
/// compared.
inline constexpr std::size_t along_packet_columns = 32;
inline constexpr std::size_t along_element_columns = 128;
/// Values of a thread of more bytes have no neighbours in their block: their totals would take too much shared memory. Not compared.
inline constexpr std::size_t along_large_bytes = 32;

inline constexpr unsigned along_scan_threads = 128;  ///< of a block of a scan; not compared
/// Totals of rows or tiles that a thread loads at a time. Not compared.
inline constexpr unsigned along_values_ahead = 16;
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
