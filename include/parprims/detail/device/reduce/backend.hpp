/// @file
/// @brief  Reductions on the CUDA backend. See call/call.hpp.
#pragma once

#include <parprims/detail/device/call/call.hpp>

#if PARPRIMS_HAS_CUDA && PARPRIMS_CUDA_COMPILER

#include <parprims/detail/device/reduce/dispatch.hpp>

#include <cstddef>

namespace parprims::detail::device {

/// A reduction to `*output`; without an output it waits for the value and returns it.
struct reduce_call {
    template <class Iterator, class, class T, class Op, class Transform, class... Output>
    static constexpr bool check()
    {
        return check_call<T, Iterator, Op, Transform, Output...>();
    }

    template <class Site, class Iterator, class T, class Op, class Transform, class... Output>
    static auto run(const Site& site, Iterator first, std::size_t n, const T& init, Op op, Transform transform,
                    Output... output)
    {
        check_on_gpu<combines<T, Iterator, Op, Transform>, assigns<T, Output>...>();
        const auto& config = site.policy.reduce();
        if (config)  // before the first CUDA call
            check_reduce_config(site.function, *config);
        device_call call(site, device::input_range<Transform>(first, n), call_range("out", output, 1)...);
        const auto enqueue = [&](auto result) {
            device::enqueue_reduce(call.launcher, config, first, n, result, init, op, transform);
        };
        return call.finish(n, init, enqueue, output...);
    }
};

}  // namespace parprims::detail::device

#endif
