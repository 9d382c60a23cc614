/// @file
/// @brief  profile: mean and variance of the values of the samples in each bin of an axis.
#pragma once

#include <parprims/detail/push_macros.hpp>  // first

#include <parprims/weighted_histogram.hpp>

namespace parprims {

namespace detail {

inline constexpr weighted_call profile_call{"parprims::profile", "values", "bins"};

}  // namespace detail

PARPRIMS_OTHER_ARGUMENTS(profile, "the arguments of profile are policy, first, last (or a range), values, axis, bins")

/// @brief  Counts the samples of `[first, last)` in the bins of `axis`, and finds mean and variance of their values: sample i has
///         value `values[i]`.
///
/// Overwrites `axis.extent()` bins from `bins` on, in the order of `histogram`. They have the same bits on every device and on the
/// host, for every launch configuration and number of threads, and if samples and their values change places.
///
/// Counts are exact. Each value is rounded to a multiple of q, ties to even. Sums of these and of their squares are exact integers,
/// so mean and variance of the rounded values have a relative error of at most 2^-50, and are then rounded to T: nothing cancels,
/// however close together the values lie. So a mean is off by at most q / 2, and the root of a variance by less than q, besides.
/// Let w be the largest finite |value| (at least the smallest normal number of its type). Then for up to 2^33 samples
///   * for values of float and 16 bits, q = 2^(ceil(log2 w) - 29);
///   * for double and integers, q = 2^(ceil(log2 w) - (126 - ceil(log2 n)) / 2), rounded down: for 2^28 values at most w * 2^-48.
///     Integers are multiples of it.
///
/// An infinite or NaN value makes of its bin's mean what IEEE arithmetic makes of it, and NaN of the variance. It is counted, and
/// changes no other bin.
///
/// @param  axis    any axis of `histogram`
/// @param  values  float, double, integers of at most 32 bits, or 16-bit types with a conversion to float
/// @param  bins    profile_bin<float> or profile_bin<double>; contiguous for the device
/// @return the end of the bins
/// @pre    there are as many values as samples; samples, values and bins are accessible where `policy` runs, and the bins do not
///         overlap the others
/// @note   on the device the call is enqueued and returns; it may be captured into a CUDA graph. On the host it returns when the
///         bins are written
/// @complexity  as of `weighted_histogram`. Scratch on the device: for each bin 68 bytes (float and 16-bit values) or 84
/// @throws invalid_argument  null range, null `values`, `last < first`, null `bins`, bins that overlap samples or values, memory the
///                           device cannot reach, a launch configuration out of range
/// @throws out_of_memory     no memory for the scratch
/// @throws cuda_error        no usable GPU, or the launch failed
/// @source  the profiles of Boost.Histogram (`accumulators::mean`) and ROOT (`TProfile`); here sums of integers, in any order
/// @snippet profile_test.cpp profile
template <execution_policy Policy, random_access_iterator Iterator, class Values, histogram_axis Axis, class Bins>
Bins profile(const Policy& policy, Iterator first, Iterator last, Values values, const Axis& axis, Bins bins)
{
    if constexpr (detail::check_one_process<Policy>() && detail::check_weighted_arguments<true, Values, Bins>())
        return detail::add_weights(detail::profile_call, policy, first, last, values, axis, bins);
}

/// @brief  `profile` with a bound of the finite |values| that the caller knows: it is w in the formulas above. No scale is
///         guessed, so nothing is added twice; on the device the call needs about half the scratch.
///
/// @param  bound  finite and not negative; for values of float and 16 bits rounded up to float. A finite value of a sample in a
///                bin that exceeds it makes the call throw on the host, before it writes; on the device it counts as a NaN
/// @pre    as of the call without a bound
/// @note   as of the call without a bound
/// @complexity  as of `weighted_histogram` with a bound
/// @throws invalid_argument  as of the call without a bound; a `bound` out of range; on the host a value that exceeds it
/// @throws out_of_memory     no memory for the scratch
/// @throws cuda_error        no usable GPU, or the launch failed
/// @snippet profile_test.cpp profile_bound
template <execution_policy Policy, random_access_iterator Iterator, class Values, histogram_axis Axis, class Bins>
Bins profile(const Policy& policy, Iterator first, Iterator last, Values values, const Axis& axis, Bins bins,
             magnitude_bound bound)
{
    if constexpr (detail::check_one_process<Policy>() && detail::check_weighted_arguments<true, Values, Bins>())
        return detail::add_weights(detail::profile_call.bounded_by(bound), policy, first, last, values, axis, bins);
}

/// @brief  `profile` of a range in the place of its begin and end.
PARPRIMS_FORM_OF_RANGE(profile)

}  // namespace parprims

#include <parprims/detail/pop_macros.hpp>
