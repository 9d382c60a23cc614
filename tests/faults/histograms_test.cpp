/// @file
/// @brief  The fault loop over histograms: see algorithms_test.cpp.
#include <doctest/doctest.h>

#include <parprims/parprims.hpp>

#include "support/everywhere.hpp"

#include <cstddef>
#include <cstdint>
#include <utility>

namespace pp = parprims;

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

TEST_CASE("profile survives every fault, with a bound and without")
{
    for (const bool is_bounded : {false, true})
        check_everywhere<pp::profile_bin<float>, float>(
            "profile", many, 10, false,
            [is_bounded](auto policy, const float* x, std::size_t count, pp::profile_bin<float>* bins) {
                const pp::regular_axis axis(10, 0.0f, 1.0f);
                if (is_bounded)
                    pp::profile(policy, x, x + count, x, axis, bins, pp::magnitude_bound(8));
                else
                    pp::profile(policy, x, x + count, x, axis, bins);
            });
}
