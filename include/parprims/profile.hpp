/// @file
/// @brief  profile: mean and variance of the values of the samples in each bin of an axis.
#pragma once

#include <parprims/detail/push_macros.hpp>  // first

#include <parprims/weighted_histogram.hpp>

namespace parprims {

namespace detail {

inline constexpr weighted_call profile_call{"parprims::profile", "values", "bins"};

}  // namespace detail

PARPRIMS_OTHER_ARGUMENTS(profile, "first, last (or a range), values, axis, bins")

/// @brief  Counts the samples of `[first, last)` in the bins of `axis`, and finds mean and variance of their values: sample i has
///         value `values[i]`.
///
/// Overwrites `axis.extent()` bins from `bins` on, in the order of `histogram`. Counts are exact; mean and variance are **exact,
/// rounded once**: of the count N of a bin, the sum S of its values and the sum Q of their squares as real numbers, S / N and
/// (N Q - S^2) / (N (N - 1)), rounded to nearest, ties to even. So nothing cancels, however close together the values lie. The
/// results have the same bits on every device and on the host, for every launch configuration and number of threads, and in any order
/// of the samples. No value affects another bin, and the values of dropped samples have no effect.
///
/// A bin with an infinite or NaN value has the mean that IEEE arithmetic gives, and a NaN as its variance. The value is counted.
///
/// @param  axis    any axis of `histogram`
/// @param  values  float, double, integers of at most 32 bits, or 16-bit types with a conversion to float
/// @param  bins    profile_bin<float> or profile_bin<double>; contiguous for the device
/// @return the end of the bins
/// @pre    there are as many values as samples; samples, values and bins are accessible where `policy` runs, and the bins
///         overlap neither samples nor values
/// @note   on the device the call is enqueued and returns; it may be captured into a CUDA graph. On the host it returns when the
///         bins are written
/// @complexity  as `weighted_histogram`, but scratch on the device of 60 bytes a bin for float and 16-bit values, otherwise 92
/// @throws invalid_argument  null range, null `values`, `last < first`, null `bins`, bins that overlap samples or values, memory the
///                           device cannot reach, an axis without bins, a launch configuration out of range
/// @throws out_of_memory     no memory for the scratch
/// @throws cuda_error        no usable GPU, or the launch failed
/// @source  the profiles of Boost.Histogram (`accumulators::mean`) and ROOT (`TProfile`); here exact, in any order
/// @snippet profile_test.cpp profile
template <execution_policy Policy, random_access_iterator Iterator, class Values, histogram_axis Axis, class Bins>
Bins profile(const Policy& policy, Iterator first, Iterator last, Values values, const Axis& axis, Bins bins)
{
    if constexpr (detail::check_one_process<Policy>() && detail::check_weighted_arguments<true, Values, Bins>())
        return detail::add_weights(detail::profile_call, policy, first, last, values, axis, bins);
}

/// @brief  `profile` of a range in the place of its begin and end.
PARPRIMS_FORM_OF_RANGE(profile)

}  // namespace parprims

#include <parprims/detail/pop_macros.hpp>
