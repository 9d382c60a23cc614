/// @file
/// @brief  Scans and reductions by key on the CUDA backend: templates where nvcc compiles, prebuilt sums elsewhere, an error
///         without CUDA.
#pragma once

#include <parprims/config.hpp>

#if PARPRIMS_HAS_CUDA && PARPRIMS_CUDA_COMPILER

#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/device/by_key/dispatch.hpp>
#include <parprims/detail/device/call/callable.hpp>
#include <parprims/detail/device/call/cuda_launcher.hpp>
#include <parprims/detail/device/call/validate.hpp>
#include <parprims/detail/device/store/output.hpp>
#include <parprims/detail/iterator/traits.hpp>
#include <parprims/detail/runtime/call.hpp>
#include <parprims/execution.hpp>
#include <parprims/functional.hpp>

#include <cstddef>
#include <type_traits>

namespace parprims::detail::device {

/// Fails to compile if the GPU cannot call what the kernels of a scan by key call.
template <class Key, class T, class Keys, class Values, class Equal, class Op, class Output>
constexpr bool check_scan_by_key_call()
{
    return check_kernel_call<Key>() && check_kernel_call<T, Keys, Values, Equal, Op, Output>() &&
           check_const_functions<T, Values, Op>();
}

/// The same of a reduction by key.
template <class Key, class T, class Keys, class Values, class Equal, class Op, class KeysOut, class... Outputs>
constexpr bool check_reduce_by_key_call()
{
    return check_kernel_call<Key>() && check_kernel_call<T, Keys, Values, Equal, Op, KeysOut, Outputs...>() &&
           check_const_functions<T, Values, Op>();
}

/// Enqueues a scan by key.
template <scan_kind Kind, class T, class Keys, class Values, class Output, class Equal, class Op>
void scan_by_key(const char* function, const device_policy& policy, Keys keys, std::size_t n, Values values, Output out,
                 const T* init, Equal equal, Op op)
{
    check_functions<T, Values, Op, identity>();
    check_compare_functions<Keys, Equal>();
    check_output_functions<T, Output>();
    cuda_launcher launcher(function, policy, device::addresses_in(keys, values, out));
    launcher.check_range("keys_first", keys, n);
    launcher.check_range("values_first", values, n);
    launcher.check_range("out", out, n);
    if (n != 0)
        device::enqueue_scan_by_key<Kind, T>(launcher, keys, n, values, out, init, equal, op);
}

/// Makes nvcc check the functions of a reduction by key, and refuses memory that its GPU cannot reach.
template <class T, class Keys, class Values, class KeysOut, class ValuesOut, class Equal, class Op>
void check_reduce_by_key(const cuda_launcher<>& launcher, const Keys& keys, std::size_t n, const Values& values,
                         const KeysOut& keys_out, const ValuesOut& values_out, const Equal&, const Op&)
{
    check_functions<T, Values, Op, identity>();
    check_compare_functions<Keys, Equal>();
    check_output_functions<iter_value_t<Keys>, KeysOut>();
    check_output_functions<T, ValuesOut>();
    launcher.check_range("keys_first", keys, n);
    launcher.check_range("values_first", values, n);
    launcher.check_range("keys_out", keys_out, n != 0);
    launcher.check_range("values_out", values_out, n != 0);
}

/// Reduces by key, and waits for the number of runs.
template <class T, class Keys, class Values, class KeysOut, class ValuesOut, class Equal, class Op>
std::size_t reduce_by_key(const char* function, const device_policy& policy, Keys keys, std::size_t n, Values values,
                          KeysOut keys_out, ValuesOut values_out, Equal equal, Op op)
{
    cuda_launcher<> launcher(function, policy, device::addresses_in(keys, values, keys_out, values_out));
    launcher.refuse_capture();
    device::check_reduce_by_key<T>(launcher, keys, n, values, keys_out, values_out, equal, op);
    if (n == 0)
        return 0;
    const runtime::result_slot slot(sizeof(std::size_t));
    device::enqueue_reduce_by_key<T>(launcher, keys, n, values, keys_out, values_out,
                                     announced_output<std::size_t>{slot.words()}, equal, op);
    std::size_t count = 0;
    slot.take(&count, policy.stream());
    return count;
}

/// Enqueues a reduction by key; the number of runs goes to `*count`.
template <class T, class Keys, class Values, class KeysOut, class ValuesOut, class Count, class Equal, class Op>
void reduce_by_key_into(const char* function, const device_policy& policy, Keys keys, std::size_t n, Values values,
                        KeysOut keys_out, ValuesOut values_out, Count count, Equal equal, Op op)
{
    check_output_functions<std::size_t, Count>();
    cuda_launcher<> launcher(function, policy,
                             n != 0 ? device::addresses_in(keys, values, keys_out, values_out, count)
                                    : device::addresses_in(count));
    device::check_reduce_by_key<T>(launcher, keys, n, values, keys_out, values_out, equal, op);
    launcher.check_range("count", count, 1);
    device::enqueue_reduce_by_key<T>(launcher, keys, n, values, keys_out, values_out, converted_output<Count>{count},
                                     equal, op);
}

}  // namespace parprims::detail::device

