/// @file
/// @brief  What the compiled library holds of weighted histograms on the CUDA backend, for callers that are plain C++.
#pragma once

#include <parprims/axis.hpp>
#include <parprims/config.hpp>
#include <parprims/detail/contract/weights.hpp>
#include <parprims/detail/device/call/prebuilt.hpp>
#include <parprims/detail/iterator/traits.hpp>
#include <parprims/execution.hpp>

#include <cstddef>
#include <type_traits>

namespace parprims::detail::device {

/// The list of prebuilt samples, which have weights of their own type.
template <class T>
concept prebuilt_weight = std::is_same_v<T, float> || std::is_same_v<T, double>;

/// Explicitly instantiated in lib/instances for every T of the list and every sum. profile_bin is one.
template <prebuilt_weight T, weight_sum Sum>
struct prebuilt_weighted : in_compiled_library<T> {
    static void add(const weighted_call& call, const device_policy& policy, const T* first, std::size_t n,
                    const T* weights, const regular_axis<T>& axis, Sum* sums);
};

#if !(PARPRIMS_HAS_CUDA && PARPRIMS_CUDA_COMPILER)  // there, backend.hpp has it
/// Fails to compile if a weighted histogram is not in the compiled library. False where more errors would follow.
template <class Iterator, class Weights, class Axis, class Sums>
constexpr bool check_weighted_call()
{
    using value = iter_value_t<Iterator>;
    return check_listed < prebuilt_weight<value> && std::is_pointer_v<Iterator> && std::is_pointer_v<Weights> &&
               std::is_same_v<iter_value_t<Weights>, value> && std::is_pointer_v<Sums> && std::is_same_v < Axis,
           regular_axis < value >>> ();
}
#endif

}  // namespace parprims::detail::device
