/// @file
/// @brief  Sums by key and segmented running sums in the compiled library, for callers in plain C++.
#pragma once

#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/contract/segments.hpp>
#include <parprims/detail/device/call/prebuilt.hpp>
#include <parprims/detail/device/segmented/prebuilt.hpp>
#include <parprims/execution.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace parprims::detail::device {

/// Integers are equal, and add up, alike with and without a sign: the library has functions for unsigned ones only.
template <class T>
using prebuilt_sum = std::conditional_t<std::is_floating_point_v<T>, T, prebuilt_offset<T>>;

/// A pointer as one to the type that the library has functions for. The host does not access what it points to.
template <class T>
auto as_prebuilt_sum(T* pointer)
{
    using sum = prebuilt_sum<std::remove_const_t<T>>;
    return reinterpret_cast<std::conditional_t<std::is_const_v<T>, const sum*, sum*>>(pointer);
}

/// Explicitly instantiated in lib/instances for keys of 32 and 64 bits and every prebuilt_sum.
template <class Key, class T>
struct prebuilt_by_key : in_compiled_library<T> {
    static std::size_t reduce(const char* function, const device_policy& policy, const Key* keys, std::size_t n,
                              const T* values, Key* keys_out, T* values_out);
    static void scan(const char* function, const device_policy& policy, scan_kind kind, const Key* keys, std::size_t n,
                     const T* values, T* out, const T* init);
};

/// Explicitly instantiated in lib/instances for every prebuilt_sum.
template <class T>
struct prebuilt_segmented_scan : in_compiled_library<T> {
    static void scan(const char* function, const device_policy& policy, scan_kind kind, const fixed_segments& segments,
                     const T* first, T* out, const T* init);
    static void scan(const char* function, const device_policy& policy, scan_kind kind,
                     const offset_segments<const std::uint32_t*>& segments, const T* first, T* out, const T* init);
    static void scan(const char* function, const device_policy& policy, scan_kind kind,
                     const offset_segments<const std::uint64_t*>& segments, const T* first, T* out, const T* init);
};

}  // namespace parprims::detail::device
