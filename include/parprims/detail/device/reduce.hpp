/// @file
/// @brief  Dispatch of reductions to the GPU: validate, plan, launch.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/device/input.hpp>
#include <parprims/detail/device/launch.hpp>
#include <parprims/detail/device/output.hpp>
#include <parprims/detail/device/reduce_kernel.hpp>
#include <parprims/detail/device/reduce_plan.hpp>
#include <parprims/detail/device/validate.hpp>
#include <parprims/detail/runtime/call.hpp>
#include <parprims/execution.hpp>

#include <cstddef>

namespace parprims::detail::device {

/// Enqueues the reduction of `[first, first + n)` to `*output`. Arguments are valid; the device is current.
template <class T, class Iterator, class Output, class Op, class Transform>
void enqueue_reduce(const char* function, const device_policy& policy, const runtime::call_scope& scope, Iterator first,
                    std::size_t n, Output output, T init, Op op, Transform transform)
{
    using kernel_type = reduce_kernel<input_for<Iterator>, T, Output, Op, Transform>;
    using partial = uninitialized<T>;

    const machine gpu = machine_of(scope.device());
    const reduce_config config =
        policy.reduce().value_or(launch_row(gpu.architecture, sizeof(iter_value_t<Iterator>)).reduce);
    check_reduce_config(function, config);
    const reduce_plan plan = plan_reduce(n, kernel_type::chunk, config, gpu);

    // A block of its own needs no memory, and what a few of them need is there.
    const bool is_single = plan.blocks == 1;
    const runtime::workspace own =
        is_single ? runtime::workspace{} : runtime::workspace_of(policy.stream(), scope.is_capturing());
    const std::size_t partial_bytes = is_single ? 0 : plan.partials() * sizeof(partial);
    const bool fits = partial_bytes <= runtime::workspace::free_bytes && alignof(partial) <= 256;
    runtime::scratch_buffer scratch(policy.resource(), fits ? 0 : partial_bytes, policy.stream());

    bool aligned = false;
    if constexpr (std::is_pointer_v<Iterator>)
        aligned = is_aligned(first, order::vector_bytes);
    maybe<T> start;
    start.set(init);
    launch(function, {plan.blocks, plan.block_threads, sizeof(typename kernel_type::shared_storage)}, scope.device(),
           policy.stream(),
           kernel_type{make_input(first), n, output, start, op, transform, plan.subtrees, plan.subtree_chunks,
                       plan.group_bits, plan.partials(),
                       static_cast<partial*>(fits ? static_cast<void*>(own.free) : scratch.get()),
                       reinterpret_cast<unsigned*>(own.zeroed), aligned});
}

/// Reduces and waits for the value.
template <class T, class Iterator, class Op, class Transform>
T reduce(const char* function, const device_policy& policy, Iterator first, std::size_t n, T init, Op op,
         Transform transform)
{
    check_value_type<T>();
    const runtime::call_scope scope(function, policy.stream(), address_of(first));
    scope.refuse_capture(function);
    check_input(function, "first", first, n, scope.device());
    if (n == 0)
        return init;

    const runtime::result_slot slot(sizeof(T));  // mapped: the kernel leaves the value where the host reads it
    auto* const value = static_cast<T*>(slot.get());
    enqueue_reduce(function, policy, scope, first, n, announced_output<T>{value, slot.arrived()}, init, op, transform);
    slot.wait(policy.stream());
    return *value;
}

/// Enqueues a reduction that leaves its value at `*output`.
template <class T, class Iterator, class Output, class Op, class Transform>
void reduce_into(const char* function, const device_policy& policy, Iterator first, std::size_t n, Output output,
                 T init, Op op, Transform transform)
{
    check_value_type<T>();
    const runtime::call_scope scope(function, policy.stream(), n != 0 ? address_of(first) : address_of(output));
    check_input(function, "first", first, n, scope.device());
    check_input(function, "out", output, 1, scope.device());
    enqueue_reduce(function, policy, scope, first, n, output, init, op, transform);
}

}  // namespace parprims::detail::device
