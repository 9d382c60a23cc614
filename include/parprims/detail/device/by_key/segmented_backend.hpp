/// @file
/// @brief  Segmented scans on the CUDA backend. See call/call.hpp.
#pragma once

#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/device/call/call.hpp>
#include <parprims/functional.hpp>

#if PARPRIMS_HAS_CUDA && PARPRIMS_CUDA_COMPILER

#include <parprims/detail/device/by_key/dispatch.hpp>

namespace parprims::detail::device {

template <scan_kind Kind>
struct segmented_scan_call {
    template <class Segments, class Iterator, class Output, class Init, class Op>
    static constexpr bool check()
    {
        return check_call<typename Init::value_type, Iterator, Op, identity, Segments, Output>();
    }

    template <class Site, class Segments, class Iterator, class Output, class T, class Op>
    static void run(const Site& site, const Segments& segments, Iterator first, Output out, scan_init<T> init, Op op)
    {
        check_on_gpu<combines<T, Iterator, Op>, finds_segments<Segments>, assigns<T, Output>>();
        device_call call(site, call_range("first", first, segments.n), call_range("out", out, segments.n),
                         device::offsets_of(segments));
        if (segments.count != 0 && segments.n != 0)
            device::enqueue_segmented_scan<Kind, T>(call.launcher, segments, segments.n, first, out, init.value, op);
    }
};

}  // namespace parprims::detail::device

#endif
