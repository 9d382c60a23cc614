// The members of prebuilt_weighted, which lib/instances/*.cu instantiate.
#pragma once

#include <parprims/detail/device/weighted/backend.hpp>
#include <parprims/detail/device/weighted/prebuilt.hpp>

namespace parprims::detail::device {

template <prebuilt_weight T, weight_sum Sum>
void prebuilt_weighted<T, Sum>::add(const weighted_call& call, const device_policy& policy, const T* first,
                                    std::size_t n, const T* weights, const regular_axis<T>& axis, Sum* sums)
{
    device::weighted_histogram(call, policy, first, n, weights, axis, sums);
}

}  // namespace parprims::detail::device
