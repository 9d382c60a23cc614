/// @file
/// @brief  Histograms on the CUDA backend: templates where nvcc compiles, prebuilt types elsewhere, an error without CUDA.
#pragma once

#include <parprims/config.hpp>

#if PARPRIMS_HAS_CUDA && PARPRIMS_CUDA_COMPILER

#include <parprims/axis.hpp>
#include <parprims/detail/device/call/cuda_launcher.hpp>
#include <parprims/detail/device/call/validate.hpp>
#include <parprims/detail/device/histogram/accumulate.hpp>
#include <parprims/detail/device/histogram/callable.hpp>
#include <parprims/detail/device/histogram/dispatch.hpp>
#include <parprims/execution.hpp>

#include <cstddef>

namespace parprims::detail::device {

/// Calls `enqueue(launcher)` for arguments that are valid.
template <class Iterator, class Axis, class Counts, class Enqueue>
void with_launcher_of_histogram(const char* function, const device_policy& policy, Iterator first, std::size_t n,
                                const Axis& axis, Counts counts, Enqueue enqueue)
{
    check_functions<Iterator, Axis>();
    if (policy.histogram())  // before a GPU is looked for
        check_histogram_config(function, *policy.histogram());
    cuda_launcher launcher(function, policy,
                           n != 0 ? device::addresses_in(first, counts) : device::addresses_in(counts));
    launcher.check_range("first", first, n);
    launcher.check_range("counts", counts, axis.extent());
    enqueue(launcher);
}

/// Enqueues a histogram.
template <class Iterator, class Axis, class Counts>
void histogram(const char* function, const device_policy& policy, Iterator first, std::size_t n, const Axis& axis,
               Counts counts)
{
    device::with_launcher_of_histogram(function, policy, first, n, axis, counts, [&](auto& launcher) {
        device::enqueue_histogram(launcher, policy.histogram(), first, n, axis, counts);
    });
}

/// Enqueues a histogram that is added to `counts`, none of which exceeds `most`.
template <class Iterator, class Axis, class Counter>
void accumulate(const char* function, const device_policy& policy, Iterator first, std::size_t n, const Axis& axis,
                Counter* counts, Counter most)
{
    device::with_launcher_of_histogram(function, policy, first, n, axis, counts, [&](auto& launcher) {
        device::enqueue_accumulation(launcher, policy.histogram(), first, n, axis, counts, most);
    });
}

}  // namespace parprims::detail::device

#else

#include <parprims/axis.hpp>
#include <parprims/detail/device/histogram/prebuilt.hpp>
#include <parprims/detail/numeric/integers.hpp>
#include <parprims/detail/runtime/call.hpp>
#include <parprims/execution.hpp>

#include <cstddef>

namespace parprims::detail::device::inline plain {

template <class Iterator, class Axis, class Counts>
void histogram([[maybe_unused]] const char* function, [[maybe_unused]] const device_policy& policy,
               [[maybe_unused]] Iterator first, [[maybe_unused]] std::size_t n, [[maybe_unused]] const Axis& axis,
               [[maybe_unused]] Counts counts)
{
#if PARPRIMS_HAS_CUDA
    using value = fixed_width_t<iter_value_t<Iterator>>;
    using counter = fixed_width_t<iter_value_t<Counts>>;
    prebuilt_histogram<value, counter>::count(function, policy, as_fixed_width(first), n, as_fixed_width(axis),
                                              as_fixed_width(counts));
#else
    runtime::throw_no_cuda(function);
#endif
}

template <class Iterator, class Axis, class Counter>
void accumulate(const char* function, const device_policy&, Iterator, std::size_t, const Axis&, Counter*, Counter)
{
    static_assert(
        !PARPRIMS_HAS_CUDA || sizeof(Counter) == 0,
        "parprims: histograms that accumulate are not in the compiled library; compile this file as CUDA (with "
        "nvcc)");
    runtime::throw_no_cuda(function);
}

}  // namespace parprims::detail::device::inline plain

#endif
