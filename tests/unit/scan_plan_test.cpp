/// @file
/// @brief  Launch plans of scans cover the work and fit the GPU, for any n, configuration and machine.
#include <doctest/doctest.h>

#include <parprims/detail/device/scan/plan.hpp>

#include "support/plans.hpp"

#include <algorithm>
#include <cstddef>

namespace order = parprims::detail::order;

namespace {

void check_scan_plan(tally& all, std::size_t n, std::size_t tile, std::size_t storage_bytes, std::size_t stage_bytes,
                     const pp::scan_config& config, const device::gpu_properties& gpu)
{
    const device::long_plan plan =
        device::plan_single_pass(n, tile, storage_bytes, stage_bytes, device::max_scan_threads, config, gpu);
    const std::size_t room = (gpu.shared_bytes_per_block - storage_bytes) / stage_bytes;
    ++all.plans;
    all.expect(plan.tiles == order::ceil_div(n, tile), "tiles cover the input", n);
    all.expect(room < 2 || plan.blocks() <= std::size_t{gpu.multiprocessors} * config.blocks_per_sm, "blocks", n);
    all.expect(room >= 2 || plan.one_tile_each(), "a block for each tile where two stages do not fit", n);
    all.expect(plan.blocks() >= 1 && (plan.blocks() <= plan.tiles || plan.tiles == 0), "no block without a tile", n);
    all.expect(plan.block_threads == std::min(config.block_threads, device::max_scan_threads), "threads", n);
    all.expect(plan.one_tile_each() == (plan.tiles <= plan.blocks()), "one tile each", n);
    all.expect(plan.slots >= 2 && plan.slots <= config.stages, "stages", n);
    all.expect(plan.used_slots() <= room, "stages fit", n);
    all.expect(plan.slots == config.stages || plan.slots == 2 || plan.slots == room, "no fewer stages than fit", n);
}

void check_three_phase_plan(tally& all, std::size_t n, std::size_t tile, const pp::three_phase_scan& config,
                            const device::gpu_properties& gpu)
{
    const device::three_phase_plan plan = device::plan_three_phase(n, tile, config, gpu);
    ++all.plans;
    all.expect(plan.tiles == order::ceil_div(n, tile), "tiles cover the input", n);
    all.expect(plan.groups == order::ceil_div(plan.tiles, order::group_tiles), "groups cover the tiles", n);
    all.expect(plan.blocks >= 1 && plan.blocks <= std::size_t{gpu.multiprocessors} * config.blocks_per_sm, "blocks", n);
    all.expect(plan.blocks <= plan.tiles || plan.tiles == 0, "no block without a tile", n);
    all.expect(plan.block_threads == config.block_threads, "threads", n);
}

}  // namespace

TEST_CASE("plans of small scans cover the input with a cluster, or a block for each tile")
{
    constexpr std::size_t row = 128;
    constexpr unsigned tile_rows = 64;
    for (const unsigned cluster_blocks : {1u, 2u, 6u, 8u, 16u})
        for (const unsigned multiprocessor_threads : {2048u, 1536u})
            for (std::size_t n = 1; n < 20 * row * tile_rows; n += n < 1000 ? 1 : 61) {
                CAPTURE(cluster_blocks);
                CAPTURE(multiprocessor_threads);
                CAPTURE(n);
                device::gpu_properties gpu;
                gpu.cluster_blocks = cluster_blocks;
                gpu.multiprocessors = 16;
                gpu.threads_per_multiprocessor = multiprocessor_threads;
                const std::size_t rows = (n + row - 1) / row;  // in all
                const std::size_t tiles = (rows + tile_rows - 1) / tile_rows;
                const device::cluster_scan_plan clusters =
                    device::plan_cluster_scan(n, row, tile_rows, pp::scan_config{}, gpu);
                const bool is_half = cluster_blocks == 1 || multiprocessor_threads < 2048;  // of a tile, that has room
                REQUIRE((clusters.blocks != 0) == (rows <= (is_half ? tile_rows / 2 : tile_rows)));
                const auto covers = [&](std::size_t blocks, unsigned block_rows, unsigned threads, unsigned warp_rows) {
                    REQUIRE(blocks * block_rows * row >= n);
                    REQUIRE(tile_rows % block_rows == 0);
                    REQUIRE(threads <= 1024);
                    REQUIRE(threads / 32 * warp_rows >= (rows < block_rows ? rows : block_rows));
                };
                if (clusters.blocks != 0) {
                    covers(clusters.blocks, clusters.block_rows, clusters.block_threads, 1);
                    REQUIRE(clusters.blocks <= cluster_blocks);
                    REQUIRE(clusters.blocks * clusters.block_threads <= multiprocessor_threads);
                }
                const device::small_scan_plan plan =
                    device::plan_small_scan(tiles, true, true, 512, pp::scan_config{}, gpu);
                REQUIRE(plan.blocks == tiles);
                if (plan.is_held)
                    covers(plan.blocks, tile_rows, plan.block_threads, tile_rows / device::held_scan_warps);
            }
}

