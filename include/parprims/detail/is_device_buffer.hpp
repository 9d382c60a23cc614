/// @file
/// @brief  Tells a device_buffer from other ranges, without its header.
#pragma once

namespace parprims {

template <class T>
class device_buffer;

}  // namespace parprims

namespace parprims::detail {

template <class Range>
inline constexpr bool is_device_buffer = false;
template <class T>
inline constexpr bool is_device_buffer<device_buffer<T>> = true;

}  // namespace parprims::detail
