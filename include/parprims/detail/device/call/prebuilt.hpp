/// @file
/// @brief  The part of the CUDA backend in the compiled library, for callers in plain C++.
///
/// What plain C++ compiles of the backends is in the inline namespace `plain`. Otherwise the linker could take such a function for
/// the one that nvcc compiled from the same name and types, in the library, and the call would call itself.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/iterator/traits.hpp>
#include <parprims/detail/numeric/integers.hpp>
#include <parprims/execution.hpp>
#include <parprims/functional.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace parprims::detail::device {

/// The prebuilt value types. Those of histograms are in histogram/prebuilt.hpp.
template <class T>
concept prebuilt_value =
    std::is_same_v<T, std::int32_t> || std::is_same_v<T, std::uint32_t> || std::is_same_v<T, std::int64_t> ||
    std::is_same_v<T, std::uint64_t> || std::is_same_v<T, float> || std::is_same_v<T, double>;

/// A pointer to integers as one to the fixed-width type of their size: the library holds functions for these only. The host
/// does not access what it points to.
template <class T>
auto as_fixed_width(T* pointer)
{
    using fixed = fixed_width_t<std::remove_const_t<T>>;
    return reinterpret_cast<std::conditional_t<std::is_const_v<T>, const fixed*, fixed*>>(pointer);
}

#if !(PARPRIMS_HAS_CUDA && PARPRIMS_CUDA_COMPILER)  // there, callable.hpp has it
/// Fails to compile if a reduction or a scan is not in the compiled library. False where more errors would follow.
template <class T, class Iterator, class Op, class Transform, class Output = T*>
constexpr bool check_call()
{
#if PARPRIMS_HAS_CUDA
    using value = iter_value_t<Iterator>;
    constexpr bool is_listed = basic_operator<Op> && std::is_same_v<Transform, identity> &&
                               prebuilt_value<fixed_width_t<value>> && std::is_pointer_v<Iterator>;
    constexpr bool is_converted = !std::is_same_v<value, T> || !std::is_same_v<Output, T*>;
    static_assert(
        !is_listed || !is_converted,
        "parprims: init and out must have the type of the elements, as 0.0f has for float; for other types compile "
        "this file as CUDA (with nvcc)");
    static_assert(is_listed,
                  "parprims: this call is not in the compiled library; compile this file as CUDA (with nvcc)");
    return is_listed && !is_converted;
#else
    return true;
#endif
}

/// The same for a call that is in it if `IsListed`.
template <bool IsListed>
constexpr bool check_listed()
{
    static_assert(!PARPRIMS_HAS_CUDA || IsListed,
                  "parprims: this call is not in the compiled library; compile this file as CUDA (with nvcc)");
    return !PARPRIMS_HAS_CUDA || IsListed;
}

/// The same for a call that is never in it.
template <class T, class... Functions>
constexpr bool check_kernel_call()
{
    return check_listed<sizeof(T) == 0>();
}
#endif

/// Base of what plain C++ calls in the compiled library. In a header-only build such a call does not compile.
template <class T>
struct in_compiled_library {
#if defined(PARPRIMS_HEADER_ONLY)
    static_assert(sizeof(T) == 0,
                  "parprims::headers has no kernels for g++: compile this file as CUDA (with nvcc), or link "
                  "parprims::parprims");
#endif
};

/// Explicitly instantiated in lib/instances for every `prebuilt_value` and `basic_operator`.
template <prebuilt_value T, basic_operator Op>
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
