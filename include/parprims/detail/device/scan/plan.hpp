/// @file
/// @brief  How a scan of n values is launched. Pure: no GPU is asked.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/device/launch/launcher.hpp>
#include <parprims/detail/device/launch/validate.hpp>
#include <parprims/detail/device/scan/tuning.hpp>
#include <parprims/detail/numeric/integers.hpp>
#include <parprims/detail/order.hpp>

#include <cstddef>

namespace parprims::detail::device {

/// Threads of a block of the single pass at most: more would leave each too few registers.
inline constexpr unsigned max_scan_threads = 768;

struct scan_plan {
    scan_config::method_kind method;
    std::size_t blocks;
    unsigned block_threads;
    std::size_t tiles;
    unsigned stages;
    bool one_each;  ///< as many blocks as tiles
};

/// A scan of a small input, of which each block keeps its part in registers.
struct small_scan_plan {
    std::size_t blocks;  ///< 0: the input is not small
    unsigned block_threads;
    unsigned block_rows;  ///< of one cluster; 0: a block has a tile, and there are many
    unsigned warp_rows;   ///< that a warp holds, where a block has a tile
};

/// Rows of a block of a cluster, a part of a tile. More take longer than a meeting on a board.
inline constexpr unsigned min_part_rows = 8;
inline constexpr unsigned max_part_rows = 32;

/// Blocks of a cluster that scans, at most.
inline constexpr unsigned max_scan_cluster = 16;

/// Blocks of a scan's cluster. A GPU of compute capability 9.0 has at most eight GPCs, and a cluster of 16 has room in one with
/// 16 multiprocessors. They come in pairs, so with more than 8 * 14 one has that many.
inline unsigned scan_cluster_blocks(const machine& gpu)
{
    return gpu.cluster_blocks >= 8 && gpu.architecture == 90 && gpu.multiprocessors > 112 ? max_scan_cluster
                                                                                          : gpu.cluster_blocks;
}

/// Rows that a warp of a small scan holds at most, where a lane needs so many registers for each: with four rows three blocks of
/// lean ones share a multiprocessor, of others only two, and three take eight rows.
PARPRIMS_HOST_DEVICE constexpr unsigned small_scan_most_warp_rows(unsigned row_registers)
{
    return row_registers <= 5 ? 4 : 8;
}

/// Blocks with a tile that share a multiprocessor, where each warp holds so many rows: so few registers are left to each.
PARPRIMS_HOST_DEVICE constexpr unsigned small_scan_blocks_per_sm(unsigned warp_rows, unsigned row_registers)
{
    return warp_rows <= 2 ? 1 : warp_rows < small_scan_most_warp_rows(row_registers) ? 2 : 3;
}

/// Rows that a warp holds where each block has one of so many tiles: few, so that a tile is soon done, but so many that all
/// blocks run at the same time, or at least each multiprocessor twice as many as it has room for. 0: there are too many.
inline unsigned small_scan_warp_rows(std::size_t tiles, unsigned multiprocessors, unsigned row_registers)
{
    const std::size_t each = order::ceil_div(tiles, multiprocessors);
    return each <= 1 ? 2 : each <= 2 ? 4 : each <= 3 ? small_scan_most_warp_rows(row_registers) : each <= 4 ? 4 : 0;
}

inline void check_scan_config(const char* function, const scan_config& config)
{
    check_common_config(function, config);
    check_config(function, config.stages >= 2 && config.stages <= 4, "stages", config.stages, "from 2 to 4");
    check_config(function, config.method == scan_config::single_pass || config.method == scan_config::three_phase,
                 "method", static_cast<std::size_t>(config.method), "a method");
}

/// @param  tile           elements of a tile
/// @param  storage_bytes  the shared memory of a block without its stages
/// @param  stage_bytes    the shared memory of a stage
inline scan_plan plan_scan(std::size_t n, std::size_t tile, std::size_t storage_bytes, std::size_t stage_bytes,
                           const scan_config& config, const machine& gpu)
{
    const std::size_t tiles = order::ceil_div(n, tile);
    const std::size_t max_blocks = std::size_t{gpu.multiprocessors} * config.blocks_per_sm;
    unsigned stages = config.stages;
    while (stages > 2 && storage_bytes + stages * stage_bytes > gpu.shared_bytes_per_block)
        --stages;
    const std::size_t blocks = larger_of<std::size_t>(smaller_of(tiles, max_blocks), 1);

    // A block with one tile needs one stage; where two do not fit, as on compute capability 7.5, phases do the same.
    const bool one_each = tiles <= blocks;
    const bool fits = storage_bytes + (one_each ? 1 : stages) * stage_bytes <= gpu.shared_bytes_per_block;
    const auto method = fits ? config.method : scan_config::three_phase;
    const unsigned most = method == scan_config::single_pass ? max_scan_threads : config.block_threads;
    return {method, blocks, smaller_of(config.block_threads, most), tiles, stages, one_each};
}

/// @param  row            elements of a row
/// @param  tile_rows      rows of a tile
/// @param  row_registers  of a lane, for its part of a row
/// @param  max_blocks     that can tell each other about their tiles
inline small_scan_plan plan_small_scan(std::size_t n, std::size_t row, unsigned tile_rows, unsigned row_registers,
                                       std::size_t max_blocks, const scan_config& config, const machine& gpu)
{
    const std::size_t rows = order::ceil_div(n, row);
    const std::size_t tiles = order::ceil_div(rows, tile_rows);
    if (config.method != scan_config::single_pass || tiles > config.small_tiles)
        return {0, 0, 0, 0};

    // Few rows a block, so that many multiprocessors load; but what one block can do needs no other.
    const unsigned most_blocks = scan_cluster_blocks(gpu);
    unsigned block_rows = rows <= 2 * min_part_rows ? 2 * min_part_rows : min_part_rows;
    while (block_rows < max_part_rows && order::ceil_div(rows, block_rows) > most_blocks)
        block_rows *= 2;
    const std::size_t blocks = order::ceil_div(rows, block_rows);
    if (blocks <= most_blocks) {
        const auto warps = static_cast<unsigned>(smaller_of<std::size_t>(rows, block_rows));
        return {blocks, warps * order::lanes, block_rows, 0};
    }
    const unsigned warp_rows = small_scan_warp_rows(tiles, gpu.multiprocessors, row_registers);
    if (tiles > max_blocks || warp_rows == 0)
        return {0, 0, 0, 0};
    return {tiles, tile_rows / warp_rows * order::lanes, 0, warp_rows};
}

}  // namespace parprims::detail::device
