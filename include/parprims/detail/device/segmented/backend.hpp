/// @file
/// @brief  Segmented reductions on the CUDA backend: templates where nvcc compiles, elsewhere an error.
#pragma once

#include <parprims/config.hpp>

#if PARPRIMS_HAS_CUDA && PARPRIMS_CUDA_COMPILER

#include <parprims/detail/contract/segments.hpp>
#include <parprims/detail/device/call/callable.hpp>
#include <parprims/detail/device/call/cuda_launcher.hpp>
#include <parprims/detail/device/call/validate.hpp>
#include <parprims/detail/device/segmented/dispatch.hpp>
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

/// Fails to compile if the GPU cannot call what the kernels call.
template <class T, class Segments, class Iterator, class Output, class Op>
constexpr bool check_segmented_call()
{
    return check_kernel_call<T, Iterator, Op, Segments, Output>() && check_const_functions<T, Iterator, Op>();
}

/// Enqueues a segmented reduction.
template <class T, class Segments, class Iterator, class Output, class Op>
void segmented_reduce(const char* function, const device_policy& policy, const Segments& segments, Iterator first,
                      Output out, const T& init, Op op)
{
    check_functions<T, Iterator, Op, identity>();
    check_functions_of_offsets<Segments>();
    check_output_functions<T, Output>();
    cuda_launcher launcher(function, policy,
                           segments.n != 0 ? device::addresses_in(first, out) : device::addresses_in(out));
    launcher.check_range("first", first, segments.n);
    launcher.check_range("out", out, segments.count);
    if (segments.count == 0)
        return;
    check_segments(launcher, segments);
    device::enqueue_segmented_reduce(launcher, segments, first, out, init, op);
}

}  // namespace parprims::detail::device

#else

#include <parprims/detail/device/call/prebuilt.hpp>
#include <parprims/detail/device/segmented/prebuilt.hpp>
#include <parprims/detail/numeric/integers.hpp>
#include <parprims/detail/runtime/call.hpp>
#include <parprims/execution.hpp>
#include <parprims/functional.hpp>

#include <type_traits>

namespace parprims::detail::device::inline plain {

/// Fails to compile if the call is not in the compiled library.
template <class T, class Segments, class Iterator, class Output, class Op>
constexpr bool check_segmented_call()
{
    if constexpr (check_listed < std::is_same_v<Op, plus> && prebuilt_form<Segments>::is_listed > ())
        return check_call<T, Iterator, Op, identity, Output>();
    else
        return false;
}

template <class T, class Segments, class Iterator, class Output, class Op>
void segmented_reduce([[maybe_unused]] const char* function, [[maybe_unused]] const device_policy& policy,
                      [[maybe_unused]] const Segments& segments, [[maybe_unused]] Iterator first,
                      [[maybe_unused]] Output out, [[maybe_unused]] const T& init, Op)
{
#if PARPRIMS_HAS_CUDA
    using value = fixed_width_t<T>;
    prebuilt_segments<value>::reduce(function, policy, prebuilt_form<Segments>::of(segments), as_fixed_width(first),
                                     as_fixed_width(out), static_cast<value>(init));
#else
    runtime::throw_no_cuda(function);
#endif
}

}  // namespace parprims::detail::device::inline plain

#endif
