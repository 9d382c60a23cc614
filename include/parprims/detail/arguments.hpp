/// @file
/// @brief  What a call refuses when it is made, by the values of its arguments, before it calls a backend.
#pragma once

#include <parprims/detail/argument_types.hpp>
#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/iterator/traits.hpp>
#include <parprims/detail/runtime/refuse.hpp>
#include <parprims/execution.hpp>
#include <parprims/sized_on_device.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace parprims::detail {

/// The number of elements in `[first, last)`; errors name the arguments.
template <class Iterator>
std::size_t checked_count(const char* function, const Iterator& first, const Iterator& last,
                          const char* first_name = "first", const char* last_name = "last")
{
    static_assert(!is_sized<Iterator>,
                  "parprims: this call takes no size on the device; calls over several ranks take none");
    const auto distance = static_cast<std::ptrdiff_t>(last - first);
    if (distance < 0)
        runtime::refuse(function, last_name, "comes before first, by %", -distance);
    if constexpr (std::is_pointer_v<Iterator>)
        if (first == nullptr && distance > 0)
            runtime::refuse(function, first_name, "null pointer with n = %", distance);
    return static_cast<std::size_t>(distance);
}

/// Where a range begins, unwrapped, and its size: a std::size_t, or a device_size.
template <class Iterator, class Size>
struct checked_elements {
    Iterator begin;
    Size n;
};

/// The elements of `[first, last)`; errors name the arguments.
template <class Policy, class Iterator>
auto checked_range(const char* function, const Iterator& first, const Iterator& last, const char* first_name = "first",
                   const char* last_name = "last")
{
    const auto begin = detail::unwrap(first);
    using begin_type = std::remove_const_t<decltype(begin)>;
    const std::size_t n = detail::checked_count(function, begin, detail::unwrap(last), first_name, last_name);
    return checked_elements<begin_type, std::size_t>{begin, n};
}

/// A size on the device is read here if the call runs on the host.
template <class Policy, class Iterator>
auto checked_range(const char* function, const sized_iterator<Iterator>& first, const sized_iterator<Iterator>& last,
                   const char* first_name = "first", const char* last_name = "last")
{
    const auto all = detail::checked_range<Policy>(function, first.base(), last.base(), first_name, last_name);
    const device_size& size = first.size();
    if (all.n != size.bound)
        runtime::refuse(function, last_name, "a range with a size on the device is passed as a whole");
    if (size.count == nullptr)
        runtime::refuse(function, "count", "null pointer");
    using begin_type = decltype(all.begin);
    if constexpr (runs_on_host<Policy>) {
        std::uint64_t read = 0;
        __builtin_memcpy(&read, size.count, size.bytes);
        const std::uint64_t n = size.value_of(read);
        if (n > size.bound)
            runtime::refuse_size(function, n, size.is_signed, size.bound);
        return checked_elements<begin_type, std::size_t>{all.begin, static_cast<std::size_t>(n)};
    } else {
        return checked_elements<begin_type, device_size>{all.begin, size};
    }
}

/// Refuses an init in memory that is null. On the host the value is there.
template <class T>
const T& checked_init(const char* function, const device_value<T>& init)
{
    if (init.value == nullptr)
        runtime::refuse(function, "init", "null pointer");
    return *init.value;
}

/// Throws invalid_argument if two ranges of a call do not have as many elements.
template <class Keys, class Values>
void check_same_size(const char* function, const Keys& keys, const Values& values, const char* argument = "values",
                     const char* reason = "has % elements, but there are % keys")
{
    const auto n = detail::end_of(keys) - std::begin(keys);
    if (const auto count = detail::end_of(values) - std::begin(values); count != n)
        runtime::refuse(function, argument, reason, count, n);
}

/// The iterator of a second range, whose size is that of the first one.
template <class Iterator>
auto unsized(const Iterator& it)
{
    if constexpr (is_sized<Iterator>)
        return detail::unwrap(it.base());
    else
        return detail::unwrap(it);
}

/// The begin of a range that has the size of another one.
template <class Iterator>
Iterator with_size(const Iterator& first, std::size_t)
{
    return first;
}
template <class Iterator>
sized_iterator<Iterator> with_size(const Iterator& first, const device_size& size)
{
    return {first, size};
}

