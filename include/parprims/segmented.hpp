/// @file
/// @brief  segmented_reduce: a reduction of each segment of a range.
///
/// Compiles fast: include error.hpp to catch errors.
#pragma once

#include <parprims/detail/push_macros.hpp>  // first

#include <parprims/config.hpp>
#include <parprims/detail/arguments.hpp>
#include <parprims/detail/contract/segments.hpp>
#include <parprims/detail/device/segmented/backend.hpp>
#include <parprims/detail/host/segmented.hpp>
#include <parprims/detail/iterator/traits.hpp>
#include <parprims/execution.hpp>
#include <parprims/functional.hpp>

#include <concepts>
#include <cstddef>
#include <type_traits>

namespace parprims {

namespace detail {

/// A number of elements of a segment.
template <class Type>
concept segment_size = std::integral<Type> && !std::same_as<Type, bool> && sizeof(Type) <= sizeof(std::size_t);
template <class Iterator>
concept offset_iterator = random_access_iterator<Iterator> && segment_size<iter_value_t<Iterator>>;

template <class Policy, segment_size Size>
fixed_segments checked_segments(const char* function, std::size_t n, Size size)
{
    if (size < 1)
        runtime::refuse(function, "segment_size", "must be at least 1, not %", size);
    return fixed_segments::of(n, static_cast<std::size_t>(size));
}

/// Rows of an array, which a call along dimensions has checked.
template <class Policy>
fixed_segments checked_segments(const char*, std::size_t, const fixed_segments& rows)
{
    return rows;
}

/// On the host, refuses offsets that do not ascend or are greater than `n`.
template <class Policy, class Offsets>
offset_segments<Offsets> checked_segments(const char* function, std::size_t n, Offsets first, Offsets last)
{
    const std::size_t count = detail::checked_count(function, first, last, "offsets_first", "offsets_last");
    const offset_segments<Offsets> segments{first, n, count == 0 ? 0 : count - 1};
    if constexpr (std::same_as<Policy, host_policy>) {
        std::size_t before = 0;
        for (std::size_t s = 0; s < count; ++s) {
            const auto offset = *(first + static_cast<std::ptrdiff_t>(s));
            if (static_cast<std::size_t>(offset) > n)  // negative ones, too
                runtime::refuse(function, "offsets", "offset % is %, not from 0 to the % elements", s, offset, n);
            if (static_cast<std::size_t>(offset) < before)
                runtime::refuse(function, "offsets", "offset % is %, less than the % before it", s, offset, before);
            before = static_cast<std::size_t>(offset);
        }
    }
    return segments;
}

/// Offsets of `sized_on_device`: the size in device memory is the number of segments; there is one offset more.
template <class Policy, class Offsets>
auto checked_segments(const char* function, std::size_t n, const sized_iterator<Offsets>& first,
                      const sized_iterator<Offsets>& last)
{
    const auto [begin, count] = detail::checked_range<Policy>(function, first, last, "offsets_first", "offsets_last");
    if constexpr (std::same_as<Policy, host_policy>)
        return detail::checked_segments<Policy>(function, n, begin, begin + static_cast<std::ptrdiff_t>(count + 1));
    else
        return late_segments<std::remove_const_t<decltype(begin)>>{{begin, n, count.bound}, count};
}

/// Refuses `count` results at `out` that overlap the offsets.
template <class Output, class Segments>
void check_apart_from_offsets(const char* function, const char* argument, const Output& out, std::size_t count,
                              const Segments& segments)
{
    if constexpr (Segments::is_searched)
        detail::check_apart(function, argument, out, count, segments.offsets, segments.count + 1,
                            "overlaps the offsets; use separate memory");
}

/// What segmented reductions do with an operator. exact_plus.hpp has that of exact sums.
template <class Op>
struct segmented_reduction {
    using device_call = device::segmented_reduce_call;

    /// Whether the call is that of another operator, which rounds its values.
    template <class T, class Iterator>
    static constexpr bool is_converted = false;

    /// Refuses types that the call cannot combine.
    template <class T, class Iterator>
    static constexpr bool check()
    {
        return check_values<T, Iterator, Op, identity>();
    }

