/// @file
/// @brief  segmented_histogram: a histogram of each segment of a range.
///
/// Compiles fast: include error.hpp to catch errors.
#pragma once

#include <parprims/detail/push_macros.hpp>  // first

#include <parprims/axis.hpp>
#include <parprims/config.hpp>
#include <parprims/detail/arguments.hpp>
#include <parprims/detail/contract/segments.hpp>
#include <parprims/detail/device/segmented_histogram/backend.hpp>
#include <parprims/detail/host/segmented_histogram.hpp>
#include <parprims/detail/iterator/traits.hpp>
#include <parprims/detail/runtime/refuse.hpp>
#include <parprims/execution.hpp>
#include <parprims/histogram.hpp>
#include <parprims/segmented.hpp>

#include <concepts>
#include <cstddef>

namespace parprims {

namespace detail {

/// Checks the counters of `lines` histograms, each of up to `most` samples.
template <class Counts>
std::size_t checked_counters(const char* function, const Counts& counts, std::size_t lines, std::size_t extent,
                             std::size_t most)
{
    using counter = iter_value_t<Counts>;
    const std::size_t all = detail::checked_bin_product<counter>(function, "counts", lines, extent);
    detail::check_output(function, "counts", counts, all);
    if (most > largest_count<counter>())
        runtime::refuse(function, "counts", "a counter holds at most %, a segment may have %", largest_count<counter>(),
                        most);
    return all;
}

/// Checks the arguments and calls the backend of the policy. `where`: the size of the segments, or their offsets.
template <class Policy, class Iterator, class Axis, class Counts, class... Where>
Counts segmented_histogram(const Policy& policy, Iterator first, Iterator last, const Axis& axis, Counts counts,
                           Where... where)
{
    constexpr const char* function = "parprims::segmented_histogram";
    if constexpr (!check_one_process<Policy>() || !check_counts<Counts>() ||
                  !check_samples<Axis, iter_value_t<Iterator>>()) {
    } else {
        const auto begin = detail::unwrap(first);
        const auto target = detail::unwrap(counts);
        const std::size_t n = detail::checked_count(function, begin, detail::unwrap(last));
        const auto segments = detail::checked_segments<Policy>(function, n, detail::unwrap(where)...);
        const std::size_t extent = detail::checked_extent(function, axis);
        const std::size_t all = detail::checked_counters(function, target, segments.count, extent, segments.longest());
        detail::check_apart(function, "counts", target, all, begin, n);
        detail::check_apart_from_offsets(function, "counts", target, all, segments);
        if constexpr (std::same_as<Policy, host_policy>)
            host::segmented_histogram(policy.threads(), segments, begin, axis, target,
                                      [extent](std::size_t s) { return s * extent; });
        else
            device::call<device::segmented_histogram_call>(function, device_policy(policy), segments, begin, axis,
                                                           target);
        return counts + static_cast<std::ptrdiff_t>(all);
    }
}

}  // namespace detail

PARPRIMS_OTHER_ARGUMENTS(
    segmented_histogram,
    "first, last (or a range), segment_size or offsets, axis, counts; a size is an integer, and so are offsets")

/// @brief  Counts each segment of `segment_size` samples of `[first, last)` in a histogram of its own.
///
/// Overwrites `axis.extent()` counters for each segment, one histogram after another from `counts` on: each is that of `histogram`
/// of the segment. The last segment has the samples that are left, so it may be shorter.
///
/// @param  axis    as for `histogram`; one for all segments
/// @param  counts  as for `histogram`. Must not overlap the input or the offsets
/// @return the end of the counters
/// @pre    the range is readable and `counts` writable where `policy` runs
/// @note   on the device the call is enqueued and returns; it may be captured into a CUDA graph
/// @complexity  one pass over the samples. Counters are written once; twice for a segment that several blocks count. Bins that do not
///              fit shared memory are counted in device memory. Scratch on the device: the edges of variable axes
/// @throws invalid_argument  null range, `last < first`, null `counts`, `segment_size` less than 1, counters that are too narrow for
///              a segment, too many for any memory, or that overlap the samples or the offsets, an axis without bins, memory
///              the device cannot reach
/// @throws out_of_memory, cuda_error  as `histogram`
/// @source  as `histogram`
/// @snippet segmented_histogram_test.cpp segmented_histogram
template <execution_policy Policy, random_access_iterator Iterator, detail::segment_size Size, histogram_axis Axis,
          class Counts>
Counts segmented_histogram(const Policy& policy, Iterator first, Iterator last, Size segment_size, const Axis& axis,
                           Counts counts)
{
    return detail::segmented_histogram(policy, first, last, axis, counts, segment_size);
}

/// @brief  `segmented_histogram` of segments of any lengths: segment i begins at offset i and ends before offset i + 1.
///
/// @param  offsets_first, offsets_last  as for `segmented_reduce`, also of `sized_on_device(offsets, count, bound)`
/// @param  counts  as for segments of one size, but a counter must be able to hold `last - first`, because the call does not know the
///                 longest segment
/// @throws invalid_argument  on the host also offsets that do not ascend or are greater than `last - first`. On the device such
///              offsets lead to no access outside of the input and the counters; the counts of their segments are unspecified
/// @snippet segmented_histogram_test.cpp segmented_histogram_offsets
template <execution_policy Policy, random_access_iterator Iterator, detail::offset_iterator Offsets,
          histogram_axis Axis, class Counts>
Counts segmented_histogram(const Policy& policy, Iterator first, Iterator last, Offsets offsets_first,
                           Offsets offsets_last, const Axis& axis, Counts counts)
{
    return detail::segmented_histogram(policy, first, last, axis, counts, offsets_first, offsets_last);
}

/// @brief  `segmented_histogram` of a range in the place of its begin and end.
PARPRIMS_FORM_OF_RANGE(segmented_histogram)
/// @brief  `segmented_histogram` of a range, and a range of offsets.
PARPRIMS_FORM_OF_RANGE_AND_OFFSETS(segmented_histogram)

}  // namespace parprims

#include <parprims/detail/pop_macros.hpp>
