/// @file
/// @brief  How a scan of n values is launched. Pure: no GPU is asked.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/device/call/launcher.hpp>
#include <parprims/detail/device/call/validate.hpp>
#include <parprims/detail/device/pass/plan.hpp>
#include <parprims/detail/device/scan/tuning.hpp>
#include <parprims/detail/numeric/integers.hpp>

#include <bit>
#include <cstddef>

namespace parprims::detail::device {

inline void check_scan_config(const char* function, const scan_config& config)
{
    check_common_config(function, config);
    check_config(function, config.stages >= 2 && config.stages <= max_scan_stages, "stages", config.stages,
                 "from 2 to 4");
}

inline void check_scan_config(const char* function, const three_phase_scan& config)
{
    check_common_config(function, config);
}

/// A scan in one pass over tiles in shared memory. A block has room for at least two tiles, unless each tile has a block.
/// @param  tile           elements of a tile
/// @param  storage_bytes  the shared memory of a block without its stages
/// @param  stage_bytes    the shared memory of a stage
/// @param  max_threads    of a block
inline long_plan plan_single_pass(std::size_t n, std::size_t tile, std::size_t storage_bytes, std::size_t stage_bytes,
                                  unsigned max_threads, const scan_config& config, const gpu_properties& gpu)
{
    const std::size_t tiles = order::ceil_div(n, tile);
    const std::size_t room = (gpu.shared_bytes_per_block - storage_bytes) / stage_bytes;

    // A block with one tile needs one stage: where two do not fit, each tile has a block.
    const std::size_t max_blocks = room < 2 ? tiles : std::size_t{gpu.multiprocessors} * config.blocks_per_sm;
    const auto slots = static_cast<unsigned>(larger_of<std::size_t>(smaller_of<std::size_t>(config.stages, room), 2));
    return {tiles, max_blocks, smaller_of(config.block_threads, max_threads), slots};
}

/// A scan of one tile by a cluster of blocks, or one block. Each has a part of the tile in registers.
struct cluster_scan_plan {
    unsigned blocks;  ///< 0: no such scan; one multiprocessor has room for all
    unsigned block_threads;
    unsigned block_rows;  ///< a power of two
};

/// @param  row        elements of a row
/// @param  tile_rows  rows of a tile
inline cluster_scan_plan plan_cluster_scan(std::size_t n, std::size_t row, unsigned tile_rows,
                                           const scan_config& config, const gpu_properties& gpu)
{
    const std::size_t rows = order::ceil_div(n, row);
    if (rows > tile_rows || config.small_tiles_per_sm == 0)
        return {0, 0, 0};

    // Few rows a block, so that many warps load. But one block alone if that suffices.
    const unsigned most_blocks = smaller_of(std::bit_floor(gpu.cluster_blocks), max_cluster_blocks);
    unsigned block_rows = rows <= 2 * min_cluster_rows ? 2 * min_cluster_rows : min_cluster_rows;
    while (block_rows < max_cluster_rows && order::ceil_div(rows, block_rows) > most_blocks)
        block_rows *= 2;
    const auto blocks = static_cast<unsigned>(order::ceil_div(rows, block_rows));
    const unsigned threads = static_cast<unsigned>(smaller_of<std::size_t>(rows, block_rows)) * order::lanes;
    if (blocks > most_blocks || (blocks > 1 && blocks * threads > max_cluster_threads(gpu)))
        return {0, 0, 0};
    return {blocks, threads, block_rows};
}

/// A scan by blocks that each have a tile.
struct small_scan_plan {
    std::size_t blocks;  ///< as many as tiles; 0: there are too many
    unsigned block_threads;
    bool is_held;  ///< in registers, not in shared memory
};

/// @param  can_hold    whether blocks may have their tiles in registers
/// @param  can_stage   whether blocks may have their tiles in shared memory
/// @param  max_blocks  blocks that there are status words for
inline small_scan_plan plan_small_scan(std::size_t tiles, bool can_hold, bool can_stage, std::size_t max_blocks,
                                       const scan_config& config, const gpu_properties& gpu)
{
    const std::size_t share = order::ceil_div(tiles, gpu.multiprocessors);  // tiles for each multiprocessor
    if (share > config.small_tiles_per_sm || tiles > max_blocks)
        return {0, 0, false};
    if (can_hold && share <= 1)
        return {tiles, held_scan_warps * order::lanes, true};
    if (can_stage && share <= max_staged_tiles_per_sm)
        return {tiles, staged_scan_warps(static_cast<unsigned>(share)) * order::lanes, false};
    return {0, 0, false};
}

/// A scan in three phases.
struct three_phase_plan {
    std::size_t blocks;  ///< of phases 1 and 3; phase 2 has one
    unsigned block_threads;
    std::size_t tiles;
    std::size_t groups;  ///< of tiles
};

/// @param  tile  elements of a tile
inline three_phase_plan plan_three_phase(std::size_t n, std::size_t tile, const three_phase_scan& config,
                                         const gpu_properties& gpu)
{
    const std::size_t tiles = order::ceil_div(n, tile);
    const std::size_t max_blocks = std::size_t{gpu.multiprocessors} * config.blocks_per_sm;
    return {larger_of<std::size_t>(smaller_of(tiles, max_blocks), 1), config.block_threads, tiles,
            order::ceil_div(tiles, order::group_tiles)};
}

}  // namespace parprims::detail::device
