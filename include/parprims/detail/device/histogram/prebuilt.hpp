/// @file
/// @brief  What the compiled library holds of histograms on the CUDA backend, for callers that are plain C++.
#pragma once

#include <parprims/axis.hpp>
#include <parprims/detail/device/launch/prebuilt.hpp>
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

}  // namespace parprims::detail::device
