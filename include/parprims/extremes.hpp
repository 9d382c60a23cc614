/// @file
/// @brief  min_element, max_element, minmax_element, and the forms that write positions to an output.
///
/// Compiles fast: include error.hpp to catch errors.
#pragma once

#include <parprims/detail/push_macros.hpp>  // first

#include <parprims/config.hpp>
#include <parprims/detail/arguments.hpp>
#include <parprims/detail/contract/extreme.hpp>
#include <parprims/detail/device/extremes/backend.hpp>
#include <parprims/detail/host/extremes.hpp>
#include <parprims/detail/iterator/traits.hpp>
#include <parprims/execution.hpp>
#include <parprims/functional.hpp>

#include <concepts>
#include <cstddef>
#include <utility>

namespace parprims {

namespace detail {

/// Checks the arguments and calls the backend of the policy. The positions go to `out`; without an `out` they are returned. They are
/// n if the range is empty.
template <extreme Which, class Policy, class Iterator, class Compare, class... Output>
auto find_extremes(const char* function, const Policy& policy, Iterator first, Iterator last, Compare compare,
                   Output... out)
{
    using search_type = extreme_search<Which, Compare>;
    using value_type = iter_value_t<Iterator>;
    using found_type = positions<search_type::count>;
    found_type found{};
    if constexpr (check_one_process<Policy>() && (check_count_type<Output>() && ...) &&
                  check_compare<value_type, Compare>()) {
        const auto [begin, n] = detail::checked_range<Policy>(function, first, last);
        (detail::check_count(function, "out", detail::unwrap(out), search_type::count, n), ...);
        if constexpr (std::same_as<Policy, host_policy>) {
            if (n != 0)
                found = host::find_extremes(policy.threads(), begin, n, search_type{compare});
            for (unsigned k = 0; k < search_type::count; ++k)
                (detail::assign_count(detail::unwrap(out) + k, found.at[k]), ...);
        } else if constexpr (!check_assignable<value_type>()) {
        } else if constexpr (sizeof...(Output) == 0) {
            found = device::call<device::extremes_call<Which>, found_type>(function, device_policy(policy), begin, n,
                                                                           compare);
        } else {
            device::call<device::extremes_call<Which>>(function, device_policy(policy), begin, n, compare,
                                                       positions_output<unwrapped_t<Output>>{detail::unwrap(out)}...);
        }
    }
    return found;
}

}  // namespace detail

PARPRIMS_OTHER_ARGUMENTS(min_element, "first, last (or a range), compare")
PARPRIMS_OTHER_ARGUMENTS(max_element, "first, last (or a range), compare")
PARPRIMS_OTHER_ARGUMENTS(minmax_element, "first, last (or a range), compare")
PARPRIMS_OTHER_ARGUMENTS(min_element_into, "first, last (or a range), out, compare")
PARPRIMS_OTHER_ARGUMENTS(max_element_into, "first, last (or a range), out, compare")
PARPRIMS_OTHER_ARGUMENTS(minmax_element_into, "first, last (or a range), out, compare")

/// @brief  The position of the first smallest element of `[first, last)`; `last` if the range is empty.
///
/// Every device and the host find the same element. A NaN, which is a value not equal to itself, is smaller than every number, so the
/// first NaN is found if there is one, as in NumPy. With a `compare` of your own, nothing is a NaN.
///
/// @param  compare  whether its first argument is less: a strict weak order, as in std
/// @pre    the range is accessible where `policy` runs; on the device values are trivially copyable, at most 1024 bytes
/// @note   returns when the position is known; all work enqueued in `policy.stream()` before the call has completed by then
/// @complexity  one call of `compare` for each element, two for both extremes. The host goes through a block of 256 numbers a second
///              time if the extreme changes in it: for ascending numbers 2 calls an element find the maximum, and 3 both. One pass over
///              the input. Scratch on the device: as `reduce` of a value and its position
/// @throws invalid_argument  null range, `last < first`, memory the device cannot reach, a stream that is being captured
/// @throws out_of_memory     no memory for the scratch; nothing was enqueued
/// @throws cuda_error        no usable GPU, or the launch failed
/// @source  as `reduce`: the operator decides ties by position, so any order of reduction finds the same element
/// @snippet extremes_test.cpp min_element
template <execution_policy Policy, random_access_iterator Iterator, class Compare = less>
Iterator min_element(const Policy& policy, Iterator first, Iterator last, Compare compare = {})
{
    return first + static_cast<std::ptrdiff_t>(detail::find_extremes<detail::extreme::minimum>(
                                                   "parprims::min_element", policy, first, last, compare)
                                                   .at[0]);
}

/// @brief  `min_element` of a range in the place of its begin and end.
PARPRIMS_FORM_OF_RANGE(min_element)

/// @brief  The position of the first largest element of `[first, last)`; the first NaN, if there is one. Otherwise as
///         `min_element`.
/// @snippet extremes_test.cpp max_element
template <execution_policy Policy, random_access_iterator Iterator, class Compare = less>
Iterator max_element(const Policy& policy, Iterator first, Iterator last, Compare compare = {})
{
    return first + static_cast<std::ptrdiff_t>(detail::find_extremes<detail::extreme::maximum>(
                                                   "parprims::max_element", policy, first, last, compare)
                                                   .at[0]);
}

/// @brief  `max_element` of a range in the place of its begin and end.
PARPRIMS_FORM_OF_RANGE(max_element)

/// @brief  The positions of the first smallest and of the *last* largest element, as in std; of the first and the last NaN, if
///         there is one. One pass. Otherwise as `min_element`.
/// @snippet extremes_test.cpp minmax_element
template <execution_policy Policy, random_access_iterator Iterator, class Compare = less>
std::pair<Iterator, Iterator> minmax_element(const Policy& policy, Iterator first, Iterator last, Compare compare = {})
{
    const auto found =
        detail::find_extremes<detail::extreme::both>("parprims::minmax_element", policy, first, last, compare);
    return {first + static_cast<std::ptrdiff_t>(found.at[0]), first + static_cast<std::ptrdiff_t>(found.at[1])};
}

/// @brief  `minmax_element` of a range in the place of its begin and end.
PARPRIMS_FORM_OF_RANGE(minmax_element)

/// @brief  Writes to `*out` how far the first smallest element is behind `first`; 0 if the range is empty.
///
/// @param  out  an integer of 32 or 64 bits, float or double, or what takes a `std::size_t`
/// @pre    the range is readable and `out` writable where `policy` runs; `out` may lie in the range, because `*out` is written after
///         the range has been read. Otherwise as `min_element`
/// @note   on the device the call enqueues one kernel and returns; it may be captured into a CUDA graph
/// @throws invalid_argument  null range, `last < first`, null `out`, more elements than `*out` can count, memory the device cannot
///                           reach
/// @throws out_of_memory, cuda_error  as `min_element`
/// @snippet extremes_test.cpp min_element_into
template <execution_policy Policy, random_access_iterator Iterator, class Output, class Compare = less>
void min_element_into(const Policy& policy, Iterator first, Iterator last, Output out, Compare compare = {})
{
    detail::find_extremes<detail::extreme::minimum>("parprims::min_element_into", policy, first, last, compare, out);
}

/// @brief  `min_element_into` of a range in the place of its begin and end.
PARPRIMS_FORM_OF_RANGE(min_element_into)

/// @brief  Writes to `*out` how far the first largest element is behind `first`. Otherwise as `min_element_into`.
/// @snippet extremes_test.cpp min_element_into
template <execution_policy Policy, random_access_iterator Iterator, class Output, class Compare = less>
void max_element_into(const Policy& policy, Iterator first, Iterator last, Output out, Compare compare = {})
{
    detail::find_extremes<detail::extreme::maximum>("parprims::max_element_into", policy, first, last, compare, out);
}

/// @brief  `max_element_into` of a range in the place of its begin and end.
PARPRIMS_FORM_OF_RANGE(max_element_into)

/// @brief  Writes the positions of `minmax_element` to `out[0]` and `out[1]`. Otherwise as `min_element_into`.
/// @snippet extremes_test.cpp min_element_into
template <execution_policy Policy, random_access_iterator Iterator, class Output, class Compare = less>
void minmax_element_into(const Policy& policy, Iterator first, Iterator last, Output out, Compare compare = {})
{
    detail::find_extremes<detail::extreme::both>("parprims::minmax_element_into", policy, first, last, compare, out);
}

/// @brief  `minmax_element_into` of a range in the place of its begin and end.
PARPRIMS_FORM_OF_RANGE(minmax_element_into)

}  // namespace parprims

#include <parprims/detail/pop_macros.hpp>
