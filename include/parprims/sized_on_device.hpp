/// @file
/// @brief  Ranges whose size lies in device memory, and inits that lie there, so that a pipeline of calls need not wait for them.
#pragma once

#include <parprims/detail/push_macros.hpp>  // first

#include <parprims/concepts.hpp>
#include <parprims/config.hpp>
#include <parprims/detail/contract/segments.hpp>
#include <parprims/detail/iterator/traits.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace parprims {

namespace detail {

/// A size in device memory, and its bound, by which the host plans a call.
struct device_size {
    const void* count;
    std::size_t bound;
    unsigned bytes;  // of `*count`, an integer
    bool is_signed;

    constexpr operator std::size_t() const { return bound; }

    /// The size, of the bytes at `count`. More than the bound if it is negative.
    PARPRIMS_HOST_DEVICE constexpr std::uint64_t value_of(std::uint64_t read) const
    {
        const unsigned above = 64 - 8 * bytes;
        return is_signed ? static_cast<std::uint64_t>(static_cast<std::int64_t>(read << above) >> above) : read;
    }
};

/// Segments whose number lies in device memory. `count` is its bound.
template <class Offsets>
struct late_segments : offset_segments<Offsets> {
    device_size size;
};

/// A position in a range with a size in device memory.
template <class Iterator>
class sized_iterator {
public:
    constexpr sized_iterator(Iterator at, const device_size& size) : at_(at), size_(size) {}

    constexpr decltype(auto) operator*() const { return *at_; }
    constexpr sized_iterator operator+(std::ptrdiff_t distance) const { return {at_ + distance, size_}; }
    constexpr std::ptrdiff_t operator-(const sized_iterator& from) const { return at_ - from.at_; }
    constexpr const Iterator& base() const { return at_; }
    constexpr const device_size& size() const { return size_; }

private:
    Iterator at_;
    device_size size_;
};

/// An init in device memory.
template <class T>
struct device_value {
    const T* value;
};

template <class Init>
inline constexpr bool is_device_value = false;
template <class T>
inline constexpr bool is_device_value<device_value<T>> = true;

/// An init of a scan in device memory, in the place of a scan_init.
template <class T>
struct device_scan_init {
    const T* value;
};

/// The type of the value of an init.
template <class Init>
struct init_value {
    using type = Init;
};
template <class T>
struct init_value<device_value<T>> {
    using type = T;
};
template <class Init>
using init_value_t = typename init_value<Init>::type;

template <class Iterator>
inline constexpr bool is_sized = false;
template <class Iterator>
inline constexpr bool is_sized<sized_iterator<Iterator>> = true;

}  // namespace detail

/// @brief  What `sized_on_device` returns. A call takes it where it takes a range, or its `begin()` and `end()`.
/// @snippet sized_test.cpp sized_range
template <random_access_iterator Iterator>
class sized_range {
public:
    constexpr sized_range(Iterator first, const detail::device_size& size) : first_(first), size_(size) {}

    constexpr detail::sized_iterator<Iterator> begin() const { return {first_, size_}; }
    constexpr detail::sized_iterator<Iterator> end() const
    {
        return {first_ + static_cast<std::ptrdiff_t>(size_.bound), size_};
    }

private:
    Iterator first_;
    detail::device_size size_;
};

/// @brief  The range of the first `*count` elements from `first` on. The host knows `bound` alone: a call on the device reads `*count`
///         when it runs, so a call before it in the stream may write it, and a captured graph serves every size up to the bound.
///
/// The results have the same bits as with that size from the host. Outputs need room for `bound` results.
///
/// In the place of the offsets of a segmented call, `*count` is the number of segments, at most `bound`. There is one offset more than
/// segments, so `bound + 1` offsets at most.
///
/// @param  count  points to an integer, in memory that can be read where the policy runs. A call that takes the range must not write it
/// @note   a size that is negative or above the bound: the call reads and writes no element. On the host it throws `invalid_argument` at
///         once; on the device the next call that waits in the stream does: `stream.synchronize()`, `to_host()`, or a call that
///         returns a value. If the call was captured, the next call that waits in any stream of the GPU throws
/// @snippet sized_test.cpp sized_on_device
template <random_access_iterator Iterator, class Count>
constexpr sized_range<Iterator> sized_on_device(Iterator first, Count count, std::size_t bound)
{
    using pointer = detail::unwrapped_t<Count>;
    using number = std::remove_cv_t<std::remove_pointer_t<pointer>>;
    constexpr bool holds = std::is_pointer_v<pointer> && std::integral<number> && sizeof(number) <= 8;
    static_assert(holds, "parprims: the count of sized_on_device must point to an integer");
    if constexpr (holds)
        return {first, {detail::unwrap(count), bound, sizeof(number), std::is_signed_v<number>}};
    else
        return {first, {}};
}

/// @brief  An init of a reduction or a scan that lies in device memory. A call on the device reads it when it runs, so a call before it
///         in the stream may write it.
///
/// @param  pointer  to one value. `reduce_into` and `transform_reduce_into` may write their result to it; scans may not
/// @snippet sized_test.cpp value_at
template <class Pointer>
constexpr auto value_at(Pointer pointer)
{
    using raw = detail::unwrapped_t<Pointer>;
    static_assert(std::is_pointer_v<raw>, "parprims: value_at takes a pointer, or a contiguous iterator");
    return detail::device_value<std::remove_cv_t<std::remove_pointer_t<raw>>>{detail::unwrap(pointer)};
}

}  // namespace parprims

#include <parprims/detail/pop_macros.hpp>
