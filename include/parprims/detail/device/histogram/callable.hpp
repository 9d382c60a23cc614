/// @file
/// @brief  Refuses, while a histogram is compiled, what cannot run on the GPU.
#pragma once

#include <parprims/axis.hpp>
#include <parprims/config.hpp>
#include <parprims/detail/axis/sample.hpp>
#include <parprims/detail/device/call/callable.hpp>
#include <parprims/detail/iterator/traits.hpp>
#include <parprims/product_axis.hpp>
#include <parprims/tuple.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>

namespace parprims::detail::device {

/// What any other axis calls. See call/callable.hpp.
template <class Axis, class Sample>
PARPRIMS_DEVICE void axes_for_the_GPU_must_be_marked_PARPRIMS_HOST_DEVICE(const Axis& axis, const Sample& sample)
{
    if constexpr (detail::axis::half_like<Sample>)
        (void)static_cast<float>(sample);
    (void)axis.slot(sample);
}

template <class Axis, class Sample>
PARPRIMS_DEVICE void check_axis(const Axis& axis, const Sample& sample)
{
    if constexpr (!requires { axis.view(); })  // the kernel has its view
        axes_for_the_GPU_must_be_marked_PARPRIMS_HOST_DEVICE(axis, sample);
}
template <class F, class Sample>
PARPRIMS_DEVICE void check_axis(const function_axis<F>& axis, const Sample& sample)
{
    device::functions_for_the_GPU_must_be_marked_PARPRIMS_HOST_DEVICE(axis.function(), sample);
}
template <class... Axes, class Sample>
PARPRIMS_DEVICE void check_axis(const product_axis<Axes...>& axis, const Sample& sample)
{
    [&]<std::size_t... I>(std::index_sequence<I...>) {
        (device::check_axis(axis.template axis<I>(), parprims::get<I>(sample)), ...);
    }(std::index_sequence_for<Axes...>{});
}

/// What `check_on_gpu` calls to see whether the bins of samples are found on the GPU.
template <class Iterator, class Axis>
struct finds_bins {
    PARPRIMS_DEVICE static void run(const Iterator& first, const Axis& axis)
    {
        iterator_check<Iterator>::read(first);
        device::check_axis(axis, static_cast<const iter_value_t<Iterator>&>(*first));
    }
};

/// Fails to compile if a histogram cannot run on the GPU. False where more errors would follow.
template <class Iterator, class Axis, class Counts>
constexpr bool check_histogram_call()
{
    static_assert(std::is_pointer_v<Counts>,
                  "parprims: the counters of a histogram on the device are contiguous in memory");
    return std::is_pointer_v<Counts> && check_samples<Axis, iter_value_t<Iterator>>() &&
           check_lambdas<Iterator, Axis>();
}

}  // namespace parprims::detail::device
