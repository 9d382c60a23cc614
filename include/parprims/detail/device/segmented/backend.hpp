/// @file
/// @brief  Segmented reductions on the CUDA backend: templates where nvcc compiles, elsewhere an error.
#pragma once

#include <parprims/config.hpp>

#if PARPRIMS_HAS_CUDA && PARPRIMS_CUDA_COMPILER

#include <parprims/detail/device/launch/callable.hpp>
#include <parprims/detail/device/launch/cuda_launcher.hpp>
#include <parprims/detail/device/launch/validate.hpp>
#include <parprims/detail/device/segmented/dispatch.hpp>
#include <parprims/detail/segments.hpp>
#include <parprims/execution.hpp>
#include <parprims/functional.hpp>

#include <cstddef>

namespace parprims::detail::device {

/// What the kernels call to know where segments begin.
template <class Segments>
PARPRIMS_DEVICE void use_offsets(const Segments& segments)
{
    if constexpr (Segments::is_searched)
        iterator_check<decltype(segments.offsets)>::run(segments.offsets);
}

/// Makes nvcc check the functions of the offsets, as `check_functions` does those of the call.
template <class Segments>
void check_functions_of_offsets()
{
#if defined(__CUDA_ARCH__)
    (void)&use_offsets<Segments>;
#endif
}

inline void check_segments(const cuda_launcher<>&, const fixed_segments&) {}
template <class Offsets>
void check_segments(const cuda_launcher<>& launcher, const offset_segments<Offsets>& segments)
{
    launcher.check_range("offsets_first", segments.offsets, segments.count + 1);
}

/// Enqueues a segmented reduction.
template <class T, class Segments, class Iterator, class Output, class Op>
void segmented_reduce(const char* function, const device_policy& policy, const Segments& segments, Iterator first,
                      Output out, const T& init, Op op)
{
    check_functions<T, Iterator, Op, identity>();
    check_functions_of_offsets<Segments>();
    check_output_functions<T, Output>();
    cuda_launcher launcher(function, policy, segments.n != 0 ? address_of(first) : address_of(out));
    launcher.check_range("first", first, segments.n);
    launcher.check_range("out", out, segments.count);
    if (segments.count == 0)
        return;
    check_segments(launcher, segments);
    enqueue_segmented_reduce(launcher, segments, first, out, init, op);
}

}  // namespace parprims::detail::device

#else

#include <parprims/detail/device/launch/prebuilt.hpp>
#include <parprims/detail/runtime/call.hpp>
#include <parprims/execution.hpp>

namespace parprims::detail::device {

template <class T, class Segments, class Iterator, class Output, class Op>
void segmented_reduce(const char* function, const device_policy&, const Segments&, Iterator, Output, const T&, Op)
{
    runtime::throw_no_cuda(function);
}

}  // namespace parprims::detail::device

#endif
