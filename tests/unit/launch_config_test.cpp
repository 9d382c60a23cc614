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
#include <type_traits>
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
    CHECK(pp::to_string(pp::scan_config{512, 2, 3}) ==
          "scan_config{block_threads=512, blocks_per_sm=2, stages=3, small_tiles_per_sm=6}");
}

TEST_CASE("a three_phase_scan prints every field by its name")
{
    CHECK(pp::to_string(pp::three_phase_scan{128, 1}) == "three_phase_scan{block_threads=128, blocks_per_sm=1}");
}

TEST_CASE("a histogram_config prints every field by its name")
{
    CHECK(pp::to_string(pp::histogram_config{pp::histogram_config::passes, 1024, 2, 8}) ==
          "histogram_config{placement=passes, block_threads=1024, blocks_per_sm=2, replicas=8}");
}

TEST_CASE("every placement prints by its name")
{
    using config = pp::histogram_config;
    const struct {
        config::placement_kind placement;
        const char* name;
    } placements[] = {{config::automatic, "automatic"},
                      {config::shared, "shared"},
                      {config::passes, "passes"},
                      {config::partitioned, "partitioned"},
                      {config::global, "global"}};
    for (const auto& [placement, name] : placements) {
        CAPTURE(name);
        CHECK(pp::to_string(config{.placement = placement})
                  .starts_with("histogram_config{placement=" + std::string(name) + ","));
    }
}

TEST_CASE("a value outside the enumeration prints as its number")
{
    CHECK(pp::to_string(pp::histogram_config{.placement = static_cast<pp::histogram_config::placement_kind>(77)})
              .starts_with("histogram_config{placement=77,"));
}

TEST_CASE("configurations compare by their fields")
{
    CHECK(pp::reduce_config{} == pp::reduce_config{});
    CHECK(pp::reduce_config{.block_threads = 256} != pp::reduce_config{.block_threads = 512});
    CHECK(pp::scan_config{.stages = 2} != pp::scan_config{.stages = 3});
    CHECK(pp::three_phase_scan{} == pp::three_phase_scan{256, 3});
    CHECK(pp::three_phase_scan{.block_threads = 128} != pp::three_phase_scan{});
    CHECK(pp::histogram_config{.replicas = 2} != pp::histogram_config{.replicas = 4});
}

TEST_CASE("a policy keeps every other setting when it is told how to scan, in any order")
{
    const pp::reduce_config reduce{64, 2, 1};
    const pp::histogram_config histogram{pp::histogram_config::shared, 64, 2, 1};
    const pp::three_phase_scan phases{64, 2};
    const auto kept = [&](const auto& policy) {
        return policy.reduce() && *policy.reduce() == reduce && policy.histogram() && *policy.histogram() == histogram;
    };
    const auto three_last = pp::device.with(reduce).with(histogram).with(phases);
    const auto three_first = pp::device.with(phases).with(reduce).with(histogram);
    static_assert(std::is_same_v<decltype(three_first), decltype(three_last)>);
    static_assert(pp::execution_policy<decltype(three_first)>);
    CHECK(kept(three_last));
    CHECK(kept(three_first));
    CHECK(*three_last.scan() == phases);
    CHECK(*three_first.scan() == phases);

    // And back.
    const pp::scan_config config{64, 2, 3};
    static_assert(std::is_same_v<decltype(three_last.with(config)), pp::device_policy>);
    CHECK(kept(three_last.with(config)));
    CHECK(*three_last.with(config).scan() == config);
    const auto table = static_cast<pp::device_policy>(three_last);
    CHECK(kept(table));
    CHECK_FALSE(table.scan().has_value());
    static_assert(!std::is_convertible_v<decltype(three_last), pp::device_policy>);  // not by accident
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

        const pp::three_phase_scan too_many{256, 33};
        check_refused("parprims::inclusive_scan", ": config.blocks_per_sm: 33 is not from 1 to 32",
                      [&] { pp::inclusive_scan(pp::device.with(too_many), first, last, out.data()); });
        check_refused("parprims::reduce", threads,
                      [&] { (void)pp::reduce(reduce.with(pp::three_phase_scan{}), first, last, 0u); });

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
