/// @file
/// @brief  The launch configurations as text.
#include <doctest/doctest.h>

#include <parprims/launch_config.hpp>

#include <string>

namespace pp = parprims;

TEST_CASE("a reduce_config prints every field by its name")
{
    CHECK(pp::to_string(pp::reduce_config{.block_threads = 256, .blocks_per_sm = 4, .subtree_chunks = 8}) ==
          "reduce_config{block_threads=256, blocks_per_sm=4, subtree_chunks=8}");
}

TEST_CASE("a scan_config prints every field by its name")
{
    using config = pp::scan_config;
    CHECK(pp::to_string(config{config::single_pass, 512, 2, 3}) ==
          "scan_config{method=single_pass, block_threads=512, blocks_per_sm=2, stages=3, small_tiles=512}");
    CHECK(pp::to_string(config{config::three_phase, 128, 1, 4, 0}) ==
          "scan_config{method=three_phase, block_threads=128, blocks_per_sm=1, stages=4, small_tiles=0}");
}

TEST_CASE("a histogram_config prints every field by its name")
{
    CHECK(pp::to_string(pp::histogram_config{pp::histogram_config::packed, 1024, 2, 8}) ==
          "histogram_config{placement=packed, block_threads=1024, blocks_per_sm=2, replicas=8}");
}

TEST_CASE("every placement prints by its name")
{
    using config = pp::histogram_config;
    const struct {
        config::placement_kind placement;
        const char* name;
    } placements[] = {{config::automatic, "automatic"},     {config::shared, "shared"},
                      {config::packed, "packed"},           {config::passes, "passes"},
                      {config::partitioned, "partitioned"}, {config::global, "global"}};
    for (const auto& [placement, name] : placements) {
        CAPTURE(name);
        CHECK(pp::to_string(config{.placement = placement})
                  .starts_with("histogram_config{placement=" + std::string(name) + ","));
    }
}

TEST_CASE("a value outside the enumeration prints as its number")
{
    CHECK(pp::to_string(pp::scan_config{.method = static_cast<pp::scan_config::method_kind>(7)})
              .starts_with("scan_config{method=7,"));
    CHECK(pp::to_string(pp::histogram_config{.placement = static_cast<pp::histogram_config::placement_kind>(77)})
              .starts_with("histogram_config{placement=77,"));
}

TEST_CASE("configurations compare by their fields")
{
    CHECK(pp::reduce_config{} == pp::reduce_config{});
    CHECK(pp::reduce_config{.block_threads = 256} != pp::reduce_config{.block_threads = 512});
    CHECK(pp::scan_config{.stages = 2} != pp::scan_config{.stages = 3});
    CHECK(pp::histogram_config{.replicas = 2} != pp::histogram_config{.replicas = 4});
}
