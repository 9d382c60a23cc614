/// @file
/// @brief  Launch plans cover the work and fit the GPU, for any n, configuration and machine.
#include <doctest/doctest.h>

#include <parprims/detail/device/histogram/partition_plan.hpp>
#include <parprims/detail/device/histogram/plan.hpp>
#include <parprims/detail/device/reduce/plan.hpp>
#include <parprims/detail/device/scan/plan.hpp>
#include <parprims/error.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace pp = parprims;
namespace device = parprims::detail::device;
namespace order = parprims::detail::order;

namespace {

/// An H200, an A100, consumers' GPUs of two generations, and one multiprocessor of some.
constexpr device::gpu_properties machines[] = {
    {132, 2048, 227 * 1024, 228 * 1024}, {108, 2048, 163 * 1024, 164 * 1024}, {84, 1536, 99 * 1024, 100 * 1024},
    {40, 1024, 64 * 1024, 64 * 1024},    {1, 2048, 227 * 1024, 228 * 1024},   {1, 1536, 99 * 1024, 100 * 1024},
};

constexpr unsigned block_sizes[] = {32, 64, 96, 256, 512, 992, 1024};
constexpr unsigned blocks_per_sm_choices[] = {1, 2, 3, 8, 32};

/// Around every power of two.
std::vector<std::size_t> many_sizes(unsigned bits)
{
    std::vector<std::size_t> sizes;
    for (unsigned bit = 0; bit < bits; ++bit)
        for (const std::size_t n : {(std::size_t{1} << bit) - 1, std::size_t{1} << bit, (std::size_t{1} << bit) + 1})
            if (n != 0)
                sizes.push_back(n);
    return sizes;
}

/// Counts broken invariants, so that millions of plans do not make millions of assertions.
struct tally {
    std::size_t plans = 0;
    std::size_t broken = 0;
    void expect(bool holds, const char* what, std::size_t n)
    {
        if (!holds && ++broken <= 10) {
            CAPTURE(what);
            CAPTURE(n);
            CHECK(holds);
        }
    }
    ~tally()
    {
        CHECK(broken == 0);
        CHECK(plans > 1000);
    }
};

struct room_for_runs {
    std::size_t max_run;
    std::size_t max_runs;
};

void check_reduce_plan(tally& all, std::size_t n, std::size_t chunk, const pp::reduce_config& config,
                       const device::gpu_properties& gpu, const room_for_runs& room)
{
    const device::reduce_plan plan = device::plan_reduce(n, chunk, config, gpu, room.max_run, room.max_runs);
    const std::size_t chunks = order::ceil_div(n, chunk);
    const std::size_t full_grid = std::size_t{gpu.multiprocessors} * config.blocks_per_sm;
    const unsigned warps = plan.block_threads / 32;
    const std::size_t run = std::size_t{1} << plan.run_bits;
    ++all.plans;
    all.expect(device::is_power_of_two(plan.subtree_chunks), "a subtree is aligned", n);
    all.expect(plan.subtrees == order::ceil_div(chunks, plan.subtree_chunks), "subtrees cover the chunks, none empty",
               n);
    all.expect(plan.subtree_chunks >= config.subtree_chunks, "the user's choice", n);
    all.expect(plan.block_threads % 32 == 0 && warps >= 1 && plan.block_threads <= config.block_threads, "threads", n);
    all.expect(plan.block_threads <= device::max_reduce_threads, "registers for the loads", n);
    all.expect(plan.blocks >= 1 && plan.blocks <= (full_grid < 2 ? 2 : full_grid), "blocks", n);
    all.expect(plan.runs == order::ceil_div(plan.subtrees, run), "runs cover the subtrees, none empty", n);
    all.expect(run >= warps && run <= room.max_run, "room for a run", n);
    all.expect(plan.runs <= room.max_runs, "room for all runs", n);
    all.expect(plan.blocks <= plan.runs && (plan.blocks > 1 || plan.runs == 1), "one run is for one block", n);
    all.expect(plan.blocks == 1 || device::is_power_of_two(warps), "rounds are nodes", n);
    all.expect(plan.blocks <= 2 || order::ceil_div(plan.runs, plan.blocks) * (plan.blocks - 1) < plan.runs,
               "no block is spared a run", n);
    if (config.subtree_chunks == 0)
        all.expect(plan.subtree_chunks == 1 || run == room.max_run, "as large subtrees as memory likes", n);
}

void check_wide_reduce_plan(tally& all, std::size_t n, const pp::reduce_config& config,
                            const device::gpu_properties& gpu, std::size_t max_warps, std::size_t max_runs)
{
    constexpr std::size_t chunk = 512;
    const device::wide_reduce_plan plan = device::plan_wide_reduce(n, chunk, config, gpu, max_warps, max_runs);
    const std::size_t chunks = order::ceil_div(n, chunk);
    const std::size_t full_grid = std::size_t{gpu.multiprocessors} * config.blocks_per_sm;
    const unsigned warps = plan.block_threads / 32;
    ++all.plans;
    all.expect(plan.block_threads % 32 == 0 && warps >= 1 && warps <= max_warps, "rings fit", n);
    all.expect(plan.block_threads <= config.block_threads, "threads", n);
    all.expect(device::is_power_of_two(plan.subtree_chunks), "a subtree is aligned", n);
    all.expect(plan.subtree_chunks >= config.subtree_chunks, "the user's choice", n);
    all.expect(plan.subtrees == order::ceil_div(chunks, plan.subtree_chunks), "subtrees cover the chunks, none empty",
               n);
    all.expect(plan.runs == order::ceil_div(plan.subtrees, warps), "runs cover the subtrees, none empty", n);
    all.expect(plan.runs <= max_runs, "room for all runs", n);
    all.expect(plan.runs == 1 || device::is_power_of_two(warps), "runs are nodes", n);
    all.expect(plan.blocks >= 1 && plan.blocks <= full_grid && plan.blocks <= plan.runs, "blocks", n);
    all.expect(order::ceil_div(plan.runs, plan.blocks) * (plan.blocks - 1) < plan.runs, "no block is spared a run", n);
}

void check_scan_plan(tally& all, std::size_t n, std::size_t tile, std::size_t storage_bytes, std::size_t stage_bytes,
                     const pp::scan_config& config, const device::gpu_properties& gpu)
{
    const device::single_pass_plan plan = device::plan_single_pass(n, tile, storage_bytes, stage_bytes, config, gpu);
    const std::size_t room = (gpu.shared_bytes_per_block - storage_bytes) / stage_bytes;
    ++all.plans;
    all.expect(plan.tiles == order::ceil_div(n, tile), "tiles cover the input", n);
    all.expect(room < 2 || plan.blocks <= std::size_t{gpu.multiprocessors} * config.blocks_per_sm, "blocks", n);
    all.expect(room >= 2 || plan.one_each, "a block for each tile where two stages do not fit", n);
    all.expect(plan.blocks >= 1 && (plan.blocks <= plan.tiles || plan.tiles == 0), "no block without a tile", n);
    all.expect(plan.block_threads == std::min(config.block_threads, device::max_scan_threads), "threads", n);
    all.expect(plan.one_each == (plan.tiles <= plan.blocks), "one tile each", n);
    all.expect(plan.stages >= 2 && plan.stages <= config.stages, "stages", n);
    all.expect((plan.one_each ? 1 : plan.stages) <= room, "stages fit", n);
    all.expect(plan.stages == config.stages || plan.stages == 2 || plan.stages == room, "no fewer stages than fit", n);
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

/// The size of a histogram of samples of four bytes, without flow.
device::histogram_size size_of(std::size_t n, std::size_t counters, std::size_t bins = 0)
{
    return {n, counters, bins != 0 ? bins : counters, bins != 0 ? bins : counters};
}

void check_shape(tally& all, const device::launch_shape& shape, std::size_t windows, const pp::histogram_config& config,
                 const device::gpu_properties& gpu)
{
    const std::size_t full_grid = std::size_t{gpu.multiprocessors} * config.blocks_per_sm;
    all.expect(shape.blocks >= 1 && shape.blocks <= std::max<std::size_t>(full_grid, windows), "blocks", shape.blocks);
    all.expect(shape.blocks % windows == 0, "as many blocks for each window", shape.blocks);
    all.expect(shape.shared_bytes <= gpu.shared_bytes_per_block, "shared memory", shape.shared_bytes);
}

void check_shared_plan(tally& all, const device::histogram_size& size, const pp::histogram_config& config,
                       const device::gpu_properties& gpu)
{
    const device::shared_plan plan = device::plan_shared("f", size, config, gpu);
    const unsigned threads = plan.shape.block_threads;
    const bool is_small = size.samples <= std::size_t{gpu.multiprocessors} * std::min(config.block_threads, 512u) * 32;
    check_shape(all, plan.shape, 1, config, gpu);
    all.expect(threads == config.block_threads ||
                   (is_small && threads < config.block_threads && (threads == 256 || threads == 512)),
               "threads, fewer where they would be idle", size.samples);
    all.expect(!plan.overwrites || plan.shape.blocks == 1, "one block overwrites", size.samples);
    all.expect(device::is_power_of_two(plan.replicas), "replicas", size.counters);
    all.expect(plan.replicas * size.counters * 4 <= plan.shape.shared_bytes, "room for the copies", size.counters);
    all.expect(plan.segment / plan.shape.blocks < std::size_t{1} << 32, "no counter of 32 bits wraps", size.samples);
}

void check_passes_plan(tally& all, const device::histogram_size& size, const pp::histogram_config& config,
                       const device::gpu_properties& gpu)
{
    const device::passes_plan plan = device::plan_passes("f", size, config, gpu);
    check_shape(all, plan.shape, plan.windows, config, gpu);
    all.expect(plan.shape.block_threads == config.block_threads, "threads", size.samples);
    all.expect(plan.window >= 1 && plan.windows * plan.window >= size.counters, "windows cover the bins",
               size.counters);
    all.expect((plan.windows - 1) * plan.window <= size.counters, "windows begin among the bins", size.counters);
    all.expect(plan.window * 4 <= plan.shape.shared_bytes, "room for a window", size.counters);
    if (size.counters > 4 * std::size_t{plan.windows} * plan.windows)
        all.expect(plan.window % 4 == 0, "windows begin at multiples of 16 bytes", size.counters);
    all.expect(plan.segment / plan.shape.blocks < std::size_t{1} << 32, "no counter of 32 bits wraps", size.samples);
}

void check_partitioned_plan(tally& all, device::histogram_size size, const pp::histogram_config& config,
                            const device::gpu_properties& gpu)
{
    for (const unsigned lead : {0u, 3u}) {
        size.leading_samples = lead;
        const device::partitioned_plan plan = device::plan_partitioned("f", size, config, gpu);
        const device::partition& parts = plan.parts;
        check_shape(all, plan.count_shape, 1, config, gpu);
        all.expect(plan.count_shape.block_threads == config.block_threads, "threads", size.samples);
        all.expect(parts.parts <= device::max_parts, "parts", size.counters);
        all.expect(parts.part_bits <= 15, "two bytes a bin, and one more number", size.counters);
        all.expect(parts.parts << parts.part_bits >= size.counters, "parts cover the bins", size.counters);
        all.expect((parts.filler() + 1) * 4 <= plan.count_shape.shared_bytes, "room for a part", size.counters);
        all.expect(parts.tile_room() < std::size_t{1} << 16, "places in a tile have two bytes", size.counters);
        all.expect(device::is_power_of_two(parts.replicas) && parts.replicas <= 32, "replicas are lanes",
                   size.counters);
        all.expect(parts.sort_bytes() <= gpu.shared_bytes_per_block, "shared memory to sort", size.counters);
        all.expect(plan.slice % 4 == 0, "slices keep the alignment", size.samples);
        all.expect(plan.slice <= std::uint32_t(-1), "a slice is counted in 32 bits", size.counters);
        all.expect(plan.scratch_bytes() <= std::size_t{64} << 20, "bounded scratch", size.counters);
        for (const std::size_t begin : {std::size_t{0}, (size.samples - 1) / plan.slice * plan.slice}) {
            const device::partitioned_slice slice = plan.slice_at(begin, nullptr);
            all.expect(slice.end == std::min(size.samples, begin + plan.slice), "slices cover the samples", begin);
            all.expect(slice.tiles == order::ceil_div(slice.end - begin + lead, parts.tile), "tiles", begin);
            all.expect(slice.tiles * parts.tile_room() * 2 <= plan.sorted_bytes(), "room for a slice", begin);
            all.expect((parts.parts + 1) * slice.tiles * 2 <= plan.starts_bytes(), "room for its runs", begin);
        }
    }
}

void check_histogram_plan(tally& all, std::size_t n, std::size_t counters, const pp::histogram_config& config,
                          const device::gpu_properties& gpu)
{
    using enum pp::histogram_config::placement_kind;
    ++all.plans;
    const device::histogram_size size = size_of(n, counters);
    const auto placement = config.placement == automatic ? device::choose_placement(counters, gpu) : config.placement;
    if (placement == shared) {
        check_shared_plan(all, size, config, gpu);
    } else if (placement == passes) {
        check_passes_plan(all, size, config, gpu);
    } else if (placement == partitioned) {
        check_partitioned_plan(all, size, config, gpu);
    } else {
        all.expect(placement == global, "a placement is chosen", counters);
        check_shape(all, device::plan_global(size, config, gpu).shape, 1, config, gpu);
    }
}

}  // namespace

TEST_CASE("plans of reductions cover the input and fit the GPU")
{
    tally all;
    for (const auto& gpu : machines)
        for (const unsigned block_threads : block_sizes)
            for (const unsigned blocks_per_sm : blocks_per_sm_choices)
                for (const unsigned subtree_chunks : {0u, 1u, 8u, 1u << 20, 1u << 31})
                    for (const std::size_t n : many_sizes(48)) {
                        const pp::reduce_config config{block_threads, blocks_per_sm, subtree_chunks};
                        check_reduce_plan(all, n, order::chunk<char>, config, gpu, {256, 4096});
                        check_reduce_plan(all, n, order::chunk<float>, config, gpu, {256, 4096});
                        check_reduce_plan(all, n, order::chunk<double>, config, gpu, {256, 2048});
                        check_reduce_plan(all, n, 512, config, gpu, {32, 1 << 16});
                    }
}

TEST_CASE("reductions of eight chunks a warp and more keep three quarters of an H200's warps busy")
{
    const device::gpu_properties gpu{132, 2048, 227 * 1024, 228 * 1024};
    const pp::reduce_config config{};
    const std::size_t warps = 132 * config.block_threads / 32;
    tally all;
    for (std::size_t chunks = 8 * warps; chunks < std::size_t{1} << 20; chunks += 1 + chunks / 1024) {
        const device::reduce_plan plan = device::plan_reduce(chunks * 2048, 2048, config, gpu, 256, 4096);
        const std::size_t rounds = (order::ceil_div(plan.runs, plan.blocks) << plan.run_bits) * 32 /
                                   plan.block_threads;  // of the block that has most
        ++all.plans;
        all.expect(4 * plan.subtrees >= 3 * rounds * warps, "busy", chunks);
    }
}

TEST_CASE("plans of reductions of wide values cover the input and fit the GPU")
{
    tally all;
    for (const auto& gpu : machines)
        for (const unsigned block_threads : block_sizes)
            for (const unsigned blocks_per_sm : blocks_per_sm_choices)
                for (const unsigned subtree_chunks : {0u, 1u, 8u, 1u << 20, 1u << 31})
                    for (const std::size_t max_warps : {1, 3, 8})
                        for (const std::size_t n : many_sizes(48))
                            check_wide_reduce_plan(all, n, {block_threads, blocks_per_sm, subtree_chunks}, gpu,
                                                   max_warps, max_warps == 3 ? 64 : 256);
}

TEST_CASE("small reductions have a warp for each column group, and blocks of a power of two of them")
{
    tally all;
    for (const device::gpu_properties& any : machines)
        for (const unsigned cluster_blocks : {1u, 2u, 8u})
            for (const unsigned max_threads : block_sizes)
                for (const std::size_t max_blocks : {0, 61, 128})
                    for (const std::size_t row : {32, 128, 512})
                        for (const std::size_t n : many_sizes(24)) {
                            device::gpu_properties gpu = any;
                            gpu.cluster_blocks = cluster_blocks;
                            const device::small_reduce_plan plan =
                                device::plan_small_reduce(n, 16 * row, row, max_threads, max_blocks, gpu);
                            ++all.plans;
                            if (plan.blocks == 0) {
                                all.expect(n > 32, "a column group is never too much", n);
                                continue;
                            }
                            // What the column groups of the last chunk have, if it is not whole.
                            const std::size_t rest = n % (16 * row) < row ? n % (16 * row) : row;
                            const std::size_t warps = plan.block_threads / 32;
                            all.expect(plan.column_groups == n / (16 * row) * (row / 32) + (rest + 31) / 32,
                                       "column groups", n);
                            all.expect(plan.block_threads % 32 == 0 && plan.block_threads <= max_threads, "threads", n);
                            all.expect(plan.blocks == order::ceil_div(plan.column_groups, warps),
                                       "no block without a column group", n);
                            all.expect(plan.blocks == 1 || device::is_power_of_two(warps), "blocks are nodes", n);
                            all.expect(plan.cluster_blocks() == 1 || plan.cluster_blocks() == plan.blocks,
                                       "one cluster", n);
                            all.expect(plan.cluster_blocks() <= cluster_blocks, "as large as it may be", n);
                            all.expect(plan.blocks == plan.cluster_blocks() || plan.blocks <= max_blocks,
                                       "room for the words", n);
                        }
}

TEST_CASE("code for 9.0 runs where the file has it for the very GPU, or has no other")
{
    using device::runs_code_for_90;
    CHECK(runs_code_for_90(90, {900}));
    CHECK(runs_code_for_90(90, {750, 900, 1200}));
    CHECK(runs_code_for_90(103, {900, 1000}));
    CHECK_FALSE(runs_code_for_90(90, {}));
    CHECK_FALSE(runs_code_for_90(90, {800}));        // compiled by the driver from what was made for 8.0
    CHECK_FALSE(runs_code_for_90(100, {800, 900}));  // perhaps from that
    CHECK_FALSE(runs_code_for_90(89, {890, 900}));
    CHECK_FALSE(runs_code_for_90(80, {900}));
}

TEST_CASE("plans of small scans cover the input with blocks of one cluster, or with a tile each")
{
    constexpr std::size_t row = 128;
    constexpr unsigned tile_rows = 64;
    for (const unsigned cluster_blocks : {1u, 8u, 16u})
        for (std::size_t n = 1; n < 20 * row * tile_rows; n += n < 1000 ? 1 : 61) {
            CAPTURE(cluster_blocks);
            CAPTURE(n);
            device::gpu_properties gpu;
            gpu.cluster_blocks = cluster_blocks == 1 ? 1 : 8;
            gpu.multiprocessors = cluster_blocks == 16 ? 132 : 16;
            REQUIRE(device::scan_cluster_blocks(gpu) == cluster_blocks);
            const std::size_t rows = (n + row - 1) / row;  // in all
            const device::cluster_scan_plan in_cluster =
                device::plan_cluster_scan(n, row, tile_rows, pp::scan_config{}, gpu);
            REQUIRE((in_cluster.blocks != 0) == (rows <= tile_rows / 2 * cluster_blocks));
            REQUIRE(in_cluster.blocks <= cluster_blocks);
            const device::small_scan_plan plan =
                device::plan_small_scan(n, row, tile_rows, 5, 512, pp::scan_config{}, gpu);
            REQUIRE(plan.blocks != 0);
            const auto covers = [&](std::size_t blocks, unsigned block_rows, unsigned threads, unsigned warp_rows) {
                REQUIRE(blocks * block_rows * row >= n);
                REQUIRE((blocks - 1) * block_rows * row < n);
                REQUIRE(tile_rows % block_rows == 0);
                REQUIRE(threads <= 1024);
                REQUIRE(threads / 32 * warp_rows >= (rows < block_rows ? rows : block_rows));
            };
            if (in_cluster.blocks != 0)
                covers(in_cluster.blocks, in_cluster.block_rows, in_cluster.block_threads, 1);
            covers(plan.blocks, tile_rows, plan.block_threads, plan.warp_rows);
        }
}

TEST_CASE("scans are small up to as many tiles as the configuration says, and there is room for")
{
    const auto blocks = [](std::size_t tiles, unsigned small_tiles) {
        pp::scan_config config;
        config.small_tiles = small_tiles;
        return device::plan_small_scan(tiles * 8192, 128, 64, 5, 100, config, {}).blocks;
    };
    CHECK(blocks(50, 50) == 50);
    CHECK(blocks(51, 50) == 0);
    CHECK(blocks(100, 300) == 100);
    CHECK(blocks(101, 300) == 0);
    CHECK(blocks(1, 0) == 0);
    const auto cluster = [](unsigned small_tiles) {
        pp::scan_config config;
        config.small_tiles = small_tiles;
        return device::plan_cluster_scan(8192, 128, 64, config, {}).blocks;
    };
    CHECK(cluster(1) == 8);
    CHECK(cluster(0) == 0);
}

TEST_CASE("small scans have warps of more rows as more tiles share a multiprocessor, up to four")
{
    for (const unsigned row_registers : {5u, 6u}) {
        CAPTURE(row_registers);
        const bool is_lean = row_registers == 5;  // so that three blocks with warps of four rows have room
        const auto warp_rows = [&](std::size_t tiles) {
            return device::small_scan_warp_rows(tiles, 132, row_registers);
        };
        CHECK(warp_rows(1) == 2);
        CHECK(warp_rows(132) == 2);
        CHECK(warp_rows(133) == 4);
        CHECK(warp_rows(264) == 4);
        CHECK(warp_rows(265) == (is_lean ? 4 : 8));
        CHECK(warp_rows(396) == (is_lean ? 4 : 8));
        CHECK(warp_rows(397) == 4);  // as two times of two
        CHECK(warp_rows(528) == 4);
        CHECK(warp_rows(529) == 0);
        for (const unsigned rows : {2u, 4u, 8u}) {
            const unsigned warps = device::small_scan_blocks_per_sm(rows, row_registers) * (64 / rows);
            CHECK(warps <= (is_lean ? 48 : 32));  // registers for more are too few each
        }
    }
}

TEST_CASE("clusters of scans have sixteen blocks where some GPC must have room for them, and eight elsewhere")
{
    const auto blocks = [](unsigned multiprocessors, int architecture, unsigned cluster_blocks) {
        device::gpu_properties gpu;
        gpu.multiprocessors = multiprocessors;
        gpu.architecture = architecture;
        gpu.cluster_blocks = cluster_blocks;
        return device::scan_cluster_blocks(gpu);
    };
    CHECK(blocks(132, 90, 8) == 16);
    CHECK(blocks(114, 90, 8) == 16);
    CHECK(blocks(112, 90, 8) == 8);  // perhaps eight of 14
    CHECK(blocks(148, 100, 8) == 8);
    CHECK(blocks(132, 90, 1) == 1);
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

TEST_CASE("automatic plans of histograms cover the bins and fit the GPU")
{
    tally all;
    for (const auto& gpu : machines)
        for (const unsigned block_threads : block_sizes)
            for (const unsigned blocks_per_sm : blocks_per_sm_choices)
                for (const unsigned replicas : {0u, 1u, 32u})
                    for (const std::size_t counters : many_sizes(34))
                        for (const std::size_t n : {std::size_t{1}, std::size_t{1000000}, std::size_t{1} << 40})
                            check_histogram_plan(
                                all, n, counters,
                                {pp::histogram_config::automatic, block_threads, blocks_per_sm, replicas}, gpu);
}

TEST_CASE("plans of histograms in a chosen place cover the bins and fit the GPU")
{
    using enum pp::histogram_config::placement_kind;
    tally all;
    for (const auto& gpu : machines)
        for (const auto placement : {shared, passes, partitioned, global})
            for (const unsigned block_threads : block_sizes)
                for (const unsigned blocks_per_sm : blocks_per_sm_choices)
                    for (const std::size_t counters : many_sizes(27)) {
                        const std::size_t fit = gpu.shared_bytes_per_block / 4;
                        if ((placement == shared && counters > fit) ||
                            (placement == passes && counters > device::max_windows * fit) ||
                            (placement == partitioned && device::choose_parts(counters, gpu).parts == 0))
                            continue;
                        check_histogram_plan(all, 5000000, counters, {placement, block_threads, blocks_per_sm, 0}, gpu);
                    }
}

TEST_CASE("small histograms take more blocks as there are more samples, and no thread goes without")
{
    const device::gpu_properties gpu;
    for (const std::size_t items : {1u, 2u, 4u, 16u}) {
        std::size_t before = 1;
        for (std::size_t packets = 1; packets <= std::size_t{gpu.multiprocessors} * 512 * 8;
             packets += 1 + packets / 9) {
            CAPTURE(items);
            CAPTURE(packets);
            const auto shape = device::plan_shared("f", {packets * items, 259, 256, 256, items}, {}, gpu).shape;
            const std::size_t threads = shape.blocks * shape.block_threads;
            CHECK((shape.blocks == 1) == (packets <= 1024));
            CHECK(threads <= std::max<std::size_t>(packets + shape.block_threads, 256));
            CHECK(threads * 8 >= packets);
            CHECK(threads >= before / 2);
            before = threads;
        }
    }
}

TEST_CASE("copies of the counters are for many samples that are short")
{
    const auto replicas = [](std::size_t n, std::size_t items) {
        return device::plan_shared("f", {n, 259, 256, 256, items}, {}, device::gpu_properties{}).replicas;
    };
    CHECK(replicas(std::size_t{1} << 28, 4) == 1);
    CHECK(replicas(1 << 16, 16) == 1);
    CHECK(replicas(1 << 22, 16) == 32);
    CHECK(replicas(std::size_t{1} << 28, 8) == 32);
}

TEST_CASE("a histogram whose bins do not fit the chosen place is refused")
{
    const device::gpu_properties gpu;
    const std::size_t fit = gpu.shared_bytes_per_block / 4;
    const std::size_t most_passes = device::max_windows * fit;
    CHECK_NOTHROW(device::plan_shared("f", size_of(1, fit), {}, gpu));
    CHECK_THROWS_AS(device::plan_shared("f", size_of(1, fit + 1), {}, gpu), pp::invalid_argument);
    CHECK_NOTHROW(device::plan_passes("f", size_of(1, most_passes), {}, gpu));
    CHECK_THROWS_AS(device::plan_passes("f", size_of(1, most_passes + 1), {}, gpu), pp::invalid_argument);
    CHECK_THROWS_AS(device::plan_partitioned("f", size_of(1, std::size_t{1} << 40), {}, gpu), pp::invalid_argument);
}

TEST_CASE("a small histogram runs in one block, which overwrites the counters")
{
    const auto plan = [](std::size_t counters, std::size_t bins) {
        return device::plan_shared("f", size_of(1000, counters, bins), {}, device::gpu_properties{});
    };
    CHECK(plan(256, 256).shape.blocks == 1);
    CHECK(plan(256, 256).overwrites);
    // Many counters are zeroed sooner by a memset, those that the axis has as those of a private copy.
    CHECK_FALSE(plan(5000, 5000).overwrites);
    CHECK_FALSE(plan(256, 5000).overwrites);
}

TEST_CASE("counts are gathered in 32 bits where they fit the workspace, and never of 2^32 samples")
{
    const std::size_t most = std::uint32_t(-1);
    const auto gathers = [](std::size_t n, std::size_t bins) {
        return device::plan_shared("f", size_of(n, bins), {}, device::gpu_properties{}).gathers;
    };
    CHECK(gathers(1'000'000, 256));
    CHECK(gathers(most, 256));
    CHECK(gathers(most, device::max_gathered));
    CHECK_FALSE(gathers(most, device::max_gathered + 1));
    CHECK_FALSE(gathers(most + 1, 256));  // which may all be in one bin
    CHECK_FALSE(gathers(std::size_t{1} << 33, 256));
    CHECK_FALSE(gathers(1000, 256));  // a single block overwrites them
}
