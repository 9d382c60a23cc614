/// @file
/// @brief  The launch configurations as text.
#include <doctest/doctest.h>

#include <parprims/error.hpp>
#include <parprims/histogram.hpp>
#include <parprims/launch_config.hpp>
#include <parprims/reduce.hpp>
#include <parprims/scan.hpp>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <string>
#include <vector>

namespace pp = parprims;

namespace {

#if PARPRIMS_HAS_CUDA
/// `call()` throws an error that says exactly this.
template <class Call>
void check_refused(const std::string& function, const std::string& reason, Call call)
{
    CAPTURE(function);
    std::string said = "no error";
    try {
        call();
    } catch (const std::exception& error) {
        said = error.what();
    }
    CHECK(said == function + reason);
}
#endif

}  // namespace

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

#if PARPRIMS_HAS_CUDA
TEST_CASE("a configuration that no GPU can run is refused before a GPU is looked for")
{
    std::vector<std::uint32_t> x(1000, 1), out(1000, 77);
    for (const std::size_t n : {std::size_t{0}, x.size()}) {
        const std::uint32_t* const first = x.data();
        const std::uint32_t* const last = first + n;
        const pp::device_policy reduce = pp::device.with(pp::reduce_config{33, 1, 0});
        const char* const threads = ": config.block_threads: 33 is not a multiple of 32 from 32 to 1024";
        check_refused("parprims::reduce", threads, [&] { (void)pp::reduce(reduce, first, last, 0u); });
        check_refused("parprims::reduce_into", threads, [&] { pp::reduce_into(reduce, first, last, out.data(), 0u); });

        pp::scan_config stages;
        stages.stages = 5;
        check_refused("parprims::inclusive_scan", ": config.stages: 5 is not from 2 to 4",
                      [&] { pp::inclusive_scan(pp::device.with(stages), first, last, out.data()); });
        check_refused("parprims::exclusive_scan", ": config.stages: 5 is not from 2 to 4",
                      [&] { pp::exclusive_scan(pp::device.with(stages), first, last, out.data(), 0u); });

        pp::histogram_config replicas;
        replicas.replicas = 3;
        check_refused("parprims::histogram", ": config.replicas: 3 is not a power of two to 32, or 0", [&] {
            pp::histogram(pp::device.with(replicas), first, last, pp::regular_axis<std::uint32_t>(5, 0, 10),
                          out.data());
        });
    }
    CHECK(out == std::vector<std::uint32_t>(1000, 77));
}
#endif
