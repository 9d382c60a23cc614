/// @file
/// @brief  segmented_inclusive_scan, segmented_exclusive_scan: a scan of each segment of a range.
///
/// Compiles fast: include error.hpp to catch errors.
#pragma once

#include <parprims/detail/push_macros.hpp>  // first

#include <parprims/config.hpp>
#include <parprims/detail/arguments.hpp>
#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/device/by_key/segmented_backend.hpp>
#include <parprims/detail/host/by_key.hpp>
#include <parprims/detail/iterator/traits.hpp>
#include <parprims/execution.hpp>
#include <parprims/functional.hpp>
#include <parprims/segmented.hpp>

#include <concepts>
#include <cstddef>

namespace parprims {

namespace detail {

/// Checks the arguments and calls the backend of the policy. `where`: the size of the segments, or their offsets.
template <scan_kind Kind, class T, class Policy, class Iterator, class Output, class Op, class... Where>
Output segmented_scan(const Policy& policy, Iterator first, Iterator last, Output out, const T* init, Op op,
                      Where... where)
{
    if constexpr (check_one_process<Policy>() && check_assignable<T>() &&
                  check_values<T, Iterator, Op, identity, Output>()) {
        constexpr const char* function =
            Kind == scan_kind::inclusive ? "parprims::segmented_inclusive_scan" : "parprims::segmented_exclusive_scan";
        const auto begin = detail::unwrap(first);
        const auto target = detail::unwrap(out);
        const std::size_t n = detail::checked_count(function, begin, detail::unwrap(last));
        const auto segments = detail::checked_segments<Policy>(function, n, detail::unwrap(where)...);
        detail::check_output(function, "out", target, n);
        detail::check_in_place(function, target, begin, n);
        detail::check_apart_from_offsets(function, "out", target, n, segments);
        if constexpr (std::same_as<Policy, host_policy>)
            host::segmented_scan<Kind, T>(policy.threads(), segments, begin, target, init, op);
        else
            device::call<device::segmented_scan_call<Kind>>(function, device_policy(policy), segments, begin, target,
                                                            scan_init<T>{init}, op);
        return out + static_cast<std::ptrdiff_t>(n);
    }
}

}  // namespace detail

PARPRIMS_OTHER_ARGUMENTS(
    segmented_inclusive_scan,
    "first, last (or a range), segment_size or offsets, out, op; a size is an integer, and so are offsets")
PARPRIMS_OTHER_ARGUMENTS(
    segmented_exclusive_scan,
    "first, last (or a range), segment_size or offsets, out, init, op; a size is an integer, and so are offsets")

/// @brief  Scans each segment of `segment_size` elements of `[first, last)` by itself: writes to `out[i]` the combination of the
///         elements of its segment up to i.
///
/// The last segment has the elements that are left, so it may be shorter. The order of the operations depends on where segments
/// begin in the range and on the value type alone, so a floating-point scan has the same bits on every run, on every device
/// and on the host. They may differ from those of `inclusive_scan` of the segment alone (docs/order-contract.md). `out` may be `first`
/// itself.
///
/// @param  out  where the first result goes; `last - first` elements
/// @param  op   as for `inclusive_scan`
/// @return the end of the results
/// @pre    the range is readable and `out` writable where `policy` runs; `out` is not of a vector<bool>; otherwise as
///         `inclusive_scan`
/// @note   on the device the call enqueues one kernel and returns; it may be captured into a CUDA graph
/// @complexity  one pass over the input. Scratch on the device: as for `inclusive_scan_by_key`
/// @throws invalid_argument  null range or `out`, `last < first`, `segment_size` less than 1, an `out` that overlaps the input in
///              part or the offsets, memory the device cannot reach
/// @throws out_of_memory, cuda_error  as `inclusive_scan`
/// @source  as `inclusive_scan_by_key`
/// @snippet segmented_scan_test.cpp segmented_scan
template <execution_policy Policy, random_access_iterator Iterator, detail::segment_size Size, class Output,
          class Op = plus>
Output segmented_inclusive_scan(const Policy& policy, Iterator first, Iterator last, Size segment_size, Output out,
                                Op op = {})
{
    using T = detail::iter_value_t<Iterator>;
    return detail::segmented_scan<detail::scan_kind::inclusive, T>(policy, first, last, out, nullptr, op, segment_size);
}

/// @brief  Scans segments of any lengths: segment i begins at offset i and ends before offset i + 1, as the rows of a CSR matrix.
///
/// Otherwise as `segmented_inclusive_scan` of segments of one size. Elements before the first offset and from the last one on
/// belong to no segment: their results are unspecified.
///
/// @param  offsets_first, offsets_last  integers that ascend, one more than there are segments, readable where `policy` runs; two
///              equal ones make an empty segment. With `sized_on_device(offsets, count, bound)` there are `*count` segments
/// @note   on the device one kernel for up to 2 MiB of values of up to 16 bytes, with at most 8192 offsets and not
///         more offsets than values; otherwise usually two kernels, the first of which marks where segments begin
/// @complexity  scratch on the device: with two kernels also a bit for each element
/// @throws invalid_argument  on the host also offsets that do not ascend or are greater than `last - first`. On the device such
///              offsets lead to no access outside of the input and the output; all results are unspecified
/// @snippet segmented_scan_test.cpp segmented_scan
template <execution_policy Policy, random_access_iterator Iterator, detail::offset_iterator Offsets, class Output,
          class Op = plus>
Output segmented_inclusive_scan(const Policy& policy, Iterator first, Iterator last, Offsets offsets_first,
                                Offsets offsets_last, Output out, Op op = {})
{
    using T = detail::iter_value_t<Iterator>;
    return detail::segmented_scan<detail::scan_kind::inclusive, T>(policy, first, last, out, nullptr, op, offsets_first,
                                                                   offsets_last);
}

/// @brief  `segmented_inclusive_scan` of a range in the place of its begin and end.
PARPRIMS_FORM_OF_RANGE(segmented_inclusive_scan)
/// @brief  `segmented_inclusive_scan` of a range, and a range of offsets.
PARPRIMS_FORM_OF_RANGE_AND_OFFSETS(segmented_inclusive_scan)

/// @brief  Writes to `out[i]` the combination of `init` and the elements of its segment before i. Otherwise as
///         `segmented_inclusive_scan`.
/// @param  init  the first result of each segment; its type is the type that is combined
/// @snippet segmented_scan_test.cpp segmented_scan
template <execution_policy Policy, random_access_iterator Iterator, detail::segment_size Size, class Output, class T,
          class Op = plus>
Output segmented_exclusive_scan(const Policy& policy, Iterator first, Iterator last, Size segment_size, Output out,
                                T init, Op op = {})
{
    return detail::segmented_scan<detail::scan_kind::exclusive, T>(policy, first, last, out, __builtin_addressof(init),
                                                                   op, segment_size);
}

/// @brief  `segmented_exclusive_scan` of segments of any lengths, by offsets.
/// @snippet segmented_scan_test.cpp segmented_scan
template <execution_policy Policy, random_access_iterator Iterator, detail::offset_iterator Offsets, class Output,
          class T, class Op = plus>
Output segmented_exclusive_scan(const Policy& policy, Iterator first, Iterator last, Offsets offsets_first,
                                Offsets offsets_last, Output out, T init, Op op = {})
{
    return detail::segmented_scan<detail::scan_kind::exclusive, T>(policy, first, last, out, __builtin_addressof(init),
                                                                   op, offsets_first, offsets_last);
}

/// @brief  `segmented_exclusive_scan` of a range in the place of its begin and end.
PARPRIMS_FORM_OF_RANGE(segmented_exclusive_scan)
/// @brief  `segmented_exclusive_scan` of a range, and a range of offsets.
PARPRIMS_FORM_OF_RANGE_AND_OFFSETS(segmented_exclusive_scan)

}  // namespace parprims

#include <parprims/detail/pop_macros.hpp>
