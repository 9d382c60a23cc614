/// @file
/// @brief  The launch numbers of scans. None can change a result. Measured on an H200 (CUDA 13.0) by device_bench at 2e8bbf5, or
///         at the commit that is named.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/contract/order.hpp>
#include <parprims/execution.hpp>

#include <cstddef>

namespace parprims::detail::device {

/// The configuration of a call that names none. 2^28 floats: 527 us in three blocks of 256 threads a multiprocessor, 673 in two
/// of 512 (config_sweep, af2e439). For values of 12 bytes see `thread_row_lanes`. Before 9.0 as many blocks as shared
/// memory has room for; not measured there.
constexpr scan_config default_scan(int architecture, std::size_t value_bytes)
{
    if (architecture >= 90 && architecture < 100 && value_bytes == 12)
        return {128, 4, 2};
    return {256, architecture >= 90 ? 3u : architecture >= 80 && architecture < 86 ? 2u : 1u, 2};
}

// Many tiles, which pass through shared memory.

/// Threads of a block at most: they leave 80 registers to each, so that none is in local memory (a17e969).
inline constexpr unsigned max_scan_threads = 768;
/// Warps of a block of the default configurations.
inline constexpr unsigned usual_scan_warps = 8;
inline constexpr unsigned max_scan_stages = 4;  ///< tiles in flight in a block; a caller may ask for 2 to 4
/// Bytes of registers for a lane's elements of the rows that a warp works on at a time, up to four rows. 2^28 floats: 533 us in
/// batches of rows, 706 row by row (ca8c4b2).
inline constexpr std::size_t max_batch_bytes = 128;
inline constexpr unsigned max_batch_rows = 4;
/// Rows at a time, at most, where a lane also holds elements of zipped arrays that it has loaded ahead. 3 * 10^8
/// differences of neighbours: f32 667 us, f64 1388; without loading ahead 715 and 1582; in batches of four rows, where registers spill,
/// 1285 and 2784 (H200, 78e79d1).
inline constexpr unsigned max_rows_ahead = 2;
/// Bytes of the values whose rows threads hold: 32 of 12 bytes. 2^28 of them in 1768 us, by shuffles 2228; copied in packets of 16
/// bytes by 24 lanes 2085 (H200, afba664). Rows of other sizes were not compared.
inline constexpr std::size_t thread_row_value_bytes = 12;
/// Lanes of a warp that hold rows: fewer have less to copy. 2^28 values, four blocks of 128 threads a multiprocessor: 16
/// lanes 1768 us, 32 lanes 1778, 8 lanes more than 2000; three blocks of 256 threads, 16 lanes: 1797 (afba664).
inline constexpr unsigned thread_row_lanes = 16;
/// Threads of a block whose threads hold rows, at most: 96 registers each. Not compared.
inline constexpr unsigned max_thread_row_threads = 256;

// Few tiles, each of which a cluster or a block has.

/// Bytes of a value at most: larger ones do not stay in registers.
inline constexpr std::size_t max_small_scan_value_bytes = 16;

/// Rows of a block of a cluster, one for each warp. Not compared.
inline constexpr unsigned min_cluster_rows = 8;
inline constexpr unsigned max_cluster_rows = 32;
/// Blocks of a cluster at most: with 8 rows each, a multiprocessor of 2048 threads has room for them. Clusters of 16 waited for
/// three multiprocessors even with 128 threads a block (H200, 3be4efb).
inline constexpr unsigned max_cluster_blocks = 8;

/// Warps of a block that has its tile in registers, two rows a warp, and a multiprocessor for itself: 16 warps take 0.15 to 0.5 us
/// more (H200, 1dcefae).
inline constexpr unsigned held_scan_warps = 32;
/// Tiles for each multiprocessor, at most, where blocks have theirs in shared memory. 600 tiles of floats 10.9 us, of 64-bit integers
/// 12.2; in one pass over tiles by ticket 14.7 and 16.4 (H200, 1dcefae).
inline constexpr unsigned max_staged_tiles_per_sm = 6;
/// Warps of such blocks, at most, and blocks that a multiprocessor has room for: 56 registers a thread.
inline constexpr unsigned max_staged_warps = 18;
inline constexpr unsigned min_staged_blocks_per_sm = 2;
/// Warps of a block where a multiprocessor has `tiles` of them: as many as are resident together. Eight for five tiles of doubles: 0.7
/// to 0.9 us more than six (H200, 1dcefae).
constexpr unsigned staged_scan_warps(unsigned tiles)
{
    return tiles <= 2 ? 16 : tiles <= 4 ? 8 : 6;
}

}  // namespace parprims::detail::device
