/// @file
/// @brief  The numbers of passes over tiles. None can change a result. Measured on an H200 (CUDA 13.0) by device_bench at the commit that
///         is named.
#pragma once

#include <parprims/config.hpp>

#include <cstddef>

namespace parprims::detail::device {

/// Groups of tiles that a block folds between two barriers, for totals of `total_bytes`: their totals take at most 16 KiB of shared
/// memory, and a warp has a lane for each and for the group of the block's own tile. Not compared.
constexpr unsigned max_folded_groups(std::size_t total_bytes)
{
    return total_bytes <= 512 ? 31 : total_bytes <= 8 * 1024 ? static_cast<unsigned>(16 * 1024 / total_bytes) : 1;
}
/// Groups of tiles of which the warps of a block read the words at a time. A reduction by key of i32/f32: 956 us, with half as many
/// 1020 (beside bedfec3).
inline constexpr unsigned groups_at_a_time = 16;
/// Words of a total at most that are read before the next tile is loaded, if that does not need the registers. Where a reduction by key
/// waited for the words of one group after another, that took 6 % of its time (bedfec3).
inline constexpr unsigned max_early_words = 2;
/// Words of a total at most, all of which are read before a lane waits for any; those of a larger one would not stay in
/// registers, and a lane waits for one after another (a17e969).
inline constexpr unsigned max_read_ahead_words = 4;
/// Words of a total at most, where a warp of a scan reads those of two groups before it waits for any (a17e969). 2^28 values of
/// 12 bytes, three words: 1768 us, one group at a time 1827, four 1789 (afba664).
inline constexpr unsigned max_paired_words = 3;

// Few tiles, each of which a block has.

/// Copies of the status words of a short pass. Scans of 100 to 528 tiles take 0.93 to 1.0 of the time with one copy, of 600 about 0.94;
/// eight copies are as fast as four (H200, 1dcefae). Two copies, values of 16 bytes: 3 to 5 % slower (5d82250).
inline constexpr unsigned status_copies = 4;
/// Bytes of the status words and counters of short passes, which limit how many tiles may have a block each. The workspace of a
/// stream has room for as much.
inline constexpr std::size_t small_scan_bytes = 104 * 1024;
/// Short passes between two zeroings of the status words that are not in use. Far fewer than 2^31, after which epochs repeat.
inline constexpr unsigned epochs_between_zeroing = 1 << 20;
/// Times that a lane reads a word again before its block gives its tile up. No block does on a GPU that starts blocks in the order
/// of their numbers; the number was not compared with others.
inline constexpr unsigned max_spins = 1 << 14;

}  // namespace parprims::detail::device
