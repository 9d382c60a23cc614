/// @file
/// @brief  Weighted histograms on the CUDA backend: templates where nvcc compiles, prebuilt types elsewhere, an error without CUDA.
#pragma once

#include <parprims/config.hpp>

#if PARPRIMS_HAS_CUDA && PARPRIMS_CUDA_COMPILER

#include <parprims/axis.hpp>
#include <parprims/detail/device/call/cuda_launcher.hpp>
#include <parprims/detail/device/call/validate.hpp>
#include <parprims/detail/device/histogram/callable.hpp>
#include <parprims/detail/device/weighted/dispatch.hpp>
#include <parprims/execution.hpp>

#include <cstddef>
#include <type_traits>

namespace parprims::detail::device {

/// What the kernels of a weighted histogram call of the weights.
template <class Weights>
PARPRIMS_DEVICE void use_weights(const Weights& weights)
{
    iterator_check<Weights>::run(weights);
}

/// Fails to compile if a kernel cannot call what it is to call of these.
template <class Iterator, class Weights, class Axis>
void check_weighted_functions()
{
    check_functions<Iterator, Axis>();
#if defined(__CUDA_ARCH__)
    (void)&use_weights<Weights>;
#endif
}

/// Fails to compile if a weighted histogram cannot run on the GPU. False where more errors would follow.
template <class Iterator, class Weights, class Axis, class Sums>
constexpr bool check_weighted_call()
{
    static_assert(std::is_pointer_v<Sums>,
                  "parprims: sums of weights, and bins of a profile, are contiguous in memory on the device");
    return std::is_pointer_v<Sums> && check_lambdas<Iterator, Weights, Axis>();
}

/// Enqueues a weighted histogram, or a profile.
template <class Iterator, class Weights, class Axis, class Sums>
void weighted_histogram(const weighted_call& call, const device_policy& policy, Iterator first, std::size_t n,
                        Weights weights, const Axis& axis, Sums sums)
{
    check_weighted_functions<Iterator, Weights, Axis>();
    if (policy.histogram())  // before a GPU is looked for
        check_histogram_config(call.function, *policy.histogram());
    cuda_launcher launcher(call.function, policy,
                           n != 0 ? device::addresses_in(first, weights, sums) : device::addresses_in(sums));
    launcher.check_range("first", first, n);
    launcher.check_range(call.weights, weights, n);
    launcher.check_range(call.sums, sums, axis.extent());
    device::enqueue_weighted(launcher, policy.histogram(), first, n, weights, axis, sums, call);
}

}  // namespace parprims::detail::device

#else

#include <parprims/detail/contract/weights.hpp>
#include <parprims/detail/device/weighted/prebuilt.hpp>
#include <parprims/detail/iterator/traits.hpp>
#include <parprims/detail/runtime/call.hpp>
#include <parprims/execution.hpp>

#include <cstddef>

namespace parprims::detail::device::inline plain {

template <class Iterator, class Weights, class Axis, class Sums>
void weighted_histogram(const weighted_call& call, [[maybe_unused]] const device_policy& policy,
                        [[maybe_unused]] Iterator first, [[maybe_unused]] std::size_t n,
                        [[maybe_unused]] Weights weights, [[maybe_unused]] const Axis& axis, [[maybe_unused]] Sums sums)
{
#if PARPRIMS_HAS_CUDA
    prebuilt_weighted<iter_value_t<Iterator>, iter_value_t<Sums>>::add(call, policy, first, n, weights, axis, sums);
#else
    runtime::throw_no_cuda(call.function);
#endif
}

}  // namespace parprims::detail::device::inline plain

#endif
