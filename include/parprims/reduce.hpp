/// @file
/// @brief  reduce, transform_reduce, and the forms that write the value to an output.
///
/// Compiles fast: include error.hpp to catch errors.
#pragma once

#include <parprims/detail/push_macros.hpp>  // first

#include <parprims/config.hpp>
#include <parprims/detail/arguments.hpp>
#include <parprims/detail/device/reduce/backend.hpp>
#include <parprims/detail/host/reduce.hpp>
#include <parprims/detail/iterator/traits.hpp>
#include <parprims/execution.hpp>
#include <parprims/functional.hpp>
#include <parprims/iterator.hpp>

#include <concepts>
#include <cstddef>
#include <type_traits>

namespace parprims {

namespace detail {

/// What reductions do with an operator. exact_plus.hpp has that of exact sums.
template <class Op>
struct reduction {
    using device_call = device::reduce_call;

    /// Whether the call is that of another operator, which rounds its value.
    template <class T, class Iterator, class Transform>
    static constexpr bool is_converted = false;

    /// Refuses types that the call cannot combine.
    template <class Policy, class T, class Iterator, class Transform>
    static constexpr bool check()
    {
        return check_assignable<T>() && check_values<T, Iterator, Op, Transform>();
    }

    template <class Iterator, class T, class Transform>
    static T on_host(unsigned threads, Iterator first, std::size_t n, const T& init, Op op, Transform transform)
    {
        return n == 0 ? init : host::reduce<T>(threads, first, n, init, op, transform);
    }
};

template <class Init, class... Output>
using reduced_t = std::conditional_t<sizeof...(Output) == 0, init_value_t<Init>, void>;

/// Checks the arguments of a public function and calls its backend. The value goes to `*out`; without an `out` it is returned. Over
/// several ranks the backend checks the arguments, so that all fail together.
template <class Policy, class Iterator, class Init, class Op, class Transform, class... Output>
reduced_t<Init, Output...> reduce(const char* function, const Policy& policy, Iterator first, Iterator last, Init init,
                                  Op op, Transform transform, Output... out)
{
    using T = init_value_t<Init>;
    if constexpr (!check_init<Policy, Init>()) {
    } else if constexpr (is_modular_sum<Op, T>) {
        return detail::reduce(function, policy, first, last, init, plus{}, transform, out...);
    } else if constexpr (is_device_value<Init> && std::same_as<Policy, host_policy>) {
        return detail::reduce(function, policy, first, last, detail::checked_init(function, init), op, transform,
                              out...);
    } else if constexpr (reduction<Op>::template is_converted<Init, Iterator, Transform>) {
        return reduction<Op>::converted(function, policy, first, last, init, transform, out...);
    } else if constexpr (!(check_output_type<Output>() && ...) ||
                         !reduction<Op>::template check<Policy, T, Iterator, Transform>() ||
                         !(check_result<Output, T>() && ...)) {
    } else if constexpr (is_distributed<Policy>) {
        return static_cast<reduced_t<Init, Output...>>(
            ranks::backend<Policy>::reduce(function, policy, detail::unwrap(first), detail::unwrap(last), init, op,
                                           transform, detail::unwrap(out)...));
    } else {
        using call = typename reduction<Op>::device_call;
        const auto [begin, n] = detail::checked_range<Policy>(function, first, last);
        (detail::check_output(function, "out", detail::unwrap(out), 1), ...);
        if constexpr (std::same_as<Policy, host_policy>) {
            const T value = reduction<Op>::on_host(policy.threads(), begin, n, init, op, transform);
            ((*detail::unwrap(out) = value), ...);
            if constexpr (sizeof...(Output) == 0)
                return value;
        } else if constexpr (sizeof...(Output) == 0) {
            return device::call<call, T>(function, device_policy(policy), begin, n, init, op, transform);
        } else {
            device::call<call>(function, device_policy(policy), begin, n, init, op, transform, detail::unwrap(out)...);
        }
    }
}

/// `count()`; if it throws on one rank, it throws on all.
template <class Policy, class Count>
auto agreed_count(const char* function, const Policy& policy, Count count)
{
    if constexpr (is_distributed<Policy>)
        return ranks::backend<Policy>::agreed_count(function, policy, count);
    else
        return count();
}

/// `reduce` of `transform(x, y)` for every x of `[first1, last1)` and its y.
template <class Policy, class Iterator1, class Iterator2, class Init, class Op, class Transform, class... Output>
reduced_t<Init, Output...> reduce_pairs(const char* function, const Policy& policy, const Iterator1& first1,
                                        const Iterator1& last1, const Iterator2& first2, const Init& init, Op op,
                                        Transform transform, Output... out)
{
    const auto begin2 = detail::unsized(first2);
    const auto n = detail::agreed_count(function, policy, [&] {
        const auto count = detail::checked_range<Policy>(function, first1, last1).n;
        detail::check_output(function, "first2", begin2, count);
        return count;
    });
    const auto pairs = detail::with_size(zip_iterator(detail::unsized(first1), begin2), n);
    return detail::reduce(function, policy, pairs, pairs + static_cast<std::ptrdiff_t>(n), init, op,
                          detail::of_pair<Transform>{transform}, out...);
}

}  // namespace detail

PARPRIMS_OTHER_ARGUMENTS(reduce, "first, last (or a range), init, op")
PARPRIMS_OTHER_ARGUMENTS(transform_reduce,
                         "first, last (or a range), init, reduce_op, transform_op; of two ranges policy, first1, "
                         "last1, first2, init, reduce_op, transform_op. transform_op takes an element of each range")
PARPRIMS_OTHER_ARGUMENTS(reduce_into, "first, last (or a range), out, init, op")
PARPRIMS_OTHER_ARGUMENTS(
    transform_reduce_into,
    "first, last (or a range), out, init, reduce_op, transform_op; of two ranges policy, first1, last1, first2, out, "
    "init, reduce_op, transform_op. transform_op takes an element of each range")

/// @brief  Reduces `[first, last)` with `op`, starting from `init`.
///
/// The order of the operations depends on `last - first` and the value type alone, so a floating-point result has
/// the same bits on every device, for every launch configuration, and on the host (docs/order-contract.md).
///
/// @param  init  combined once, last; need not be an identity of `op`. Its type is the type of the result. By default a
///               value-initialised element
/// @param  op    associative and commutative up to rounding; called with values of the input and partial results only.
///               Must not have side effects: a GPU may apply it speculatively and discard the result
/// @pre    the range is accessible where `policy` runs; on the device T is trivially copyable, of at most 1024 bytes, aligned to
///         at most 128
/// @note   returns when the value is known; all work enqueued in `policy.stream()` before the call has completed by then
/// @complexity  `last - first` applications of `op`; one pass over the input. Scratch on the device: none if T has at most
///              16 bytes, otherwise at most 1024 partials of `2 * sizeof(T)` bytes
/// @throws invalid_argument  null range, `last < first`, memory the device cannot reach, a stream that is being captured, a
///                           launch configuration out of range
/// @throws out_of_memory     no memory for the scratch; nothing was enqueued
/// @throws cuda_error        no usable GPU, or the launch failed
/// @source  Harris, "Optimizing Parallel Reduction in CUDA" (grid-stride, shuffles); pairwise summation for the order
/// @snippet reduce_test.cpp reduce
template <execution_policy Policy, random_access_iterator Iterator, class T = detail::iter_value_t<Iterator>,
          class Op = plus>
detail::init_value_t<T> reduce(const Policy& policy, Iterator first, Iterator last, T init = T(), Op op = {})
{
    return detail::reduce("parprims::reduce", policy, first, last, init, op, identity{});
}

/// @brief  `reduce` of a range in the place of its begin and end.
PARPRIMS_FORM_OF_RANGE(reduce)

/// @brief  Reduces `transform_op(x)` for every x of `[first, last)` with `reduce_op`, starting from `init`.
///
/// Order, errors, synchronisation and cost as `reduce`. The order depends on the value type of `Iterator`, not on T.
/// The compiler cannot fuse a product in `transform_op` with the sum, so the bits are those of transforming first.
/// `transform_op` may be called more than once for an element, so it must not have side effects.
///
/// @snippet reduce_test.cpp transform_reduce
template <execution_policy Policy, random_access_iterator Iterator, class T, class ReduceOp, class TransformOp>
    requires std::invocable<TransformOp&, const detail::iter_value_t<Iterator>&>
detail::init_value_t<T> transform_reduce(const Policy& policy, Iterator first, Iterator last, T init,
                                         ReduceOp reduce_op, TransformOp transform_op)
{
    return detail::reduce("parprims::transform_reduce", policy, first, last, init, reduce_op, transform_op);
}

/// @brief  Reduces `transform_op(x, y)` for every x of `[first1, last1)` and the y at the same position from `first2` on.
///
/// Otherwise as `transform_reduce` of one range. The order depends on the type of the pair of values.
///
/// @pre    `first2` has as many elements as `[first1, last1)`
/// @snippet reduce_forms_test.cpp inner_product
template <execution_policy Policy, random_access_iterator Iterator1, random_access_iterator Iterator2, class T,
          class ReduceOp, class TransformOp>
    requires std::invocable<TransformOp&, const detail::iter_value_t<Iterator1>&,
                            const detail::iter_value_t<Iterator2>&>
detail::init_value_t<T> transform_reduce(const Policy& policy, Iterator1 first1, Iterator1 last1, Iterator2 first2,
                                         T init, ReduceOp reduce_op, TransformOp transform_op)
{
    return detail::reduce_pairs("parprims::transform_reduce", policy, first1, last1, first2, init, reduce_op,
                                transform_op);
}

/// @brief  The inner product of two ranges, plus `init`.
template <execution_policy Policy, random_access_iterator Iterator1, random_access_iterator Iterator2, class T>
detail::init_value_t<T> transform_reduce(const Policy& policy, Iterator1 first1, Iterator1 last1, Iterator2 first2,
                                         T init)
{
    return parprims::transform_reduce(policy, first1, last1, first2, init, plus{}, multiplies{});
}

/// @brief  `transform_reduce` of a range in the place of its begin and end.
PARPRIMS_FORM_OF_RANGE(transform_reduce)

/// @brief  Reduces `[first, last)` and writes `op(init, total)` to `*out`; `init` if the range is empty.
///
/// Order and cost as `reduce`.
///
/// @pre    the range is readable and `out` writable where `policy` runs; `out` may lie in the range, because `*out` is written after
///         the range has been read. Otherwise as `reduce`
/// @note   on the device the call enqueues one kernel and returns; it may be captured into a CUDA graph
/// @throws invalid_argument  null range, `last < first`, null `out`, memory the device cannot reach, a launch configuration
///                           out of range
/// @throws out_of_memory, cuda_error  as `reduce`
///
/// @snippet reduce_test.cpp reduce_into
template <execution_policy Policy, random_access_iterator Iterator, class Output, class T, class Op = plus>
    requires(!execution_policy<Output>)
void reduce_into(const Policy& policy, Iterator first, Iterator last, Output out, T init, Op op = {})
{
    detail::reduce("parprims::reduce_into", policy, first, last, init, op, identity{}, out);
}

/// @brief  `reduce_into` of a range in the place of its begin and end.
PARPRIMS_FORM_OF_RANGE(reduce_into)

/// @brief  `transform_reduce` that writes its value to `*out`. Errors and synchronisation as `reduce_into`.
/// @snippet reference.cpp transform_reduce_into
template <execution_policy Policy, random_access_iterator Iterator, class Output, class T, class ReduceOp,
          class TransformOp>
void transform_reduce_into(const Policy& policy, Iterator first, Iterator last, Output out, T init, ReduceOp reduce_op,
                           TransformOp transform_op)
{
    detail::reduce("parprims::transform_reduce_into", policy, first, last, init, reduce_op, transform_op, out);
}

/// @brief  `transform_reduce` of two ranges that writes its value to `*out`.
/// @pre    `first2` has as many elements as `[first1, last1)`
/// @snippet reduce_forms_test.cpp inner_product_into
template <execution_policy Policy, random_access_iterator Iterator1, random_access_iterator Iterator2, class Output,
          class T, class ReduceOp, class TransformOp>
    requires std::invocable<TransformOp&, const detail::iter_value_t<Iterator1>&,
                            const detail::iter_value_t<Iterator2>&>
void transform_reduce_into(const Policy& policy, Iterator1 first1, Iterator1 last1, Iterator2 first2, Output out,
                           T init, ReduceOp reduce_op, TransformOp transform_op)
{
    detail::reduce_pairs("parprims::transform_reduce_into", policy, first1, last1, first2, init, reduce_op,
                         transform_op, out);
}

/// @brief  The inner product of two ranges, plus `init`, which is written to `*out`.
template <execution_policy Policy, random_access_iterator Iterator1, random_access_iterator Iterator2, class Output,
          class T>
    requires(!execution_policy<Output>)
void transform_reduce_into(const Policy& policy, Iterator1 first1, Iterator1 last1, Iterator2 first2, Output out,
                           T init)
{
    parprims::transform_reduce_into(policy, first1, last1, first2, out, init, plus{}, multiplies{});
}

/// @brief  `transform_reduce_into` of a range in the place of its begin and end.
PARPRIMS_FORM_OF_RANGE(transform_reduce_into)

}  // namespace parprims

#include <parprims/detail/pop_macros.hpp>
