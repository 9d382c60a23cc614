/// @file
/// @brief  Calls along dimensions survive every fault of the CUDA runtime.
#include <doctest/doctest.h>

#include <parprims/exact_plus.hpp>
#include <parprims/extremes_along.hpp>
#include <parprims/histogram_along.hpp>
#include <parprims/reduce_along.hpp>
#include <parprims/scan_along.hpp>
#include <parprims/variable_axis.hpp>
#include <parprims/view.hpp>

#include "support/everywhere.hpp"

#include <cstddef>
#include <cstdint>
#include <utility>

namespace pp = parprims;

TEST_CASE("calls along dimensions survive every fault")
{
    check_everywhere<float, float>("reduce of columns", many, 100, false,
                                   [](auto policy, const float* x, std::size_t count, float* out) {
                                       pp::reduce(policy, pp::matrix(x, count / 100, 100), pp::along(0), out, 0.0f);
                                   });
    check_everywhere<float, float>("reduce of rows", many, many / 100, false,
                                   [](auto policy, const float* x, std::size_t count, float* out) {
                                       pp::reduce(policy, pp::matrix(x, count / 100, 100), pp::along(1), out, 0.0f);
                                   });
    check_everywhere<std::uint64_t, float>("max_element of columns", many, 100, false,
                                           [](auto policy, const float* x, std::size_t count, std::uint64_t* out) {
                                               pp::max_element(policy, pp::matrix(x, count / 100, 100), pp::along(0),
                                                               out);
                                           });
    check_everywhere<float, float>(
        "exact sums of columns", many, 100, false, [](auto policy, const float* x, std::size_t count, float* out) {
            pp::reduce(policy, pp::matrix(x, count / 100, 100), pp::along(0), out, 0.0f, pp::exact_plus{});
        });
    for (const auto& [dimension, columns] : {std::pair(0, 1000u), std::pair(1, 1000u), std::pair(1, 10u)})
        check_everywhere<float, float>("inclusive_scan along a dimension", many, many, false,
                                       [=](auto policy, const float* x, std::size_t count, float* out) {
                                           pp::inclusive_scan(policy, pp::matrix(x, count / columns, columns),
                                                              pp::along(dimension), out);
                                       });
}

TEST_CASE("histograms along dimensions and of channels survive every fault")
{
    for (const int dimension : {0, 1})
        check_everywhere<std::uint32_t, float>("histogram along a dimension", many, many, false,
                                               [=](auto policy, const float* x, std::size_t count, std::uint32_t* out) {
                                                   pp::histogram(policy, pp::matrix(x, count / 100, 100),
                                                                 pp::along(dimension), pp::regular_axis(10, 0.0f, 1.0f),
                                                                 out);
                                               });
    // Axes with edges of the user's, which are copied to the GPU.
    check_everywhere<std::uint32_t, float>(
        "channel_histograms", many, 6, false, [](auto policy, const float* x, std::size_t count, std::uint32_t* out) {
            const pp::variable_axis<float> axis{0.0f, 0.5f, 1.0f};
            pp::channel_histograms(policy, pp::strided_view(x, {count / 400, 100, 3}, {400, 4, 1}), out, axis, axis,
                                   axis);
        });
}
