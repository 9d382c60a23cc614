/// @file
/// @brief  Histograms: the fault loop, see algorithms_test.cpp, and what their kernels are launched with, see launches_test.cpp.
#include <doctest/doctest.h>

#include <parprims/parprims.hpp>

#include "stand_in/stand_in.hpp"
#include "support/everywhere.hpp"
#include "support/launches.hpp"
#include "support/raw.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

namespace pp = parprims;
namespace device = parprims::detail::device;

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
          std::pair(pp::histogram_config::partitioned, 100'000u), std::pair(pp::histogram_config::global, 10u)})
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

TEST_CASE("weighted_histogram of a size in device memory survives every fault")
{
    check_everywhere<float, float>(
        "weighted_histogram of a size", many, 10, false,
        [](auto policy, const float* x, std::size_t count, float* sums) {
            const auto sized = pp::sized_on_device(x + 1, reinterpret_cast<const unsigned*>(x), count - 1);
            pp::weighted_histogram(policy, sized, x + 1, pp::regular_axis(10, 0.0f, 1.0f), sums);
        });
}

TEST_CASE("profile survives every fault")
{
    check_everywhere<pp::profile_bin<float>, float>(
        "profile", many, 10, false, [](auto policy, const float* x, std::size_t count, pp::profile_bin<float>* bins) {
            pp::profile(policy, x, x + count, x, pp::regular_axis(10, 0.0f, 1.0f), bins);
        });
}

namespace {

using axis = pp::integer_axis<std::uint32_t>;
using samples = device::histogram_samples<device::pointer_input<std::uint32_t>, axis>;

/// Counts `bins` bins with kernels of one kind, which find zeros.
template <class Kernel>
void check_counts(pp::histogram_config::placement_kind placement, std::uint32_t bins)
{
    CAPTURE(placement);
    const auto x = raw_memory<std::uint32_t>(many);
    const auto counts = raw_memory<std::uint32_t>(bins);
    pp::histogram_config config;
    config.placement = placement;
    const launches_of<Kernel> launches([=](const Kernel& launched) {
        CHECK(launched.counts == counts.get());
        if constexpr (requires { launched.gathered; })
            if (launched.gathered != nullptr) {  // zero before and after, and the counts are overwritten
                CHECK(bins <= 1984);
                REQUIRE(stand_in::is_allocated(launched.gathered, bins * sizeof(std::uint32_t)));
                REQUIRE(stand_in::is_allocated(launched.ticket, sizeof *launched.ticket));
                CHECK(is_zero(launched.gathered, bins * sizeof(std::uint32_t)));
                CHECK(*launched.ticket == 0);
                std::memset(launched.counts, 1, bins * sizeof(std::uint32_t));
                CHECK(is_zero(launched.gathered, bins * sizeof(std::uint32_t)));
                *launched.ticket = 1;
                CHECK(is_zero(launched.gathered, bins * sizeof(std::uint32_t)));
                *launched.ticket = 0;
                return;
            }
        CHECK(is_zero(launched.counts, bins * sizeof(std::uint32_t)));
        std::memset(launched.counts, 1, bins * sizeof(std::uint32_t));
    });
    call_again_and_again([&](const auto& policy) {
        pp::histogram(policy.with(config), x.get(), x.get() + many, axis(0, bins), counts.get());
    });
    CHECK(launches.count() == 4);
}

}  // namespace

TEST_CASE("a histogram finds counters that are zero, with every placement")
{
    using config = pp::histogram_config;
    check_counts<device::histogram_shared_kernel<samples, std::uint32_t, false>>(config::shared, 10);
    check_counts<device::histogram_shared_kernel<samples, std::uint32_t, false>>(config::shared, 1984);
    check_counts<device::histogram_shared_kernel<samples, std::uint32_t, false>>(config::shared, 1985);
    check_counts<device::histogram_shared_kernel<samples, std::uint32_t, true>>(config::passes, 100'000);
    check_counts<device::histogram_global_kernel<samples, std::uint32_t>>(config::global, 10);
    check_counts<device::partition_count_kernel<samples, std::uint32_t>>(config::partitioned, 300'000);
}

TEST_CASE("a histogram of 2^32 samples gathers no counts in 32 bits")
{
    using sample = std::uint64_t;
    using iterator = pp::counting_iterator<sample>;
    using any = device::histogram_samples<device::input_for<iterator>, pp::integer_axis<sample>>;
    const auto counts = raw_memory<sample>(10);
    std::size_t count = 0;
    const launches_of<device::histogram_shared_kernel<any, sample, false>> launches([&](const auto& launched) {
        CAPTURE(count);
        CHECK(launched.samples.n == count);
        CHECK((launched.gathered == nullptr) == (count > std::uint32_t(-1)));
    });
    for (count = (std::size_t{1} << 32) - 2; count < (std::size_t{1} << 32) + 2; ++count)
        pp::histogram(pp::device, iterator(0), iterator(count), pp::integer_axis<sample>(0, 10), counts.get());
    CHECK(launches.count() == 4);
}

TEST_CASE("a partitioned histogram finds totals that are zero, and has room for what it sorts")
{
    using kernel = device::partition_sort_kernel<samples>;
    constexpr std::uint32_t bins = 300'000;
    const auto x = raw_memory<std::uint32_t>(many);
    const auto counts = raw_memory<std::uint32_t>(bins);
    pp::histogram_config config;
    config.placement = pp::histogram_config::partitioned;
    const launches_of<kernel> launches([](const kernel& launched) {
        const device::partitioned_slice& slice = launched.slice;
        const std::size_t sorted_bytes = slice.tiles * slice.tile_room() * sizeof(std::uint16_t);
        const std::size_t starts_bytes = (slice.parts + 1) * slice.tiles * sizeof(std::uint16_t);
        const std::size_t totals_bytes = slice.parts * sizeof(std::uint32_t);
        REQUIRE(stand_in::is_allocated(slice.sorted, sorted_bytes));
        REQUIRE(stand_in::is_allocated(slice.starts, starts_bytes));
        REQUIRE(stand_in::is_allocated(slice.totals, totals_bytes));
        REQUIRE(stand_in::is_allocated(slice.next_totals, totals_bytes));
        std::memset(slice.sorted, 1, sorted_bytes);
        std::memset(slice.starts, 1, starts_bytes);
        std::memset(slice.next_totals, 1, totals_bytes);
        CHECK(is_zero(slice.totals, totals_bytes));  // and they are not among the others
    });
    call_again_and_again([&](const auto& policy) {
        pp::histogram(policy.with(config), x.get(), x.get() + many, axis(0, bins), counts.get());
    });
    CHECK(launches.count() == 4);
}
