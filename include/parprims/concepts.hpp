/// @file
/// @brief  What the algorithms require of iterators and ranges.
#pragma once

#include <parprims/detail/push_macros.hpp>  // first

#include <parprims/config.hpp>

#include <array>  // declares the iterator traits and std::begin; <iterator> also includes streams, which cost nvcc half a second
#include <concepts>
#include <cstddef>
#include <type_traits>

namespace parprims {

/// @brief  The requirements of the algorithms: an iterator can be copied, moved by a distance, read and subtracted.
///
/// Every `std::random_access_iterator` is one. Default construction and assignment are not required, so that an iterator may
/// hold a lambda with captures.
/// @snippet reference.cpp random_access_iterator
template <class Iterator>
concept random_access_iterator =
    std::copy_constructible<Iterator> && requires(const Iterator& it, std::ptrdiff_t distance) {
        {
            it + distance
        } -> std::convertible_to<Iterator>;
        {
            it - it
        } -> std::convertible_to<std::ptrdiff_t>;
        *it;
        requires !std::is_void_v<decltype(*it)>;
    };

/// @brief  The requirements on a range: `begin` is a `random_access_iterator`; `end` is one too, or its sentinel.
/// @snippet reference.cpp random_access_range
template <class Range>
concept random_access_range = requires(Range& range) {
    requires random_access_iterator<decltype(std::begin(range))>;
    requires random_access_iterator<decltype(std::end(range))> ||
                 (std::random_access_iterator<decltype(std::begin(range))> &&
                  std::sentinel_for<decltype(std::end(range)), decltype(std::begin(range))> &&
                  !std::same_as<decltype(std::end(range)), std::unreachable_sentinel_t>);
};

template <class T>
class device_buffer;

namespace detail {

/// Tells a device_buffer from other ranges, without its header.
template <class Range>
inline constexpr bool is_device_buffer = false;
template <class T>
inline constexpr bool is_device_buffer<device_buffer<T>> = true;

}  // namespace detail

}  // namespace parprims

#include <parprims/detail/pop_macros.hpp>
