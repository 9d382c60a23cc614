/// @file
/// @brief  How a scan is launched.
#pragma once

namespace parprims {

/// @brief  Launch numbers of the scans on the device. None of them changes a result, only the time it takes.
///
/// A scan is one kernel: blocks publish the aggregates of their tiles for each other while they run (decoupled look-back).
/// @snippet device.cpp scan_config
struct scan_config {
    unsigned block_threads = 256;  ///< threads per block, a multiple of 32 from 32 to 1024; more than 768 count as 768
    unsigned blocks_per_sm = 3;    ///< blocks per multiprocessor: 1 to 32; a block for each tile where `stages` says so
    /// Tiles in flight in a block's shared memory: 2 to 4, or as many as it has room for. Where that is one, as for values of
    /// four bytes on compute capability 7.5, each block scans one tile.
    unsigned stages = 2;
    /// Inputs of at most so many tiles, of values of at most 16 bytes, are scanned by blocks that keep their part in
    /// registers, whatever the numbers above, if the GPU has room for that; 0: never.
    unsigned small_tiles = 512;

    friend bool operator==(const scan_config&, const scan_config&) = default;
};

/// @brief  Launch numbers of a scan in three launches of plain kernels, none of whose blocks waits for another. The same bits, in more time.
///
/// Sums of the tiles by a Hillis-Steele scan of each block; a scan of the sums; a scan of each tile with the fixup added. Only a
/// call whose policy names it, as `device.with(three_phase_scan{})`, compiles it.
/// @snippet device.cpp three_phase
struct three_phase_scan {
    unsigned block_threads = 256;  ///< threads per block, a multiple of 32 from 32 to 1024
    unsigned blocks_per_sm = 3;    ///< blocks per multiprocessor: 1 to 32

    friend bool operator==(const three_phase_scan&, const three_phase_scan&) = default;
};

}  // namespace parprims
