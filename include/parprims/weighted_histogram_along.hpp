/// @file
/// @brief  weighted_histogram of the lines of an array.
///
/// Compiles fast: include error.hpp to catch errors.
#pragma once

#include <parprims/detail/push_macros.hpp>  // first

#include <parprims/axis.hpp>
#include <parprims/config.hpp>
#include <parprims/detail/arguments.hpp>
#include <parprims/detail/arrays.hpp>
#include <parprims/detail/contract/segments.hpp>
#include <parprims/detail/contract/weighted_lines.hpp>
#include <parprims/detail/contract/weights.hpp>
#include <parprims/detail/device/segmented_weighted/backend.hpp>
#include <parprims/detail/host/segmented_weighted.hpp>
#include <parprims/detail/iterator/lines.hpp>
#include <parprims/detail/iterator/traits.hpp>
#include <parprims/detail/runtime/refuse.hpp>
#include <parprims/execution.hpp>
#include <parprims/view.hpp>
#include <parprims/weighted_histogram.hpp>
#include <parprims/weights.hpp>

#include <concepts>
#include <cstddef>

namespace parprims {

namespace detail {

/// Refuses weights that have other dimensions than the samples.
template <class View, class Weights>
constexpr bool check_view_of_weights()
{
    constexpr bool holds = [] {
        if constexpr (array_view<Weights>)
            return View::rank() == Weights::rank();
        else
            return false;
    }();
    static_assert(holds, "parprims: weights must be a view of as many dimensions as the samples");
    if constexpr (holds)
        return check_view<Weights>();
    else
        return false;
}

/// Makes the lines of samples and weights, after their checks. Results are contiguous: their strides are multiples of `extent`.
template <class Iterator, class Output, std::size_t Count>
weighted_lines lines_with_weights(const checked_lines<Iterator, Output>& at, const array_shape& weights,
                                  const along<Count>& chosen, std::size_t extent)
{
    bool is_along[max_rank] = {};
    for (const std::ptrdiff_t d : chosen.dimensions)
        is_along[d] = true;
    const auto in_lines = static_cast<std::ptrdiff_t>(extent);
    dimension samples[max_rank] = {};
    std::ptrdiff_t places[max_rank] = {};
    for (unsigned d = 0, of_result = 0; d < at.input.rank; ++d) {
        samples[d] = {at.input.extents[d], at.input.strides[d], 0};
        if (!is_along[d])
            places[d] = at.out.strides[of_result++] / in_lines;
    }
    return weighted_lines::of(samples, at.input.rank, is_along, weights.strides, places, -at.out.lowest / in_lines);
}

/// Checks the arguments and calls the backend of the policy.
template <bool IsProfile, class Policy, class View, std::size_t Count, class Weights, class Axis, class Output>
void add_weights_along(const weighted_call& names, const Policy& policy, const View& view,
                       const along<Count>& dimensions, const Weights& weights, const Axis& axis, const Output& sums)
{
    using sums_iterator = typename results_iterator<Output>::type;
    if constexpr (!check_one_process<Policy>() || !check_views<View, Count, Output, View::rank() - Count + 1>() ||
                  !check_view_of_weights<View, Weights>()) {
    } else if constexpr (!check_weighted_arguments<IsProfile, view_iterator_t<Weights>, sums_iterator>() ||
                         !check_samples<Axis, view_value_t<View>>()) {
    } else {
        const std::size_t extent = detail::checked_extent(names.function, axis);
        if constexpr (std::same_as<Policy, host_policy>)
            host::check_weighted_extent(names.function, extent);
        const auto at =
            detail::checked_lines_along<false, 2>(names.function, view, dimensions, sums, extent, names.sums);
        detail::check_filled(names.function, at, extent, names.sums);
        const auto weights_view = detail::checked_view(names.function, names.weights, weights);
        for (unsigned d = 0; d < weights_view.rank; ++d)
            if (weights_view.extents[d] != at.input.extents[d])
                runtime::refuse(names.function, names.weights,
                                "the extent of dimension % is %, but that of the samples is %", d,
                                weights_view.extents[d], at.input.extents[d]);
        detail::check_arrays_apart(names.function, at.out, weights_view, false, names.sums,
                                   "overlaps the weights, or the values of a profile; use separate memory");
        const auto lines = detail::lines_with_weights(at, weights_view, dimensions, extent);
        if constexpr (!std::same_as<Policy, host_policy>) {
            device::call<device::weighted_histogram_along_call>(names.function, device_policy(policy), lines, at.input,
                                                                weights_view, at.out, axis);
        } else {
            const std::size_t length = lines.lines.line.size();
            if (at.input.size == 0)
                for (std::size_t i = 0; i < at.out.size; ++i)
                    *(at.out.begin() + static_cast<std::ptrdiff_t>(i)) = empty_bin<iter_value_t<sums_iterator>>();
            else
                host::segmented_weighted_histogram(policy.threads(), fixed_segments::of(at.input.size, length),
                                                   line_iterator(at.input.first, lines.lines),
                                                   line_iterator(weights_view.first, lines.lines_of_weights()), axis,
                                                   at.out.begin(),
                                                   [&](std::size_t line) { return lines.place_of(line) * extent; });
        }
    }
}

}  // namespace detail

/// @brief  Adds up the weights of each line of an array in a histogram of its own: `weighted_histogram(policy, matrix, along(1), weights,
///         axis, sums)` has one for each row.
///
/// Lines, the array and errors are as for `reduce` along dimensions. Each histogram has the bits of `weighted_histogram` of the line.
///
/// @param  weights  an array with the extents of `view`, of values as for `weighted_histogram`: each sample has the weight at its
///                  position. Strides may differ from those of `view`; a stride of 0 repeats a weight along that dimension
/// @param  axis     as for `histogram`; one for all lines
/// @param  sums     sums as for `weighted_histogram`: an iterator to where the histograms go, one after another in the row-major order of
///                  the lines; or an array of the dimensions that are left and one more, the last, of `axis.extent()` contiguous sums. They
///                  have no gaps, and must overlap neither the view nor the weights
/// @note   on the device the call is enqueued and returns; it may be captured into a CUDA graph
/// @complexity  as `segmented_weighted_histogram`
/// @throws invalid_argument  as `reduce` along dimensions and as `weighted_histogram`; weights of other extents; an array of sums with gaps
/// @throws out_of_memory, cuda_error  as `weighted_histogram`
/// @snippet weighted_histogram_along_test.cpp weighted_histogram
template <execution_policy Policy, array_view View, std::size_t Count, class Weights, histogram_axis Axis,
          detail::results_of_lines Output>
void weighted_histogram(const Policy& policy, const View& view, along<Count> dimensions, const Weights& weights,
                        const Axis& axis, Output sums)
{
    detail::add_weights_along<false>(detail::weighted_histogram_call, policy, view, dimensions, weights, axis, sums);
}

}  // namespace parprims

#include <parprims/detail/pop_macros.hpp>
