/// @file
/// @brief  Scans along a dimension on the CUDA backend. See call/call.hpp.
#pragma once

#include <parprims/detail/arrays.hpp>
#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/device/call/call.hpp>

#if PARPRIMS_HAS_CUDA && PARPRIMS_CUDA_COMPILER

#include <parprims/detail/device/along/backend.hpp>
#include <parprims/detail/device/along/scan_dispatch.hpp>
#include <parprims/functional.hpp>

namespace parprims::detail::device {

template <scan_kind Kind>
struct scan_along_call {
    template <class Lines, class Init, class Op>
    static constexpr bool check()
    {
        return check_call<typename Init::value_type, typename Lines::iterator, Op, identity, typename Lines::output>();
    }

    template <class Site, class Iterator, class Output, class T, class Op>
    static void run(const Site& site, const checked_lines<Iterator, Output>& checked, scan_init<T> init, Op op)
    {
        check_on_gpu<combines<T, Iterator, Op>, assigns<T, Output>>();
        const placed_lines at = device::placed(checked);
        device_call call(site, call_range("view", at.input, checked.input.reach()),
                         call_range("out", at.out, checked.out.reach()));
        device::enqueue_scan_along<Kind>(call.launcher, optional_config<scan_config>{}, at, init.value, op, identity{});
    }
};

}  // namespace parprims::detail::device

#endif
