/// @file
/// @brief  What a weighted histogram or a profile keeps of a bin.
#pragma once

#include <parprims/detail/push_macros.hpp>  // first

#include <cstdint>

namespace parprims {

/// @brief  The sum of the weights of a bin, and the sum of their squares, which estimates the variance of the first sum.
/// @snippet weighted_histogram_test.cpp weighted_sum
template <class T>
struct weighted_sum {
    T value;     ///< the sum of the weights
    T variance;  ///< the sum of their squares

    friend bool operator==(const weighted_sum&, const weighted_sum&) = default;
};

/// @brief  How many samples a bin has, and the mean and the variance of their values.
/// @snippet profile_test.cpp profile
template <class T>
struct profile_bin {
    std::uint64_t count;  ///< samples of the bin
    T mean;               ///< of their values; NaN if there are none
    T variance;  ///< of their values, divided by count - 1; NaN of fewer than two. That of the mean is variance / count

    friend bool operator==(const profile_bin&, const profile_bin&) = default;
};

}  // namespace parprims

#include <parprims/detail/pop_macros.hpp>
