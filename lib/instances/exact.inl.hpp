// Exact sums.
#pragma once

#include "calls.inl.hpp"

#include <parprims/detail/device/exact/backend.hpp>
#include <parprims/exact_plus.hpp>
#include <parprims/iterator.hpp>

namespace parprims::detail::device {

#define PARPRIMS_EXACT(Size)                                                                                          \
    template struct prebuilt<exact_sum_call, value, device_policy, value*, Size, value, exact_plus, identity>;        \
    template struct prebuilt<exact_sum_call, void, device_policy, value*, Size, value, exact_plus, identity, value*>; \
    template struct prebuilt<exact_sum_call, value, device_policy, zip_iterator<value*, value*>, Size, value,         \
                             exact_plus, of_pair<multiplies>>;
PARPRIMS_EXACT(size)
PARPRIMS_EXACT(device_size)

#define PARPRIMS_EXACT_SEGMENTS(Segments) \
    template struct prebuilt<exact_segments_call, void, device_policy, Segments, value*, value*, value, exact_plus>;
PARPRIMS_EXACT_SEGMENTS(fixed_segments)
PARPRIMS_EXACT_SEGMENTS(offset_segments<const std::uint32_t*>)
PARPRIMS_EXACT_SEGMENTS(offset_segments<const std::uint64_t*>)
PARPRIMS_EXACT_SEGMENTS(late_segments<const std::uint32_t*>)
PARPRIMS_EXACT_SEGMENTS(late_segments<const std::uint64_t*>)

#define PARPRIMS_EXACT_BY_KEY(Key, Size)                                                                         \
    template struct prebuilt<exact_by_key_call, size, device_policy, Key*, Size, value*, Key*, value*, equal_to, \
                             exact_plus>;
PARPRIMS_EXACT_BY_KEY(std::uint32_t, size)
PARPRIMS_EXACT_BY_KEY(std::uint64_t, size)
PARPRIMS_EXACT_BY_KEY(std::uint32_t, device_size)
PARPRIMS_EXACT_BY_KEY(std::uint64_t, device_size)

}  // namespace parprims::detail::device
