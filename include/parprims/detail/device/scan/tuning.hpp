/// @file
/// @brief  The launch numbers of scans. None can change a result. Measured on an H200 (CUDA 13.0) by device_bench at 2e8bbf5, or
///         at the commit that is named.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/device/call/tuning_table.hpp>
#include <parprims/detail/device/pass/tuning.hpp>
#include <parprims/scan_config.hpp>

#include <cstddef>

namespace parprims::detail::device {

/// The configuration of a call that names none. 2^28 floats: 527 us in three blocks of 256 threads a multiprocessor, 673 in two
/// of 512 (config_sweep, af2e439). For values of 12 bytes see `thread_row_lanes`. Elsewhere as many blocks as shared memory has
/// room for.
inline constexpr tuning_row<scan_config> scan_tuning[] = {
    {75, 1, false, {256, 1, 2}}, {80, 1, false, {256, 2, 2}}, {86, 1, false, {256, 1, 2}},  {90, 1, true, {256, 3, 2}},
    {90, 12, true, {128, 4, 2}}, {90, 13, true, {256, 3, 2}}, {100, 1, false, {256, 3, 2}},
};

// Many tiles, which pass through shared memory.

/// Threads of a block at most: they leave 80 registers to each, so that none is in local memory (a17e969).
inline constexpr unsigned max_scan_threads = 768;
inline constexpr unsigned max_scan_stages = 4;  ///< tiles in flight in a block; a caller may ask for 2 to 4
/// Bytes of registers for a lane's elements of the rows that a warp works on at a time, up to four rows. 2^28 floats: 533 us in
/// batches of rows, 706 row by row (ca8c4b2).
inline constexpr std::size_t max_batch_bytes = 128;
inline constexpr unsigned max_batch_rows = 4;
/// The same where a lane also holds elements of zipped arrays that it has loaded ahead. 3 * 10^8 differences of neighbours: f32 667
/// us, f64 1388; without loading ahead 715 and 1582; in batches of four rows, where registers spill, 1285 and 2784 (H200, 78e79d1).
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

/// Blocks that each have a tile.
struct small_scan_shape {
    unsigned warps;          ///< of a block, at most
    unsigned blocks_per_sm;  ///< that fit on a multiprocessor: limits the registers of a thread
};
inline constexpr unsigned small_scan_shapes = 6;
/// The first shape whose blocks have their tiles in shared memory; those before have them in registers. 600 tiles of floats 10.9 us,
/// of 64-bit integers 12.2, misaligned 13.2 and 13.4; in one pass over tiles by ticket 14.7, 16.4, 18.1 and 17.7. 528 tiles of
/// floats 9.5 us in registers, 529 in shared memory 10.1 (H200, 1dcefae).
inline constexpr unsigned staged_scan_shape = 4;
/// One kernel for all of these: 36 warps on a multiprocessor, in blocks of up to 18 warps, leave 56 registers to a thread.
inline constexpr unsigned max_staged_warps = 18;
inline constexpr unsigned min_staged_blocks_per_sm = 2;
/// Registers of a lane for its part of a row, at most, where three blocks whose warps hold four rows fit on a multiprocessor.
inline constexpr unsigned max_lean_registers = 5;
/// The same for four blocks whose warps hold eight rows.
inline constexpr unsigned max_crowded_registers = 8;
/// The shape for `number` + 1 tiles on each multiprocessor: many warps, so that a tile is soon done, but so few that all blocks are
/// resident where registers allow that. 16 warps for one tile: 0.15 to 0.5 us more; eight for two tiles: 0.5 us (floats) and 0.9
/// (doubles) more; eight for five tiles of doubles: 0.7 to 0.9 more than six (H200, 1dcefae).
constexpr small_scan_shape small_scan_shape_of(unsigned number, unsigned row_registers)
{
    const bool is_lean = row_registers <= max_lean_registers;
    switch (number) {
    case 0: return {32, 1};
    case 1: return {16, is_lean ? 3u : 2u};
    case 2: return {is_lean ? 16u : 8u, 3};
    case 3: return row_registers <= max_crowded_registers ? small_scan_shape{8, 4} : small_scan_shape{16, 2};
    default: return {6, 6};
    }
}
/// Where a block shifts its rows if the input or output is not aligned: in `registers`, by a kernel of its own; in a `stage`, by the
/// kernel of `staged_rows`. `nowhere`: it shifts none.
enum class shift_place { nowhere, registers, stage };

/// Shapes, at most, whose blocks shift rows in registers; and the same for sums of integers of one and two bytes, which take more of
/// them. 265 to 396 misaligned tiles of floats take 0.85 to 0.95 of the time in a stage, of one and two bytes 1.2 to 1.3 (H100, 32e4a74;
/// the same below).
inline constexpr unsigned shifting_shapes = 3;
inline constexpr unsigned packed_shifting_shapes = 2;
/// Warps of blocks that shift rows in registers. `number` + 1 blocks fit on a multiprocessor, so registers suffice for what a warp
/// holds. 265 to 396 tiles of floats take 1.02 to 1.09 of the time with 16 warps, which keep some of it in local memory.
constexpr unsigned shifted_warps(unsigned number)
{
    return 32 >> number;
}
/// Warps of blocks that shift rows in a stage, at most.
inline constexpr unsigned shifted_stage_warps = 8;
/// Rows that a warp holds in registers, at most.
inline constexpr unsigned max_warp_rows = 8;
/// Blocks on a multiprocessor from which on registers are short.
inline constexpr unsigned crowded_blocks_per_sm = 4;

}  // namespace parprims::detail::device
