/// @file
/// @brief  Segmented scans on the CUDA backend: templates where nvcc compiles, prebuilt sums elsewhere, an error without CUDA.
#pragma once

#include <parprims/config.hpp>

#if PARPRIMS_HAS_CUDA && PARPRIMS_CUDA_COMPILER

#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/device/by_key/dispatch.hpp>
#include <parprims/detail/device/call/callable.hpp>
#include <parprims/detail/device/call/cuda_launcher.hpp>
#include <parprims/detail/device/call/validate.hpp>
#include <parprims/detail/device/segmented/backend.hpp>
#include <parprims/execution.hpp>
#include <parprims/functional.hpp>

namespace parprims::detail::device {

/// Enqueues a segmented scan.
template <scan_kind Kind, class T, class Segments, class Iterator, class Output, class Op>
void segmented_scan(const char* function, const device_policy& policy, const Segments& segments, Iterator first,
                    Output out, const T* init, Op op)
{
    check_functions<T, Iterator, Op, identity>();
    check_functions_of_offsets<Segments>();
    check_output_functions<T, Output>();
    cuda_launcher launcher(function, policy,
                           segments.n != 0 ? device::addresses_in(first, out) : device::addresses_in(out));
    launcher.check_range("first", first, segments.n);
    launcher.check_range("out", out, segments.n);
    if (segments.count == 0)
        return;
    check_segments(launcher, segments);
    if (segments.n != 0)
        device::enqueue_segmented_scan<Kind, T>(launcher, segments, segments.n, first, out, init, op);
}

}  // namespace parprims::detail::device

#else

#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/device/by_key/prebuilt.hpp>
#include <parprims/detail/device/segmented/backend.hpp>
#include <parprims/detail/device/segmented/prebuilt.hpp>
#include <parprims/detail/runtime/call.hpp>
#include <parprims/execution.hpp>

namespace parprims::detail::device::inline plain {

template <scan_kind Kind, class T, class Segments, class Iterator, class Output, class Op>
void segmented_scan([[maybe_unused]] const char* function, [[maybe_unused]] const device_policy& policy,
                    [[maybe_unused]] const Segments& segments, [[maybe_unused]] Iterator first,
                    [[maybe_unused]] Output out, [[maybe_unused]] const T* init, Op)
{
#if PARPRIMS_HAS_CUDA
    const auto value = init != nullptr ? static_cast<prebuilt_sum<T>>(*init) : prebuilt_sum<T>{};
    prebuilt_segmented_scan<prebuilt_sum<T>>::scan(function, policy, Kind, prebuilt_form<Segments>::of(segments),
                                                   as_prebuilt_sum(first), as_prebuilt_sum(out),
                                                   init != nullptr ? __builtin_addressof(value) : nullptr);
#else
    runtime::throw_no_cuda(function);
#endif
}

}  // namespace parprims::detail::device::inline plain

#endif
