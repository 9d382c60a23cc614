/// @file
/// @brief  Dispatch of scans to the GPU: validate, plan, launch.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/device/launch.hpp>
#include <parprims/detail/device/scan_kernel.hpp>
#include <parprims/detail/device/scan_plan.hpp>
#include <parprims/detail/device/scan_small_kernel.hpp>
#include <parprims/detail/device/scan_three_phase.hpp>
#include <parprims/detail/device/validate.hpp>
#include <parprims/detail/numbers.hpp>
#include <parprims/detail/runtime/call.hpp>
#include <parprims/execution.hpp>

#include <cstddef>
#include <type_traits>

namespace parprims::detail::device {

/// The alignment that scratch for values starts at.
inline constexpr std::size_t scratch_alignment = 256;

constexpr std::size_t scratch_bytes(std::size_t bytes)
{
    return order::ceil_div(bytes, scratch_alignment) * scratch_alignment;
}

/// What the blocks of a single-pass scan share: a ticket, a count of departures, and the tiles' status words.
template <class T>
constexpr std::size_t single_pass_bytes(std::size_t tiles)
{
    return tiles == 1 ? 0 : 2 * scratch_alignment + scratch_bytes(tile_status<T>::bytes(tiles));
}

/// Enqueues a scan in one pass.
template <class T, class Tile, class Op>
void enqueue_single_pass(const char* function, const device_policy& policy, const runtime::call_scope& scope,
                         const Tile& work, const Op&, const scan_plan& plan)
{
    using kernel_type = scan_kernel<Tile, T, Op>;
    const std::size_t shared_bytes = single_pass_bytes<T>(plan.tiles);
    const bool is_single = plan.tiles == 1;

    // Where each block has one tile, the last to be done leaves all as it was: so the workspace will do. Otherwise there is
    // so much to write that zeroing it before cannot be seen.
    const bool resets = !is_single && plan.one_each && shared_bytes <= runtime::workspace::zeroed_bytes;
    runtime::scratch_buffer scratch(policy.resource(), is_single || resets ? 0 : shared_bytes, policy.stream());
    const runtime::workspace_loan own =
        resets ? runtime::workspace_loan(policy.stream(), scope.is_capturing()) : runtime::workspace_loan();
    std::byte* const memory = resets ? own->zeroed : static_cast<std::byte*>(scratch.get());
    if (!resets)
        runtime::fill_async(memory, 0, is_single ? 0 : shared_bytes, policy.stream());

    auto* const ticket = reinterpret_cast<unsigned long long*>(memory);
    auto* const departures = resets ? reinterpret_cast<unsigned*>(memory + scratch_alignment) : nullptr;
    auto* const status = is_single ? nullptr : reinterpret_cast<std::uint64_t*>(memory + 2 * scratch_alignment);
    launch(function, {plan.blocks, plan.block_threads, kernel_type::shared_bytes(plan.one_each ? 1 : plan.stages)},
           scope.device(), policy.stream(),
           kernel_type{work, {status, plan.tiles}, ticket, plan.stages, plan.one_each, departures});
}

/// Words of a board that the workspace has room for.
template <class Board>
inline constexpr unsigned small_scan_words =
    (runtime::workspace::small_scan_bytes - scratch_alignment - Board::left_bytes) / sizeof(std::uint64_t);

/// Enqueues a scan of a small input.
template <class T, class Tile, class Op>
void enqueue_small(const char* function, const device_policy& policy, const runtime::call_scope& scope,
                   const Tile& work, const Op&, const small_scan_plan& plan)
{
    if (plan.block_rows != 0) {
        using kernel_type = scan_cluster_kernel<Tile, T, Op>;
        launch(function,
               {plan.blocks, plan.block_threads, sizeof(typename kernel_type::shared_storage),
                static_cast<unsigned>(plan.blocks)},
               scope.device(), policy.stream(), kernel_type{work, plan.block_rows});
        return;
    }
    using board_type = small_scan_board<T>;
    const runtime::workspace_loan own(policy.stream(), scope.is_capturing());
    std::byte* const memory = own->small_scan;
    const board_type board{reinterpret_cast<unsigned long long*>(memory),
                           reinterpret_cast<unsigned*>(memory + scratch_alignment),
                           reinterpret_cast<std::uint64_t*>(memory + scratch_alignment + board_type::left_bytes),
                           small_scan_words<board_type>};
    const auto run_with = [&]<unsigned WarpRows>(std::integral_constant<unsigned, WarpRows>) {
        using kernel_type = scan_small_kernel<Tile, T, Op, WarpRows>;
        constexpr unsigned patience = 1 << 14;  // milliseconds
        launch(function, {plan.blocks, plan.block_threads, sizeof(typename kernel_type::shared_storage)},
               scope.device(), policy.stream(), kernel_type{work, board, patience});
    };
    constexpr unsigned most_rows = small_scan_most_warp_rows(Tile::row_registers);
    if (plan.warp_rows == 2)
        run_with(std::integral_constant<unsigned, 2>{});
    else if (plan.warp_rows == most_rows)
        run_with(std::integral_constant<unsigned, most_rows>{});
    else
        run_with(std::integral_constant<unsigned, 4>{});
}

template <class Tile, class T, class Op>
void enqueue_three_phase(const char* function, const device_policy& policy, int device, const Tile& work,
                         const scan_plan& plan)
{
    using value = uninitialized<T>;
    const std::size_t groups = order::ceil_div(plan.tiles, order::group_tiles);
    const std::size_t aggregate_bytes = scratch_bytes(plan.tiles * sizeof(value));
    runtime::scratch_buffer scratch(policy.resource(), aggregate_bytes + groups * sizeof(value), policy.stream());
    auto* const aggregates = static_cast<value*>(scratch.get());
    auto* const anchors = reinterpret_cast<value*>(static_cast<unsigned char*>(scratch.get()) + aggregate_bytes);

    using kernel_type = scan_tiles_kernel<Tile, T>;
    using scan_of_sums = scan_anchors_kernel<T, Op>;
    const launch_shape tiles{plan.blocks, plan.block_threads, kernel_type::shared_bytes};
    if (plan.tiles > 1)
        launch(function, tiles, device, policy.stream(), kernel_type{work, aggregates, nullptr, 1});
    if (groups > 1 || work.init.present)
        launch(function, {1, plan.block_threads, sizeof(typename scan_of_sums::shared_storage)}, device,
               policy.stream(), scan_of_sums{aggregates, anchors, groups, work.init, work.op});
    launch(function, tiles, device, policy.stream(), kernel_type{work, aggregates, anchors, 3});
}

/// Enqueues a scan.
template <scan_kind Kind, class T, class Iterator, class Output, class Op, class Transform>
void scan(const char* function, const device_policy& policy, Iterator first, std::size_t n, Output out, const T* init,
          Op op, Transform transform)
{
    check_value_type<T>();
    if (policy.scan())  // before a GPU is looked for; the table's own are right
        check_scan_config(function, *policy.scan());
    const runtime::call_scope scope(function, policy.stream(), address_of(first));
    check_input(function, "first", first, n, scope.device());
    check_input(function, "out", out, n, scope.device());
    const machine gpu = machine_for_code(scope.device());
    const scan_config config = policy.scan().value_or(launch_row(gpu.architecture, sizeof(T)).scan);
    if (n == 0)
        return;

    using tile_type = scan_tile<Kind, input_for<Iterator>, output_for<Output>, T, Op, Transform>;
    using kernel_type = scan_kernel<tile_type, T, Op>;
    bool input_aligned = false;
    bool output_aligned = false;
    const auto input = make_input(first);
    if constexpr (tile_type::copies)
        input_aligned = is_aligned(input.data, tile_type::packet_bytes);
    if constexpr (std::is_pointer_v<Output>)
        output_aligned = is_aligned(out, order::vector_bytes);
    maybe<T> start;
    if (init != nullptr)
        start.set(*init);

    const tile_type work{input, n, make_output(out), start, op, transform, input_aligned, output_aligned};
    if constexpr (has_small_scan<tile_type, T>) {
        using board = small_scan_board<T>;
        constexpr std::size_t most = smaller_of(board::max_blocks, small_scan_words<board> / board::words);
        const small_scan_plan plan =
            plan_small_scan(n, tile_type::row, tile_type::rows, tile_type::row_registers, most, config, gpu);
        if (plan.blocks != 0)
            return enqueue_small<T>(function, policy, scope, work, op, plan);
    }
    const scan_plan plan =
        plan_scan(n, tile_type::tile, kernel_type::storage_bytes, tile_type::stage_bytes, config, gpu);
    if (plan.method == scan_config::three_phase)
        enqueue_three_phase<tile_type, T, Op>(function, policy, scope.device(), work, plan);
    else
        enqueue_single_pass<T>(function, policy, scope, work, op, plan);
}

}  // namespace parprims::detail::device
