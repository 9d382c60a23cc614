/// @file
/// @brief  Scans on the CUDA backend: templates where nvcc compiles, prebuilt types elsewhere, an error without CUDA.
#pragma once

#include <parprims/config.hpp>

#if PARPRIMS_HAS_CUDA && PARPRIMS_CUDA_COMPILER

#include <parprims/detail/device/call/callable.hpp>
#include <parprims/detail/device/call/cuda_launcher.hpp>
#include <parprims/detail/device/call/validate.hpp>
#include <parprims/detail/device/scan/dispatch.hpp>
#include <parprims/execution.hpp>

#include <cstddef>

namespace parprims::detail::device {

static_assert(small_scan_bytes <= runtime::workspace::small_scan_bytes);
static_assert(max_reset_bytes <= runtime::workspace::zeroed_bytes);

/// Enqueues a scan.
template <scan_kind Kind, class T, class Scan, class Iterator, class Output, class Op, class Transform>
void scan(const char* function, const basic_device_policy<Scan>& policy, Iterator first, std::size_t n, Output out,
          const T* init, Op op, Transform transform)
{
    check_functions<T, Iterator, Op, Transform>();
    check_output_functions<T, Output>();
    if (policy.scan())  // before a GPU is looked for
        check_scan_config(function, *policy.scan());
    cuda_launcher launcher(function, policy, device::addresses_in(first, out));
    launcher.check_range("first", first, n);
    launcher.check_range("out", out, n);
    if (n != 0)
        device::enqueue_scan<Kind>(launcher, policy.scan(), first, n, out, init, op, transform);
}

}  // namespace parprims::detail::device

#else

#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/device/call/prebuilt.hpp>
#include <parprims/detail/numeric/integers.hpp>
#include <parprims/detail/runtime/call.hpp>
#include <parprims/execution.hpp>

#include <cstddef>

namespace parprims::detail::device::inline plain {

template <scan_kind Kind, class T, class Scan, class Iterator, class Output, class Op, class Transform>
void scan([[maybe_unused]] const char* function, [[maybe_unused]] const basic_device_policy<Scan>& policy,
          [[maybe_unused]] Iterator first, [[maybe_unused]] std::size_t n, [[maybe_unused]] Output out,
          [[maybe_unused]] const T* init, Op, Transform)
{
#if PARPRIMS_HAS_CUDA
    const auto value = init != nullptr ? static_cast<fixed_width_t<T>>(*init) : fixed_width_t<T>{};
    prebuilt<fixed_width_t<T>, Op>::scan(function, policy, Kind, as_fixed_width(first), n, as_fixed_width(out),
                                         init != nullptr ? __builtin_addressof(value) : nullptr);
#else
    runtime::throw_no_cuda(function);
#endif
}

}  // namespace parprims::detail::device::inline plain

#endif
