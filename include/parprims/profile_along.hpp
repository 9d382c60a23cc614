/// @file
/// @brief  profile of the lines of an array.
#pragma once

#include <parprims/detail/push_macros.hpp>  // first

#include <parprims/profile.hpp>
#include <parprims/weighted_histogram_along.hpp>

namespace parprims {

/// @brief  Makes a `profile` of each line of an array: `profile(policy, matrix, along(1), values, axis, bins)` has one for each row.
///
/// All is as for `weighted_histogram` along dimensions, with values in the place of weights. Each has the bits of `profile` of the line.
///
/// @param  values  an array of the extents of `view`, of values as for `profile`
/// @param  bins    bins as for `profile`, placed as the sums of `weighted_histogram` along dimensions
/// @note   on the device the call is enqueued and returns; it may be captured into a CUDA graph
/// @complexity  as `weighted_histogram` along dimensions; scratch as `profile` into as many bins as all lines have
/// @throws invalid_argument, out_of_memory, cuda_error  as `weighted_histogram` along dimensions
/// @snippet weighted_histogram_along_test.cpp profile
template <execution_policy Policy, array_view View, std::size_t Count, class Values, histogram_axis Axis,
          detail::results_of_lines Output>
void profile(const Policy& policy, const View& view, along<Count> dimensions, const Values& values, const Axis& axis,
             Output bins)
{
    detail::add_weights_along<true>(detail::profile_call, policy, view, dimensions, values, axis, bins);
}

}  // namespace parprims

#include <parprims/detail/pop_macros.hpp>
