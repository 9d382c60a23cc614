/// @file
/// @brief  How a scan is launched.
#pragma once

namespace parprims {

/// @brief  Launch numbers of the scans on the device. None of them changes a result, only the time it takes.
struct scan_config {
    /// `single_pass`: one kernel; tiles pass their aggregates on while they run (decoupled look-back).
    /// `three_phase`: sums of the blocks, scan of the sums, scan of each block with the fixup added; three plain kernels.
    enum class method_kind { single_pass, three_phase };
    static constexpr method_kind single_pass = method_kind::single_pass;
    static constexpr method_kind three_phase = method_kind::three_phase;

    method_kind method = single_pass;
    unsigned block_threads =
        256;  ///< threads per block, a multiple of 32 from 32 to 1024; a single pass uses at most 768
    unsigned blocks_per_sm = 3;  ///< blocks per multiprocessor: 1 to 32
    unsigned stages = 2;         ///< tiles in flight in a block's shared memory: 2 to 4; fewer where memory is short
    /// Inputs of at most so many tiles, of values of at most 16 bytes, are scanned by blocks that keep their part in
    /// registers, whatever the numbers above, if the GPU has room for that; 0: never.
    unsigned small_tiles = 512;

    friend bool operator==(const scan_config&, const scan_config&) = default;
};

}  // namespace parprims