TEST_CASE("scans are small up to as many tiles as the configuration says, and there is room for")
{
    const auto blocks = [](std::size_t tiles, unsigned small_tiles_per_sm) {
        pp::scan_config config;
        config.small_tiles_per_sm = small_tiles_per_sm;
        return device::plan_small_scan(tiles, true, true, 100, config, {20}).blocks;
    };
    CHECK(blocks(60, 3) == 60);
    CHECK(blocks(61, 3) == 0);
    CHECK(blocks(100, 7) == 100);
    CHECK(blocks(101, 7) == 0);
    CHECK(blocks(1, 0) == 0);
    const auto cluster = [](unsigned small_tiles_per_sm) {
        pp::scan_config config;
        config.small_tiles_per_sm = small_tiles_per_sm;
        return device::plan_cluster_scan(8192, 128, 64, config, {}).blocks;
    };
    CHECK(cluster(1) == 8);
    CHECK(cluster(0) == 0);
}

TEST_CASE("small scans have blocks of fewer warps as more tiles share a multiprocessor, up to six")
{
    constexpr unsigned multiprocessors = 10;
    const auto plan = [&](std::size_t tiles, bool can_hold, bool can_stage) {
        const auto made = device::plan_small_scan(tiles, can_hold, can_stage, 1000, {}, {multiprocessors});
        REQUIRE((made.blocks == 0 || made.blocks == tiles));
        return made;
    };
    for (const bool can_hold : {false, true})
        for (const bool can_stage : {false, true})
            for (unsigned tiles = 1; tiles <= 7 * multiprocessors; ++tiles) {
                CAPTURE(can_hold);
                CAPTURE(can_stage);
                CAPTURE(tiles);
                const unsigned share = (tiles + multiprocessors - 1) / multiprocessors;
                const bool is_held = can_hold && share == 1;
                const bool is_staged = !is_held && can_stage && share <= 6;
                const auto made = plan(tiles, can_hold, can_stage);
                CHECK((made.blocks != 0) == (is_held || is_staged));
                CHECK(made.is_held == is_held);
                if (is_held)
                    CHECK(made.block_threads == 1024);
                if (is_staged) {
                    const unsigned warps = made.block_threads / 32;
                    CHECK(warps == (share <= 2 ? 16 : share <= 4 ? 8 : 6));
                    CHECK(share * warps <= 36);  // so that all are resident
                }
            }
}

TEST_CASE("plans of scans cover the input and fit the GPU")
{
    tally all;
    for (const auto& gpu : machines)
        for (const unsigned block_threads : block_sizes)
            for (const unsigned blocks_per_sm : blocks_per_sm_choices)
                for (const unsigned stages : {2u, 3u, 4u})
                    for (const std::size_t stage_bytes : {std::size_t{1} << 10, std::size_t{32} << 10})
                        for (const std::size_t n : many_sizes(48))
                            check_scan_plan(all, n, 8192, 1024, stage_bytes, {block_threads, blocks_per_sm, stages},
                                            gpu);
}

TEST_CASE("plans of scans in three phases cover the input")
{
    tally all;
    for (const auto& gpu : machines)
        for (const unsigned block_threads : block_sizes)
            for (const unsigned blocks_per_sm : blocks_per_sm_choices)
                for (const std::size_t n : many_sizes(48))
                    check_three_phase_plan(all, n, 8192, {block_threads, blocks_per_sm}, gpu);
}
