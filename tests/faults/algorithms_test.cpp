/// @file
/// @brief  The fault loop over the algorithms: each with little and much to do, in the default stream, in one of its own,
///         on the other GPU, and captured into a graph.
#include <doctest/doctest.h>

#include <parprims/parprims.hpp>

#include "support/loop.hpp"
#include "support/raw.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace pp = parprims;

namespace {

constexpr std::size_t few = 100;
constexpr std::size_t many = 50'000;  // more than one block, tile and subtree
constexpr std::size_t much =
    2'100'000;  // tiles of an iterator, whose words are scratch; no kernel runs, so nothing is written

struct half_of {
    PARPRIMS_HOST_DEVICE float operator()(float x) const { return x / 2; }
};

/// Tries `call(policy, input, n, output)` wherever it can run. `outputs`: how many T it may write.
template <class Out, class In, class Call, class Policy = pp::device_policy>
void check_everywhere(const std::string& function, std::size_t n, std::size_t outputs, bool waits, Call call,
                      const Policy& policy = pp::device)
{
    const auto at = [&](const std::string& where, int device, auto enter) {
        check_every_fault({function + " of " + std::to_string(n) + where, [=] {
                               const auto x = raw_memory<In>(n, device);
                               const auto out = raw_memory<Out>(outputs, device);
                               return prepared{[=] { enter([&](auto there) { call(there, x.get(), n, out.get()); }); },
                                               [=] { return is_poisoned(out, outputs); }};
                           }});
    };
    at("", 0, [=](auto run) { run(policy); });
    at(" on another GPU", 1, [=](auto run) { run(policy); });
    const auto in_stream = [=](const std::string& where, bool captured) {
        check_every_fault({function + " of " + std::to_string(n) + where, [=] {
                               const auto x = raw_memory<In>(n);
                               const auto out = raw_memory<Out>(outputs);
                               const auto work = raw_stream();
                               const auto run = [=] { call(policy.on(work.get()), x.get(), n, out.get()); };
                               const auto captured_run = [=] {
                                   const capture_of capture(work.get());
                                   run();
                               };
                               prepared ready{run, [=] { return is_poisoned(out, outputs); }};
                               if (captured)
                                   ready.call = captured_run;
                               return ready;
                           }});
    };
    in_stream(" in a stream", false);
    if (!waits)
        in_stream(" in a captured stream", true);
}

}  // namespace

TEST_CASE("reduce survives every fault")
{
    for (const std::size_t n : {few, many}) {
        check_everywhere<float, float>("reduce", n, 1, true,
                                       [](auto policy, const float* x, std::size_t count, float*) {
                                           (void)pp::reduce(policy, x, x + count, 0.0f);
                                       });
        check_everywhere<float, float>(
            "transform_reduce", n, 1, true, [](auto policy, const float* x, std::size_t count, float*) {
                (void)pp::transform_reduce(policy, x, x + count, 0.0f, pp::plus{}, half_of{});
            });
        check_everywhere<float, float>("transform_reduce of two ranges", n, 1, true,
                                       [](auto policy, const float* x, std::size_t count, float*) {
                                           (void)pp::transform_reduce(policy, x, x + count, x, 0.0f);
                                       });
    }
}

namespace {

struct wide {  // more than the slots for results that lie ready
    double parts[32];
};
struct take_left {
    PARPRIMS_HOST_DEVICE wide operator()(const wide& a, const wide&) const { return a; }
};

}  // namespace

TEST_CASE("reduce of large values survives every fault")
{
    check_everywhere<wide, wide>("reduce of 256 bytes", few, 1, true,
                                 [](auto policy, const wide* x, std::size_t count, wide*) {
                                     (void)pp::reduce(policy, x, x + count, wide{}, take_left{});
                                 });
}