/// Throws invalid_argument for a null output of n > 0 elements.
template <class Iterator>
void check_output(const char* function, const char* argument, const Iterator& out, std::size_t n)
{
    if constexpr (std::is_pointer_v<Iterator>)
        if (out == nullptr && n > 0)
            runtime::refuse(function, argument, "null pointer with n = %", n);
}

/// The counters of a histogram of `axis`. Throws invalid_argument if there are none; only an axis of the user's own has none.
template <class Axis>
std::size_t checked_extent(const char* function, const Axis& axis)
{
    const std::size_t extent = axis.extent();
    if (extent == 0)
        runtime::refuse(function, "axis", "has no bins");
    return extent;
}

/// `lines * extent`: the elements of so many histograms. Throws invalid_argument if memory cannot hold as many of type T.
template <class T>
std::size_t checked_bin_product(const char* function, const char* argument, std::size_t lines, std::size_t extent)
{
    std::size_t all = 0;
    if (__builtin_mul_overflow(lines, extent, &all) || all > std::size_t{PTRDIFF_MAX} / sizeof(T))
        runtime::refuse(function, argument, "% histograms of % bins do not fit any memory", lines, extent);
    return all;
}

/// Throws invalid_argument for a null output of `count` > 0 positions or counts up to n, or one whose type cannot hold n.
template <class Output>
void check_count(const char* function, const char* argument, const Output& out, std::size_t count, std::size_t n)
{
    detail::check_output(function, argument, out, count);
    if constexpr (counter_value<iter_value_t<Output>>)
        if (n > largest_count<iter_value_t<Output>>())
            runtime::refuse(function, argument, "a number of its type is at most %, n is %",
                            largest_count<iter_value_t<Output>>(), n);
}

/// Assigns a position or a number of elements to `*out`, converted if that is a number too.
template <class Output>
void assign_count(const Output& out, std::size_t value)
{
    using target = iter_value_t<Output>;
    if constexpr (std::is_arithmetic_v<target>)
        *out = static_cast<target>(value);
    else
        *out = value;
}

/// Throws invalid_argument if `count` elements from `out` on overlap `n` elements from `first` on, which are read, or written too;
/// `reason` says so. Where a kernel finds the number of results, `count` is the largest. Nothing is known of iterators that are no
/// pointers. With `may_be_same`, each result may take the place of its element.
template <class Output, class Iterator>
void check_apart(const char* function, const char* argument, const Output& out, std::size_t count,
                 const Iterator& first, std::size_t n,
                 const char* reason = "overlaps [first, last); use separate memory", bool may_be_same = false)
{
    if constexpr (std::is_pointer_v<Iterator> && std::is_pointer_v<Output>) {
        constexpr std::size_t in_size = sizeof(std::remove_pointer_t<Iterator>);
        constexpr std::size_t out_size = sizeof(std::remove_pointer_t<Output>);
        const auto in_begin = reinterpret_cast<std::uintptr_t>(first);
        const auto out_begin = reinterpret_cast<std::uintptr_t>(out);
        const bool is_same = in_begin == out_begin && in_size == out_size;
        const bool overlaps =
            out_begin >= in_begin ? (out_begin - in_begin) / in_size < n : (in_begin - out_begin) / out_size < count;
        if (count != 0 && n != 0 && overlaps && !(may_be_same && is_same))
            runtime::refuse(function, argument, reason);
    }
}

/// Throws invalid_argument where `n` results overlap their input, unless each takes the place of its element.
template <class Output, class Iterator>
void check_in_place(const char* function, const Output& out, const Iterator& first, std::size_t n)
{
    detail::check_apart(function, "out", out, n, first, n,
                        "overlaps [first, last) in part; use out == first or separate memory", true);
}

/// The init of a scan on the device to `n` results from `out` on.
template <class T, class Output>
scan_init<T> checked_scan_init(const char*, const T* init, const Output&, std::size_t)
{
    return {init};
}
template <class T, class Output>
device_scan_init<T> checked_scan_init(const char* function, const device_value<T>* init, const Output& out,
                                      std::size_t n)
{
    detail::checked_init(function, *init);
    detail::check_apart(function, "out", out, n, init->value, 1, "overlaps init; use separate memory");
    return {init->value};
}

}  // namespace parprims::detail
