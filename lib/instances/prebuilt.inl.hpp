// The members of prebuilt and the others, which lib/instances/*.cu instantiate.
#pragma once

#include <parprims/detail/device/by_key/backend.hpp>
#include <parprims/detail/device/by_key/prebuilt.hpp>
#include <parprims/detail/device/by_key/segmented_backend.hpp>
#include <parprims/detail/device/call/prebuilt.hpp>
#include <parprims/detail/device/extremes/backend.hpp>
#include <parprims/detail/device/extremes/prebuilt.hpp>
#include <parprims/detail/device/histogram/backend.hpp>
#include <parprims/detail/device/histogram/prebuilt.hpp>
#include <parprims/detail/device/reduce/backend.hpp>
#include <parprims/detail/device/scan/backend.hpp>
#include <parprims/detail/device/segmented/backend.hpp>
#include <parprims/detail/device/segmented/prebuilt.hpp>

namespace parprims::detail::device {

template <prebuilt_value T, basic_operator Op>
T prebuilt<T, Op>::reduce(const char* function, const device_policy& policy, const T* first, std::size_t n, T init)
{
    return device::reduce(function, policy, first, n, init, Op{}, identity{});
}

template <prebuilt_value T, basic_operator Op>
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

template <prebuilt_value T, basic_operator Op>
void prebuilt<T, Op>::scan(const char* function, const device_policy& policy, scan_kind kind, const T* first,
                           std::size_t n, T* out, const T* init)
{
    prebuilt_scan<T, Op>(function, policy, kind, first, n, out, init);
}

template <prebuilt_value T, basic_operator Op>
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

template <prebuilt_value T>
void prebuilt_segments<T>::reduce(const char* function, const device_policy& policy, const fixed_segments& segments,
                                  const T* first, T* out, T init)
{
    device::segmented_reduce(function, policy, segments, first, out, init, plus{});
}

template <prebuilt_value T>
void prebuilt_segments<T>::reduce(const char* function, const device_policy& policy,
                                  const offset_segments<const std::uint32_t*>& segments, const T* first, T* out, T init)
{
    device::segmented_reduce(function, policy, segments, first, out, init, plus{});
}

template <prebuilt_value T>
void prebuilt_segments<T>::reduce(const char* function, const device_policy& policy,
                                  const offset_segments<const std::uint64_t*>& segments, const T* first, T* out, T init)
{
    device::segmented_reduce(function, policy, segments, first, out, init, plus{});
}

template <prebuilt_value T, extreme Which>
auto prebuilt_extremes<T, Which>::find(const char* function, const device_policy& policy, const T* first, std::size_t n)
    -> positions<search_type::count>
{
    return device::find_extremes(function, policy, first, n, search_type{});
}

template <prebuilt_value T, extreme Which>
void prebuilt_extremes<T, Which>::find_into(const char* function, const device_policy& policy, const T* first,
                                            std::size_t n, std::uint64_t* out)
{
    device::find_extremes_into(function, policy, first, n, out, search_type{});
}

template <class Key, class T>
std::size_t prebuilt_by_key<Key, T>::reduce(const char* function, const device_policy& policy, const Key* keys,
                                            std::size_t n, const T* values, Key* keys_out, T* values_out)
{
    return device::reduce_by_key<T>(function, policy, keys, n, values, keys_out, values_out, equal_to{}, plus{});
}

template <class Key, class T>
void prebuilt_by_key<Key, T>::scan(const char* function, const device_policy& policy, scan_kind kind, const Key* keys,
                                   std::size_t n, const T* values, T* out, const T* init)
{
    if (kind == scan_kind::inclusive)
        device::scan_by_key<scan_kind::inclusive, T>(function, policy, keys, n, values, out, init, equal_to{}, plus{});
    else
        device::scan_by_key<scan_kind::exclusive, T>(function, policy, keys, n, values, out, init, equal_to{}, plus{});
}

/// A segmented scan of segments in any form.
template <class T, class Segments>
void prebuilt_segments_scan(const char* function, const device_policy& policy, scan_kind kind, const Segments& segments,
                            const T* first, T* out, const T* init)
{
    if (kind == scan_kind::inclusive)
        device::segmented_scan<scan_kind::inclusive, T>(function, policy, segments, first, out, init, plus{});
    else
        device::segmented_scan<scan_kind::exclusive, T>(function, policy, segments, first, out, init, plus{});
}

template <class T>
void prebuilt_segmented_scan<T>::scan(const char* function, const device_policy& policy, scan_kind kind,
                                      const fixed_segments& segments, const T* first, T* out, const T* init)
{
    prebuilt_segments_scan(function, policy, kind, segments, first, out, init);
}

template <class T>
void prebuilt_segmented_scan<T>::scan(const char* function, const device_policy& policy, scan_kind kind,
                                      const offset_segments<const std::uint32_t*>& segments, const T* first, T* out,
                                      const T* init)
{
    prebuilt_segments_scan(function, policy, kind, segments, first, out, init);
}

template <class T>
void prebuilt_segmented_scan<T>::scan(const char* function, const device_policy& policy, scan_kind kind,
                                      const offset_segments<const std::uint64_t*>& segments, const T* first, T* out,
                                      const T* init)
{
    prebuilt_segments_scan(function, policy, kind, segments, first, out, init);
}

}  // namespace parprims::detail::device
