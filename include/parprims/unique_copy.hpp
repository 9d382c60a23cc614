/// @file
/// @brief  unique_copy, unique_by_key_copy: the first element of each run of equal ones.
///
/// Compiles fast: include error.hpp to catch errors.
#pragma once

#include <parprims/detail/push_macros.hpp>  // first

#include <parprims/config.hpp>
#include <parprims/copy_if.hpp>
#include <parprims/detail/arguments.hpp>
#include <parprims/detail/contract/selection.hpp>
#include <parprims/execution.hpp>
#include <parprims/functional.hpp>

#include <cstddef>
#include <type_traits>

namespace parprims {

namespace detail {

/// `select` of the first elements of runs of keys, with their values.
template <class Policy, class Keys, class Values, class KeysOut, class ValuesOut, class Equal, class... Count>
std::size_t unique_by_key_copy(const char* function, const Policy& policy, Keys keys_first, Keys keys_last,
                               Values values_first, KeysOut keys_out, ValuesOut values_out, Equal equal, Count... count)
{
    std::size_t runs = 0;
    if constexpr (check_selection<Policy, Keys, kept_outputs<KeysOut, Values, ValuesOut>, starts_run<Equal>,
                                  Count...>()) {
        const auto [keys, n] =
            detail::checked_range<Policy>(function, keys_first, keys_last, "keys_first", "keys_last");
        const auto values = detail::unsized(values_first);
        const kept_outputs<unwrapped_t<KeysOut>, std::remove_const_t<decltype(values)>, unwrapped_t<ValuesOut>> to{
            detail::unwrap(keys_out), values, detail::unwrap(values_out), {}};
        runs = detail::select(function, policy, keys, n, to, starts_run<Equal>{equal}, detail::unwrap(count)...);
    }
    return runs;
}

}  // namespace detail

PARPRIMS_OTHER_ARGUMENTS(unique_copy, "first, last (or a range), out, equal")
PARPRIMS_OTHER_ARGUMENTS(unique_copy_into, "first, last (or a range), out, count, equal")
PARPRIMS_OTHER_ARGUMENTS(unique_by_key_copy,
                         "keys_first, keys_last, values_first (or two ranges), keys_out, values_out, equal")
PARPRIMS_OTHER_ARGUMENTS(unique_by_key_copy_into,
                         "keys_first, keys_last, values_first (or two ranges), keys_out, values_out, count, equal")

/// @brief  Copies the first element of each run of equal elements of `[first, last)` to `out`.
///
/// A run is a longest stretch of elements that are `equal` to the one before them, so of sorted elements each value is copied once.
/// Every device and the host keep the same elements.
///
/// @param  out    needs room for all that is copied, at most `last - first` elements
/// @param  equal  whether two elements are equal; called with neighbours, possibly more than once for a pair
/// @return the end of the results
/// @pre    as `copy_if`
/// @note   returns when the number of results is known; the results are there in stream order
/// @complexity  one pass over the input; scratch as for `copy_if`
/// @throws invalid_argument, out_of_memory, cuda_error  as `copy_if`
/// @source  as `copy_if`; a lane compares its first element with the one before it in shared memory
/// @snippet selection_test.cpp unique_copy
template <execution_policy Policy, random_access_iterator Iterator, class Output, class Equal = equal_to>
Output unique_copy(const Policy& policy, Iterator first, Iterator last, Output out, Equal equal = {})
{
    return detail::copy_if("parprims::unique_copy", policy, first, last, out, detail::starts_run<Equal>{equal});
}

/// @brief  `unique_copy` of a range in the place of its begin and end.
PARPRIMS_FORM_OF_RANGE(unique_copy)

/// @brief  `unique_copy` that writes the number of results to `*count`. Otherwise as `copy_if_into`.
/// @snippet selection_test.cpp unique_copy_into
template <execution_policy Policy, random_access_iterator Iterator, class Output, class Count, class Equal = equal_to>
void unique_copy_into(const Policy& policy, Iterator first, Iterator last, Output out, Count count, Equal equal = {})
{
    detail::copy_if("parprims::unique_copy_into", policy, first, last, out, detail::starts_run<Equal>{equal}, count);
}

/// @brief  `unique_copy_into` of a range in the place of its begin and end.
PARPRIMS_FORM_OF_RANGE(unique_copy_into)

/// @brief  Copies the first key of each run of equal keys to `keys_out`, and its value to `values_out`.
///
/// @param  values_first  as many values as there are keys
/// @param  keys_out, values_out  need room for the results, at most as many as there are keys. The results must not overlap the input or
///         each other.
/// @param  equal  whether two keys are equal; called with neighbouring keys, possibly more than once for a pair
/// @return the number of runs
/// @pre    as `copy_if`, for keys and values
/// @note   returns when the number of runs is known; the results are there in stream order
/// @complexity  one pass over the keys, and over those values that are copied; scratch as for `copy_if`
/// @throws invalid_argument, out_of_memory, cuda_error  as `copy_if`
/// @source  as `unique_copy`; the positions of the elements that are kept go through shared memory
/// @snippet selection_test.cpp unique_by_key_copy
template <execution_policy Policy, random_access_iterator Keys, random_access_iterator Values, class KeysOut,
          class ValuesOut, class Equal = equal_to>
std::size_t unique_by_key_copy(const Policy& policy, Keys keys_first, Keys keys_last, Values values_first,
                               KeysOut keys_out, ValuesOut values_out, Equal equal = {})
{
    return detail::unique_by_key_copy("parprims::unique_by_key_copy", policy, keys_first, keys_last, values_first,
                                      keys_out, values_out, equal);
}

/// @brief  `unique_by_key_copy` of a range of keys and a range of values.
/// @throws invalid_argument  also if there are not as many values as keys
PARPRIMS_FORM_OF_KEYS_AND_VALUES(unique_by_key_copy)

/// @brief  `unique_by_key_copy` that writes the number of runs to `*count`. Otherwise as `copy_if_into`.
/// @snippet selection_test.cpp unique_by_key_copy_into
template <execution_policy Policy, random_access_iterator Keys, random_access_iterator Values, class KeysOut,
          class ValuesOut, class Count, class Equal = equal_to>
void unique_by_key_copy_into(const Policy& policy, Keys keys_first, Keys keys_last, Values values_first,
                             KeysOut keys_out, ValuesOut values_out, Count count, Equal equal = {})
{
    detail::unique_by_key_copy("parprims::unique_by_key_copy_into", policy, keys_first, keys_last, values_first,
                               keys_out, values_out, equal, count);
}

/// @brief  `unique_by_key_copy_into` of a range of keys and a range of values.
/// @throws invalid_argument  also if there are not as many values as keys
PARPRIMS_FORM_OF_KEYS_AND_VALUES(unique_by_key_copy_into)

}  // namespace parprims

#include <parprims/detail/pop_macros.hpp>
