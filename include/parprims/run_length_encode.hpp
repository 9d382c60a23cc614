/// @file
/// @brief  run_length_encode, run_length_encode_non_trivial: the runs of equal elements, and how long they are.
///
/// Compiles fast: include error.hpp to catch errors.
#pragma once

#include <parprims/detail/push_macros.hpp>  // first

#include <parprims/config.hpp>
#include <parprims/copy_if.hpp>
#include <parprims/detail/arguments.hpp>
#include <parprims/detail/contract/selection.hpp>
#include <parprims/detail/host/run_lengths.hpp>
#include <parprims/execution.hpp>
#include <parprims/functional.hpp>

#include <concepts>
#include <cstddef>

namespace parprims {

namespace detail {

/// Checks the output beside the lengths. Offsets of long runs are checked as counts are.
template <class Lengths, class Out>
constexpr bool check_run_output()
{
    if constexpr (std::same_as<Lengths, long_run_lengths>)
        return check_count_type<Out>();
    else
        return true;
}

/// `select` of runs, or of long ones, with their lengths.
template <class Lengths, class Policy, class Iterator, class Out, class LengthsOut, class Equal, class... Count>
std::size_t run_length_encode(const char* function, const Policy& policy, Iterator first, Iterator last, Out out,
                              LengthsOut lengths_out, Equal equal, Count... count)
{
    using outputs = kept_outputs<unwrapped_t<Out>, Lengths, unwrapped_t<LengthsOut>>;
    std::size_t runs = 0;
    if constexpr (check_count_type<LengthsOut>() && check_run_output<Lengths, Out>() &&
                  check_selection<Policy, Iterator, kept_outputs<Out, Lengths, LengthsOut>, starts_run<Equal>,
                                  Count...>()) {
        const auto [begin, n] = detail::checked_range<Policy>(function, first, last);
        const outputs to{detail::unwrap(out), {}, detail::unwrap(lengths_out), {}};
        const std::size_t most = n >= outputs::least ? n : 0;
        detail::check_count(function, "lengths_out", to.other, most, n);
        if constexpr (outputs::finds_long_runs)
            detail::check_count(function, "offsets_out", to.kept, most, n);
        runs = detail::select(function, policy, begin, n, to, starts_run<Equal>{equal}, detail::unwrap(count)...);
    }
    return runs;
}

}  // namespace detail

PARPRIMS_OTHER_ARGUMENTS(run_length_encode, "first, last (or a range), values_out, lengths_out, equal")
PARPRIMS_OTHER_ARGUMENTS(run_length_encode_into, "first, last (or a range), values_out, lengths_out, count, equal")

PARPRIMS_OTHER_ARGUMENTS(run_length_encode_non_trivial, "first, last (or a range), offsets_out, lengths_out, equal")
PARPRIMS_OTHER_ARGUMENTS(run_length_encode_non_trivial_into,
                         "first, last (or a range), offsets_out, lengths_out, count, equal")

/// @brief  Writes the first element of each run of equal elements of `[first, last)` to `values_out`, and the length of the run to
///         `lengths_out`.
///
/// Runs are those of `unique_copy`. Every device and the host find the same runs. For the positions where runs begin, call
/// `unique_by_key_copy` with a `counting_iterator` as the values.
///
/// @param  values_out   room for the runs, at most as many as there are elements; so for `lengths_out`. The results must not overlap
///                      the input or each other. Pass `discard_iterator` for results that are not needed
/// @param  lengths_out  integers of 32 or 64 bits, float or double, or what takes a `std::size_t`
/// @param  equal        whether two elements are equal; called with neighbours, which may be more than once
/// @return the number of runs
/// @pre    as `copy_if`
/// @note   returns when the number of runs is known; the results are there in stream order
/// @complexity  one pass over the input; scratch up to 4 times that of `copy_if`
/// @throws invalid_argument  as `copy_if`; more elements than an element of `lengths_out` can count
/// @throws out_of_memory, cuda_error  as `copy_if`
/// @source  as `unique_copy`; a tile passes on the number of runs and where its last run begins
/// @snippet run_length_encode_test.cpp run_length_encode
template <execution_policy Policy, random_access_iterator Iterator, class ValuesOut, class LengthsOut,
          class Equal = equal_to>
std::size_t run_length_encode(const Policy& policy, Iterator first, Iterator last, ValuesOut values_out,
                              LengthsOut lengths_out, Equal equal = {})
{
    return detail::run_length_encode<detail::run_lengths>("parprims::run_length_encode", policy, first, last,
                                                          values_out, lengths_out, equal);
}

/// @brief  `run_length_encode` of a range in the place of its begin and end.
PARPRIMS_FORM_OF_RANGE(run_length_encode)

/// @brief  `run_length_encode` that writes the number of runs to `*count`. Otherwise as `copy_if_into`.
/// @snippet run_length_encode_test.cpp run_length_encode_into
template <execution_policy Policy, random_access_iterator Iterator, class ValuesOut, class LengthsOut, class Count,
          class Equal = equal_to>
void run_length_encode_into(const Policy& policy, Iterator first, Iterator last, ValuesOut values_out,
                            LengthsOut lengths_out, Count count, Equal equal = {})
{
    detail::run_length_encode<detail::run_lengths>("parprims::run_length_encode_into", policy, first, last, values_out,
                                                   lengths_out, equal, count);
}

/// @brief  `run_length_encode_into` of a range in the place of its begin and end.
PARPRIMS_FORM_OF_RANGE(run_length_encode_into)

/// @brief  Writes for each run of at least two equal elements its position in `[first, last)` to `offsets_out` and its length to
///         `lengths_out`. Otherwise as `run_length_encode`.
///
/// @param  offsets_out, lengths_out  need room for these runs, at most half as many as there are elements; both of the types that
///                                   `run_length_encode` takes for `lengths_out`
/// @snippet run_length_encode_test.cpp run_length_encode_non_trivial
template <execution_policy Policy, random_access_iterator Iterator, class OffsetsOut, class LengthsOut,
          class Equal = equal_to>
std::size_t run_length_encode_non_trivial(const Policy& policy, Iterator first, Iterator last, OffsetsOut offsets_out,
                                          LengthsOut lengths_out, Equal equal = {})
{
    return detail::run_length_encode<detail::long_run_lengths>("parprims::run_length_encode_non_trivial", policy, first,
                                                               last, offsets_out, lengths_out, equal);
}

/// @brief  `run_length_encode_non_trivial` of a range in the place of its begin and end.
PARPRIMS_FORM_OF_RANGE(run_length_encode_non_trivial)

/// @brief  `run_length_encode_non_trivial` that writes the number of runs to `*count`. Otherwise as `copy_if_into`.
/// @snippet run_length_encode_test.cpp run_length_encode_non_trivial_into
template <execution_policy Policy, random_access_iterator Iterator, class OffsetsOut, class LengthsOut, class Count,
          class Equal = equal_to>
void run_length_encode_non_trivial_into(const Policy& policy, Iterator first, Iterator last, OffsetsOut offsets_out,
                                        LengthsOut lengths_out, Count count, Equal equal = {})
{
    detail::run_length_encode<detail::long_run_lengths>("parprims::run_length_encode_non_trivial_into", policy, first,
                                                        last, offsets_out, lengths_out, equal, count);
}

/// @brief  `run_length_encode_non_trivial_into` of a range in the place of its begin and end.
PARPRIMS_FORM_OF_RANGE(run_length_encode_non_trivial_into)

}  // namespace parprims

#include <parprims/detail/pop_macros.hpp>
