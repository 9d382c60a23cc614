/// @file
/// @brief  Launch plans of histograms cover the bins and fit the GPU, for any n, configuration and machine.
#include <doctest/doctest.h>

#include <parprims/detail/device/histogram/partition_plan.hpp>
#include <parprims/detail/device/histogram/plan.hpp>
#include <parprims/error.hpp>

#include "support/plans.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace order = parprims::detail::order;

namespace {

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
    const device::counting_plan plan = device::plan_shared("f", size, config, gpu);
    if (plan.windows == 0)
        return all.expect(size.samples >> 31 >= gpu.multiprocessors, "only so many samples could wrap", size.samples);
    const unsigned threads = plan.shape.block_threads;
    const bool is_small = size.samples <= std::size_t{gpu.multiprocessors} * std::min(config.block_threads, 512u) * 32;
    check_shape(all, plan.shape, 1, config, gpu);
    all.expect(threads == config.block_threads ||
                   (is_small && threads < config.block_threads && (threads == 256 || threads == 512)),
               "threads, fewer where they would be idle", size.samples);
    all.expect(!plan.overwrites || plan.shape.blocks == 1, "one block overwrites", size.samples);
    all.expect(device::is_power_of_two(plan.replicas), "replicas", size.counters);
    all.expect(plan.replicas * size.counters * 4 <= plan.shape.shared_bytes, "room for the copies", size.counters);
    all.expect(size.samples / plan.shape.blocks < std::size_t{1} << 31, "no counter of 32 bits wraps", size.samples);
}

void check_passes_plan(tally& all, const device::histogram_size& size, const pp::histogram_config& config,
                       const device::gpu_properties& gpu)
{
    const device::counting_plan plan = device::plan_passes("f", size, config, gpu);
    if (plan.windows == 0)
        return all.expect(size.samples >> 31 != 0, "only so many samples could wrap", size.samples);
    check_shape(all, plan.shape, plan.windows, config, gpu);
    all.expect(plan.shape.block_threads == config.block_threads, "threads", size.samples);
    all.expect(plan.window >= 1 && plan.windows * plan.window >= size.counters, "windows cover the bins",
               size.counters);
    all.expect((plan.windows - 1) * plan.window <= size.counters, "windows begin among the bins", size.counters);
    all.expect((plan.window + 1) * 4 <= plan.shape.shared_bytes, "room for a window and the samples outside",
               size.counters);
    all.expect(size.samples / (plan.shape.blocks / plan.windows) < std::size_t{1} << 31, "no counter of 32 bits wraps",
               size.samples);
}

void check_partitioned_plan(tally& all, device::histogram_size size, const pp::histogram_config& config,
                            const device::gpu_properties& gpu)
{
    struct kind {
        unsigned lead, payload_bytes, counter_words;
    };
    for (const auto& [lead, payload_bytes, counter_words] :
         {kind{0, 0, 1}, kind{3, 0, 1}, kind{3, 4, 2}, kind{0, 1, 3}, kind{0, 8, 6}}) {
        size.leading_samples = lead;
        size.payload_bytes = payload_bytes;
        size.counter_words = counter_words;
        if (payload_bytes != 0 && device::choose_parts(size.counters, gpu, {payload_bytes, counter_words}).parts == 0)
            continue;
        const device::partitioned_plan plan = device::plan_partitioned("f", size, config, gpu);
        const device::partition& parts = plan.parts;
        check_shape(all, plan.count_shape, 1, config, gpu);
        all.expect(plan.count_shape.block_threads == config.block_threads, "threads", size.samples);
        all.expect(parts.parts <= device::max_parts, "parts", size.counters);
        all.expect(parts.part_bits <= 15, "two bytes a bin, and one more number", size.counters);
        all.expect(parts.parts << parts.part_bits >= size.counters, "parts cover the bins", size.counters);
        all.expect((parts.part_counters() + 1) * 4 * counter_words <= plan.count_shape.shared_bytes, "room for a part",
                   size.counters);
        all.expect(parts.tile_room() < std::size_t{1} << 16, "places in a tile have two bytes", size.counters);
        all.expect(parts.sort_bytes(plan.payload) <= gpu.shared_bytes_per_block, "shared memory to sort",
                   size.counters);
        all.expect(plan.slice % 4 == 0, "slices keep the alignment", size.samples);
        all.expect(plan.slice <= std::uint32_t(-1), "a slice is counted in 32 bits", size.counters);
        all.expect(plan.scratch_bytes() <= (payload_bytes != 0 ? 420u : 64u) << 20, "bounded scratch", size.counters);
        const std::size_t most_bytes = payload_bytes != 0 ? device::max_sorted_pair_bytes : device::max_sorted_bytes;
        all.expect(plan.slice <= parts.tile ||
                       plan.slice_tiles() * parts.tile_room() * plan.payload.sample_bytes() <= most_bytes,
                   "as many tiles in a slice as its limit allows", size.samples);
        const device::partitioned_slice first = plan.slice_at(0, nullptr);
        const device::partitioned_slice second = plan.slice_at(plan.slice, nullptr);
        all.expect(first.totals != first.next_totals, "totals of two slices", size.samples);
        all.expect(second.totals == first.next_totals && second.next_totals == first.totals, "totals in turn",
                   size.samples);
        for (const std::size_t begin : {std::size_t{0}, (size.samples - 1) / plan.slice * plan.slice}) {
            const device::partitioned_slice slice = plan.slice_at(begin, nullptr);
            all.expect(slice.end == std::min(size.samples, begin + plan.slice), "slices cover the samples", begin);
            all.expect(slice.tiles == order::ceil_div(slice.end - begin + lead, parts.tile), "tiles", begin);
            all.expect(slice.tiles * parts.tile_room() * 2 <= plan.sorted_bytes(), "room for a slice", begin);
            all.expect(slice.tiles * parts.tile_room() * payload_bytes <= plan.payloads_bytes(), "room for payloads",
                       begin);
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

TEST_CASE("few samples in many bins: parts of the bins are flushed by all multiprocessors")
{
    for (const auto& gpu : machines) {
        device::histogram_size size = size_of(1024, 2000000);
        CHECK(device::plan_partitioned("f", size, {}, gpu).count_shape.blocks >= gpu.multiprocessors);
        size.payload_bytes = 4;
        size.counter_words = 2;
        CHECK(device::plan_partitioned("f", size, {}, gpu).count_shape.blocks >= gpu.multiprocessors);
    }
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
                        const std::size_t fit = device::max_shared_counters(gpu);
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

    const auto replicas_of_pairs = [](std::size_t counters, std::size_t items) {
        return device::plan_shared("f", {std::size_t{1} << 28, counters, counters, counters, items},
                                   {pp::histogram_config::automatic, 1024, 1, 0}, device::gpu_properties{})
            .replicas;
    };
    CHECK(replicas_of_pairs(64 * 64 + 2, 16) == 8);
    CHECK(replicas_of_pairs(64 * 64 + 2, 8) == 4);
}

TEST_CASE("a histogram whose bins do not fit the chosen place is refused")
{
    const device::gpu_properties gpu;
    const std::size_t fit = device::max_shared_counters(gpu);
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
