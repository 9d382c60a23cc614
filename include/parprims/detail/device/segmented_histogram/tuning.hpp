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
// Below: 2^28 f32, H200, 467ab291, unless said; times in us.

/// Samples of a tile for each thread where lines are split, at least; if their lengths differ, at most, where a block has one tile. Rows of 2^20 to 2^26:
/// 32 to 256 within 1 %, 512 up to 4 % less.
inline constexpr std::size_t max_line_samples = 128;
/// Resident blocks take tiles in rounds. Of the places of all rounds, at most one in so many has no tile.
inline constexpr std::size_t max_idle_blocks = 10;
/// Tiles of a block of many samples where lines are split and their lengths differ. With 2, 4, 8 and 16, lengths of 0 to 4095 827, 746, 707 and 725;
/// of 32768 to 98304 342, 310, 332 and 394.
inline constexpr std::size_t block_tiles = 4;
/// Samples of a tile then, at least, for each thread; and of the weight of a line, which grows with its counters. A block has one tile,
/// of up to max_line_samples for each thread, or block_tiles larger ones. In parentheses at 2bf42f90, where tiles had max_line_samples at
/// least: lengths of 1 to 64, 16 bins, 2^16, 2^20 and 2^22 samples 6.8 (50), 14 (56) and 37 (66); of 0 to 4095, 256 bins, 4.9 (15), 8.0 (18)
/// and 15 (24), by the first limit alone 5.0, 10 and 30. 45 lengths by Zipf's law, 2^22 and 2^23: 33 (25) and 40 (29).
inline constexpr std::size_t min_tile_samples = 8;
inline constexpr std::size_t min_tile_weights = 4;
/// Samples of a run from which on threads take runs, not each sample by itself. Runs of 16, 24, 32 and 64 17921, 11970, 8992 and 4521; their
/// samples 1880, 1860 and 1857 (64 not measured). So both should take as long for runs of 154.
inline constexpr std::size_t min_run = 128;
/// Packets of a thread in a run, before more threads count it; but a warp counts a run where a line has many. 16 images of 7680 x 4320
/// pixels of 4 bytes, pitched, the slowest of four spreads (H200, read limit 471 us): 592 us with a warp, 631 with two, 1423 with 24.
inline constexpr unsigned group_packets = 16;
inline constexpr std::size_t many_runs = 64;
/// Lines of a block for each group of threads, at least two, as long as all blocks have lines and their counters have so many bytes. With 2, 4, 8 and 16
/// lines, 16 bins (40f90eb4): segments of 64 1018, 934, 890 and 877, of 256 409, 394, 378 and 374, lengths of 1 to 64 2093, 1945, 1869 and 1823. Of
/// 1000 in 256 bins 527, and with 8 lines in 24, 36 and 72 KiB 528, 563 and 550.
inline constexpr std::size_t group_lines = 8;
inline constexpr std::size_t max_lines_bytes = 24 * 1024;
/// Samples for each thread of a group from which on all threads of a block count a run. With 32, 64, 128 and 256, lengths of 0 to 4095 734, 715,
/// 741 and 744; of 32768 to 98304 296, 298, 309 and 439; one segment of half 1599, 702, 701 and 700.
inline constexpr std::size_t max_group_samples = 128;
/// Counters that are zeroed and written in the time of counting a sample. 1 to 8 within 2 % for rows, 6 % for lengths that differ.
inline constexpr std::size_t counters_per_sample = 2;
/// Words of the replicas' sums for each weight of a line, at most: more replicas take longer to zero and to add up. f32 samples and weights, uniform / all
/// in one bin of their segment (56a27d8d, the better of two runs): 10^6 segments of 256, 16 bins, with 2, 1, 0.5 and 0.25 1552 / 1547, 1326 / 1332,
/// 1276 / 1534 and 1243 / 1514; 262144 of 1000, 64 bins 1600 / 1584, 1444 / 1443, 1286 / 1584 and 1246 / 2527.
inline constexpr std::size_t sum_words_per_sample = 1;
/// Bytes of the replicas of a line, at most. 32 of 4 x 256 counters leave room for one block on a multiprocessor. Those images: RGBA 520 and RGB 466,
/// with 72 KiB 660 and 539, with 40 KiB 840 and 649.
inline constexpr std::size_t max_replicated_bytes = 144 * 1024;
/// Loads of a thread in flight where samples do not follow one another. Not compared.
inline constexpr unsigned strided_loads = 8;
/// Samples, and their weights, then. With 4 and 8 (671f9ccd), 256 bins, columns of 16384 x 16384 1574 and 1584, of 10^4 x 65536 3801 and 3786.
inline constexpr unsigned strided_weights = 4;
/// Neighbouring lines of a tile where neighbouring threads take them. With 8, 16, 32 and 64, 256 bins: 16384 x 16384 618, 708, 765 and 798, columns
/// of 2684354 x 100 743, 631, 638 and 824; 256 x 2^20 with 16 bins 1054, 849, 749 and 698.
inline constexpr std::size_t across_lines = 32;
/// One block has a multiprocessor if a third of it has no room for as many, but all of it has for these: a sector of floats. Columns of 16384 x 16384
/// (671f9ccd), with thirds / one: counts of 1024 bins 859 / 633, of 2048 1017 / 897, of 8192, 6 lines, 1404 / 1637; weights in 256 bins 1970 / 1554,
/// in 2048, 9 lines, 4726 / 2447.
inline constexpr std::size_t min_wide_lines = 8;

}  // namespace parprims::detail::device
