/// @file
/// @brief  Weighted histograms and profiles on the CUDA backend. See call/call.hpp.
#pragma once

#include <parprims/detail/device/call/call.hpp>

#if PARPRIMS_HAS_CUDA && PARPRIMS_CUDA_COMPILER

#include <parprims/detail/device/histogram/callable.hpp>
#include <parprims/detail/device/weighted/dispatch.hpp>

#include <cstddef>
#include <type_traits>

namespace parprims::detail::device {

/// Fails to compile if a weighted histogram cannot run on the GPU. False where more errors would follow.
template <class Iterator, class Weights, class Axis, class Sums>
constexpr bool check_weighted_call()
{
    static_assert(std::is_pointer_v<Sums>,
                  "parprims: sums of weights, and bins of a profile, are contiguous in memory on the device");
    return std::is_pointer_v<Sums> && check_lambdas<Iterator, Weights, Axis>();
}

struct weighted_histogram_call {
    template <class, class Iterator, class, class Weights, class Axis, class Sums>
    static constexpr bool check()
    {
        return check_weighted_call<Iterator, Weights, Axis, Sums>();
    }

    template <class Site, class Iterator, class Weights, class Axis, class Sum>
    static void run(const Site& site, const weighted_call& names, Iterator first, std::size_t n, Weights weights,
                    const Axis& axis, Sum* sums)
    {
        check_on_gpu<finds_bins<Iterator, Axis>, reads<Weights>>();
        const auto& config = site.policy.histogram();
        if (config)  // before the first CUDA call
            check_histogram_config(site.function, *config);
        device_call call(site, call_range("first", first, n), call_range(names.weights, weights, n),
                         call_range(names.sums, sums, axis.extent()));
        device::enqueue_weighted(call.launcher, config, first, n, weights, axis, sums);
    }
};

}  // namespace parprims::detail::device

#endif
