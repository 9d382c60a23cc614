/// @file
/// @brief  Histograms on the CUDA backend. See call/call.hpp.
#pragma once

#include <parprims/detail/device/call/call.hpp>

#if PARPRIMS_HAS_CUDA && PARPRIMS_CUDA_COMPILER

#include <parprims/detail/device/histogram/accumulate.hpp>
#include <parprims/detail/device/histogram/callable.hpp>
#include <parprims/detail/device/histogram/dispatch.hpp>

#include <cstddef>

namespace parprims::detail::device {

/// A histogram. With a `most` it is added to `counts`, none of which exceeds that.
struct histogram_call {
    template <class Iterator, class, class Axis, class Counts, class... Most>
    static constexpr bool check()
    {
        return check_histogram_call<Iterator, Axis, Counts>();
    }

    template <class Site, class Iterator, class Axis, class Counter, class... Most>
    static void run(const Site& site, Iterator first, std::size_t n, const Axis& axis, Counter* counts, Most... most)
    {
        check_on_gpu<finds_bins<Iterator, Axis>>();
        const auto& config = site.policy.histogram();
        if (config)  // before the first CUDA call
            check_histogram_config(site.function, *config);
        device_call call(site, call_range("first", first, n), call_range("counts", counts, axis.extent()));
        if constexpr (sizeof...(Most) == 0)
            device::enqueue_histogram(call.launcher, config, first, n, axis, counts);
        else
            device::enqueue_accumulation(call.launcher, config, first, n, axis, counts, most...);
    }
};

}  // namespace parprims::detail::device

#endif
