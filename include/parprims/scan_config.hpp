/// @file
/// @brief  The launch configurations of scans.
#pragma once

#include <parprims/detail/push_macros.hpp>  // first

namespace parprims {

/// @brief  The launch configuration of scans on the device. It changes the time of a call, never its result.
///
/// A scan is one kernel: while blocks run, they publish the aggregates of their tiles to each other (decoupled look-back).
/// @snippet device.cpp scan_config
struct scan_config {
    /// Threads per block: a multiple of 32 from 32 to 1024. More than 768 count as 768, or as 256 for values of 12 bytes.
    unsigned block_threads = 256;
    unsigned blocks_per_sm = 3;  ///< blocks per multiprocessor: 1 to 32
    /// Tiles that a block has in shared memory at a time, loaded ahead of the scan: 2 to 4, fewer where shared memory is short.
    /// Where it has room for one only, as for values of 4 bytes on compute capability 7.5, each block scans one tile, whatever
    /// `blocks_per_sm` is.
    unsigned stages = 2;
    /// Inputs of at most this many tiles for each multiprocessor, of values of at most 16 bytes, are scanned by blocks that have a tile
    /// each, or a part of one. The numbers above do not matter then. More than 6 count as 6; 0: none.
    unsigned small_tiles_per_sm = 6;

    friend bool operator==(const scan_config&, const scan_config&) = default;
};

/// @brief  The launch configuration of a scan in three launches, in which no block waits for another: slower, with the same bits.
///
/// 1. The sum of each tile, by Hillis-Steele scans of a block. 2. A scan of the sums. 3. A scan of each tile, to which its prefix
/// is added (the fixup). Only a call whose policy names it, as `device.with(three_phase_scan{})`, compiles it.
/// @snippet device.cpp three_phase
struct three_phase_scan {
    unsigned block_threads = 256;  ///< threads per block: a multiple of 32 from 32 to 1024
    unsigned blocks_per_sm = 3;    ///< blocks per multiprocessor: 1 to 32

    friend bool operator==(const three_phase_scan&, const three_phase_scan&) = default;
};

}  // namespace parprims

#include <parprims/detail/pop_macros.hpp>
