/// @file
/// @brief  partition_copy: elements with a property to one place, the others to another, in one pass.
///
/// Compiles fast: include error.hpp to catch errors.
#pragma once

#include <parprims/detail/push_macros.hpp>  // first

#include <parprims/config.hpp>
#include <parprims/copy_if.hpp>
#include <parprims/detail/arguments.hpp>
#include <parprims/detail/contract/selection.hpp>
#include <parprims/execution.hpp>

#include <cstddef>

namespace parprims {

namespace detail {

/// `select` that writes all elements.
template <class Policy, class Iterator, class OutTrue, class OutFalse, class Predicate, class... Count>
std::size_t partition_copy(const char* function, const Policy& policy, Iterator first, Iterator last, OutTrue out_true,
                           OutFalse out_false, Predicate predicate, Count... count)
{
    std::size_t kept = 0;
    if constexpr (check_selection<Policy, Iterator, kept_outputs<OutTrue, no_iterator, no_iterator, OutFalse>,
                                  Predicate, Count...>()) {
        const auto [begin, n] = detail::checked_range<Policy>(function, first, last);
        const kept_outputs<unwrapped_t<OutTrue>, no_iterator, no_iterator, unwrapped_t<OutFalse>> to{
            detail::unwrap(out_true), {}, {}, detail::unwrap(out_false)};
        kept = detail::select(function, policy, begin, n, to, predicate, detail::unwrap(count)...);
    }
    return kept;
}

}  // namespace detail

PARPRIMS_OTHER_ARGUMENTS(partition_copy, "first, last (or a range), out_true, out_false, predicate")
PARPRIMS_OTHER_ARGUMENTS(partition_copy_into, "first, last (or a range), out_true, out_false, count, predicate")

/// @brief  Copies the elements of `[first, last)` for which `predicate` is true to `out_true`, and the others to `out_false`, both in
///         their order.
///
/// Every device and the host write the same results. CUB writes both parts to one array, the second from its end in reverse order:
/// for that pass `strided_iterator(end - 1, -1)` as `out_false`.
///
/// @param  out_true, out_false  each needs room for what is copied there. The results must not overlap the input or each other
/// @param  predicate  as for `copy_if`
/// @return the number of elements for which `predicate` is true
/// @pre    as `copy_if`
/// @note   returns when that number is known; the results are there in stream order
/// @complexity  one pass; on the host two. Scratch as for `copy_if`
/// @throws invalid_argument, out_of_memory, cuda_error  as `copy_if`
/// @source  as `copy_if`: how many of the earlier elements are kept also tells how many are not
/// @snippet selection_test.cpp partition_copy
template <execution_policy Policy, random_access_iterator Iterator, class OutTrue, class OutFalse, class Predicate>
std::size_t partition_copy(const Policy& policy, Iterator first, Iterator last, OutTrue out_true, OutFalse out_false,
                           Predicate predicate)
{
    return detail::partition_copy("parprims::partition_copy", policy, first, last, out_true, out_false, predicate);
}

/// @brief  `partition_copy` of a range in the place of its begin and end.
PARPRIMS_FORM_OF_RANGE(partition_copy)

/// @brief  `partition_copy` that writes the number of elements for which `predicate` is true to `*count`. Otherwise as
///         `copy_if_into`.
/// @snippet selection_test.cpp partition_copy_into
template <execution_policy Policy, random_access_iterator Iterator, class OutTrue, class OutFalse, class Count,
          class Predicate>
void partition_copy_into(const Policy& policy, Iterator first, Iterator last, OutTrue out_true, OutFalse out_false,
                         Count count, Predicate predicate)
{
    detail::partition_copy("parprims::partition_copy_into", policy, first, last, out_true, out_false, predicate, count);
}

/// @brief  `partition_copy_into` of a range in the place of its begin and end.
PARPRIMS_FORM_OF_RANGE(partition_copy_into)

}  // namespace parprims

#include <parprims/detail/pop_macros.hpp>
