/// @file
/// @brief  reduce on the CUDA backend: as templates if this file is compiled as CUDA, else from the compiled library, else
///         throwing "no CUDA support".
#pragma once

#include <parprims/config.hpp>

#if PARPRIMS_HAS_CUDA && PARPRIMS_CUDA_COMPILER

#include <parprims/detail/device/call/callable.hpp>
#include <parprims/detail/device/call/cuda_launcher.hpp>
#include <parprims/detail/device/call/validate.hpp>
#include <parprims/detail/device/reduce/dispatch.hpp>
#include <parprims/detail/device/store/flagged_words.hpp>
#include <parprims/detail/device/store/output.hpp>
#include <parprims/detail/runtime/call.hpp>
#include <parprims/execution.hpp>

#include <cstddef>

namespace parprims::detail::device {

/// Reduces and waits for the value.
template <class T, class Iterator, class Op, class Transform>
T reduce(const char* function, const device_policy& policy, Iterator first, std::size_t n, T init, Op op,
         Transform transform)
{
    check_functions<T, Iterator, Op, Transform>();
    if (policy.reduce())  // before the first CUDA call
        check_reduce_config(function, *policy.reduce());
    cuda_launcher launcher(function, policy, device::addresses_in(first));
    launcher.refuse_capture();
    launcher.template check_input<Transform>(first, n);
    if (n == 0)
        return init;

    static_assert(block::flagged_words<T>::ready == runtime::result_slot::ready);
    static_assert(sizeof(T) <= runtime::result_slot::max_bytes);
    const runtime::result_slot slot(sizeof(T));  // mapped: the kernel writes the value where the host reads it
    device::enqueue_reduce(launcher, policy.reduce(), first, n, announced_output<T>{slot.words()}, init, op, transform);
    uninitialized<T> value;
    slot.take(__builtin_addressof(value), policy.stream());
    return value.value;
}

/// Enqueues a reduction that writes its value to `*output`.
template <class T, class Iterator, class Output, class Op, class Transform>
void reduce_into(const char* function, const device_policy& policy, Iterator first, std::size_t n, Output output,
                 T init, Op op, Transform transform)
{
    check_functions<T, Iterator, Op, Transform>();
    check_output_functions<T, Output>();
    if (policy.reduce())  // before the first CUDA call
        check_reduce_config(function, *policy.reduce());
    cuda_launcher launcher(function, policy,
                           n != 0 ? device::addresses_in(first, output) : device::addresses_in(output));
    launcher.template check_input<Transform>(first, n);
    launcher.check_range("out", output, 1);
    device::enqueue_reduce(launcher, policy.reduce(), first, n, output, init, op, transform);
}

}  // namespace parprims::detail::device

#else

#include <parprims/detail/device/call/prebuilt.hpp>
#include <parprims/detail/numeric/integers.hpp>
#include <parprims/detail/runtime/call.hpp>
#include <parprims/execution.hpp>

#include <cstddef>

namespace parprims::detail::device::inline plain {

template <class T, class Iterator, class Op, class Transform>
T reduce([[maybe_unused]] const char* function, [[maybe_unused]] const device_policy& policy,
         [[maybe_unused]] Iterator first, [[maybe_unused]] std::size_t n, [[maybe_unused]] T init, Op, Transform)
{
#if PARPRIMS_HAS_CUDA
    using value = fixed_width_t<T>;
    return static_cast<T>(
        prebuilt<value, Op>::reduce(function, policy, as_fixed_width(first), n, static_cast<value>(init)));
#else
    runtime::throw_no_cuda(function);
#endif
}

template <class T, class Iterator, class Output, class Op, class Transform>
void reduce_into([[maybe_unused]] const char* function, [[maybe_unused]] const device_policy& policy,
                 [[maybe_unused]] Iterator first, [[maybe_unused]] std::size_t n, [[maybe_unused]] Output output,
                 [[maybe_unused]] T init, Op, Transform)
{
#if PARPRIMS_HAS_CUDA
    using value = fixed_width_t<T>;
    prebuilt<value, Op>::reduce_into(function, policy, as_fixed_width(first), n, as_fixed_width(output),
                                     static_cast<value>(init));
#else
    runtime::throw_no_cuda(function);
#endif
}

}  // namespace parprims::detail::device::inline plain

#endif
