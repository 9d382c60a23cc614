/// @file
/// @brief  parprims' own kernels on the executor, chosen and planned as a call on an H200 does: a step of the experiments.
#pragma once

#include "support/executor_machine.hpp"

#include <parprims/detail/block/input.hpp>
#include <parprims/detail/block/output.hpp>
#include <parprims/detail/device/histogram/kernel.hpp>
#include <parprims/detail/device/histogram/plan.hpp>
#include <parprims/detail/device/histogram/samples.hpp>
#include <parprims/detail/device/reduce/kernel.hpp>
#include <parprims/detail/device/reduce/plan.hpp>
#include <parprims/detail/device/reduce/small_kernel.hpp>
#include <parprims/detail/device/scan/kernel.hpp>
#include <parprims/detail/device/scan/plan.hpp>
#include <parprims/detail/device/scan/small_kernel.hpp>
#include <parprims/functional.hpp>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <type_traits>

namespace samples {

/// The numbers of an H200.
inline constexpr parprims::detail::device::machine planned_gpu{};

/// parprims::reduce(in, in + n, init) of few elements; false, and nothing done, of more. As device::enqueue_small_reduce.
template <class T>
bool executor_small_reduce(executor_machine& machine, const T* in, std::size_t n, T* result,
                           const parprims::detail::maybe<T>& start)
{
    namespace device = parprims::detail::device;
    using device::columns_meeting;
    using kernel =
        device::reduce_columns_kernel<device::input_for<const T*>, T, T*, parprims::plus, parprims::identity>;
    static_assert(device::total_words<T>::fit && sizeof(T) <= 4, "others have another choice on a GPU");
    const auto plan =
        device::plan_columns(n, kernel::chunk, kernel::row, kernel::max_threads, kernel::max_blocks, planned_gpu);
    if (plan.blocks == 0)
        return false;
    const bool has_words = plan.blocks != plan.cluster_blocks;
    const std::size_t words = has_words ? device::total_words<T>::of_total * plan.blocks : 0;
    auto* const ticket = machine.allocate<unsigned>(1);
    auto* const totals = machine.allocate<std::uint64_t>(words);
    machine.set_to_zero(ticket, 1);
    machine.set_to_zero(totals, words);
    machine.launch(plan.blocks, plan.block_threads,
                   kernel{device::make_input(in),
                          static_cast<std::uint32_t>(n),
                          static_cast<std::uint32_t>(plan.strips),
                          result,
                          start,
                          parprims::plus{},
                          parprims::identity{},
                          has_words          ? columns_meeting::words
                          : plan.blocks == 1 ? columns_meeting::one_block
                                             : columns_meeting::cluster,
                          ticket,
                          {totals}},
                   sizeof(typename kernel::shared_storage), plan.cluster_blocks);
    return true;
}

/// parprims::reduce(in, in + n, init).
template <class T>
T executor_reduce(executor_machine& machine, const T* in, std::size_t n, T init)
{
    namespace device = parprims::detail::device;
    using kernel = device::reduce_kernel<device::input_for<const T*>, T, T*, parprims::plus, parprims::identity>;
    parprims::detail::maybe<T> start;
    start.set(init);
    T* const result = machine.allocate<T>(1);
    if (executor_small_reduce(machine, in, n, result, start))
        return *result;
    const auto plan = device::plan_reduce(n, kernel::chunk,
                                          parprims::detail::device::tuned(parprims::detail::device::reduce_tuning,
                                                                          planned_gpu.architecture, sizeof(T)),
                                          planned_gpu, kernel::max_turn, kernel::max_turns);
    auto* const ticket = machine.allocate<unsigned>(1);
    machine.set_to_zero(ticket, 1);
    const std::size_t count = plan.turns * device::total_words<T>::of_total;
    auto* const words = machine.allocate<std::uint64_t>(count);
    machine.set_to_zero(words, count);
    const auto input = device::make_input(in);
    machine.launch(
        plan.blocks, plan.block_threads,
        kernel{{input, n, parprims::plus{}, parprims::identity{}, kernel::chunks_type::has_aligned_packets(input)},
               result,
               start,
               plan.subtrees,
               plan.subtree_chunks,
               plan.turn_bits,
               plan.turns,
               {words},
               nullptr,
               ticket});
    return *result;
}

/// parprims::histogram(in, in + n, axis, counts), for bins that shared memory holds in a few passes.
template <class T, class Axis, class Counter>
void executor_histogram(executor_machine& machine, const T* in, std::size_t n, const Axis& axis, Counter* counts)
{
    namespace device = parprims::detail::device;
    using samples_type = device::histogram_samples<device::input_for<const T*>, Axis>;
    const samples_type values{device::make_input(in), n, axis};
    const auto plan = device::plan_histogram("histogram", n, values.counters(),
                                             parprims::detail::device::tuned(parprims::detail::device::histogram_tuning,
                                                                             planned_gpu.architecture, sizeof(T)),
                                             planned_gpu, axis.bins(), samples_type::items);
    const bool gathers = !plan.overwrites && plan.placement == parprims::histogram_config::shared;
    if (!plan.overwrites && !gathers)
        machine.set_to_zero(counts, axis.extent());
    auto* const gathered = gathers ? machine.allocate<std::uint32_t>(axis.extent()) : nullptr;
    auto* const departures = machine.allocate<unsigned>(1);
    machine.set_to_zero(gathered, gathers ? axis.extent() : 0);
    machine.set_to_zero(departures, 1);
    const auto launch = [&]<bool Windowed>(std::bool_constant<Windowed>) {
        machine.launch(plan.blocks, plan.block_threads,
                       device::histogram_shared_kernel<samples_type, Counter, Windowed>{
                           values, counts, static_cast<std::uint32_t>(plan.window), plan.windows, plan.replicas,
                           plan.segment, plan.overwrites, gathered, departures},
                       plan.shared_bytes);
    };
    if (plan.placement == parprims::histogram_config::shared)
        launch(std::false_type{});
    else if (plan.placement == parprims::histogram_config::passes)
        launch(std::true_type{});
    else
        throw std::invalid_argument("the executor's histogram is for bins that shared memory holds in a few passes");
}

/// A scan of a small input, as device::enqueue_small.
template <class T, class Op, class Tile>
void executor_small_scan(executor_machine& machine, const Tile& work,
                         const parprims::detail::device::small_scan_plan& plan)
{
    namespace device = parprims::detail::device;
    if (plan.block_rows != 0) {
        using kernel = device::scan_cluster_kernel<Tile, T, Op>;
        return machine.launch(plan.blocks, plan.block_threads, kernel{work, plan.block_rows},
                              sizeof(typename kernel::shared_storage), static_cast<unsigned>(plan.blocks));
    }
    constexpr unsigned warp_rows = 8;  // enough for all plans
    using kernel = device::scan_small_kernel<Tile, T, Op, warp_rows>;
    using board = device::small_scan_board<T>;
    constexpr unsigned patience = 1 << 14;
    const std::size_t words = plan.blocks * board::words;
    auto* const left = machine.allocate<unsigned>(board::max_blocks);
    auto* const status = machine.allocate<std::uint64_t>(words);
    machine.set_to_zero(left, board::max_blocks);
    machine.set_to_zero(status, words);
    auto* const arrivals = machine.bring<unsigned long long>({1ull << board::epoch_bits});  // not the first scan
    machine.launch(plan.blocks, plan.block_threads,
                   kernel{work, {arrivals, left, status, static_cast<unsigned>(words)}, patience});
}

/// parprims::inclusive_scan(in, in + n, out, op), in a single pass.
template <class T, class Op>
void executor_inclusive_scan(executor_machine& machine, const T* in, std::size_t n, T* out, Op op)
{
    namespace device = parprims::detail::device;
    using tile = device::scan_tile<parprims::detail::scan_kind::inclusive, device::input_for<const T*>,
                                   device::output_for<T*>, T, Op, parprims::identity>;
    using kernel = device::scan_kernel<tile, T, Op>;
    const tile work{device::make_input(in),
                    n,
                    device::make_output(out),
                    {},
                    op,
                    parprims::identity{},
                    device::is_aligned(in, tile::packet_bytes),
                    device::is_aligned(out, 16)};
    const auto& config =
        parprims::detail::device::tuned(parprims::detail::device::scan_tuning, planned_gpu.architecture, sizeof(T));
    static_assert(device::has_small_scan<tile, T>);
    if (const auto few = device::plan_small_scan(n, tile::row, tile::rows, tile::row_registers,
                                                 device::small_scan_board<T>::max_blocks, config, planned_gpu);
        few.blocks != 0)
        return executor_small_scan<T, Op>(machine, work, few);
    const auto plan = device::plan_scan(n, tile::tile, kernel::storage_bytes, tile::stage_bytes, config, planned_gpu);
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
