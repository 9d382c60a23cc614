/// @file
/// @brief  The fault loop over the algorithms: each with little and much to do, in the default stream, in one of its own,
///         on the other GPU, and captured into a graph.
#include <doctest/doctest.h>

#include <parprims/parprims.hpp>

#include "support/everywhere.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace pp = parprims;

namespace {

struct half_of {
    PARPRIMS_HOST_DEVICE float operator()(float x) const { return x / 2; }
};

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

TEST_CASE("calls with their size and init in device memory survive every fault")
{
    for (const std::size_t n : {few, many}) {
        const auto sized = [](const float* x, std::size_t count) {
            return pp::sized_on_device(x + 1, reinterpret_cast<const unsigned*>(x), count - 1);
        };
        check_everywhere<float, float>("reduce of a size", n, 1, true,
                                       [=](auto policy, const float* x, std::size_t count, float*) {
                                           (void)pp::reduce(policy, sized(x, count), 0.0f);
                                       });
        check_everywhere<float, float>("reduce_into of a size", n, 1, false,
                                       [=](auto policy, const float* x, std::size_t count, float* out) {
                                           pp::reduce_into(policy, sized(x, count), out, pp::value_at(x));
                                       });
        check_everywhere<float, float>("exclusive_scan of a size", n, n, false,
                                       [=](auto policy, const float* x, std::size_t count, float* out) {
                                           pp::exclusive_scan(policy, sized(x, count), out, pp::value_at(x));
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

TEST_CASE("calls that write how many results they have survive every fault, with sizes in device memory")
{
    const auto sized = [](const float* x, std::size_t count) {
        return pp::sized_on_device(x + 1, reinterpret_cast<const unsigned*>(x), count - 1);
    };
    check_everywhere<float, float>("copy_if_into of a size", many, many + 1, false,
                                   [=](auto policy, const float* x, std::size_t count, float* out) {
                                       pp::copy_if_into(policy, sized(x, count), out,
                                                        reinterpret_cast<unsigned*>(out + count), is_small{});
                                   });
    check_everywhere<float, float>("reduce_by_key_into of a size", many, many + 1, false,
                                   [=](auto policy, const float* x, std::size_t count, float* out) {
                                       const auto keys = sized(x, count);
                                       pp::reduce_by_key_into(policy, keys.begin(), keys.end(), x + 1,
                                                              pp::discard_iterator(), out, out + count);
                                   });
    check_everywhere<float, float>(
        "segmented_reduce of a number of segments in device memory", many, many, false,
        [](auto policy, const float* x, std::size_t count, float* out) {
            const auto* const number = reinterpret_cast<const unsigned*>(x);
            const auto offsets = pp::sized_on_device(pp::counting_iterator<int>(0), number, count - 1);
            pp::segmented_reduce(policy, x + 1, x + count, offsets.begin(), offsets.end(), out, 0.0f);
        });
}

TEST_CASE("exact sums survive every fault")
{
    check_everywhere<float, float>(
        "an exact inner product", many, 1, true, [](auto policy, const float* x, std::size_t count, float*) {
            (void)pp::transform_reduce(policy, x, x + count, x, 0.0f, pp::exact_plus{}, pp::multiplies{});
        });
    check_everywhere<float, float>("exact sums of segments by offsets", many, 300, false,
                                   [](auto policy, const float* x, std::size_t count, float* out) {
                                       const pp::counting_iterator<int> offsets(0);
                                       pp::segmented_reduce(policy, x, x + count, offsets, offsets + 301, out, 0.0f,
                                                            pp::exact_plus{});
                                   });
    for (const std::size_t n : {few, many}) {
        check_everywhere<float, float>("an exact sum", n, 1, true,
                                       [](auto policy, const float* x, std::size_t count, float*) {
                                           (void)pp::reduce(policy, x, x + count, 0.0f, pp::exact_plus{});
                                       });
        check_everywhere<float, float>("an exact sum to an output", n, 1, false,
                                       [](auto policy, const float* x, std::size_t count, float* out) {
                                           pp::reduce_into(policy, x, x + count, out, 0.0f, pp::exact_plus{});
                                       });
        check_everywhere<float, float>("exact sums by key", n, n + 1, false,
                                       [](auto policy, const float* x, std::size_t count, float* out) {
                                           pp::reduce_by_key_into(policy, x, x + count, x, pp::discard_iterator(), out,
                                                                  out + count, pp::equal_to{}, pp::exact_plus{});
                                       });
        check_everywhere<float, float>(
            "exact sums of segments", n, n, false, [](auto policy, const float* x, std::size_t count, float* out) {
                pp::segmented_reduce(policy, x, x + count, 1000, out, 0.0f, pp::exact_plus{});
            });
    }
}

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
    for (const std::size_t n : {few, many})
        check_everywhere<float, float>(
            "unique_by_key_copy_into", n, n + 1, false, [](auto policy, const float* x, std::size_t count, float* out) {
                pp::unique_by_key_copy_into(policy, x, x + count, x, pp::discard_iterator(), out, out + count);
            });
    check_everywhere<std::uint64_t, float>("run_length_encode", many, 2 * many, true,
                                           [](auto policy, const float* x, std::size_t count, std::uint64_t* out) {
                                               (void)pp::run_length_encode(policy, x, x + count, out, out + count);
                                           });
    check_everywhere<std::uint64_t, float>("run_length_encode_non_trivial_into", many, 2 * many + 1, false,
                                           [](auto policy, const float* x, std::size_t count, std::uint64_t* out) {
                                               pp::run_length_encode_non_trivial_into(policy, x, x + count, out,
                                                                                      out + count, out + 2 * count);
                                           });
    check_everywhere<float, float>("partition_copy", many, 2 * many, true,
                                   [](auto policy, const float* x, std::size_t count, float* out) {
                                       (void)pp::partition_copy(policy, x, x + count, out, out + count, is_small{});
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
    constexpr std::size_t n = 4 * many;
    for (const std::size_t size : {std::size_t{10}, n}) {  // within a chunk, and of several runs of chunks
        check_everywhere<float, float>("segmented_reduce", n, n / size, false,
                                       [=](auto policy, const float* x, std::size_t count, float* out) {
                                           pp::segmented_reduce(policy, x, x + count, size, out, 0.0f);
                                       });
    }
    for (const int segments : {300, 30'000})  // few enough for one kernel, and more
        check_everywhere<float, float>("segmented_reduce by offsets", many, static_cast<std::size_t>(segments), false,
                                       [=](auto policy, const float* x, std::size_t count, float* out) {
                                           const pp::counting_iterator<int> offsets(0);
                                           pp::segmented_reduce(policy, x, x + count, offsets, offsets + segments + 1,
                                                                out, 0.0f);
                                       });
}

TEST_CASE("extremes of segments survive every fault")
{
    check_everywhere<std::uint64_t, float>("segmented_min_element", many, many, false,
                                           [](auto policy, const float* x, std::size_t count, std::uint64_t* out) {
                                               pp::segmented_min_element(policy, x, x + count, 1000, out);
                                           });
    check_everywhere<std::uint64_t, float>("segmented_minmax_element by offsets", many, 60'000, false,
                                           [](auto policy, const float* x, std::size_t count, std::uint64_t* out) {
                                               const pp::counting_iterator<int> offsets(0);
                                               pp::segmented_minmax_element(policy, x, x + count, offsets,
                                                                            offsets + 30'001, out);
                                           });
}

TEST_CASE("histograms of segments survive every fault")
{
    check_everywhere<std::uint64_t, float>("segmented_histogram", many, many, false,
                                           [](auto policy, const float* x, std::size_t count, std::uint64_t* out) {
                                               pp::segmented_histogram(policy, x, x + count, 1000,
                                                                       pp::regular_axis(10, 0.0f, 1.0f), out);
                                           });
    check_everywhere<std::uint64_t, float>("segmented_histogram by offsets", many, 60'000, false,
                                           [](auto policy, const float* x, std::size_t count, std::uint64_t* out) {
                                               const pp::counting_iterator<int> offsets(0);
                                               pp::segmented_histogram(policy, x, x + count, offsets, offsets + 6'001,
                                                                       pp::variable_axis<float>{0.0f, 0.5f, 1.0f}, out);
                                           });
    check_everywhere<double, float>("segmented_weighted_histogram", many, many, false,
                                    [](auto policy, const float* x, std::size_t count, double* out) {
                                        pp::segmented_weighted_histogram(policy, x, x + count, 1000, x,
                                                                         pp::variable_axis<float>{0.0f, 0.5f, 1.0f},
                                                                         out);
                                    });
    check_everywhere<double, float>("weighted_histogram of columns", many, many, false,
                                    [](auto policy, const float* x, std::size_t count, double* out) {
                                        const auto columns = pp::matrix(x, count / 100, 100);
                                        pp::weighted_histogram(policy, columns, pp::along(0), columns,
                                                               pp::regular_axis(count / 100, 0.0f, 1.0f), out);
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
