/// @file
/// @brief  min_element, max_element and minmax_element along dimensions of an array: the place of the maximum in each row.
///
/// Compiles fast: include error.hpp to catch errors.
#pragma once

#include <parprims/detail/push_macros.hpp>  // first

#include <parprims/config.hpp>
#include <parprims/detail/argument_types.hpp>
#include <parprims/detail/arguments.hpp>
#include <parprims/detail/arrays.hpp>
#include <parprims/detail/contract/extreme.hpp>
#include <parprims/detail/device/along/extremes_backend.hpp>
#include <parprims/detail/host/along_extremes.hpp>
#include <parprims/execution.hpp>
#include <parprims/extremes.hpp>
#include <parprims/functional.hpp>
#include <parprims/view.hpp>

#include <concepts>
#include <cstddef>

namespace parprims {

namespace detail {

/// Checks the arguments and calls the backend of the policy.
template <extreme Which, class Policy, class View, std::size_t Count, class Output, class Compare>
void extremes_along(const char* function, const Policy& policy, const View& view, const along<Count>& dimensions,
                    const Output& out, Compare compare)
{
    using search_type = extreme_search<Which, Compare>;
    constexpr std::size_t results = search_type::count;
    if constexpr (!check_one_process<Policy>() ||
                  !check_views<View, Count, Output, View::rank() - Count + results - 1>()) {
    } else if constexpr (!check_count_type<typename results_iterator<Output>::type>() ||
                         !check_compare<view_value_t<View>, Compare>()) {
    } else if constexpr (std::same_as<Policy, host_policy> || check_assignable<view_value_t<View>>()) {
        const auto lines = detail::checked_lines_along<false, results>(function, view, dimensions, out);
        detail::check_count(function, "out", lines.out.first, lines.out.size, lines.lines.line.size());
        if constexpr (std::same_as<Policy, host_policy>)
            host::extremes_along(policy.threads(), lines.lines, lines.input.first, lines.out.first, lines.out_step,
                                 search_type{compare});
        else
            device::call<device::extremes_along_call<Which>>(function, device_policy(policy), lines, compare);
    }
}

}  // namespace detail

/// @brief  Writes the position of the first smallest element of each line of an array: `min_element(policy, matrix, along(1), places)` has
///         the columns where the rows have their minima.
///
/// Lines, the array, `out` and errors are as for `reduce` along dimensions; NaN, `compare` and ties as for `min_element`. Positions
/// count from the begin of the line, along several dimensions in row-major order; that of an empty line is 0.
///
/// @param  out   positions: integers of 32 or 64 bits, float or double, or what takes a `std::size_t`
/// @note   on the device the call enqueues one kernel and returns; it may be captured into a CUDA graph
/// @complexity  as `reduce` along dimensions of a value and its position
/// @throws invalid_argument  as `reduce` along dimensions; lines with more elements than an element of `out` can count
/// @throws out_of_memory, cuda_error  as `reduce`
/// @source  as `min_element`: positions decide ties, so any order of reduction finds the same element
/// @snippet extremes_along_test.cpp max_element
template <execution_policy Policy, array_view View, std::size_t Count, detail::results_of_lines Output,
          class Compare = less>
void min_element(const Policy& policy, const View& view, along<Count> dimensions, Output out, Compare compare = {})
{
    detail::extremes_along<detail::extreme::minimum>("parprims::min_element", policy, view, dimensions, out, compare);
}

/// @brief  Writes the position of the first largest element of each line. Otherwise as `min_element` along dimensions.
/// @snippet extremes_along_test.cpp max_element
template <execution_policy Policy, array_view View, std::size_t Count, detail::results_of_lines Output,
          class Compare = less>
void max_element(const Policy& policy, const View& view, along<Count> dimensions, Output out, Compare compare = {})
{
    detail::extremes_along<detail::extreme::maximum>("parprims::max_element", policy, view, dimensions, out, compare);
}

/// @brief  Writes the positions of the first smallest and of the *last* largest element of each line, as in std. Otherwise as
///         `min_element` along dimensions.
/// @param  out  an array with one more dimension, the last, of extent 2; or an iterator: `out[2 * l]` and `out[2 * l + 1]` belong to
///              line l
/// @snippet extremes_along_test.cpp minmax_element
template <execution_policy Policy, array_view View, std::size_t Count, detail::results_of_lines Output,
          class Compare = less>
void minmax_element(const Policy& policy, const View& view, along<Count> dimensions, Output out, Compare compare = {})
{
    detail::extremes_along<detail::extreme::both>("parprims::minmax_element", policy, view, dimensions, out, compare);
}

}  // namespace parprims

#include <parprims/detail/pop_macros.hpp>
