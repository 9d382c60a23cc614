/// @file
/// @brief  Scans and reductions by key on the CUDA backend. See call/call.hpp.
#pragma once

#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/device/call/call.hpp>
#include <parprims/functional.hpp>

#if PARPRIMS_HAS_CUDA && PARPRIMS_CUDA_COMPILER

#include <parprims/detail/device/by_key/dispatch.hpp>
#include <parprims/detail/iterator/traits.hpp>

#include <cstddef>

namespace parprims::detail::device {

template <scan_kind Kind>
struct scan_by_key_call {
    template <class Keys, class, class Values, class Output, class Init, class Equal, class Op>
    static constexpr bool check()
    {
        return check_kernel_call<iter_value_t<Keys>, Keys, Equal>() &&
               check_call<typename Init::value_type, Values, Op, identity, Output>();
    }

    template <class Site, class Keys, class Values, class Output, class T, class Equal, class Op>
    static void run(const Site& site, Keys keys, std::size_t n, Values values, Output out, scan_init<T> init,
                    Equal equal, Op op)
    {
        check_on_gpu<combines<T, Values, Op>, compares<Keys, Equal>, assigns<T, Output>>();
        device_call call(site, call_range("keys_first", keys, n), call_range("values_first", values, n),
                         call_range("out", out, n));
        if (n != 0)
            device::enqueue_scan_by_key<Kind, T>(call.launcher, keys, n, values, out, init.value, equal, op);
    }
};

/// Writes the number of runs to `*count`; without a count it waits for it and returns it.
struct reduce_by_key_call {
    template <class Keys, class, class Values, class KeysOut, class ValuesOut, class Equal, class Op, class... Count>
    static constexpr bool check()
    {
        return check_kernel_call<iter_value_t<Keys>, Keys, Equal>() &&
               check_call<iter_value_t<Values>, Values, Op, identity, KeysOut, ValuesOut, Count...>();
    }

    template <class Site, class Keys, class Values, class KeysOut, class ValuesOut, class Equal, class Op,
              class... Count>
    static auto run(const Site& site, Keys keys, std::size_t n, Values values, KeysOut keys_out, ValuesOut values_out,
                    Equal equal, Op op, Count... count)
    {
        using T = iter_value_t<Values>;
        check_on_gpu<combines<T, Values, Op>, compares<Keys, Equal>, assigns<iter_value_t<Keys>, KeysOut>,
                     assigns<T, ValuesOut>, assigns<std::size_t, Count>...>();
        device_call call(site, call_range("keys_first", keys, n), call_range("values_first", values, n),
                         call_range("keys_out", keys_out, n != 0), call_range("values_out", values_out, n != 0),
                         call_range("count", count, 1)...);
        const auto enqueue = [&](auto result) {
            device::enqueue_reduce_by_key<T>(call.launcher, keys, n, values, keys_out, values_out, result, equal, op);
        };
        return call.finish(n, std::size_t{0}, enqueue, converted_output<Count>{count}...);
    }
};

}  // namespace parprims::detail::device

#endif