    template <class Segments, class Iterator, class Output, class T>
    static void on_host(unsigned threads, const Segments& segments, Iterator first, const Output& out, const T& init,
                        Op op)
    {
        host::segmented_reduce(threads, segments, first, out, init, op);
    }
};

/// Checks the arguments and calls the backend of the policy. `where`: the size of the segments, or their offsets.
template <class Policy, class Iterator, class Output, class T, class Op, class... Where>
Output segmented_reduce(const Policy& policy, Iterator first, Iterator last, Output out, const T& init, Op op,
                        Where... where)
{
    if constexpr (is_modular_sum<Op, T>) {
        return detail::segmented_reduce(policy, first, last, out, init, plus{}, where...);
    } else if constexpr (segmented_reduction<Op>::template is_converted<T, Iterator>) {
        return segmented_reduction<Op>::converted(policy, first, last, out, init, where...);
    } else if constexpr (check_one_process<Policy>() && check_assignable<T>() && check_output_type<Output>() &&
                         segmented_reduction<Op>::template check<T, Iterator>() && check_results<Output, T>()) {
        constexpr const char* function = "parprims::segmented_reduce";
        const auto begin = detail::unwrap(first);
        const auto target = detail::unwrap(out);
        const std::size_t n = detail::checked_count(function, begin, detail::unwrap(last));
        const auto segments = detail::checked_segments<Policy>(function, n, detail::unwrap(where)...);
        detail::check_output(function, "out", target, segments.count);
        detail::check_apart(function, "out", target, segments.count, begin, n);
        detail::check_apart_from_offsets(function, "out", target, segments.count, segments);
        if constexpr (std::same_as<Policy, host_policy>)
            segmented_reduction<Op>::on_host(policy.threads(), segments, begin, target, init, op);
        else
            device::call<typename segmented_reduction<Op>::device_call>(function, device_policy(policy), segments,
                                                                        begin, target, init, op);
        return out + static_cast<std::ptrdiff_t>(segments.count);
    }
}

}  // namespace detail

PARPRIMS_OTHER_ARGUMENTS(
    segmented_reduce,
    "first, last (or a range), segment_size or offsets, out, init, op; a size is an integer, and so are offsets")

/// @brief  Reduces each segment of `segment_size` elements of `[first, last)` and writes its value to `out`.
///
/// `out[i]` has the bits of `reduce` of segment i with `init` and `op` (docs/order-contract.md). The last segment has the
/// elements that are left, so it may be shorter.
///
/// @param  out   where the first value goes; one for each segment. Must not overlap the input or the offsets, nor be of a
///               vector<bool>, whose elements share words
/// @param  init  combined with each segment once, last; its type is the type of the values
/// @param  op    as for `reduce`, also `exact_plus`
/// @return the end of the values
/// @pre    the range is readable and `out` writable where `policy` runs; otherwise as `reduce`
/// @note   on the device the call enqueues one kernel, or two if segments have more elements than a chunk of the order contract and
///         the input has more than a few chunks, and returns; it may be captured into a CUDA graph
/// @complexity  `last - first` applications of `op`; one pass over the input. Scratch on the device: none if segments are no longer
///              than a chunk (8 KiB of float), otherwise about 0.3 % of the bytes of the input for float
/// @throws invalid_argument  null range, `last < first`, null `out`, `segment_size` less than 1, an `out` that overlaps
///              the input or the offsets, memory the device cannot reach
/// @throws out_of_memory, cuda_error  as `reduce`
/// @source  Merrill and Garland, "Merge-based Parallel Sparse Matrix-Vector Multiplication"
/// @snippet segmented_test.cpp segmented_reduce
template <execution_policy Policy, random_access_iterator Iterator, detail::segment_size Size, class Output, class T,
          class Op = plus>
Output segmented_reduce(const Policy& policy, Iterator first, Iterator last, Size segment_size, Output out, T init,
                        Op op = {})
{
    return detail::segmented_reduce(policy, first, last, out, init, op, segment_size);
}

/// @brief  Reduces segments of any lengths: segment i begins at offset i and ends before offset i + 1, as the rows of a CSR matrix.
///
/// Otherwise as `segmented_reduce` of segments of one size. The lengths may differ as much as they like: a long segment is the work
/// of several warps or blocks. Elements before the first offset and from the last one on belong to no segment.
///
/// @param  offsets_first, offsets_last  integers that ascend, one more than there are segments, readable where `policy` runs; two
///              equal ones make an empty segment, whose value is `init`. With `sized_on_device(offsets, count, bound)` there are
///              `*count` segments
/// @note   on the device up to three kernels: for many segments the first one searches the offsets
/// @complexity  as above, and a search of the offsets for each part of the input that a block takes (40 KiB of a large input);
///              scratch as for segments longer than a chunk
/// @throws invalid_argument  on the host also offsets that do not ascend or are greater than `last - first`. On the device such
///              offsets lead to no access outside of the input and the output; the values of their segments are unspecified, and
///              `op` may be called with values that are no part of the input
/// @snippet segmented_test.cpp segmented_reduce_offsets
template <execution_policy Policy, random_access_iterator Iterator, detail::offset_iterator Offsets, class Output,
          class T, class Op = plus>
Output segmented_reduce(const Policy& policy, Iterator first, Iterator last, Offsets offsets_first,
                        Offsets offsets_last, Output out, T init, Op op = {})
{
    return detail::segmented_reduce(policy, first, last, out, init, op, offsets_first, offsets_last);
}

/// @brief  `segmented_reduce` of a range in the place of its begin and end.
PARPRIMS_FORM_OF_RANGE(segmented_reduce)
/// @brief  `segmented_reduce` of a range, and a range of offsets.
PARPRIMS_FORM_OF_RANGE_AND_OFFSETS(segmented_reduce)

}  // namespace parprims

#include <parprims/detail/pop_macros.hpp>
