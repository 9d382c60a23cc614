/// @file
/// @brief  Calls along dimensions survive every fault of the CUDA runtime.
#include <doctest/doctest.h>

#include <parprims/extremes_along.hpp>
#include <parprims/reduce_along.hpp>
#include <parprims/scan_along.hpp>

#include "support/everywhere.hpp"

#include <cstddef>
#include <cstdint>

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
    for (const int dimension : {0, 1})
        check_everywhere<float, float>("inclusive_scan along a dimension", many, many, false,
                                       [=](auto policy, const float* x, std::size_t count, float* out) {
                                           pp::inclusive_scan(policy, pp::matrix(x, count / 1000, 1000),
                                                              pp::along(dimension), out);
                                       });
}
