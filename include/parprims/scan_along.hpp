/// @file
/// @brief  inclusive_scan and exclusive_scan along a dimension of an array: running sums of each row or column.
///
/// Compiles fast: include error.hpp to catch errors.
#pragma once

#include <parprims/detail/push_macros.hpp>  // first

#include <parprims/config.hpp>
#include <parprims/detail/argument_types.hpp>
#include <parprims/detail/arrays.hpp>
#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/device/along/scan_backend.hpp>
#include <parprims/detail/host/along_scan.hpp>
#include <parprims/execution.hpp>
#include <parprims/functional.hpp>
#include <parprims/scan.hpp>
#include <parprims/view.hpp>

#include <concepts>

namespace parprims {

namespace detail {

/// Checks the arguments and calls the backend of the policy. `init` is null if the call has none.
template <scan_kind Kind, class T, class Policy, class View, class Output, class Op>
void scan_along(const char* function, const Policy& policy, const View& view, const along<1>& dimension,
                const Output& out, const T* init, Op op)
{
    if constexpr (!check_one_process<Policy>() || !check_assignable<T>() ||
                  !check_views<View, 1, Output, View::rank()>()) {
    } else if constexpr (!check_values<T, view_iterator_t<View>, Op, identity>() ||
                         !check_results<typename results_iterator<Output>::type, T>()) {
    } else {
        const auto lines = detail::checked_lines_along<true>(function, view, dimension, out);
        if constexpr (std::same_as<Policy, host_policy>)
            host::scan_along<Kind, T>(policy.threads(), lines.lines, lines.input.first, lines.out.first, init, op,
                                      identity{});
        else
            device::call<device::scan_along_call<Kind>>(function, device_policy(policy), lines, scan_init<T>{init}, op);
    }
}

}  // namespace detail

/// @brief  Scans each line of an array along one dimension: `inclusive_scan(policy, matrix, along(1), sums)` has the running sums of the
///         rows.
///
/// Each line has the bits of its own `inclusive_scan`, whatever the strides. A summed-area table takes two calls, one along each
/// dimension, the second in place.
///
/// @param  view       the array, as for `reduce` along dimensions
/// @param  dimension  of the lines
/// @param  out        an array of the same extents; or an iterator to where the results go in row-major order, without gaps. It may be the
///                    view itself; otherwise it must not overlap the view. Its own elements must not overlap each other
/// @param  op         as for `inclusive_scan`
/// @note   on the device the call enqueues one kernel, or, for a few long contiguous lines, one for each line. It returns at once and
///         may be captured into a CUDA graph
/// @complexity  as `inclusive_scan`. The device reads the array once, or twice if values have more than 16 bytes and lines more than a
///              row of the order contract (512 bytes, or 32 values). Scratch there, if lines are not contiguous and have several rows:
///              two values for each row and one for each tile, and as much again for their flags
/// @throws invalid_argument  as `reduce` along dimensions; an `out` that overlaps the view in part
/// @throws out_of_memory, cuda_error  as `inclusive_scan`
/// @source  as `inclusive_scan`; of lines that are short or not contiguous a thread scans a row, with the last results of each step of Hillis and
///          Steele
/// @snippet scan_along_test.cpp inclusive_scan
template <execution_policy Policy, array_view View, detail::results_of_lines Output, class Op = plus>
void inclusive_scan(const Policy& policy, const View& view, along<1> dimension, Output out, Op op = {})
{
    using T = detail::view_value_t<View>;
    detail::scan_along<detail::scan_kind::inclusive, T>("parprims::inclusive_scan", policy, view, dimension, out,
                                                        nullptr, op);
}

/// @brief  `inclusive_scan` of each line that starts from `init`, whose type is the type that is combined.
template <execution_policy Policy, array_view View, detail::results_of_lines Output, class Op, class T>
void inclusive_scan(const Policy& policy, const View& view, along<1> dimension, Output out, Op op, T init)
{
    detail::scan_along<detail::scan_kind::inclusive, T>("parprims::inclusive_scan", policy, view, dimension, out,
                                                        __builtin_addressof(init), op);
}

/// @brief  `exclusive_scan` of each line, from `init` on. Otherwise as `inclusive_scan` along a dimension.
/// @snippet scan_along_test.cpp exclusive_scan
template <execution_policy Policy, array_view View, detail::results_of_lines Output, class T, class Op = plus>
void exclusive_scan(const Policy& policy, const View& view, along<1> dimension, Output out, T init, Op op = {})
{
    detail::scan_along<detail::scan_kind::exclusive, T>("parprims::exclusive_scan", policy, view, dimension, out,
                                                        __builtin_addressof(init), op);
}

}  // namespace parprims

#include <parprims/detail/pop_macros.hpp>
