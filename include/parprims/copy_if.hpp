/// @file
/// @brief  copy_if: stable compaction, in one pass.
///
/// Compiles fast: include error.hpp to catch errors.
#pragma once

#include <parprims/detail/push_macros.hpp>  // first

#include <parprims/config.hpp>
#include <parprims/detail/arguments.hpp>
#include <parprims/detail/device/copy_if/backend.hpp>
#include <parprims/detail/host/copy_if.hpp>
#include <parprims/detail/iterator/traits.hpp>
#include <parprims/execution.hpp>

#include <concepts>
#include <cstddef>
#include <type_traits>

namespace parprims {

namespace detail {

/// Checks the arguments and calls the backend of the policy. The number of results goes to `*count`; without a `count` the end of the
/// results is returned.
template <class Policy, class Iterator, class Output, class Predicate, class... Count>
Output copy_if(const char* function, const Policy& policy, Iterator first, Iterator last, Output out,
               Predicate predicate, Count... count)
{
    using T = iter_value_t<Iterator>;
    if constexpr (!check_one_process<Policy>() || !check_output_type<Output>() || !(check_count_type<Count>() && ...) ||
                  !check_predicate<T, Predicate>() || !check_results<Output, T>()) {
    } else if constexpr (std::same_as<Policy, host_policy> || check_assignable<T>()) {
        const auto range = detail::checked_range<Policy>(function, first, last);
        const auto begin = range.begin;  // no structured binding: clang 14 captures none
        const auto n = range.n;
        const auto target = detail::unwrap(out);
        const auto check_results_apart = [&](std::size_t results) {
            detail::check_apart(function, "out", target, results, begin, n);
            (detail::check_apart(function, "count", detail::unwrap(count), 1, target, results,
                                 "overlaps out; use separate memory"),
             ...);
        };
        detail::check_output(function, "out", target, n);
        (detail::check_count(function, "count", detail::unwrap(count), 1, n), ...);
        (detail::check_apart(function, "count", detail::unwrap(count), 1, begin, n), ...);
        check_results_apart(n != 0);  // how many there are is not known
        std::size_t copied = 0;
        if constexpr (std::same_as<Policy, host_policy>) {
            copied = host::copy_if(policy.threads(), begin, n, target, predicate);
            check_results_apart(copied);
            (detail::assign_count(detail::unwrap(count), copied), ...);
        } else if constexpr (sizeof...(Count) == 0) {
            copied = device::call<device::copy_if_call, std::size_t>(function, device_policy(policy), begin, n, target,
                                                                     predicate);
            check_results_apart(copied);
        } else {
            device::call<device::copy_if_call>(function, device_policy(policy), begin, n, target, predicate,
                                               detail::unwrap(count)...);
        }
        return out + static_cast<std::ptrdiff_t>(copied);
    }
}

}  // namespace detail

PARPRIMS_OTHER_ARGUMENTS(copy_if, "the arguments of copy_if are policy, first, last (or a range), out, predicate")
PARPRIMS_OTHER_ARGUMENTS(copy_if_into,
                         "the arguments of copy_if_into are policy, first, last (or a range), out, count, predicate")

/// @brief  Copies the elements of `[first, last)` for which `predicate` is true to `out`, in their order.
///
/// Every device and the host keep the same elements.
///
/// @param  out        has room for all that is copied, at most `last - first` elements
/// @param  predicate  may be called more than once for an element, so it must not have side effects
/// @return the end of the results
/// @pre    both ranges are accessible where `policy` runs, and the results do not overlap the input; `out` is not of a vector<bool>,
///         whose elements share words; on the device values are trivially copyable, at most 1024 bytes
/// @note   returns when the number of results is known; the results are there in stream order. Work enqueued in `policy.stream()`
///         before the call has completed
/// @complexity  one pass over the input; at most two calls of `predicate` for each element, more for the first and the last one, and
///              where another kernel keeps blocks from starting. Scratch on the device: none for 30 MiB of input, otherwise 8
///              bytes for each 32 KiB; for each 2048 elements, if they do not lie in memory
/// @throws invalid_argument  null range, `last < first`, null `out`, memory the device cannot reach, a stream that is being captured;
///                           results that overlap the input, though once they are written, where only their number shows it
/// @throws out_of_memory     no memory for the scratch; nothing was enqueued
/// @throws cuda_error        no usable GPU, or the launch failed
/// @source  Merrill and Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back"
/// @snippet copy_if_test.cpp copy_if
template <execution_policy Policy, random_access_iterator Iterator, class Output, class Predicate>
Output copy_if(const Policy& policy, Iterator first, Iterator last, Output out, Predicate predicate)
{
    return detail::copy_if("parprims::copy_if", policy, first, last, out, predicate);
}

/// @brief  `copy_if` of a range in the place of its begin and end.
PARPRIMS_FORM_OF_RANGE(copy_if)

/// @brief  `copy_if` that writes the number of results to `*count`.
///
/// @param  count  an integer of 32 or 64 bits, float or double, or what takes a `std::size_t`
/// @pre    `count` is writable where `policy` runs, and overlaps neither the input nor the results; otherwise as `copy_if`
/// @note   on the device the call is enqueued and returns; it may be captured into a CUDA graph
/// @throws invalid_argument  null range, `last < first`, null `out` or `count`, more elements than `*count` can count, memory the device
///                           cannot reach; results or a `count` in the input. On the device a call has returned before their number shows it
/// @throws out_of_memory, cuda_error  as `copy_if`
/// @snippet copy_if_test.cpp copy_if_into
template <execution_policy Policy, random_access_iterator Iterator, class Output, class Count, class Predicate>
void copy_if_into(const Policy& policy, Iterator first, Iterator last, Output out, Count count, Predicate predicate)
{
    detail::copy_if("parprims::copy_if_into", policy, first, last, out, predicate, count);
}

/// @brief  `copy_if_into` of a range in the place of its begin and end.
PARPRIMS_FORM_OF_RANGE(copy_if_into)

}  // namespace parprims

#include <parprims/detail/pop_macros.hpp>
