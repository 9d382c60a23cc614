// The calls of samples that have weights, or values of a profile.
#pragma once

#include "calls.inl.hpp"

#include <parprims/axis.hpp>
#include <parprims/detail/contract/weights.hpp>
#include <parprims/detail/device/weighted/backend.hpp>

namespace parprims::detail::device {

#define PARPRIMS_WEIGHTED(Sum)           \
    PARPRIMS_WEIGHTED_OF_SIZE(size, Sum) \
    PARPRIMS_WEIGHTED_OF_SIZE(device_size, Sum)
#define PARPRIMS_WEIGHTED_OF_SIZE(Size, Sum)                                                                    \
    template struct prebuilt<weighted_histogram_call, void, device_policy, weighted_call, value*, Size, value*, \
                             regular_axis<value>, Sum*>;
PARPRIMS_WEIGHTED(float)
PARPRIMS_WEIGHTED(double)
PARPRIMS_WEIGHTED(weighted_sum<float>)
PARPRIMS_WEIGHTED(weighted_sum<double>)
PARPRIMS_WEIGHTED(profile_bin<float>)
PARPRIMS_WEIGHTED(profile_bin<double>)

}  // namespace parprims::detail::device
