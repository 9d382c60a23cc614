// The members of prebuilt and prebuilt_histogram, which lib/instances/*.cu instantiate.
#pragma once

#include <parprims/detail/device/histogram/backend.hpp>
#include <parprims/detail/device/histogram/prebuilt.hpp>
#include <parprims/detail/device/launch/prebuilt.hpp>
#include <parprims/detail/device/reduce/backend.hpp>
#include <parprims/detail/device/scan/backend.hpp>

namespace parprims::detail::device {

template <prebuilt_value T, prebuilt_operator Op>
T prebuilt<T, Op>::reduce(const char* function, const device_policy& policy, const T* first, std::size_t n, T init)
{
    return device::reduce(function, policy, first, n, init, Op{}, identity{});
}

template <prebuilt_value T, prebuilt_operator Op>
void prebuilt<T, Op>::reduce_into(const char* function, const device_policy& policy, const T* first, std::size_t n,
                                  T* output, T init)
{
    device::reduce_into(function, policy, first, n, output, init, Op{}, identity{});
}

/// A scan by either kind of policy.
template <class T, class Op, class Policy>
void prebuilt_scan(const char* function, const Policy& policy, scan_kind kind, const T* first, std::size_t n, T* out,
                   const T* init)
{
    if (kind == scan_kind::inclusive)
        device::scan<scan_kind::inclusive, T>(function, policy, first, n, out, init, Op{}, identity{});
    else
        device::scan<scan_kind::exclusive, T>(function, policy, first, n, out, init, Op{}, identity{});
}

template <prebuilt_value T, prebuilt_operator Op>
void prebuilt<T, Op>::scan(const char* function, const device_policy& policy, scan_kind kind, const T* first,
                           std::size_t n, T* out, const T* init)
{
    prebuilt_scan<T, Op>(function, policy, kind, first, n, out, init);
}

template <prebuilt_value T, prebuilt_operator Op>
void prebuilt<T, Op>::scan(const char* function, const basic_device_policy<three_phase_scan>& policy, scan_kind kind,
                           const T* first, std::size_t n, T* out, const T* init)
{
    prebuilt_scan<T, Op>(function, policy, kind, first, n, out, init);
}

template <prebuilt_value T, prebuilt_counter Counter>
void prebuilt_histogram<T, Counter>::count(const char* function, const device_policy& policy, const T* first,
                                           std::size_t n, const regular_axis<T>& axis, Counter* counts)
{
    device::histogram(function, policy, first, n, axis, counts);
}

}  // namespace parprims::detail::device
