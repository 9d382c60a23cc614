// Exact sums.
#pragma once

#include "calls.inl.hpp"

#include <parprims/detail/device/exact/backend.hpp>
#include <parprims/exact_plus.hpp>
#include <parprims/iterator.hpp>

namespace parprims::detail::device {

template struct prebuilt<exact_sum_call, value, device_policy, value*, size, value, exact_plus, identity>;
template struct prebuilt<exact_sum_call, void, device_policy, value*, size, value, exact_plus, identity, value*>;
template struct prebuilt<exact_sum_call, value, device_policy, zip_iterator<value*, value*>, size, value, exact_plus,
                         of_pair<multiplies>>;

}  // namespace parprims::detail::device
