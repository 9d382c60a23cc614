/// @file
/// @brief  weighted_sum: what a weighted histogram may keep of a bin.
#pragma once

#include <parprims/detail/push_macros.hpp>  // first

namespace parprims {

/// @brief  The sum of the weights of a bin, and the sum of their squares: the estimated variance of the first.
/// @snippet weighted_histogram_test.cpp weighted_sum
template <class T>
struct weighted_sum {
    T value;     ///< the sum of the weights
    T variance;  ///< the sum of their squares

    friend bool operator==(const weighted_sum&, const weighted_sum&) = default;
};

}  // namespace parprims

#include <parprims/detail/pop_macros.hpp>
