/// @file
/// @brief  segmented_weighted_histogram: adds up the weights of the samples in each bin, of each segment of a range.
#pragma once

#include <parprims/detail/push_macros.hpp>  // first

#include <parprims/axis.hpp>
#include <parprims/config.hpp>
#include <parprims/detail/arguments.hpp>
#include <parprims/detail/contract/segments.hpp>
#include <parprims/detail/contract/weights.hpp>
#include <parprims/detail/device/segmented_weighted/backend.hpp>
#include <parprims/detail/host/segmented_weighted.hpp>
#include <parprims/detail/iterator/traits.hpp>
#include <parprims/execution.hpp>
#include <parprims/segmented.hpp>
#include <parprims/weighted_histogram.hpp>
#include <parprims/weights.hpp>

#include <concepts>
#include <cstddef>

namespace parprims {

namespace detail {

inline constexpr weighted_call segmented_weighted_histogram_call{"parprims::segmented_weighted_histogram", "weights",
                                                                 "sums"};

/// Checks the arguments and calls the backend of the policy. `where`: the size of the segments, or their offsets.
template <bool IsProfile, class Policy, class Iterator, class Weights, class Axis, class Sums, class... Where>
Sums add_weights_of_segments(const weighted_call& names, const Policy& policy, Iterator first, Iterator last,
                             Weights weights, const Axis& axis, Sums sums, Where... where)
{
    if constexpr (!check_one_process<Policy>() || !check_weighted_arguments<IsProfile, Weights, Sums>() ||
                  !check_samples<Axis, iter_value_t<Iterator>>()) {
    } else {
        const auto begin = detail::unwrap(first);
        const auto of_samples = detail::unwrap(weights);
        const auto target = detail::unwrap(sums);
        const std::size_t n = detail::checked_count(names.function, begin, detail::unwrap(last));
        const auto segments = detail::checked_segments<Policy>(names.function, n, detail::unwrap(where)...);
        const std::size_t extent = detail::checked_extent(names.function, axis);
        const std::size_t all =
            detail::checked_bin_product<iter_value_t<Sums>>(names.function, names.sums, segments.count, extent);
        if constexpr (std::same_as<Policy, host_policy>)
            host::check_weighted_extent(names.function, extent);
        detail::check_weighted_pointers(names, begin, n, of_samples, target, all);
        detail::check_apart_from_offsets(names.function, names.sums, target, all, segments);
        if constexpr (std::same_as<Policy, host_policy>) {
            if (all != 0)
                host::segmented_weighted_histogram(policy.threads(), segments, begin, of_samples, axis, target,
                                                   [extent](std::size_t s) { return s * extent; });
        } else {
            device::call<device::segmented_weighted_histogram_call>(names.function, device_policy(policy), segments,
                                                                    begin, of_samples, axis, target);
        }
        return sums + static_cast<std::ptrdiff_t>(all);
    }
}

}  // namespace detail

PARPRIMS_OTHER_ARGUMENTS(
    segmented_weighted_histogram,
    "first, last (or a range), segment_size or offsets, weights, axis, sums; a size is an integer, and so are offsets")

/// @brief  Adds up the weights of each segment of `segment_size` samples of `[first, last)` in a histogram of its own.
///
/// Overwrites `axis.extent()` sums for each segment, one histogram after another from `sums` on: each has the bits of `weighted_histogram`
/// of the segment. The last segment has the samples that are left, so it may be shorter.
///
/// @param  weights  as for `weighted_histogram`: sample i of the range has weight `weights[i]`
/// @param  axis     as for `histogram`; one for all segments
/// @param  sums     as for `weighted_histogram`. Must not overlap the samples, the weights or the offsets
/// @return the end of the sums
/// @pre    there are as many weights as samples; they are readable and `sums` writable where `policy` runs
/// @note   on the device the call is enqueued and returns; it may be captured into a CUDA graph
/// @complexity  one pass over samples and weights, and two over the sums. Bins that do not fit shared memory are added up in device
///              memory. Scratch on the device: as for a `weighted_histogram` with the bins of all segments. Weights that differ by many
///              powers of two, within a segment or between segments, take longer (docs/histograms.md)
/// @throws invalid_argument  null range, null `weights`, `last < first`, null `sums`, `segment_size` less than 1, sums that are too
///              many for any memory, or that overlap samples, weights or offsets, an axis without bins, memory the device cannot reach
/// @throws out_of_memory, cuda_error  as `weighted_histogram`
/// @snippet segmented_weighted_histogram_test.cpp segmented_weighted_histogram
template <execution_policy Policy, random_access_iterator Iterator, detail::segment_size Size, class Weights,
          histogram_axis Axis, class Sums>
Sums segmented_weighted_histogram(const Policy& policy, Iterator first, Iterator last, Size segment_size,
                                  Weights weights, const Axis& axis, Sums sums)
{
    return detail::add_weights_of_segments<false>(detail::segmented_weighted_histogram_call, policy, first, last,
                                                  weights, axis, sums, segment_size);
}

/// @brief  `segmented_weighted_histogram` of segments of any lengths: segment i begins at offset i and ends before offset i + 1.
///
/// @param  offsets_first, offsets_last  as for `segmented_reduce`, also of `sized_on_device(offsets, count, bound)`
/// @throws invalid_argument  on the host also offsets that do not ascend or are greater than `last - first`. On the device such
///              offsets lead to no access outside of the input and the sums; the sums of their segments are unspecified
/// @snippet segmented_weighted_histogram_test.cpp segmented_weighted_histogram_offsets
template <execution_policy Policy, random_access_iterator Iterator, detail::offset_iterator Offsets, class Weights,
          histogram_axis Axis, class Sums>
Sums segmented_weighted_histogram(const Policy& policy, Iterator first, Iterator last, Offsets offsets_first,
                                  Offsets offsets_last, Weights weights, const Axis& axis, Sums sums)
{
    return detail::add_weights_of_segments<false>(detail::segmented_weighted_histogram_call, policy, first, last,
                                                  weights, axis, sums, offsets_first, offsets_last);
}

/// @brief  `segmented_weighted_histogram` of a range in the place of its begin and end.
PARPRIMS_FORM_OF_RANGE(segmented_weighted_histogram)
/// @brief  `segmented_weighted_histogram` of a range, and a range of offsets.
PARPRIMS_FORM_OF_RANGE_AND_OFFSETS(segmented_weighted_histogram)

}  // namespace parprims

#include <parprims/detail/pop_macros.hpp>
