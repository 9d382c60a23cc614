/// @file
/// @brief  Weighted histograms of segments on the CUDA backend. See call/call.hpp.
#pragma once

#include <parprims/detail/device/call/call.hpp>

#if PARPRIMS_HAS_CUDA && PARPRIMS_CUDA_COMPILER

#include <parprims/detail/device/segmented_weighted/dispatch.hpp>
#include <parprims/detail/device/weighted/backend.hpp>

#include <cstddef>

namespace parprims::detail::device {

struct segmented_weighted_histogram_call {
    template <class Segments, class Iterator, class Weights, class Axis, class Sums>
    static constexpr bool check()
    {
        return check_weighted_call<Iterator, Weights, Axis, Sums>() && check_lambdas<Segments>();
    }

    template <class Site, class Segments, class Iterator, class Weights, class Axis, class Sum>
    static void run(const Site& site, const Segments& segments, Iterator first, Weights weights, const Axis& axis,
                    Sum* sums)
    {
        check_on_gpu<finds_bins<Iterator, Axis>, reads<Weights>, finds_segments<Segments>>();
        const std::size_t all = segments.count * axis.extent();
        device_call call(site, call_range("first", first, segments.n), call_range("weights", weights, segments.n),
                         call_range("sums", sums, all), device::offsets_of(segments));
        if (all != 0)
            device::enqueue_segmented_weighted(call.launcher, segments, first, weights, axis, sums);
    }
};

}  // namespace parprims::detail::device

#endif
