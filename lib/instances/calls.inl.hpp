// What lib/instances/*.cu instantiate: `prebuilt` of each call that plain C++ may make of values of type PARPRIMS_VALUE.
#pragma once

#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/device/call/device_call.hpp>
#include <parprims/detail/device/call/prebuilt.hpp>
#include <parprims/detail/device/reduce/backend.hpp>
#include <parprims/detail/device/scan/backend.hpp>
#include <parprims/execution.hpp>
#include <parprims/functional.hpp>

#include <cstddef>
#include <cstdint>

namespace parprims::detail::device {

template <class Algorithm, class Result, class Policy, class... Arguments>
Result prebuilt<Algorithm, Result, Policy, Arguments...>::run(const char* function, const Policy& policy,
                                                              const Arguments&... arguments)
{
    return device::run_call<Algorithm, Result>(function, policy, arguments...);
}

using value = PARPRIMS_VALUE;
using size = std::size_t;

#define PARPRIMS_REDUCE_AND_SCAN(Op)                                          \
    PARPRIMS_OF_SIZE(size, Op)                                                \
    PARPRIMS_OF_SIZE(device_size, Op)                                         \
    PARPRIMS_SCAN(basic_device_policy<three_phase_scan>, inclusive, size, Op) \
    PARPRIMS_SCAN(basic_device_policy<three_phase_scan>, exclusive, size, Op)
#define PARPRIMS_OF_SIZE(Size, Op)                                                                         \
    template struct prebuilt<reduce_call, value, device_policy, value*, Size, value, Op, identity>;        \
    template struct prebuilt<reduce_call, void, device_policy, value*, Size, value, Op, identity, value*>; \
    PARPRIMS_SCAN(device_policy, inclusive, Size, Op)                                                      \
    PARPRIMS_SCAN(device_policy, exclusive, Size, Op)
#define PARPRIMS_SCAN(policy, kind, Size, Op)                                                                      \
    template struct prebuilt<scan_call<scan_kind::kind>, void, policy, value*, Size, value*, scan_init<value>, Op, \
                             identity>;

}  // namespace parprims::detail::device