TEST_CASE("reduce_into survives every fault")
{
    for (const std::size_t n : {few, many}) {
        check_everywhere<float, float>("reduce_into", n, 1, false,
                                       [](auto policy, const float* x, std::size_t count, float* out) {
                                           pp::reduce_into(policy, x, x + count, out, 0.0f);
                                       });
        check_everywhere<float, float>(
            "transform_reduce_into", n, 1, false, [](auto policy, const float* x, std::size_t count, float* out) {
                pp::transform_reduce_into(policy, x, x + count, out, 0.0f, pp::plus{}, half_of{});
            });
    }
}

namespace {

struct is_small {
    template <class T>
    PARPRIMS_HOST_DEVICE bool operator()(T x) const
    {
        return x < 1;
    }
};

}  // namespace

TEST_CASE("searches, copies and transforms survive every fault")
{
    for (const std::size_t n : {few, many})
        check_everywhere<std::uint64_t, float>("min_element", n, 1, true,
                                               [](auto policy, const float* x, std::size_t count, std::uint64_t*) {
                                                   (void)pp::min_element(policy, x, x + count);
                                               });
    check_everywhere<std::uint64_t, float>("minmax_element_into", many, 2, false,
                                           [](auto policy, const float* x, std::size_t count, std::uint64_t* out) {
                                               pp::minmax_element_into(policy, x, x + count, out);
                                           });
    check_everywhere<float, float>("copy_if", many, many, true,
                                   [](auto policy, const float* x, std::size_t count, float* out) {
                                       (void)pp::copy_if(policy, x, x + count, out, is_small{});
                                   });
    check_everywhere<float, float>("copy_if_into of an iterator", 1, 2, false,
                                   [](auto policy, const float*, std::size_t, float* out) {
                                       const pp::counting_iterator<std::uint32_t> first(0);
                                       pp::copy_if_into(policy, first, first + much, out, out + 1, is_small{});
                                   });
    check_everywhere<float, float>("transform", few, few, false,
                                   [](auto policy, const float* x, std::size_t count, float* out) {
                                       pp::transform(policy, x, x + count, out, half_of{});
                                   });
}

TEST_CASE("calls by key survive every fault")
{
    for (const std::size_t n : {few, many}) {
        check_everywhere<float, float>("inclusive_scan_by_key", n, n, false,
                                       [](auto policy, const float* x, std::size_t count, float* out) {
                                           pp::inclusive_scan_by_key(policy, x, x + count, x, out);
                                       });
        check_everywhere<float, float>(
            "reduce_by_key_into", n, n + 1, false, [](auto policy, const float* x, std::size_t count, float* out) {
                pp::reduce_by_key_into(policy, x, x + count, x, pp::discard_iterator(), out, out + count);
            });
    }
    check_everywhere<float, float>("reduce_by_key", many, many, true,
                                   [](auto policy, const float* x, std::size_t count, float* out) {
                                       (void)pp::reduce_by_key(policy, x, x + count, x, pp::discard_iterator(), out);
                                   });
}

TEST_CASE("segmented scans survive every fault")
{
    check_everywhere<float, float>("segmented_exclusive_scan", many, many, false,
                                   [](auto policy, const float* x, std::size_t count, float* out) {
                                       pp::segmented_exclusive_scan(policy, x, x + count, 100, out, 0.0f);
                                   });
    check_everywhere<float, float>("segmented_inclusive_scan by offsets", many, many, false,
                                   [](auto policy, const float* x, std::size_t count, float* out) {
                                       const pp::counting_iterator<int> offsets(0);
                                       pp::segmented_inclusive_scan(policy, x, x + count, offsets, offsets + 301, out);
                                   });
}

TEST_CASE("segmented_reduce survives every fault")
{
    for (const std::size_t size : {std::size_t{100}, std::size_t{5000}}) {  // within a chunk, and of several
        const std::size_t segments = many / size;
        check_everywhere<float, float>("segmented_reduce", many, segments, false,
                                       [=](auto policy, const float* x, std::size_t count, float* out) {
                                           pp::segmented_reduce(policy, x, x + count, size, out, 0.0f);
                                       });
    }
    check_everywhere<float, float>("segmented_reduce by offsets", many, 300, false,
                                   [](auto policy, const float* x, std::size_t count, float* out) {
                                       const pp::counting_iterator<int> offsets(0);
                                       pp::segmented_reduce(policy, x, x + count, offsets, offsets + 301, out, 0.0f);
                                   });
}