#else

#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/device/by_key/prebuilt.hpp>
#include <parprims/detail/device/call/prebuilt.hpp>
#include <parprims/detail/device/segmented/prebuilt.hpp>
#include <parprims/detail/runtime/call.hpp>
#include <parprims/execution.hpp>
#include <parprims/functional.hpp>

#include <cstddef>
#include <type_traits>

namespace parprims::detail::device::inline plain {

/// Fails to compile if the scan is not in the compiled library.
template <class Key, class T, class Keys, class Values, class Equal, class Op, class Output>
constexpr bool check_scan_by_key_call()
{
    if constexpr (check_listed < prebuilt_offsets<Keys> && std::is_same_v<Equal, equal_to> && std::is_same_v < Op,
                  plus >> ())
        return check_call<T, Values, Op, identity, Output>();
    else
        return false;
}

/// Fails to compile if the reduction is not in the compiled library, as those that leave their count on the device.
template <class Key, class T, class Keys, class Values, class Equal, class Op, class KeysOut, class ValuesOut,
          class... Count>
constexpr bool check_reduce_by_key_call()
{
    if constexpr (check_listed < std::is_same_v<KeysOut, Key*> && sizeof...(Count) == 0 > ())
        return check_scan_by_key_call<Key, T, Keys, Values, Equal, Op, ValuesOut>();
    else
        return false;
}

template <scan_kind Kind, class T, class Keys, class Values, class Output, class Equal, class Op>
void scan_by_key([[maybe_unused]] const char* function, [[maybe_unused]] const device_policy& policy,
                 [[maybe_unused]] Keys keys, [[maybe_unused]] std::size_t n, [[maybe_unused]] Values values,
                 [[maybe_unused]] Output out, [[maybe_unused]] const T* init, Equal, Op)
{
#if PARPRIMS_HAS_CUDA
    using key_type = prebuilt_offset<iter_value_t<Keys>>;
    const auto value = init != nullptr ? static_cast<prebuilt_sum<T>>(*init) : prebuilt_sum<T>{};
    prebuilt_by_key<key_type, prebuilt_sum<T>>::scan(function, policy, Kind, as_prebuilt_sum(keys), n,
                                                     as_prebuilt_sum(values), as_prebuilt_sum(out),
                                                     init != nullptr ? __builtin_addressof(value) : nullptr);
#else
    runtime::throw_no_cuda(function);
#endif
}

template <class T, class Keys, class Values, class KeysOut, class ValuesOut, class Equal, class Op>
std::size_t reduce_by_key([[maybe_unused]] const char* function, [[maybe_unused]] const device_policy& policy,
                          [[maybe_unused]] Keys keys, [[maybe_unused]] std::size_t n, [[maybe_unused]] Values values,
                          [[maybe_unused]] KeysOut keys_out, [[maybe_unused]] ValuesOut values_out, Equal, Op)
{
#if PARPRIMS_HAS_CUDA
    using key_type = prebuilt_offset<iter_value_t<Keys>>;
    return prebuilt_by_key<key_type, prebuilt_sum<T>>::reduce(function, policy, as_prebuilt_sum(keys), n,
                                                              as_prebuilt_sum(values), as_prebuilt_sum(keys_out),
                                                              as_prebuilt_sum(values_out));
#else
    runtime::throw_no_cuda(function);
#endif
}

template <class T, class Keys, class Values, class KeysOut, class ValuesOut, class Count, class Equal, class Op>
void reduce_by_key_into(const char* function, const device_policy&, Keys, std::size_t, Values, KeysOut, ValuesOut,
                        Count, Equal, Op)
{
    runtime::throw_no_cuda(function);
}

}  // namespace parprims::detail::device::inline plain

#endif
