/// @file
/// @brief  Segmented reductions in the compiled library, for callers in plain C++.
#pragma once

#include <parprims/detail/contract/segments.hpp>
#include <parprims/detail/device/call/prebuilt.hpp>
#include <parprims/execution.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace parprims::detail::device {

/// Offsets in memory as unsigned integers of their size: those that ascend are not negative.
template <class Offset>
using prebuilt_offset = std::conditional_t<sizeof(Offset) == 4, std::uint32_t, std::uint64_t>;
template <class Offsets>
concept prebuilt_offsets = std::is_pointer_v<Offsets> && std::integral<std::remove_pointer_t<Offsets>> &&
                           (sizeof(std::remove_pointer_t<Offsets>) == 4 || sizeof(std::remove_pointer_t<Offsets>) == 8);

/// Segments in the form that the library has functions for.
template <class Segments>
struct prebuilt_form {
    static constexpr bool is_listed = false;
};
template <>
struct prebuilt_form<fixed_segments> {
    static constexpr bool is_listed = true;
    static const fixed_segments& of(const fixed_segments& segments) { return segments; }
};
template <prebuilt_offsets Offsets>
struct prebuilt_form<offset_segments<Offsets>> {
    static constexpr bool is_listed = true;
    using offset = prebuilt_offset<std::remove_pointer_t<Offsets>>;
    static offset_segments<const offset*> of(const offset_segments<Offsets>& segments)
    {
        return {reinterpret_cast<const offset*>(segments.offsets), segments.n, segments.count};
    }
};

/// Sums. Explicitly instantiated in lib/instances for every prebuilt value type.
template <prebuilt_value T>
struct prebuilt_segments : in_compiled_library<T> {
    static void reduce(const char* function, const device_policy& policy, const fixed_segments& segments,
                       const T* first, T* out, T init);
    static void reduce(const char* function, const device_policy& policy,
                       const offset_segments<const std::uint32_t*>& segments, const T* first, T* out, T init);
    static void reduce(const char* function, const device_policy& policy,
                       const offset_segments<const std::uint64_t*>& segments, const T* first, T* out, T init);
};

}  // namespace parprims::detail::device
