/// @file
/// @brief  Searches for extremes in the compiled library, for callers in plain C++.
#pragma once

#include <parprims/detail/contract/extreme.hpp>
#include <parprims/detail/device/call/prebuilt.hpp>
#include <parprims/execution.hpp>
#include <parprims/functional.hpp>

#include <cstddef>
#include <cstdint>

namespace parprims::detail::device {

/// Explicitly instantiated in lib/instances for every prebuilt value type.
template <prebuilt_value T, extreme Which>
struct prebuilt_extremes : in_compiled_library<T> {
    using search_type = extreme_search<Which, less>;

    static positions<search_type::count> find(const char* function, const device_policy& policy, const T* first,
                                              std::size_t n);
    static void find_into(const char* function, const device_policy& policy, const T* first, std::size_t n,
                          std::uint64_t* out);
};

}  // namespace parprims::detail::device