/// Every form of a scan by one policy.
template <class Policy>
void check_scans(const std::string& how, const Policy& policy, std::size_t n)
{
    check_everywhere<float, float>(
        "inclusive_scan" + how, n, n, false,
        [](auto where, const float* x, std::size_t count, float* out) { pp::inclusive_scan(where, x, x + count, out); },
        policy);
    check_everywhere<float, float>(
        "inclusive_scan with an init" + how, n, n, false,
        [](auto where, const float* x, std::size_t count, float* out) {
            pp::inclusive_scan(where, x, x + count, out, pp::plus{}, 1.0f);
        },
        policy);
    check_everywhere<float, float>(
        "transform_inclusive_scan with an init" + how, n, n, false,
        [](auto where, const float* x, std::size_t count, float* out) {
            pp::transform_inclusive_scan(where, x, x + count, out, pp::plus{}, half_of{}, 1.0f);
        },
        policy);
    check_everywhere<float, float>(
        "exclusive_scan" + how, n, n, false,
        [](auto where, const float* x, std::size_t count, float* out) {
            pp::exclusive_scan(where, x, x + count, out, 0.0f);
        },
        policy);
    check_everywhere<float, float>(
        "transform_inclusive_scan" + how, n, n, false,
        [](auto where, const float* x, std::size_t count, float* out) {
            pp::transform_inclusive_scan(where, x, x + count, out, pp::plus{}, half_of{});
        },
        policy);
    check_everywhere<float, float>(
        "transform_exclusive_scan" + how, n, n, false,
        [](auto where, const float* x, std::size_t count, float* out) {
            pp::transform_exclusive_scan(where, x, x + count, out, 0.0f, pp::plus{}, half_of{});
        },
        policy);
}

TEST_CASE("every scan survives every fault, in one pass and in three phases")
{
    for (const std::size_t n : {few, many}) {
        check_scans(" (in one pass)", pp::device.with(pp::scan_config{}), n);
        check_scans(" (in three phases)", pp::device.with(pp::three_phase_scan{}), n);
    }
}

