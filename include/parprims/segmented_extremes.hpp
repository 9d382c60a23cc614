/// @file
/// @brief  segmented_min_element, segmented_max_element, segmented_minmax_element: the positions of the extremes of each segment.
///
/// Compiles fast: include error.hpp to catch errors.
#pragma once

#include <parprims/detail/push_macros.hpp>  // first

#include <parprims/config.hpp>
#include <parprims/detail/arguments.hpp>
#include <parprims/detail/contract/extreme.hpp>
#include <parprims/detail/device/extremes/segments_backend.hpp>
#include <parprims/detail/host/segmented_extremes.hpp>
#include <parprims/detail/iterator/traits.hpp>
#include <parprims/execution.hpp>
#include <parprims/functional.hpp>
#include <parprims/segmented.hpp>

#include <concepts>
#include <cstddef>

namespace parprims {

namespace detail {

/// Checks the arguments and calls the backend of the policy. `where`: the size of the segments, or their offsets.
template <extreme Which, class Policy, class Iterator, class Output, class Compare, class... Where>
Output segmented_extremes(const char* function, const Policy& policy, Iterator first, Iterator last, Output out,
                          Compare compare, Where... where)
{
    using search_type = extreme_search<Which, Compare>;
    if constexpr (!check_one_process<Policy>() || !check_count_type<Output>() ||
                  !check_compare<iter_value_t<Iterator>, Compare>()) {
    } else if constexpr (std::same_as<Policy, host_policy> || check_assignable<iter_value_t<Iterator>>()) {
        const auto begin = detail::unwrap(first);
        const auto target = detail::unwrap(out);
        const std::size_t n = detail::checked_count(function, begin, detail::unwrap(last));
        const auto segments = detail::checked_segments<Policy>(function, n, detail::unwrap(where)...);
        const std::size_t results = search_type::count * segments.count;
        detail::check_count(function, "out", target, results, n);
        detail::check_apart(function, "out", target, results, begin, n);
        detail::check_apart_from_offsets(function, "out", target, results, segments);
        if constexpr (std::same_as<Policy, host_policy>)
            host::segmented_extremes(policy.threads(), segments, begin, target, search_type{compare});
        else
            device::call<device::segmented_extremes_call<Which>>(function, device_policy(policy), segments, begin,
                                                                 positions_output<unwrapped_t<Output>>{target},
                                                                 compare);
        return out + static_cast<std::ptrdiff_t>(results);
    }
}

}  // namespace detail

PARPRIMS_OTHER_ARGUMENTS(
    segmented_min_element,
    "first, last (or a range), segment_size or offsets, out, compare; a size is an integer, and so are offsets")
PARPRIMS_OTHER_ARGUMENTS(
    segmented_max_element,
    "first, last (or a range), segment_size or offsets, out, compare; a size is an integer, and so are offsets")
PARPRIMS_OTHER_ARGUMENTS(
    segmented_minmax_element,
    "first, last (or a range), segment_size or offsets, out, compare; a size is an integer, and so are offsets")

/// @brief  Writes to `out[i]` the position in `[first, last)` of the first smallest element of segment i, of `segment_size` elements.
///
/// Every device and the host find the same element; NaN and `compare` are as for `min_element`. The last segment has the elements that
/// are left, so it may be shorter. Subtract `i * segment_size` from a position for the one within the segment.
///
/// @param  out  one integer of 32 or 64 bits, float, double, or what takes a `std::size_t`, for each segment. Must not overlap the input
///              or the offsets
/// @return the end of the positions
/// @pre    the range is readable and `out` writable where `policy` runs; otherwise as `min_element`
/// @note   on the device the call is enqueued and returns; it may be captured into a CUDA graph
/// @complexity  as `segmented_reduce` of a value and its position
/// @throws invalid_argument  as `segmented_reduce`; more elements than an element of `out` can count
/// @throws out_of_memory, cuda_error  as `segmented_reduce`
/// @source  as `segmented_reduce`: positions decide ties, so its tree finds what a search from left to right finds
/// @snippet segmented_extremes_test.cpp segmented_min_element
template <execution_policy Policy, random_access_iterator Iterator, detail::segment_size Size, class Output,
          class Compare = less>
Output segmented_min_element(const Policy& policy, Iterator first, Iterator last, Size segment_size, Output out,
                             Compare compare = {})
{
    return detail::segmented_extremes<detail::extreme::minimum>("parprims::segmented_min_element", policy, first, last,
                                                                out, compare, segment_size);
}

/// @brief  `segmented_min_element` of segments of any lengths: segment i begins at offset i and ends before offset i + 1. The position
///         of an empty segment is its end, offset i + 1, as std returns `last`.
///
/// @param  offsets_first, offsets_last  as for `segmented_reduce`
/// @throws invalid_argument  on the host also offsets that do not ascend or are greater than `last - first`. On the device such
///              offsets lead to no access outside of the input and the output; the positions of their segments are unspecified
/// @snippet segmented_extremes_test.cpp segmented_min_element_offsets
template <execution_policy Policy, random_access_iterator Iterator, detail::offset_iterator Offsets, class Output,
          class Compare = less>
Output segmented_min_element(const Policy& policy, Iterator first, Iterator last, Offsets offsets_first,
                             Offsets offsets_last, Output out, Compare compare = {})
{
    return detail::segmented_extremes<detail::extreme::minimum>("parprims::segmented_min_element", policy, first, last,
                                                                out, compare, offsets_first, offsets_last);
}

/// @brief  `segmented_min_element` of a range in the place of its begin and end.
PARPRIMS_FORM_OF_RANGE(segmented_min_element)
/// @brief  `segmented_min_element` of a range, and a range of offsets.
PARPRIMS_FORM_OF_RANGE_AND_OFFSETS(segmented_min_element)

/// @brief  Writes the position of the first largest element of each segment. Otherwise as `segmented_min_element`.
/// @snippet segmented_extremes_test.cpp segmented_max_element
template <execution_policy Policy, random_access_iterator Iterator, detail::segment_size Size, class Output,
          class Compare = less>
Output segmented_max_element(const Policy& policy, Iterator first, Iterator last, Size segment_size, Output out,
                             Compare compare = {})
{
    return detail::segmented_extremes<detail::extreme::maximum>("parprims::segmented_max_element", policy, first, last,
                                                                out, compare, segment_size);
}

/// @brief  `segmented_max_element` of segments of any lengths. Otherwise as `segmented_min_element`.
/// @snippet segmented_extremes_test.cpp segmented_max_element
template <execution_policy Policy, random_access_iterator Iterator, detail::offset_iterator Offsets, class Output,
          class Compare = less>
Output segmented_max_element(const Policy& policy, Iterator first, Iterator last, Offsets offsets_first,
                             Offsets offsets_last, Output out, Compare compare = {})
{
    return detail::segmented_extremes<detail::extreme::maximum>("parprims::segmented_max_element", policy, first, last,
                                                                out, compare, offsets_first, offsets_last);
}

/// @brief  `segmented_max_element` of a range in the place of its begin and end.
PARPRIMS_FORM_OF_RANGE(segmented_max_element)
/// @brief  `segmented_max_element` of a range, and a range of offsets.
PARPRIMS_FORM_OF_RANGE_AND_OFFSETS(segmented_max_element)

/// @brief  Writes to `out[2 * i]` the position of the first smallest element of segment i, and to `out[2 * i + 1]` that of the *last*
///         largest, as in std. One pass. Otherwise as `segmented_min_element`.
/// @snippet segmented_extremes_test.cpp segmented_minmax_element
template <execution_policy Policy, random_access_iterator Iterator, detail::segment_size Size, class Output,
          class Compare = less>
Output segmented_minmax_element(const Policy& policy, Iterator first, Iterator last, Size segment_size, Output out,
                                Compare compare = {})
{
    return detail::segmented_extremes<detail::extreme::both>("parprims::segmented_minmax_element", policy, first, last,
                                                             out, compare, segment_size);
}

/// @brief  `segmented_minmax_element` of segments of any lengths. Otherwise as `segmented_min_element`.
/// @snippet segmented_extremes_test.cpp segmented_minmax_element
template <execution_policy Policy, random_access_iterator Iterator, detail::offset_iterator Offsets, class Output,
          class Compare = less>
Output segmented_minmax_element(const Policy& policy, Iterator first, Iterator last, Offsets offsets_first,
                                Offsets offsets_last, Output out, Compare compare = {})
{
    return detail::segmented_extremes<detail::extreme::both>("parprims::segmented_minmax_element", policy, first, last,
                                                             out, compare, offsets_first, offsets_last);
}

/// @brief  `segmented_minmax_element` of a range in the place of its begin and end.
PARPRIMS_FORM_OF_RANGE(segmented_minmax_element)
/// @brief  `segmented_minmax_element` of a range, and a range of offsets.
PARPRIMS_FORM_OF_RANGE_AND_OFFSETS(segmented_minmax_element)

}  // namespace parprims

#include <parprims/detail/pop_macros.hpp>
