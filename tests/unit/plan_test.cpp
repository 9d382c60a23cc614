/// @file
/// @brief  Launch plans of reductions cover the work and fit the GPU, for any n, configuration and machine; what any launch needs.
#include <doctest/doctest.h>

#include <parprims/detail/device/reduce/plan.hpp>
#include <parprims/error.hpp>

#include "support/plans.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>

namespace order = parprims::detail::order;

namespace {

struct room_for_branches {
    std::size_t max_branch_subtrees;
    std::size_t max_branches;
};

void check_reduce_plan(tally& all, std::size_t n, std::size_t chunk, const pp::reduce_config& config,
                       const device::gpu_properties& gpu, const room_for_branches& room)
{
    const device::reduce_plan plan =
        device::plan_reduce(n, chunk, config, gpu, room.max_branch_subtrees, room.max_branches);
    const std::size_t chunks = order::ceil_div(n, chunk);
    const std::size_t full_grid = std::size_t{gpu.multiprocessors} * config.blocks_per_sm;
    const unsigned warps = plan.block_threads / 32;
    const std::size_t branch = std::size_t{1} << plan.branch_bits;
    ++all.plans;
    all.expect(device::is_power_of_two(plan.subtree_chunks), "a subtree is aligned", n);
    all.expect(plan.subtrees == order::ceil_div(chunks, plan.subtree_chunks), "subtrees cover the chunks, none empty",
               n);
    all.expect(plan.subtree_chunks >= config.subtree_chunks, "the user's choice", n);
    all.expect(plan.block_threads % 32 == 0 && warps >= 1 && plan.block_threads <= config.block_threads, "threads", n);
    all.expect(plan.block_threads <= device::max_reduce_threads, "registers for the loads", n);
    all.expect(plan.blocks >= 1 && plan.blocks <= (full_grid < 2 ? 2 : full_grid), "blocks", n);
    all.expect(plan.branches == order::ceil_div(plan.subtrees, branch), "branches cover the subtrees, none empty", n);
    all.expect(branch >= warps && branch <= room.max_branch_subtrees, "room for a branch", n);
    all.expect(plan.branches <= room.max_branches, "room for all branches", n);
    all.expect(plan.blocks <= plan.branches && (plan.blocks > 1 || plan.branches == 1), "one branch is for one block",
               n);
    all.expect(plan.blocks == 1 || device::is_power_of_two(warps), "rounds are nodes", n);
    all.expect(plan.blocks <= 2 || order::ceil_div(plan.branches, plan.blocks) * (plan.blocks - 1) < plan.branches,
               "no block is spared a branch", n);
    if (config.subtree_chunks == 0)
        all.expect(plan.subtree_chunks == 1 || branch == room.max_branch_subtrees, "as large subtrees as memory likes",
                   n);
}

void check_wide_reduce_plan(tally& all, std::size_t n, const pp::reduce_config& config,
                            const device::gpu_properties& gpu, std::size_t max_warps, std::size_t value_bytes,
                            std::size_t usual_branches)
{
    constexpr std::size_t chunk = 512;
    const device::reduce_plan plan =
        device::plan_wide_reduce(n, chunk, value_bytes, config, gpu, max_warps, usual_branches);
    const std::size_t branch = std::size_t{1} << plan.branch_bits;  // subtrees
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
    all.expect(plan.branches == order::ceil_div(plan.subtrees, branch), "branches cover the subtrees, none empty", n);
    all.expect(plan.branches <= device::max_large_branches, "room for all branches", n);
    all.expect(branch <= device::max_wide_branch_subtrees, "room for the totals of a branch", n);
    all.expect(branch >= warps || plan.branches == 1, "no warp without a subtree", n);
    const std::size_t fitting = std::max<std::size_t>(
        {std::bit_floor(device::max_wide_subtree_bytes / (chunk * value_bytes)), config.subtree_chunks, 1});
    const bool is_longest = branch == device::max_wide_branch_subtrees;
    all.expect(plan.subtree_chunks <= fitting || plan.branches > device::max_large_branches / 2, "short subtrees", n);
    all.expect(plan.branches <= usual_branches || (is_longest && plan.subtree_chunks >= fitting), "few branches", n);
    all.expect(plan.blocks >= 1 && plan.blocks <= full_grid && plan.blocks <= plan.branches, "blocks", n);
    all.expect(order::ceil_div(plan.branches, plan.blocks) * (plan.blocks - 1) < plan.branches,
               "no block is spared a branch", n);
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
        const std::size_t rounds = (order::ceil_div(plan.branches, plan.blocks) << plan.branch_bits) * 32 /
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
                                                   max_warps, max_warps == 3 ? 40 : 1000, max_warps == 3 ? 64 : 256);
}

TEST_CASE("reductions of wide values have short subtrees, and few branches as long as these allow it")
{
    const device::gpu_properties gpu{132, 2048, 227 * 1024, 228 * 1024};
    const auto check = [&](std::size_t n, std::size_t branches, unsigned branch_subtrees, std::size_t subtree_chunks) {
        CAPTURE(n);
        const auto plan = device::plan_wide_reduce(n, 512, 40, {256, 1, 0}, gpu, 8, 512);
        CHECK(plan.branches == branches);
        CHECK((1u << plan.branch_bits) == branch_subtrees);
        CHECK(plan.subtree_chunks == subtree_chunks);
    };
    check(std::size_t{1} << 20, 128, 8, 2);
    check(std::size_t{1} << 23, 128, 16, 8);
    check(std::size_t{1} << 24, 128, 32, 8);
    check(std::size_t{3} << 24, 384, 32, 8);
    check(std::size_t{1} << 27, 1024, 32, 8);
    check(std::size_t{1} << 28, 1024, 32, 16);
}

TEST_CASE("small reductions have a warp for each column group, and blocks of a power of two of them")
{
    tally all;
    for (const device::gpu_properties& gpu : machines)
        for (const unsigned max_threads : block_sizes)
            for (const std::size_t max_blocks : {0, 61, 128})
                for (const std::size_t row : {32, 128, 512})
                    for (const std::size_t n : many_sizes(24)) {
                        const auto limits = device::small_limits(row == 32 ? 12 : row == 128 ? 4 : 1);
                        const device::small_reduce_plan plan =
                            device::plan_small_reduce(n, 16 * row, row, max_threads, max_blocks, limits, gpu);
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
                        all.expect(plan.blocks == 1 || plan.blocks <= max_blocks, "room for the words", n);
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

TEST_CASE("a grid has at most 2^31 - 1 blocks")
{
    device::check_grid("parprims::transform", 0x7fffffff);
    const std::size_t more = std::size_t{1} << 31;
    CHECK_THROWS_WITH_AS(
        device::check_grid("parprims::transform", more),
        "parprims::transform: last: so many elements need 2147483648 blocks, more than the 2147483647 of a grid",
        pp::invalid_argument);
}
