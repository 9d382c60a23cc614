// The calls that add values: integers without a sign serve those with one, too.
#pragma once

#include "calls.inl.hpp"

#include <parprims/detail/device/by_key/backend.hpp>
#include <parprims/detail/device/by_key/segmented_backend.hpp>
#include <parprims/detail/device/copy_if/backend.hpp>
#include <parprims/detail/device/segmented/backend.hpp>

namespace parprims::detail::device {

PARPRIMS_REDUCE_AND_SCAN(plus)

#define PARPRIMS_BY_KEY(Key, Size)                                                                                \
    template struct prebuilt<reduce_by_key_call, size, device_policy, Key*, Size, value*, Key*, value*, equal_to, \
                             plus>;                                                                               \
    PARPRIMS_SCAN_BY_KEY(Key, Size, inclusive)                                                                    \
    PARPRIMS_SCAN_BY_KEY(Key, Size, exclusive)
#define PARPRIMS_SCAN_BY_KEY(Key, Size, kind)                                                                    \
    template struct prebuilt<scan_by_key_call<scan_kind::kind>, void, device_policy, Key*, Size, value*, value*, \
                             scan_init<value>, equal_to, plus>;
PARPRIMS_BY_KEY(std::uint32_t, size)
PARPRIMS_BY_KEY(std::uint64_t, size)
PARPRIMS_BY_KEY(std::uint32_t, device_size)
PARPRIMS_BY_KEY(std::uint64_t, device_size)

// Whether neighbours are equal does not depend on the sign, either.
template struct prebuilt<copy_if_call, size, device_policy, value*, size, kept_outputs<value*>, starts_run<equal_to>>;
template struct prebuilt<copy_if_call, size, device_policy, value*, size,
                         kept_outputs<value*, run_lengths, std::uint32_t*>, starts_run<equal_to>>;

#define PARPRIMS_SEGMENTED(Segments)                                                                             \
    template struct prebuilt<segmented_reduce_call, void, device_policy, Segments, value*, value*, value, plus>; \
    PARPRIMS_SEGMENTED_SCAN(Segments, inclusive)                                                                 \
    PARPRIMS_SEGMENTED_SCAN(Segments, exclusive)
#define PARPRIMS_SEGMENTED_SCAN(Segments, kind)                                                                   \
    template struct prebuilt<segmented_scan_call<scan_kind::kind>, void, device_policy, Segments, value*, value*, \
                             scan_init<value>, plus>;
PARPRIMS_SEGMENTED(fixed_segments)
PARPRIMS_SEGMENTED(offset_segments<const std::uint32_t*>)
PARPRIMS_SEGMENTED(offset_segments<const std::uint64_t*>)
PARPRIMS_SEGMENTED(late_segments<const std::uint32_t*>)
PARPRIMS_SEGMENTED(late_segments<const std::uint64_t*>)

}  // namespace parprims::detail::device
