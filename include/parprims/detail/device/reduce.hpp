/// @file
/// @brief  Dispatch of reductions to the GPU: validate, plan, launch.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/device/input.hpp>
#include <parprims/detail/device/launch.hpp>
#include <parprims/detail/device/output.hpp>
#include <parprims/detail/device/reduce_columns.hpp>
#include <parprims/detail/device/reduce_kernel.hpp>
#include <parprims/detail/device/reduce_plan.hpp>
#include <parprims/detail/device/reduce_words.hpp>
#include <parprims/detail/device/validate.hpp>
#include <parprims/detail/numbers.hpp>
#include <parprims/detail/runtime/call.hpp>
#include <parprims/execution.hpp>

#include <cstddef>
#include <cstdint>

namespace parprims::detail::device {

/// Enqueues the reduction of `[first, first + n)` to `*output` if there are so few elements that each 32 columns of a chunk
/// can have a warp.
template <class T, class Iterator, class Output, class Op, class Transform>
bool enqueue_small_reduce(const char* function, const device_policy& policy, const runtime::call_scope& scope,
                          const machine& gpu, Iterator first, std::size_t n, Output output, const maybe<T>& init, Op op,
                          Transform transform)
{
    using kernel_type = reduce_columns_kernel<input_for<Iterator>, T, Output, Op, Transform>;
    constexpr std::size_t max_blocks =
        smaller_of<std::size_t>(total_words<T>::capacity, total_words<T>::fit ? kernel_type::max_blocks : 0);

    if (policy.reduce() && policy.reduce()->subtree_chunks != 0)
        return false;
    const unsigned max_threads = policy.reduce() ? policy.reduce()->block_threads : kernel_type::max_threads;
    const columns_plan plan = plan_columns(n, kernel_type::chunk, kernel_type::row, max_threads, max_blocks, gpu);
    const bool has_words = plan.blocks != plan.cluster_blocks;
    // Wider values are more bytes than few blocks read in time: 2^18 doubles took 5.3 us, and 5.1 in the other kernel.
    if (plan.blocks == 0 || (has_words && sizeof(typename kernel_type::value_type) > 4))
        return false;
    const runtime::workspace_loan own =
        has_words ? runtime::workspace_loan(policy.stream(), scope.is_capturing()) : runtime::workspace_loan();
    launch(function,
           {plan.blocks, plan.block_threads, sizeof(typename kernel_type::shared_storage), plan.cluster_blocks},
           scope.device(), policy.stream(),
           kernel_type{make_input(first),
                       static_cast<std::uint32_t>(n),
                       static_cast<std::uint32_t>(plan.strips),
                       output,
                       init,
                       op,
                       transform,
                       has_words          ? columns_meeting::words
                       : plan.blocks == 1 ? columns_meeting::one_block
                                          : columns_meeting::cluster,
                       reinterpret_cast<unsigned*>(own->zeroed),
                       {reinterpret_cast<std::uint64_t*>(own->totals)}});
    return true;
}

/// Enqueues the reduction of `[first, first + n)` to `*output`. Arguments are valid; the device is current.
template <class T, class Iterator, class Output, class Op, class Transform>
void enqueue_reduce(const char* function, const device_policy& policy, const runtime::call_scope& scope, Iterator first,
                    std::size_t n, Output output, T init, Op op, Transform transform)
{
    using kernel_type = reduce_kernel<input_for<Iterator>, T, Output, Op, Transform>;
    using partial = uninitialized<T>;

    const machine gpu = machine_for_code(scope.device());
    const reduce_config config =
        policy.reduce().value_or(launch_row(gpu.architecture, sizeof(iter_value_t<Iterator>)).reduce);
    maybe<T> start;
    start.set(init);
    if (enqueue_small_reduce(function, policy, scope, gpu, first, n, output, start, op, transform))
        return;
    const reduce_plan plan =
        plan_reduce(n, kernel_type::chunk, config, gpu, kernel_type::max_turn, kernel_type::max_turns);

    // A block of its own needs no memory, and what a few of them need is there.
    const bool is_single = plan.blocks == 1;
    const runtime::workspace_loan own =
        is_single ? runtime::workspace_loan() : runtime::workspace_loan(policy.stream(), scope.is_capturing());
    const std::size_t partial_bytes = is_single || kernel_type::has_words ? 0 : plan.turns * sizeof(partial);
    const bool fits = partial_bytes <= runtime::workspace::free_bytes && alignof(partial) <= 256;
    runtime::scratch_buffer scratch(policy.resource(), fits ? 0 : partial_bytes, policy.stream());

    const auto input = make_input(first);
    launch(function, {plan.blocks, plan.block_threads, sizeof(typename kernel_type::shared_storage)}, scope.device(),
           policy.stream(),
           kernel_type{{input, n, op, transform, kernel_type::chunks_type::has_aligned_packets(input)},
                       output,
                       start,
                       plan.subtrees,
                       plan.subtree_chunks,
                       plan.turn_bits,
                       plan.turns,
                       {reinterpret_cast<std::uint64_t*>(own->totals)},
                       static_cast<partial*>(fits ? static_cast<void*>(own->free) : scratch.get()),
                       reinterpret_cast<unsigned*>(own->zeroed)});
}

/// Reduces and waits for the value.
template <class T, class Iterator, class Op, class Transform>
T reduce(const char* function, const device_policy& policy, Iterator first, std::size_t n, T init, Op op,
         Transform transform)
{
    check_value_type<T>();
    if (policy.reduce())  // before a GPU is looked for; the table's own are right
        check_reduce_config(function, *policy.reduce());
    const runtime::call_scope scope(function, policy.stream(), address_of(first));
    scope.refuse_capture(function);
    check_input(function, "first", first, n, scope.device());
    if (n == 0)
        return init;

    const runtime::result_slot slot(sizeof(T));  // mapped: the kernel leaves the value where the host reads it
    enqueue_reduce(function, policy, scope, first, n, announced_output<T>{slot.words()}, init, op, transform);
    uninitialized<T> value;
    slot.take(&value, policy.stream());
    return value.value;
}

/// Enqueues a reduction that leaves its value at `*output`.
template <class T, class Iterator, class Output, class Op, class Transform>
void reduce_into(const char* function, const device_policy& policy, Iterator first, std::size_t n, Output output,
                 T init, Op op, Transform transform)
{
    check_value_type<T>();
    if (policy.reduce())  // before a GPU is looked for; the table's own are right
        check_reduce_config(function, *policy.reduce());
    const runtime::call_scope scope(function, policy.stream(), n != 0 ? address_of(first) : address_of(output));
    check_input(function, "first", first, n, scope.device());
    check_input(function, "out", output, 1, scope.device());
    enqueue_reduce(function, policy, scope, first, n, output, init, op, transform);
}

}  // namespace parprims::detail::device
