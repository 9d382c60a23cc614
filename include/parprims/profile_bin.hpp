/// @file
/// @brief  profile_bin: what a profile tells of a bin.
#pragma once

#include <parprims/detail/push_macros.hpp>  // first

#include <cstdint>

namespace parprims {

/// @brief  How many samples a bin has, and the mean and the variance of their values.
/// @snippet profile_test.cpp profile
template <class T>
struct profile_bin {
    std::uint64_t count;  ///< samples of the bin
    T mean;               ///< of their values; NaN if there are none
    T variance;  ///< of their values, by count - 1; NaN of fewer than two. variance / count is that of the mean

    friend bool operator==(const profile_bin&, const profile_bin&) = default;
};

}  // namespace parprims

#include <parprims/detail/pop_macros.hpp>