TEST_CASE("histogram survives every fault, with every placement")
{
    using placement = pp::histogram_config::placement_kind;
    const std::pair<placement, unsigned> placements[] = {{pp::histogram_config::automatic, 10u},
                                                         {pp::histogram_config::shared, 10u},
                                                         {pp::histogram_config::passes, 100'000u},
                                                         {pp::histogram_config::partitioned, 300'000u},
                                                         {pp::histogram_config::global, 10u}};
    for (const auto& [where, bins] : placements)
        for (const std::size_t n : {few, many}) {
            pp::histogram_config config;
            config.placement = where;
            check_everywhere<std::uint32_t, std::uint32_t>(
                "histogram (" + pp::to_string(config) + ")", n, bins, false,
                [bins = bins](auto policy, const std::uint32_t* x, std::size_t count, std::uint32_t* counts) {
                    pp::histogram(policy, x, x + count, pp::integer_axis<std::uint32_t>(0, bins), counts);
                },
                pp::device.with(config));
        }
}

TEST_CASE("histogram with edges of the user's survives every fault")
{
    check_everywhere<std::uint32_t, float>(
        "histogram (variable_axis)", many, 3, false,
        [](auto policy, const float* x, std::size_t count, std::uint32_t* counts) {
            pp::histogram(policy, x, x + count, pp::variable_axis<float>{0, 1, 3, 9}, counts);
        });
}

TEST_CASE("histogram of two dimensions with edges of the user's, added to earlier counts, survives every fault")
{
    check_everywhere<std::uint32_t, float>(
        "histogram (product_axis)", many, 6, false,
        [](auto policy, const float* x, std::size_t count, std::uint32_t* counts) {
            const pp::product_axis axis(pp::variable_axis<float>{0, 1, 3, 9}, pp::variable_axis<float>{0, 1, 5});
            const pp::zip_iterator points(x, x);
            pp::histogram(policy, points, points + static_cast<std::ptrdiff_t>(count), axis, counts, pp::accumulate);
        });
}

TEST_CASE("weighted_histogram survives every fault, with every placement")
{
    for (const auto& [where, bins] :
         {std::pair(pp::histogram_config::shared, 10u), std::pair(pp::histogram_config::passes, 100'000u),
          std::pair(pp::histogram_config::global, 10u)})
        for (const std::size_t n : {few, many}) {
            pp::histogram_config config;
            config.placement = where;
            check_everywhere<float, float>(
                "weighted_histogram (" + pp::to_string(config) + ")", n, bins, false,
                [bins = bins](auto policy, const float* x, std::size_t count, float* sums) {
                    pp::weighted_histogram(policy, x, x + count, x, pp::regular_axis(bins, 0.0f, 1.0f), sums);
                },
                pp::device.with(config));
        }
}

TEST_CASE("calls without elements survive every fault")
{
    check_everywhere<std::uint32_t, std::uint32_t>(
        "histogram", 0, 10, false, [](auto policy, const std::uint32_t* x, std::size_t count, std::uint32_t* counts) {
            pp::histogram(policy, x, x + count, pp::integer_axis<std::uint32_t>(0, 10), counts);
        });
    check_everywhere<float, float>("reduce_into", 0, 1, false,
                                   [](auto policy, const float* x, std::size_t count, float* out) {
                                       pp::reduce_into(policy, x, x + count, out, 0.0f);
                                   });
    check_everywhere<float, float>("reduce", 0, 1, true, [](auto policy, const float* x, std::size_t count, float*) {
        (void)pp::reduce(policy, x, x + count, 0.0f);
    });
    check_everywhere<float, float>("inclusive_scan", 0, 1, false,
                                   [](auto policy, const float* x, std::size_t count, float* out) {
                                       pp::inclusive_scan(policy, x, x + count, out);
                                   });
    check_everywhere<float, float>("exclusive_scan", 0, 1, false,
                                   [](auto policy, const float* x, std::size_t count, float* out) {
                                       pp::exclusive_scan(policy, x, x + count, out, 0.0f);
                                   });
}

namespace {

/// What a reduction says on a machine of that kind where every call fails like that.
std::string error_on(int driver_version, int architecture, stand_in::failure how)
{
    const scenario reduction{"reduce", [=] {
                                 stand_in::set_driver_version(driver_version);
                                 stand_in::set_architecture(architecture);
                                 const auto x = raw_memory<float>(few);
                                 return prepared{[=] { (void)pp::reduce(pp::device, x.get(), x.get() + few, 0.0f); }};
                             }};
    return error_of(reduction, {1, true, how});
}

bool contains(const std::string& text, const std::string& part)
{
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a call on an old driver, or on none, says so with the versions")
{
    const std::string old = error_on(12040, 90, stand_in::failure::old_driver);
    CHECK(contains(old, "parprims::reduce: "));
    CHECK(contains(old, "the CUDA driver (12.4) is older than the CUDA runtime (" +
                            std::to_string(CUDART_VERSION / 1000) + "."));
    CHECK(contains(old, "(cudaErrorInsufficientDriver)"));
    const std::string none = error_on(0, 90, stand_in::failure::old_driver);
    CHECK(contains(none, "parprims::reduce: "));
    CHECK(contains(none, "no CUDA driver is installed"));
}

TEST_CASE("a launch without a kernel for the GPU says what was built and what was found")
{
    const std::string text = error_on(13000, 61, stand_in::failure::wrong_binary);
    CHECK(contains(text, "parprims::reduce: kernel launch (built for sm_90; device 0 is sm_61)"));
    CHECK(contains(text, "(cudaErrorNoKernelImageForDevice)"));
}
