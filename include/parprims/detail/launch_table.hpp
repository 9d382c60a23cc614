/// @file
/// @brief  The numbers of a launch: plain aggregates, filled from one table, overridable call by call.
///
/// No number in here can change a result, only the time it takes (docs/order-contract.md). Hence none says how many items a
/// thread takes: the order contract fixes that by the size of a value.
#pragma once

#include <parprims/config.hpp>

#include <cstddef>

namespace parprims {

/// @brief  How a reduction is launched.
struct reduce_config {
    unsigned block_threads =
        512;  ///< threads of a block, at most: a multiple of 32 from 32 to 1024; many elements take 512
    unsigned blocks_per_sm = 1;   ///< blocks on each multiprocessor: 1 to 32
    unsigned subtree_chunks = 0;  ///< chunks that a warp folds in a row, at least: a power of two; 0 chooses by n

    friend bool operator==(const reduce_config&, const reduce_config&) = default;
};

/// @brief  How a scan is launched.
struct scan_config {
    /// `single_pass`: one kernel; tiles pass their aggregates on while they run (decoupled look-back).
    /// `three_phase`: sums of the blocks, scan of the sums, scan of each block with the fixup added; three plain kernels.
    enum class method_kind { single_pass, three_phase };
    static constexpr method_kind single_pass = method_kind::single_pass;
    static constexpr method_kind three_phase = method_kind::three_phase;

    method_kind method = single_pass;
    unsigned block_threads = 256;  ///< threads of a block: a multiple of 32 from 32 to 1024; one pass takes at most 768
    unsigned blocks_per_sm = 3;    ///< blocks on each multiprocessor: 1 to 32
    unsigned stages = 2;           ///< tiles in flight in a block's shared memory: 2 to 4; fewer where memory is short
    /// No more tiles than this, of values of at most 16 bytes, are scanned in one pass by blocks that keep their part in
    /// registers, whatever the numbers above, if the GPU has room for that; 0: never.
    unsigned small_tiles = 512;

    friend bool operator==(const scan_config&, const scan_config&) = default;
};

/// @brief  How a histogram is launched, and where its bins live while it runs.
struct histogram_config {
    /// `automatic` chooses by the number of bins. `shared`: 32-bit counters in shared memory. `packed`: 16-bit counters in
    /// shared memory. `passes`: windows of the bins in the shared memory of different blocks, which all look
    /// at all samples.
    /// `partitioned`: samples are first sorted into parts of the bins. `global`: counters in device memory.
    enum class placement_kind { automatic, shared, packed, passes, partitioned, global };
    static constexpr placement_kind automatic = placement_kind::automatic;
    static constexpr placement_kind shared = placement_kind::shared;
    static constexpr placement_kind packed = placement_kind::packed;
    static constexpr placement_kind passes = placement_kind::passes;
    static constexpr placement_kind partitioned = placement_kind::partitioned;
    static constexpr placement_kind global = placement_kind::global;

    placement_kind placement = automatic;
    unsigned block_threads = 1024;  ///< threads of a block, fewer for small inputs: a multiple of 32 from 32 to 1024
    unsigned blocks_per_sm = 1;     ///< blocks on each multiprocessor: 1 to 32
    unsigned replicas = 0;          ///< copies of the bins in a block's shared memory: a power of two to 32; 0 chooses

    friend bool operator==(const histogram_config&, const histogram_config&) = default;
};

/// @brief  A row of the table: what an architecture was found to like.
struct launch_table_row {
    int architecture;         ///< from this compute capability on (major * 10 + minor)
    std::size_t value_bytes;  ///< from this size of a value on
    bool measured;            ///< false: chosen by reasoning, not yet run on such a GPU
    reduce_config reduce;
    scan_config scan;
    histogram_config histogram;
};

/// @brief  The one table of launch configurations. Sorted by architecture, then by value size.
inline constexpr launch_table_row launch_table[] = {
    {75, 1, false, {512, 1, 0}, {scan_config::single_pass, 256, 1, 2}, {histogram_config::automatic, 1024, 1, 0}},
    {80, 1, false, {512, 1, 0}, {scan_config::single_pass, 256, 2, 2}, {histogram_config::automatic, 1024, 1, 0}},
    {86, 1, false, {512, 1, 0}, {scan_config::single_pass, 256, 1, 2}, {histogram_config::automatic, 1024, 1, 0}},
    {90, 1, true, {512, 1, 0}, {scan_config::single_pass, 256, 3, 2}, {histogram_config::automatic, 1024, 1, 0}},
    {90, 33, true, {512, 2, 0}, {scan_config::single_pass, 256, 3, 2}, {histogram_config::automatic, 1024, 1, 0}},
    {100, 1, false, {512, 1, 0}, {scan_config::single_pass, 256, 3, 2}, {histogram_config::automatic, 1024, 1, 0}},
    {100, 33, false, {512, 2, 0}, {scan_config::single_pass, 256, 3, 2}, {histogram_config::automatic, 1024, 1, 0}},
};

/// @brief  The row for a GPU and a value size: the last one that asks for no more than both.
constexpr const launch_table_row& launch_row(int architecture, std::size_t value_bytes)
{
    const launch_table_row* best = launch_table;
    for (const auto& row : launch_table)
        if (row.architecture <= architecture && row.value_bytes <= value_bytes)
            best = &row;
    return *best;
}

}  // namespace parprims
