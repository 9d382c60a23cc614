// The calls along dimensions of arrays.
#pragma once

#include "calls.inl.hpp"

#include <parprims/detail/arrays.hpp>
#include <parprims/detail/device/along/backend.hpp>
#include <parprims/detail/device/along/scan_backend.hpp>

namespace parprims::detail::device {

using lines = checked_lines<value*, value*>;
template struct prebuilt<reduce_along_call, void, device_policy, lines, value, plus, identity>;
template struct prebuilt<scan_along_call<scan_kind::inclusive>, void, device_policy, lines, scan_init<value>, plus>;

}  // namespace parprims::detail::device
