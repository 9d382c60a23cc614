// The calls that compare values: integers with and without a sign differ.
#pragma once

#include "calls.inl.hpp"

#include <parprims/axis.hpp>
#include <parprims/detail/contract/extreme.hpp>
#include <parprims/detail/device/extremes/backend.hpp>
#include <parprims/detail/device/histogram/backend.hpp>

namespace parprims::detail::device {

PARPRIMS_REDUCE_AND_SCAN(minimum)
PARPRIMS_REDUCE_AND_SCAN(maximum)

#define PARPRIMS_COMPARING(Size)                                                                                      \
    template struct prebuilt<histogram_call, void, device_policy, value*, Size, regular_axis<value>, std::uint32_t*>; \
    template struct prebuilt<histogram_call, void, device_policy, value*, Size, regular_axis<value>, std::uint64_t*>; \
    PARPRIMS_EXTREMES(minimum, Size)                                                                                  \
    PARPRIMS_EXTREMES(maximum, Size)                                                                                  \
    PARPRIMS_EXTREMES(both, Size)
#define PARPRIMS_EXTREMES(Which, Size)                                                                              \
    template struct prebuilt<extremes_call<extreme::Which>, positions<extreme_search<extreme::Which, less>::count>, \
                             device_policy, value*, Size, less>;                                                    \
    template struct prebuilt<extremes_call<extreme::Which>, void, device_policy, value*, Size, less,                \
                             positions_output<std::uint64_t*>>;
PARPRIMS_COMPARING(size)
PARPRIMS_COMPARING(device_size)

}  // namespace parprims::detail::device
