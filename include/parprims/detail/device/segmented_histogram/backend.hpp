/// @file
/// @brief  Many histograms on the CUDA backend. See call/call.hpp.
#pragma once

#include <parprims/detail/arrays.hpp>
#include <parprims/detail/device/call/call.hpp>

#if PARPRIMS_HAS_CUDA && PARPRIMS_CUDA_COMPILER

#include <parprims/detail/device/histogram/callable.hpp>
#include <parprims/detail/device/segmented_histogram/dispatch.hpp>

#include <cstddef>

namespace parprims::detail::device {

struct segmented_histogram_call {
    template <class Segments, class Iterator, class Axis, class Counts>
    static constexpr bool check()
    {
        return check_histogram_call<Iterator, Axis, Counts>() && check_lambdas<Segments>();
    }

    template <class Site, class Segments, class Iterator, class Axis, class Counter>
    static void run(const Site& site, const Segments& segments, Iterator first, const Axis& axis, Counter* counts)
    {
        check_on_gpu<finds_bins<Iterator, Axis>, finds_segments<Segments>>();
        const std::size_t all = segments.count * axis.extent();
        device_call call(site, call_range("first", first, segments.n), call_range("counts", counts, all),
                         device::offsets_of(segments));
        if (all != 0)
            device::enqueue_segmented_histogram(call.launcher, segments, first, axis, counts);
    }
};

/// The histograms of the lines of an array.
struct histogram_along_call {
    template <class Lines, class Axis>
    static constexpr bool check()
    {
        return check_histogram_call<typename Lines::iterator, Axis, typename Lines::output>();
    }

    template <class Site, class Iterator, class Counter, class Axis>
    static void run(const Site& site, const checked_lines<Iterator, Counter*>& checked, const Axis& axis)
    {
        check_on_gpu<finds_bins<Iterator, Axis>>();
        const Iterator first = checked.input.begin();
        device_call call(site, call_range("view", first, checked.input.reach()),
                         call_range("counts", checked.out.begin(), checked.out.reach()));
        if (checked.out.size == 0)
            return;
        if (checked.input.size == 0)
            return call.launcher.zero(checked.out.begin(), checked.out.size * sizeof(Counter));
        device::with_axis(call.launcher, axis, [&](const auto& device_axis) {
            device::enqueue_uniform_lines(call.launcher, checked.lines, checked.input.start(), checked.input.reach(),
                                          device::samples_of(first, device_axis), checked.out.begin(),
                                          checked.out.first);
        });
    }
};

/// The histograms of the channels of an array.
struct channel_histograms_call {
    template <class Array, class Axis, class Counts>
    static constexpr bool check()
    {
        return check_channels<Array>(static_cast<const Axis*>(nullptr), static_cast<const Counts*>(nullptr));
    }

    template <class Site, class Iterator, class... Axes, class Counter>
    static void run(const Site& site, const checked_array<Iterator>& array, const channel_axis<Axes...>& axis,
                    Counter* counts)
    {
        check_on_gpu<finds_bins<Iterator, Axes>...>();
        const Iterator first = array.begin();
        device_call call(site, call_range("view", first, array.reach()), call_range("counts", counts, axis.extent()));
        if (array.size == 0)
            return call.launcher.zero(counts, axis.extent() * sizeof(Counter));
        dimension dimensions[max_rank];
        for (unsigned d = 0; d < array.rank; ++d)
            dimensions[d] = {array.extents[d], array.strides[d], 0};
        device::enqueue_channel_histograms(call.launcher, dimensions, array.rank, array.start(), array.reach(), first,
                                           axis, counts);
    }

private:
    template <class Array, class... Axes, class Counts>
    static constexpr bool check_channels(const channel_axis<Axes...>*, const Counts*)
    {
        return (check_histogram_call<decltype(Array::first), Axes, Counts>() && ...);
    }
};

}  // namespace parprims::detail::device

#endif
