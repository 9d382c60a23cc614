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

template struct prebuilt<histogram_call, void, device_policy, value*, size, regular_axis<value>, std::uint32_t*>;
template struct prebuilt<histogram_call, void, device_policy, value*, size, regular_axis<value>, std::uint64_t*>;

#define PARPRIMS_EXTREMES(Which)                                                                                    \
    template struct prebuilt<extremes_call<extreme::Which>, positions<extreme_search<extreme::Which, less>::count>, \
                             device_policy, value*, size, less>;                                                    \
    template struct prebuilt<extremes_call<extreme::Which>, void, device_policy, value*, size, less,                \
                             positions_output<std::uint64_t*>>;
PARPRIMS_EXTREMES(minimum)
PARPRIMS_EXTREMES(maximum)
PARPRIMS_EXTREMES(both)

}  // namespace parprims::detail::device
