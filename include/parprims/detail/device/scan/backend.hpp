/// @file
/// @brief  Scans on the CUDA backend. See call/call.hpp.
#pragma once

#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/device/call/call.hpp>

#if PARPRIMS_HAS_CUDA && PARPRIMS_CUDA_COMPILER

#include <parprims/detail/device/scan/dispatch.hpp>

#include <cstddef>

namespace parprims::detail::device {

static_assert(small_scan_bytes <= runtime::workspace::small_scan_bytes);
static_assert(max_reset_bytes <= runtime::workspace::zeroed_bytes);

template <scan_kind Kind>
struct scan_call {
    template <class Iterator, class, class Output, class Init, class Op, class Transform>
    static constexpr bool check()
    {
        return check_call<typename Init::value_type, Iterator, Op, Transform, Output>();
    }

    template <class Site, class Iterator, class Output, class T, class Op, class Transform>
    static void run(const Site& site, Iterator first, std::size_t n, Output out, scan_init<T> init, Op op,
                    Transform transform)
    {
        check_on_gpu<combines<T, Iterator, Op, Transform>, assigns<T, Output>>();
        const auto& config = site.policy.scan();
        if (config)  // before a GPU is looked for
            check_scan_config(site.function, *config);
        device_call call(site, call_range("first", first, n), call_range("out", out, n));
        if (n != 0)
            device::enqueue_scan<Kind>(call.launcher, config, first, n, out, init.value, op, transform);
    }
};

}  // namespace parprims::detail::device

#endif
