/// @file
/// @brief  transform: a function of each element, or of the elements of two ranges.
///
/// Compiles fast: include error.hpp to catch errors.
#pragma once

#include <parprims/detail/push_macros.hpp>  // first

#include <parprims/config.hpp>
#include <parprims/detail/arguments.hpp>
#include <parprims/detail/device/transform/backend.hpp>
#include <parprims/detail/host/transform.hpp>
#include <parprims/detail/iterator/traits.hpp>
#include <parprims/execution.hpp>
#include <parprims/functional.hpp>
#include <parprims/iterator.hpp>

#include <concepts>
#include <cstddef>
#include <type_traits>

namespace parprims {

namespace detail {

/// Checks the ranges and calls the backend of the policy.
template <class Policy, class Iterator, class Output, class Transform>
Output transform(const char* function, const Policy& policy, Iterator first, Iterator last, Output out,
                 Transform transform_op)
{
    using result = std::remove_cvref_t<std::invoke_result_t<Transform&, const iter_value_t<Iterator>&>>;
    if constexpr (check_one_process<Policy>() && check_output_type<Output>() && check_results<Output, result>()) {
        const auto [begin, n] = detail::checked_range<Policy>(function, first, last);
        const auto target = detail::unwrap(out);
        detail::check_output(function, "out", target, n);
        detail::check_in_place(function, target, begin, n);
        if constexpr (std::same_as<Policy, host_policy>)
            host::transform(policy.threads(), begin, n, target, transform_op);
        else if constexpr (check_const_transform<Transform, iter_value_t<Iterator>>() && check_assignable<result>())
            device::call<device::transform_call>(function, device_policy(policy), begin, n, target, transform_op);
        return out + static_cast<std::ptrdiff_t>(n);
    }
}

}  // namespace detail

PARPRIMS_OTHER_ARGUMENTS(transform,
                         "first, last (or a range), out, transform_op; of two ranges policy, first1, last1, first2, "
                         "out, transform_op. transform_op takes an element of each range")

/// @brief  Writes `transform_op(x)` to `out[i]`, for element x at position i of `[first, last)`.
///
/// Each result depends on its element alone, so the same code gives the same bits in every run. The GPU and the host may differ: a
/// compiler may fuse a product with a sum inside `transform_op`, or across the iterator's function and `transform_op`.
///
/// @param  out           `last - first` elements; may be `first` itself
/// @param  transform_op  called once for each element, in no particular order
/// @return the end of the results
/// @pre    both ranges are accessible where `policy` runs; `out` is not of a vector<bool>, whose elements share words
/// @note   on the device the call is enqueued and returns; it may be captured into a CUDA graph
/// @complexity  `last - first` calls of `transform_op`; no scratch
/// @throws invalid_argument  null range, `last < first`, null `out`, memory the device cannot reach, ranges that overlap in part
/// @throws cuda_error        no usable GPU, or the launch failed
/// @source  a lane reads and writes packets of 16 bytes if elements and results have 1 to 4 bytes; otherwise single elements
/// @snippet copy_if_test.cpp transform
template <execution_policy Policy, random_access_iterator Iterator, class Output, class TransformOp>
    requires std::invocable<TransformOp&, const detail::iter_value_t<Iterator>&>
Output transform(const Policy& policy, Iterator first, Iterator last, Output out, TransformOp transform_op)
{
    return detail::transform("parprims::transform", policy, first, last, out, transform_op);
}

/// @brief  Writes `transform_op(x, y)` to `out[i]`, for x at position i of `[first1, last1)` and y at the same position from
///         `first2` on. Otherwise as `transform` of one range.
/// @pre    `first2` has as many elements as `[first1, last1)`; `out` may be `first1` or `first2`
/// @snippet copy_if_test.cpp transform_two
template <execution_policy Policy, random_access_iterator Iterator1, random_access_iterator Iterator2, class Output,
          class TransformOp>
    requires std::invocable<TransformOp&, const detail::iter_value_t<Iterator1>&,
                            const detail::iter_value_t<Iterator2>&>
Output transform(const Policy& policy, Iterator1 first1, Iterator1 last1, Iterator2 first2, Output out,
                 TransformOp transform_op)
{
    if constexpr (detail::check_const_transform<TransformOp, detail::iter_value_t<Iterator1>,
                                                detail::iter_value_t<Iterator2>>()) {
        constexpr const char* function = "parprims::transform";
        const auto [begin1, n] = detail::checked_range<Policy>(function, first1, last1);
        const auto begin2 = detail::unsized(first2);
        detail::check_output(function, "first2", begin2, n);
        detail::check_in_place(function, detail::unwrap(out), begin1, n);
        detail::check_in_place(function, detail::unwrap(out), begin2, n);
        const auto pairs = detail::with_size(zip_iterator(begin1, begin2), n);
        return detail::transform(function, policy, pairs, pairs + static_cast<std::ptrdiff_t>(n), out,
                                 detail::of_pair<TransformOp>{transform_op});
    }
}

/// @brief  `transform` of a range in the place of its begin and end.
PARPRIMS_FORM_OF_RANGE(transform)

}  // namespace parprims

#include <parprims/detail/pop_macros.hpp>
