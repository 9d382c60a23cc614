/// @file
/// @brief  copy_if: stable compaction, in one pass.
///
/// Compiles fast: include error.hpp to catch errors.
#pragma once

#include <parprims/detail/push_macros.hpp>  // first

#include <parprims/config.hpp>
#include <parprims/detail/arguments.hpp>
#include <parprims/detail/contract/selection.hpp>
#include <parprims/detail/device/copy_if/backend.hpp>
#include <parprims/detail/host/copy_if.hpp>
#include <parprims/detail/iterator/traits.hpp>
#include <parprims/execution.hpp>

#include <concepts>
#include <cstddef>
#include <type_traits>

namespace parprims {

namespace detail {

/// The element that `Iterator` reads.
template <class Iterator>
struct read_by {
    using type = iter_value_t<Iterator>;
};
template <>
struct read_by<no_iterator> {
    using type = no_iterator;
};
template <>
struct read_by<run_lengths> {
    using type = std::size_t;
};
template <>
struct read_by<long_run_lengths> {
    using type = std::size_t;
};

/// Checks an output of values of type T, if the call has that output.
template <class Output, class T>
constexpr bool check_kept_output()
{
    if constexpr (std::same_as<Output, no_iterator>)
        return true;
    else if constexpr (!check_output_type<Output>())
        return false;
    else
        return check_results<Output, T>();
}

/// Checks the predicate for elements of type T.
template <class T, class Predicate>
constexpr bool check_selecting()
{
    if constexpr (is_starts_run<Predicate>)
        return check_equal<T, decltype(Predicate::equal)>();
    else
        return check_predicate<T, Predicate>();
}

/// Checks all types of a call that keeps elements. `Outputs` has the iterators as the caller passed them.
template <class Policy, class Tested, class Outputs, class Predicate, class... Count>
constexpr bool check_selection()
{
    using T = iter_value_t<Tested>;
    using U = typename read_by<decltype(Outputs::source)>::type;
    using kept = std::conditional_t<Outputs::finds_long_runs, std::size_t, T>;
    if constexpr (!check_one_process<Policy>() || !check_kept_output<decltype(Outputs::kept), kept>() ||
                  !check_kept_output<decltype(Outputs::other), U>() ||
                  !check_kept_output<decltype(Outputs::rejected), T>() || !(check_count_type<Count>() && ...) ||
                  !check_selecting<T, Predicate>())
        return false;
    else
        return std::same_as<Policy, host_policy> || (check_assignable<T>() && check_assignable<U>());
}

/// Refuses outputs that overlap the input or each other, given how many elements are kept and rejected.
template <class Tested, class Outputs, class... Count>
void check_kept_apart(const char* function, const Tested& tested, std::size_t n, const Outputs& to, std::size_t kept,
                      std::size_t rejected, const Count&... count)
{
    constexpr const char* of_input =
        Outputs::is_plain ? "overlaps [first, last); use separate memory" : "overlaps the input; use separate memory";
    constexpr const char* of_output =
        Outputs::is_plain ? "overlaps out; use separate memory" : "overlaps another output; use separate memory";
    const auto check = [&](const char* argument, const auto& out, std::size_t room) {
        detail::check_apart(function, argument, out, room, tested, n, of_input);
        detail::check_apart(function, argument, out, room, to.source, n, of_input);
    };
    check(Outputs::kept_name, to.kept, kept);
    check(Outputs::other_name, to.other, kept);
    check("out_false", to.rejected, rejected);
    detail::check_apart(function, Outputs::other_name, to.other, kept, to.kept, kept, of_output);
    detail::check_apart(function, "out_false", to.rejected, rejected, to.kept, kept, of_output);
    [[maybe_unused]] const auto check_count = [&](const auto& at) {
        check("count", at, 1);
        detail::check_apart(function, "count", at, 1, to.kept, kept, of_output);
        detail::check_apart(function, "count", at, 1, to.other, kept, of_output);
        detail::check_apart(function, "count", at, 1, to.rejected, rejected, of_output);
    };
    (check_count(count), ...);
}

/// Checks the arguments and calls the backend of the policy. Iterators are already unwrapped. The number of elements that are kept goes
/// to `*count`; without a `count` it is returned.
template <class Policy, class Tested, class Size, class Outputs, class Predicate, class... Count>
std::size_t select(const char* function, const Policy& policy, Tested tested, Size size, const Outputs& to,
                   Predicate predicate, Count... count)
{
    const std::size_t n = size;
    detail::check_output(function, Outputs::tested_name, tested, n);
    detail::check_output(function, Outputs::source_name, to.source, n);
    const bool has_results = n >= Outputs::least;
    detail::check_output(function, Outputs::kept_name, to.kept, has_results ? n : 0);
    detail::check_output(function, Outputs::other_name, to.other, has_results ? n : 0);
    detail::check_output(function, "out_false", to.rejected, n);
    (detail::check_count(function, "count", count, 1, n), ...);
    const auto check_apart = [&](std::size_t kept, std::size_t rejected) {
        detail::check_kept_apart(function, tested, n, to, kept, rejected, count...);
    };
    check_apart(has_results, n != 0);  // their number is not known yet
    std::size_t kept = 0;
    if constexpr (std::same_as<Policy, host_policy>) {
        kept = host::selection<Outputs>::run(policy.threads(), tested, n, to, predicate);
        check_apart(kept, n - kept);
        (detail::assign_count(count, kept), ...);
    } else if constexpr (sizeof...(Count) == 0) {
        kept = device::call<device::copy_if_call, std::size_t>(function, device_policy(policy), tested, size, to,
                                                               predicate);
        check_apart(kept, std::same_as<Size, std::size_t> ? n - kept : 0);
    } else {
        device::call<device::copy_if_call>(function, device_policy(policy), tested, size, to, predicate, count...);
    }
    return kept;
}

/// `select` of the elements of a range that a predicate tests.
template <class Policy, class Iterator, class Output, class Predicate, class... Count>
Output copy_if(const char* function, const Policy& policy, Iterator first, Iterator last, Output out,
               Predicate predicate, Count... count)
{
    if constexpr (check_selection<Policy, Iterator, kept_outputs<Output>, Predicate, Count...>()) {
        const auto [begin, n] = detail::checked_range<Policy>(function, first, last);
        const kept_outputs<unwrapped_t<Output>> to{detail::unwrap(out), {}, {}, {}};
        return out + static_cast<std::ptrdiff_t>(
                         detail::select(function, policy, begin, n, to, predicate, detail::unwrap(count)...));
    }
}

/// `select` of the elements of a range whose stencil a predicate tests.
template <class Policy, class Iterator, class Stencil, class Output, class Predicate, class... Count>
Output copy_by_stencil(const char* function, const Policy& policy, Iterator first, Iterator last, Stencil stencil,
                       Output out, Predicate predicate, Count... count)
{
    if constexpr (check_selection<Policy, Stencil, kept_outputs<no_iterator, Iterator, Output>, Predicate,
                                  Count...>()) {
        const auto [begin, n] = detail::checked_range<Policy>(function, first, last);
        using source = std::remove_const_t<decltype(begin)>;
        const kept_outputs<no_iterator, source, unwrapped_t<Output>> to{{}, begin, detail::unwrap(out), {}};
        return out + static_cast<std::ptrdiff_t>(detail::select(function, policy, detail::unsized(stencil), n, to,
                                                                predicate, detail::unwrap(count)...));
    }
}

}  // namespace detail

PARPRIMS_OTHER_ARGUMENTS(copy_if,
                         "first, last (or a range), out, predicate; with a stencil policy, first, last, stencil (or "
                         "two ranges), out, predicate")
PARPRIMS_OTHER_ARGUMENTS(copy_if_into,
                         "first, last (or a range), out, count, predicate; with a stencil policy, first, last, stencil "
                         "(or two ranges), out, count, predicate")

/// @brief  Copies the elements of `[first, last)` for which `predicate` is true to `out`, in their order.
///
/// Every device and the host keep the same elements.
///
/// @param  out        needs room for all that is copied, at most `last - first` elements
/// @param  predicate  may be called more than once for an element, so it must not have side effects
/// @return the end of the results
/// @pre    both ranges are accessible where `policy` runs, and the results do not overlap the input; `out` is not of a vector<bool>,
///         whose elements share words; on the device values are trivially copyable, at most 1024 bytes
/// @note   returns when the number of results is known; the results are there in stream order. Work enqueued in `policy.stream()`
///         before the call has completed
/// @complexity  one pass over the input; at most two calls of `predicate` for each element, more for the first and the last one, and
///              where another kernel keeps blocks from starting. Scratch on the device: none up to 30 MiB of input, above that 8
///              bytes for each 32 KiB, or for each 2048 elements if an iterator computes them
/// @throws invalid_argument  null range, `last < first`, null `out`, memory the device cannot reach, a stream that is being captured;
///                           results that overlap the input: after they are written, where only their number shows it
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

/// @brief  Copies each element of `[first, last)` to `out` for which the predicate is true of the element of `stencil` at the same
///         position: of a flag, for example.
///
/// Otherwise as `copy_if`.
///
/// @param  stencil  as many elements as `[first, last)`. The predicate is called with these alone; with flags, pass `identity`
/// @complexity  one pass over the stencil; of the elements, only those that are kept are read
/// @snippet selection_test.cpp stencil
template <execution_policy Policy, random_access_iterator Iterator, random_access_iterator Stencil, class Output,
          class Predicate>
Output copy_if(const Policy& policy, Iterator first, Iterator last, Stencil stencil, Output out, Predicate predicate)
{
    return detail::copy_by_stencil("parprims::copy_if", policy, first, last, stencil, out, predicate);
}

/// @brief  `copy_if` of a range and a range as the stencil.
/// @throws invalid_argument  also if they do not have as many elements
PARPRIMS_FORM_OF_RANGE_AND_STENCIL(copy_if)

/// @brief  `copy_if` that writes the number of results to `*count`.
///
/// @param  count  an integer of 32 or 64 bits, float or double, or what takes a `std::size_t`
/// @pre    `count` is writable where `policy` runs, and overlaps neither the input nor the results; otherwise as `copy_if`
/// @note   on the device the call is enqueued and returns; it may be captured into a CUDA graph
/// @throws invalid_argument  null range, `last < first`, null `out` or `count`, more elements than `*count` can count, memory the device
///                           cannot reach; results or a `count` in the input, but not on the device where only the number of
///                           results, which the call does not wait for, would show it
/// @throws out_of_memory, cuda_error  as `copy_if`
/// @snippet copy_if_test.cpp copy_if_into
template <execution_policy Policy, random_access_iterator Iterator, class Output, class Count, class Predicate>
void copy_if_into(const Policy& policy, Iterator first, Iterator last, Output out, Count count, Predicate predicate)
{
    detail::copy_if("parprims::copy_if_into", policy, first, last, out, predicate, count);
}

/// @brief  `copy_if_into` of a range in the place of its begin and end.
PARPRIMS_FORM_OF_RANGE(copy_if_into)

/// @brief  `copy_if` with a stencil that writes the number of results to `*count`. Otherwise as `copy_if_into`.
/// @snippet selection_test.cpp stencil_into
template <execution_policy Policy, random_access_iterator Iterator, random_access_iterator Stencil, class Output,
          class Count, class Predicate>
void copy_if_into(const Policy& policy, Iterator first, Iterator last, Stencil stencil, Output out, Count count,
                  Predicate predicate)
{
    detail::copy_by_stencil("parprims::copy_if_into", policy, first, last, stencil, out, predicate, count);
}

/// @brief  `copy_if_into` of a range and a range as the stencil.
/// @throws invalid_argument  also if they do not have as many elements
PARPRIMS_FORM_OF_RANGE_AND_STENCIL(copy_if_into)

}  // namespace parprims

#include <parprims/detail/pop_macros.hpp>
