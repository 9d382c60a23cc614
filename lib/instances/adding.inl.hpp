// The calls that add values: integers without a sign serve those with one, too.
#pragma once

#include "calls.inl.hpp"

#include <parprims/detail/device/by_key/backend.hpp>
#include <parprims/detail/device/by_key/segmented_backend.hpp>
#include <parprims/detail/device/copy_if/backend.hpp>
#include <parprims/detail/device/segmented/backend.hpp>

namespace parprims::detail::device {

PARPRIMS_REDUCE_AND_SCAN(plus)

// Calls that return the number of runs, with Result = size, or write it to the pointer that follows.
#define PARPRIMS_RUNS(Size, Result, ...)                                                              \
    PARPRIMS_REDUCE_BY_KEY(std::uint32_t, Size, Result, __VA_ARGS__)                                  \
    PARPRIMS_REDUCE_BY_KEY(std::uint64_t, Size, Result, __VA_ARGS__)                                  \
    template struct prebuilt<copy_if_call, Result, device_policy, value*, Size, kept_outputs<value*>, \
                             starts_run<equal_to> __VA_OPT__(, ) __VA_ARGS__>;                        \
    template struct prebuilt<copy_if_call, Result, device_policy, value*, Size,                       \
                             kept_outputs<value*, run_lengths, std::uint32_t*>,                       \
                             starts_run<equal_to> __VA_OPT__(, ) __VA_ARGS__>;
#define PARPRIMS_REDUCE_BY_KEY(Key, Size, Result, ...)                                                              \
    template struct prebuilt<reduce_by_key_call, Result, device_policy, Key*, Size, value*, Key*, value*, equal_to, \
                             plus __VA_OPT__(, ) __VA_ARGS__>;
#define PARPRIMS_BY_KEY(Size)                  \
    PARPRIMS_RUNS(Size, size)                  \
    PARPRIMS_RUNS(Size, void, std::uint32_t*)  \
    PARPRIMS_RUNS(Size, void, std::uint64_t*)  \
    PARPRIMS_SCANS_BY_KEY(std::uint32_t, Size) \
    PARPRIMS_SCANS_BY_KEY(std::uint64_t, Size)
#define PARPRIMS_SCANS_BY_KEY(Key, Size)       \
    PARPRIMS_SCAN_BY_KEY(Key, Size, inclusive) \
    PARPRIMS_SCAN_BY_KEY(Key, Size, exclusive)
#define PARPRIMS_SCAN_BY_KEY(Key, Size, kind)                                                                    \
    template struct prebuilt<scan_by_key_call<scan_kind::kind>, void, device_policy, Key*, Size, value*, value*, \
                             scan_init<value>, equal_to, plus>;
PARPRIMS_BY_KEY(size)
PARPRIMS_BY_KEY(device_size)

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
