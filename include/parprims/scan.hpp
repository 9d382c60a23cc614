/// @file
/// @brief  inclusive_scan, exclusive_scan and their transforming forms.
///
/// Compiles fast: include error.hpp to catch errors.
#pragma once

#include <parprims/detail/push_macros.hpp>  // first

#include <parprims/config.hpp>
#include <parprims/detail/arguments.hpp>
#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/device/scan/backend.hpp>
#include <parprims/detail/host/scan.hpp>
#include <parprims/detail/iterator/traits.hpp>
#include <parprims/execution.hpp>
#include <parprims/functional.hpp>
#include <parprims/iterator.hpp>

#include <concepts>
#include <cstddef>
#include <type_traits>

namespace parprims {

namespace detail {

/// The type that a transform returns for an iterator's elements.
template <class TransformOp, class Iterator>
using transformed_t = std::remove_cvref_t<std::invoke_result_t<TransformOp&, const iter_value_t<Iterator>&>>;

/// Refuses a size in device memory for `three_phase_scan`, whose launches need it on the host.
template <class Policy, class Size>
constexpr bool check_phases()
{
    constexpr bool holds =
        !std::same_as<Policy, basic_device_policy<three_phase_scan>> || !std::same_as<Size, device_size>;
    static_assert(holds, "parprims: three_phase_scan takes no size on the device");
    return holds;
}

/// Checks the arguments of a public function and calls the policy's backend. `init` is null if the call has none. Over several
/// ranks the backend checks the arguments, so that all ranks fail together.
template <scan_kind Kind, class Init, class Policy, class Iterator, class Output, class Op, class Transform>
Output scan(const char* function, const Policy& policy, Iterator first, Iterator last, Output out, const Init* init,
            Op op, Transform transform)
{
    using T = init_value_t<Init>;
    if constexpr (!check_init<Policy, Init>() || !check_assignable<T>() ||
                  !check_values<T, Iterator, Op, Transform, Output>()) {
    } else if constexpr (is_device_value<Init> && std::same_as<Policy, host_policy>) {
        return detail::scan<Kind, T>(function, policy, first, last, out,
                                     __builtin_addressof(detail::checked_init(function, *init)), op, transform);
    } else if constexpr (is_distributed<Policy>) {
        ranks::backend<Policy>::template scan<Kind, T>(function, policy, detail::unwrap(first), detail::unwrap(last),
                                                       detail::unwrap(out), init, op, transform);
        return out + static_cast<std::ptrdiff_t>(last - first);
    } else {
        const auto [begin, n] = detail::checked_range<Policy>(function, first, last);
        const auto target = detail::unwrap(out);
        detail::check_output(function, "out", target, n);
        detail::check_in_place(function, target, begin, n);
        if constexpr (std::same_as<Policy, host_policy>) {
            if (n != 0)
                host::scan<Kind, T>(policy.threads(), begin, n, target, init, op, transform);
        } else if constexpr (check_phases<Policy, std::remove_const_t<decltype(n)>>()) {
            device::call<device::scan_call<Kind>>(function, policy, begin, n, target,
                                                  detail::checked_scan_init(function, init, target, n), op, transform);
        }
        return out + static_cast<std::ptrdiff_t>(n);
    }
}

}  // namespace detail

PARPRIMS_OTHER_ARGUMENTS(inclusive_scan, "first, last (or a range), out, op, init")
PARPRIMS_OTHER_ARGUMENTS(exclusive_scan, "first, last (or a range), out, init, op")
PARPRIMS_OTHER_ARGUMENTS(transform_inclusive_scan,
                         "first, last (or a range), out, op, transform_op, init; transform_op takes an element")
PARPRIMS_OTHER_ARGUMENTS(transform_exclusive_scan,
                         "first, last (or a range), out, init, op, transform_op, which takes an element")

/// @brief  Writes to `out[i]` the combination of the elements `0 ... i` of `[first, last)`.
///
/// The order of the operations depends on `last - first` and the value type alone, so a floating-point scan has the
/// same bits on every run, on every device, for every launch configuration, in one pass or three phases, and on the host
/// (docs/order-contract.md). `out` may be `first` itself.
///
/// @param  out  where the first result goes; `last - first` elements; not of a vector<bool>, whose elements share words
/// @param  op   associative up to rounding, need not be commutative; called with values and partial results only
/// @return the end of the results
/// @pre    both ranges are accessible where `policy` runs; on the device T is as in `reduce`. The host reads elements twice, so
///         reading must not change them, as a `std::move_iterator` may
/// @note   on the device the call is enqueued and returns; it may be captured into a CUDA graph. On the host it returns when the
///         results are written
/// @complexity  applications of `op` for each element: up to 5 for values of at most 4 bytes, 7 for 8 bytes, 13 for 40 bytes; more
///              for larger ones, whose tiles have fewer elements. One pass over the input. Scratch on the device: for each tile
///              of at most 32 KiB, 8 bytes per 4 bytes of a value; none for up to a few hundred tiles of values of at most 16
///              bytes
/// @throws invalid_argument  null range or `out`, `last < first`, memory the device cannot reach, ranges that overlap in part, a
///                           launch configuration out of range
/// @throws out_of_memory     no memory for the scratch; on the host, some of the output may have been written
/// @throws cuda_error        no usable GPU, or the launch failed
/// @source  Hillis and Steele across lanes; Merrill and Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back"
/// @snippet scan_test.cpp inclusive_scan
template <execution_policy Policy, random_access_iterator Iterator, class Output, class Op = plus>
Output inclusive_scan(const Policy& policy, Iterator first, Iterator last, Output out, Op op = {})
{
    using T = detail::iter_value_t<Iterator>;
    return detail::scan<detail::scan_kind::inclusive, T>("parprims::inclusive_scan", policy, first, last, out, nullptr,
                                                         op, identity{});
}

/// @brief  `inclusive_scan` that starts from `init`, whose type is the type that is combined.
template <execution_policy Policy, random_access_iterator Iterator, class Output, class Op, class T>
Output inclusive_scan(const Policy& policy, Iterator first, Iterator last, Output out, Op op, T init)
{
    return detail::scan<detail::scan_kind::inclusive, T>("parprims::inclusive_scan", policy, first, last, out,
                                                         __builtin_addressof(init), op, identity{});
}

/// @brief  `inclusive_scan` of a range in the place of its begin and end.
PARPRIMS_FORM_OF_RANGE(inclusive_scan)

/// @brief  Writes to `out[i]` the combination of `init` and the elements before i. Otherwise as `inclusive_scan`.
/// @param  init  the first result; its type is the type that is combined
/// @snippet scan_test.cpp exclusive_scan
template <execution_policy Policy, random_access_iterator Iterator, class Output, class T, class Op = plus>
Output exclusive_scan(const Policy& policy, Iterator first, Iterator last, Output out, T init, Op op = {})
{
    return detail::scan<detail::scan_kind::exclusive, T>("parprims::exclusive_scan", policy, first, last, out,
                                                         __builtin_addressof(init), op, identity{});
}

/// @brief  Fails to compile with a sentence: an exclusive scan needs `init`.
template <execution_policy Policy, random_access_iterator Iterator, class... Output>
    requires(sizeof...(Output) <= 1)
auto exclusive_scan(const Policy&, const Iterator&, const Iterator&, const Output&...)
{
    static_assert(detail::never<Policy>,
                  "parprims: exclusive_scan needs init: its arguments are policy, first, last "
                  "(or a range), out, init, op");
    return detail::no_result{};
}

/// @brief  `exclusive_scan` of a range in the place of its begin and end.
PARPRIMS_FORM_OF_RANGE(exclusive_scan)

/// @brief  `inclusive_scan` of `transform_op(x)`; the type that is combined is what `transform_op` returns.
///
/// `transform_op` may be called more than once for an element.
/// @snippet scan_test.cpp transform_inclusive_scan
template <execution_policy Policy, random_access_iterator Iterator, class Output, class Op, class TransformOp>
    requires std::invocable<TransformOp&, const detail::iter_value_t<Iterator>&>
Output transform_inclusive_scan(const Policy& policy, Iterator first, Iterator last, Output out, Op op,
                                TransformOp transform_op)
{
    using T = detail::transformed_t<TransformOp, Iterator>;
    return detail::scan<detail::scan_kind::inclusive, T>("parprims::transform_inclusive_scan", policy, first, last, out,
                                                         nullptr, op, transform_op);
}

/// @brief  `transform_inclusive_scan` that starts from `init`, whose type is the type that is combined.
template <execution_policy Policy, random_access_iterator Iterator, class Output, class Op, class TransformOp, class T>
    requires std::invocable<TransformOp&, const detail::iter_value_t<Iterator>&>
Output transform_inclusive_scan(const Policy& policy, Iterator first, Iterator last, Output out, Op op,
                                TransformOp transform_op, T init)
{
    return detail::scan<detail::scan_kind::inclusive, T>("parprims::transform_inclusive_scan", policy, first, last, out,
                                                         __builtin_addressof(init), op, transform_op);
}

/// @brief  `transform_inclusive_scan` of a range in the place of its begin and end.
PARPRIMS_FORM_OF_RANGE(transform_inclusive_scan)

/// @brief  `exclusive_scan` of `transform_op(x)`. `transform_op` may be called more than once for an element.
/// @snippet scan_test.cpp transform_exclusive_scan
template <execution_policy Policy, random_access_iterator Iterator, class Output, class T, class Op, class TransformOp>
    requires std::invocable<TransformOp&, const detail::iter_value_t<Iterator>&>
Output transform_exclusive_scan(const Policy& policy, Iterator first, Iterator last, Output out, T init, Op op,
                                TransformOp transform_op)
{
    return detail::scan<detail::scan_kind::exclusive, T>("parprims::transform_exclusive_scan", policy, first, last, out,
                                                         __builtin_addressof(init), op, transform_op);
}

/// @brief  `transform_exclusive_scan` of a range in the place of its begin and end.
PARPRIMS_FORM_OF_RANGE(transform_exclusive_scan)

}  // namespace parprims

#include <parprims/detail/pop_macros.hpp>
