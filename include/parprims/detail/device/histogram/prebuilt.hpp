/// @file
/// @brief  What the compiled library holds of histograms on the CUDA backend, for callers that are plain C++.
#pragma once

#include <parprims/axis.hpp>
#include <parprims/config.hpp>
#include <parprims/detail/device/call/prebuilt.hpp>
#include <parprims/detail/iterator/traits.hpp>
#include <parprims/detail/numeric/integers.hpp>
#include <parprims/execution.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace parprims::detail::device {

/// The list of prebuilt counters; its values are those of prebuilt.hpp.
template <class Counter>
concept prebuilt_counter = std::is_same_v<Counter, std::uint32_t> || std::is_same_v<Counter, std::uint64_t>;

/// Explicitly instantiated in lib/instances for every value and counter of the list.
template <prebuilt_value T, prebuilt_counter Counter>
struct prebuilt_histogram : in_compiled_library<T> {
    static void count(const char* function, const device_policy& policy, const T* first, std::size_t n,
                      const regular_axis<T>& axis, Counter* counts);
};

/// An axis with bounds of the fixed-width type.
template <class T>
regular_axis<fixed_width_t<T>> as_fixed_width(const regular_axis<T>& axis)
{
    if constexpr (std::is_same_v<T, fixed_width_t<T>>) {
        return axis;
    } else {
        const regular_axis<fixed_width_t<T>> same(axis.bins(), axis.edge(0), axis.edge(axis.bins()));
        return axis.has_flow() ? same.with_flow() : same;
    }
}

#if !(PARPRIMS_HAS_CUDA && PARPRIMS_CUDA_COMPILER)  // there, callable.hpp has it
/// Fails to compile if a histogram is not in the compiled library. False where more errors would follow.
template <class Iterator, class Axis, class Counts>
constexpr bool check_histogram_call()
{
#if PARPRIMS_HAS_CUDA
    using value = iter_value_t<Iterator>;
    constexpr bool is_listed = prebuilt_value<fixed_width_t<value>> && std::is_pointer_v<Iterator> &&
                               std::is_pointer_v<Counts> && prebuilt_counter<fixed_width_t<iter_value_t<Counts>>> &&
                               std::is_same_v<Axis, regular_axis<value>>;
    static_assert(is_listed,
                  "parprims: this histogram is not in the compiled library; compile this file as CUDA (with nvcc)");
    return is_listed;
#else
    return true;
#endif
}
#endif

}  // namespace parprims::detail::device
