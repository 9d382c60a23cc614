/// @file
/// @brief  `transform` on the CUDA backend: templates where nvcc compiles, elsewhere an error.
#pragma once

#include <parprims/config.hpp>

#if PARPRIMS_HAS_CUDA && PARPRIMS_CUDA_COMPILER

#include <parprims/detail/device/call/callable.hpp>
#include <parprims/detail/device/call/cuda_launcher.hpp>
#include <parprims/detail/device/call/validate.hpp>
#include <parprims/detail/device/transform/kernel.hpp>
#include <parprims/execution.hpp>

#include <cstddef>

namespace parprims::detail::device {

/// Enqueues a transformation.
template <class Result, class Iterator, class Output, class Transform>
void transform(const char* function, const device_policy& policy, Iterator first, std::size_t n, Output out,
               Transform transform)
{
    check_functions_of_elements<Result, Iterator, Output, Transform>();
    cuda_launcher launcher(function, policy, device::addresses_in(first, out));
    launcher.template check_input<Transform>(first, n);
    launcher.check_range("out", out, n);
    if (n != 0)
        device::enqueue_transform<Result>(launcher, first, n, out, transform);
}

}  // namespace parprims::detail::device

#else

#include <parprims/detail/device/call/prebuilt.hpp>
#include <parprims/detail/runtime/call.hpp>
#include <parprims/execution.hpp>

#include <cstddef>

namespace parprims::detail::device::inline plain {

template <class Result, class Iterator, class Output, class Transform>
void transform(const char* function, const device_policy&, Iterator, std::size_t, Output, Transform)
{
    runtime::throw_no_cuda(function);
}

}  // namespace parprims::detail::device::inline plain

#endif
