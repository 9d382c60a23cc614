/// @file
/// @brief  parprims' own kernels on the executor, from the same plans as on a GPU: a step of the experiments. Those of large
///         inputs, whatever the size, so that few values show them.
#pragma once

#include "support/executor_machine.hpp"

#include <parprims/detail/device/histogram_kernel.hpp>
#include <parprims/detail/device/histogram_plan.hpp>
#include <parprims/detail/device/histogram_samples.hpp>
#include <parprims/detail/device/input.hpp>
#include <parprims/detail/device/output.hpp>
#include <parprims/detail/device/reduce_kernel.hpp>
#include <parprims/detail/device/reduce_plan.hpp>
#include <parprims/detail/device/scan_kernel.hpp>
#include <parprims/detail/device/scan_plan.hpp>
#include <parprims/functional.hpp>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <type_traits>

namespace samples {

/// A GPU of four multiprocessors, so that few values are spread over several blocks.
inline constexpr parprims::detail::device::machine small_gpu{4, 2048, 227 * 1024, 228 * 1024};

/// parprims::reduce(in, in + n, init).
template <class T>
T executor_reduce(executor_machine& machine, const T* in, std::size_t n, T init)
{
    namespace device = parprims::detail::device;
    using kernel = device::reduce_kernel<device::input_for<const T*>, T, T*, parprims::plus, parprims::identity>;
    const auto plan = device::plan_reduce(n, kernel::chunk, {256, 1, 0}, small_gpu);
    parprims::detail::maybe<T> start;
    start.set(init);
    auto* const ticket = machine.allocate<unsigned>(1);
    machine.set_to_zero(ticket, 1);
    T* const result = machine.allocate<T>(1);
    machine.launch(plan.blocks, plan.block_threads,
                   kernel{device::make_input(in), n, result, start, parprims::plus{}, parprims::identity{},
                          plan.subtrees, plan.subtree_chunks, plan.group_bits, plan.partials(),
                          machine.allocate<parprims::detail::uninitialized<T>>(plan.blocks == 1 ? 0 : plan.partials()),
                          ticket, device::is_aligned(in, 16)});
    return *result;
}

/// parprims::histogram(in, in + n, axis, counts), for bins that shared memory holds in a few passes.
template <class T, class Axis, class Counter>
void executor_histogram(executor_machine& machine, const T* in, std::size_t n, const Axis& axis, Counter* counts)
{
    namespace device = parprims::detail::device;
    using samples_type = device::histogram_samples<device::input_for<const T*>, Axis>;
    const samples_type values{device::make_input(in), n, axis};
    const auto plan = device::plan_histogram("histogram", n, values.counters(), {}, small_gpu);
    const bool overwrites = plan.blocks == 1;
    const bool gathers = !overwrites && plan.placement == parprims::histogram_config::shared;
    if (!overwrites && !gathers)
        machine.set_to_zero(counts, axis.extent());
    auto* const gathered = gathers ? machine.allocate<std::uint32_t>(axis.extent()) : nullptr;
    auto* const departures = machine.allocate<unsigned>(1);
    machine.set_to_zero(gathered, gathers ? axis.extent() : 0);
    machine.set_to_zero(departures, 1);
    const auto launch = [&]<bool Windowed>(std::bool_constant<Windowed>) {
        machine.launch(plan.blocks, plan.block_threads,
                       device::histogram_shared_kernel<samples_type, Counter, Windowed>{
                           values, counts, static_cast<std::uint32_t>(plan.window), plan.windows, plan.replicas,
                           plan.segment, overwrites, gathered, departures},
                       plan.shared_bytes);
    };
    if (plan.placement == parprims::histogram_config::shared)
        launch(std::false_type{});
    else if (plan.placement == parprims::histogram_config::passes)
        launch(std::true_type{});
    else
        throw std::invalid_argument("the executor's histogram is for bins that shared memory holds in a few passes");
}

/// parprims::inclusive_scan(in, in + n, out, op), in a single pass.
template <class T, class Op>
void executor_inclusive_scan(executor_machine& machine, const T* in, std::size_t n, T* out, Op op)
{
    namespace device = parprims::detail::device;
    using tile = device::scan_tile<device::input_for<const T*>, device::output_for<T*>, T, Op, parprims::identity>;
    using kernel = device::scan_kernel<tile, T, Op>;
    const tile work{device::make_input(in),
                    n,
                    device::make_output(out),
                    {},
                    op,
                    parprims::identity{},
                    false,
                    device::is_aligned(in, tile::packet_bytes),
                    device::is_aligned(out, 16)};
    const auto plan = device::plan_scan(n, tile::tile, kernel::storage_bytes, tile::stage_bytes,
                                        {parprims::scan_config::single_pass, 64, 1, 2}, small_gpu);
    const bool is_single = plan.tiles == 1;
    const std::size_t words = is_single ? 0 : device::tile_status<T>::bytes(plan.tiles) / 8;
    auto* const status = machine.allocate<std::uint64_t>(words);
    auto* const ticket = machine.allocate<unsigned long long>(1);
    auto* const departures = machine.allocate<unsigned>(1);
    machine.set_to_zero(status, words);
    machine.set_to_zero(ticket, 1);
    machine.set_to_zero(departures, 1);
    machine.launch(plan.blocks, plan.block_threads,
                   kernel{work,
                          {status, plan.tiles},
                          is_single ? nullptr : ticket,
                          plan.stages,
                          plan.one_each,
                          is_single ? nullptr : departures},
                   kernel::shared_bytes(plan.one_each ? 1 : plan.stages));
}

}  // namespace samples
