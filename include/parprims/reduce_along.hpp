/// @file
/// @brief  reduce and transform_reduce along dimensions of an array: sums of rows, of columns, of channels.
///
/// Compiles fast: include error.hpp to catch errors.
#pragma once

#include <parprims/detail/push_macros.hpp>  // first

#include <parprims/config.hpp>
#include <parprims/detail/argument_types.hpp>
#include <parprims/detail/arrays.hpp>
#include <parprims/detail/device/along/backend.hpp>
#include <parprims/detail/host/along.hpp>
#include <parprims/detail/iterator/lines.hpp>
#include <parprims/execution.hpp>
#include <parprims/functional.hpp>
#include <parprims/iterator.hpp>
#include <parprims/reduce.hpp>
#include <parprims/segmented.hpp>
#include <parprims/view.hpp>

#include <concepts>
#include <cstddef>
#include <type_traits>

namespace parprims {

namespace detail {

/// Sums lines exactly: as segments of the elements, which are taken in the order of the lines. On a GPU, segments may leave gaps, and lines that
/// are closer to each other than their elements have a kernel of their own.
template <class Policy, class Lines, class T, class Op, class Transform>
void sum_lines(const char* function, const Policy& policy, const Lines& lines, const T& init, Op op,
               Transform transform)
{
    using elements = decltype(detail::transformed(lines.input.first, transform));
    using reduction = segmented_reduction<Op>;
    if constexpr (!std::same_as<Policy, host_policy> && !reduction::template is_converted<T, elements>)
        if constexpr (reduction::template check<T, elements>())
            if (lines.lines.are_neighbours())
                return device::call<typename reduction::lines_call>(function, device_policy(policy), lines, init, op,
                                                                    transform);
    const array_lines& array = lines.lines;
    const std::size_t length = array.line.size();
    const auto sum = [&](auto from, std::size_t step) {
        const auto first = detail::transformed(from, transform);
        const auto rows = fixed_segments::lines(array.lines.size(), length, step);
        detail::segmented_reduce(policy, first, first + static_cast<std::ptrdiff_t>(rows.n),
                                 line_output(lines.out.first, array.lines), init, op, rows);
    };
    if (array.are_rows() && (!std::same_as<Policy, host_policy> || array.row_step() == length))
        sum(lines.input.first, array.row_step());  // packets of memory are read
    else
        sum(line_iterator(lines.input.first, array), length);
}

/// Checks the arguments and calls the backend of the policy.
template <class Policy, class View, std::size_t Count, class Output, class T, class Op, class Transform>
void reduce_along(const char* function, const Policy& policy, const View& view, const along<Count>& dimensions,
                  const Output& out, const T& init, Op op, Transform transform)
{
    if constexpr (is_modular_sum<Op, T>) {
        detail::reduce_along(function, policy, view, dimensions, out, init, plus{}, transform);
    } else if constexpr (!check_one_process<Policy>() || !check_assignable<T>() ||
                         !check_views<View, Count, Output, View::rank() - Count>()) {
    } else {
        using combining = std::conditional_t<is_exact_sum<Op>, plus, Op>;
        if constexpr (!check_values<T, view_iterator_t<View>, combining, Transform>() ||
                      !check_results<typename results_iterator<Output>::type, T>()) {
        } else {
            const auto lines = detail::checked_lines_along<false>(function, view, dimensions, out);
            if constexpr (is_exact_sum<Op>) {
                if (lines.input.size != 0)
                    detail::sum_lines(function, policy, lines, init, op, transform);
                else
                    detail::reduce_along(function, policy, view, dimensions, out, init, plus{}, transform);
            } else if constexpr (std::same_as<Policy, host_policy>) {
                host::reduce_along(policy.threads(), lines.lines, lines.input.first, lines.out.first, init, op,
                                   transform);
            } else {
                device::call<device::reduce_along_call>(function, device_policy(policy), lines, init, op, transform);
            }
        }
    }
}

}  // namespace detail

/// @brief  Reduces each line of an array with `op`, from `init` on: `reduce(policy, matrix, along(0), sums, 0.0f)` has the sums of the
///         columns.
///
/// A line has the elements along the given dimensions; there is one line for each position in the other dimensions. The result of a
/// line has the bits of `reduce` of that line through a `strided_iterator`, whatever the strides. A line along several dimensions has its
/// elements in row-major order.
///
/// @param  view  the array, of one to four dimensions; strides may be negative or 0, and lines may share elements
/// @param  out   an array of the dimensions that are left, in their order; or an iterator to where the results go in row-major order,
///               without gaps. No two results may go to one element, and none into the view
/// @param  init  combined once with each line, last; its type is the type of the values
/// @param  op    as for `reduce`, also `exact_plus` of exact_plus.hpp, which adds what a transform returns, products already rounded
/// @pre    the array is readable and `out` writable where `policy` runs; otherwise as `reduce`
/// @note   on the device the call enqueues one kernel and returns; it may be captured into a CUDA graph
/// @complexity  one application of `op` for each element; one pass over the array. Scratch on the device: where there are few lines,
///              one value for each line and block that has a part of it; exact sums of columns: docs/exact-sums.md
/// @throws invalid_argument  a dimension that the array does not have, a negative extent, extents and strides that reach further than any
///              memory, an `out` with other extents or whose elements overlap each other or the view, null pointers, memory the
///              device cannot reach
/// @throws out_of_memory, cuda_error  as `reduce`
/// @source  as `reduce`: a thread folds columns of the rows of a chunk, of lines that are neighbours in memory
/// @snippet reduce_along_test.cpp reduce
template <execution_policy Policy, array_view View, std::size_t Count, detail::results_of_lines Output, class T,
          class Op = plus>
void reduce(const Policy& policy, const View& view, along<Count> dimensions, Output out, T init, Op op = {})
{
    detail::reduce_along("parprims::reduce", policy, view, dimensions, out, init, op, identity{});
}

/// @brief  The sum of each line: `reduce` with `plus`, from a value-initialised element.
template <execution_policy Policy, array_view View, std::size_t Count, detail::results_of_lines Output>
void reduce(const Policy& policy, const View& view, along<Count> dimensions, Output out)
{
    parprims::reduce(policy, view, dimensions, out, detail::view_value_t<View>{});
}

/// @brief  Reduces `transform_op(x)` for each element x of each line. Otherwise as `reduce` along dimensions.
/// @snippet reduce_along_test.cpp transform_reduce
template <execution_policy Policy, array_view View, std::size_t Count, detail::results_of_lines Output, class T,
          class ReduceOp, class TransformOp>
void transform_reduce(const Policy& policy, const View& view, along<Count> dimensions, Output out, T init,
                      ReduceOp reduce_op, TransformOp transform_op)
{
    detail::reduce_along("parprims::transform_reduce", policy, view, dimensions, out, init, reduce_op, transform_op);
}

}  // namespace parprims

#include <parprims/detail/pop_macros.hpp>
