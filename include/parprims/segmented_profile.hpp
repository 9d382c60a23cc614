/// @file
/// @brief  segmented_profile: a profile of each segment of a range.
#pragma once

#include <parprims/detail/push_macros.hpp>  // first

#include <parprims/segmented_weighted_histogram.hpp>

namespace parprims {

namespace detail {

inline constexpr weighted_call segmented_profile_call{"parprims::segmented_profile", "values", "bins"};

}  // namespace detail

PARPRIMS_OTHER_ARGUMENTS(
    segmented_profile,
    "first, last (or a range), segment_size or offsets, values, axis, bins; a size is an integer, and so are offsets")

/// @brief  Makes a `profile` of each segment of `segment_size` samples of `[first, last)`.
///
/// All is as for `segmented_weighted_histogram`, with values in the place of weights: `axis.extent()` bins for each segment, one profile
/// after another from `bins` on, each with the bits of `profile` of the segment.
///
/// @param  values  as for `profile`: sample i of the range has value `values[i]`
/// @param  bins    as for `profile`. Must not overlap the samples, the values or the offsets
/// @return the end of the bins
/// @note   on the device the call is enqueued and returns; it may be captured into a CUDA graph
/// @complexity  as `segmented_weighted_histogram`; scratch as `profile` into as many bins as all segments have
/// @throws invalid_argument, out_of_memory, cuda_error  as `segmented_weighted_histogram`
/// @snippet segmented_weighted_histogram_test.cpp segmented_profile
template <execution_policy Policy, random_access_iterator Iterator, detail::segment_size Size, class Values,
          histogram_axis Axis, class Bins>
Bins segmented_profile(const Policy& policy, Iterator first, Iterator last, Size segment_size, Values values,
                       const Axis& axis, Bins bins)
{
    return detail::add_weights_of_segments<true>(detail::segmented_profile_call, policy, first, last, values, axis,
                                                 bins, segment_size);
}

/// @brief  `segmented_profile` of segments of any lengths: segment i is from offset i to offset i + 1.
///
/// @param  offsets_first, offsets_last  as for `segmented_weighted_histogram`
/// @throws invalid_argument  as for `segmented_weighted_histogram` by offsets
/// @snippet segmented_weighted_histogram_test.cpp segmented_profile
template <execution_policy Policy, random_access_iterator Iterator, detail::offset_iterator Offsets, class Values,
          histogram_axis Axis, class Bins>
Bins segmented_profile(const Policy& policy, Iterator first, Iterator last, Offsets offsets_first, Offsets offsets_last,
                       Values values, const Axis& axis, Bins bins)
{
    return detail::add_weights_of_segments<true>(detail::segmented_profile_call, policy, first, last, values, axis,
                                                 bins, offsets_first, offsets_last);
}

/// @brief  `segmented_profile` of a range in the place of its begin and end.
PARPRIMS_FORM_OF_RANGE(segmented_profile)
/// @brief  `segmented_profile` of a range, and a range of offsets.
PARPRIMS_FORM_OF_RANGE_AND_OFFSETS(segmented_profile)

}  // namespace parprims

#include <parprims/detail/pop_macros.hpp>
