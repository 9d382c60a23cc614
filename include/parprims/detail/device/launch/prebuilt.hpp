/// @file
/// @brief  The part of the CUDA backend in the compiled library, for callers in plain C++.
#pragma once

#include <parprims/detail/order.hpp>
#include <parprims/execution.hpp>
#include <parprims/functional.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace parprims::detail::device {

/// The prebuilt value types and operators. Those of histograms are in histogram/prebuilt.hpp.
template <class T>
concept prebuilt_value =
    std::is_same_v<T, std::int32_t> || std::is_same_v<T, std::uint32_t> || std::is_same_v<T, std::int64_t> ||
    std::is_same_v<T, std::uint64_t> || std::is_same_v<T, float> || std::is_same_v<T, double>;
template <class Op>
concept prebuilt_operator = std::is_same_v<Op, plus> || std::is_same_v<Op, minimum> || std::is_same_v<Op, maximum>;

/// Whether a call with these types is in the compiled library.
template <class T, class Iterator, class Op, class Transform>
concept prebuilt_call = prebuilt_value<T> && prebuilt_operator<Op> && std::is_same_v<Transform, identity> &&
                        (std::is_same_v<Iterator, T*> || std::is_same_v<Iterator, const T*>);

/// What plain C++ calls in the compiled library. A header-only build has none; only calls that need it are refused.
template <class T>
struct in_compiled_library {
#if defined(PARPRIMS_HEADER_ONLY)
    static_assert(sizeof(T) == 0,
                  "parprims::headers has no kernels for g++: compile this file as CUDA (with nvcc), or link "
                  "parprims::parprims");
#endif
};

/// Explicitly instantiated in lib/instances for every prebuilt value type and operator.
template <prebuilt_value T, prebuilt_operator Op>
struct prebuilt : in_compiled_library<T> {
    static T reduce(const char* function, const device_policy& policy, const T* first, std::size_t n, T init);
    static void reduce_into(const char* function, const device_policy& policy, const T* first, std::size_t n, T* output,
                            T init);
    static void scan(const char* function, const device_policy& policy, scan_kind kind, const T* first, std::size_t n,
                     T* out, const T* init);
    static void scan(const char* function, const basic_device_policy<three_phase_scan>& policy, scan_kind kind,
                     const T* first, std::size_t n, T* out, const T* init);
};

}  // namespace parprims::detail::device
