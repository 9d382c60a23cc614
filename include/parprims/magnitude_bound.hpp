/// @file
/// @brief  magnitude_bound: what no weight of a weighted histogram, and no value of a profile, exceeds.
#pragma once

#include <parprims/detail/push_macros.hpp>  // first

namespace parprims {

/// @brief  The last argument of a `weighted_histogram` or `profile` that knows a bound of its finite |weights| or |values|. It
///         takes the place of the largest one, which then need not be found: the rounding depends on the bound and on n alone.
/// @snippet weighted_histogram_test.cpp magnitude_bound
struct magnitude_bound {
    constexpr explicit magnitude_bound(double bound) noexcept : value(bound) {}

    double value;  ///< finite and not negative; rounded up to float for weights of float and 16 bits: 0.1 admits 0.1f
};

}  // namespace parprims

#include <parprims/detail/pop_macros.hpp>
