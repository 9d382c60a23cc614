/// @file
/// @brief  Weighted histograms of segments on the CUDA backend. See call/call.hpp.
#pragma once

#include <parprims/detail/arrays.hpp>
#include <parprims/detail/contract/weighted_lines.hpp>
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

/// Those of the lines of an array.
struct weighted_histogram_along_call {
    template <class, class Samples, class Weights, class Sums, class Axis>
    static constexpr bool check()
    {
        return check_weighted_call<decltype(Samples::first), decltype(Weights::first), Axis, decltype(Sums::first)>();
    }

    template <class Site, class Iterator, class Weights, class Sum, class Axis>
    static void run(const Site& site, const weighted_lines& lines, const checked_array<Iterator>& samples,
                    const checked_array<Weights>& weights, const checked_array<Sum*>& sums, const Axis& axis)
    {
        check_on_gpu<finds_bins<Iterator, Axis>, reads<Weights>>();
        const array_input<Iterator> of_samples{samples.begin(), samples.start(), samples.reach()};
        const array_input<Weights> of_weights{weights.begin(), weights.start(), weights.reach()};
        device_call call(site, call_range("view", of_samples.begin, of_samples.reach),
                         call_range("weights", of_weights.begin, of_weights.reach),
                         call_range("sums", sums.begin(), sums.reach()));
        if (sums.size != 0)
            device::enqueue_weighted_lines(call.launcher, lines, of_samples, of_weights, axis, sums.begin());
    }
};

}  // namespace parprims::detail::device

#endif
