/// @file
/// @brief  Dispatch of scans, on any launcher: plan, memory, launch. Arguments are valid.
#pragma once

#include <parprims/detail/block/input.hpp>
#include <parprims/detail/block/output.hpp>
#include <parprims/detail/device/launch/launcher.hpp>
#include <parprims/detail/device/scan/kernel.hpp>
#include <parprims/detail/device/scan/plan.hpp>
#include <parprims/detail/device/scan/small_kernel.hpp>
#include <parprims/detail/device/scan/three_phase.hpp>
#include <parprims/detail/numeric/integers.hpp>
#include <parprims/detail/optional_config.hpp>
#include <parprims/detail/uninitialized.hpp>

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
template <class T, launcher Launcher, class Tile, class Op>
void enqueue_single_pass(Launcher& on, const Tile& work, const Op&, const scan_plan& plan)
{
    using kernel_type = scan_kernel<Tile, T, Op>;
    const std::size_t shared_bytes = single_pass_bytes<T>(plan.tiles);
    const bool is_single = plan.tiles == 1;

    // Where each block has one tile, the last one zeroes what they shared, so the workspace will do. Otherwise there is so much
    // to write that zeroing scratch first cannot be seen.
    const bool resets = !is_single && plan.one_each && shared_bytes <= max_scan_zeroed_bytes;
    const auto own = on.zeroed(resets ? shared_bytes : 0);
    const auto scratch = on.scratch(is_single || resets ? 0 : shared_bytes);
    std::byte* const memory = resets ? own.get() : static_cast<std::byte*>(scratch.get());
    if (!is_single && !resets)
        on.zero(memory, shared_bytes);

    auto* const ticket = is_single ? nullptr : reinterpret_cast<unsigned long long*>(memory);
    auto* const departures = resets ? reinterpret_cast<unsigned*>(memory + scratch_alignment) : nullptr;
    auto* const status = is_single ? nullptr : reinterpret_cast<std::uint64_t*>(memory + 2 * scratch_alignment);
    on.launch({plan.blocks, plan.block_threads, kernel_type::shared_bytes(plan.one_each ? 1 : plan.stages)},
              kernel_type{work, {status, plan.tiles}, ticket, plan.stages, plan.one_each, departures});
}

/// Words of a board that the workspace has room for.
template <class Board>
inline constexpr unsigned small_scan_words =
    (small_scan_bytes - scratch_alignment - Board::left_bytes) / sizeof(std::uint64_t);

/// Rows that a warp of a small scan has room for. Tests give it more, so that blocks can do with fewer warps than planned.
template <class Launcher>
constexpr unsigned warp_rows_on(unsigned planned)
{
    if constexpr (requires { Launcher::warp_rows(planned); })
        return Launcher::warp_rows(planned);
    else
        return planned;
}

/// Enqueues a scan of a small input.
template <class T, launcher Launcher, class Tile, class Op>
void enqueue_small(Launcher& on, const Tile& work, const Op&, const small_scan_plan& plan)
{
    if (plan.block_rows != 0) {
        using kernel_type = scan_cluster_kernel<Tile, T, Op, warp_rows_on<Launcher>(1)>;
        on.launch({plan.blocks, plan.block_threads, sizeof(typename kernel_type::shared_storage),
                   static_cast<unsigned>(plan.blocks)},
                  kernel_type{work, plan.block_rows});
        return;
    }
    using board_type = small_scan_board<T>;
    const auto own = on.persistent(small_scan_bytes);
    std::byte* const memory = own.get();
    const board_type board{reinterpret_cast<unsigned long long*>(memory),
                           reinterpret_cast<unsigned*>(memory + scratch_alignment),
                           reinterpret_cast<std::uint64_t*>(memory + scratch_alignment + board_type::left_bytes),
                           small_scan_words<board_type>};
    const auto run_with = [&]<unsigned WarpRows>(std::integral_constant<unsigned, WarpRows>) {
        using kernel_type = scan_small_kernel<Tile, T, Op, warp_rows_on<Launcher>(WarpRows)>;
        on.launch({plan.blocks, plan.block_threads, sizeof(typename kernel_type::shared_storage)},
                  kernel_type{work, board, max_spins});
    };
    constexpr unsigned most_rows = small_scan_most_warp_rows(Tile::row_registers);
    if (plan.warp_rows == 2)
        run_with(std::integral_constant<unsigned, 2>{});
    else if (plan.warp_rows == most_rows)
        run_with(std::integral_constant<unsigned, most_rows>{});
    else
        run_with(std::integral_constant<unsigned, 4>{});
}

template <class T, launcher Launcher, class Tile, class Op>
void enqueue_three_phase(Launcher& on, const Tile& work, const Op&, const scan_plan& plan)
{
    using value = uninitialized<T>;
    const std::size_t groups = order::ceil_div(plan.tiles, order::group_tiles);
    const std::size_t aggregate_bytes = scratch_bytes(plan.tiles * sizeof(value));
    const auto scratch = on.scratch(aggregate_bytes + groups * sizeof(value));
    auto* const aggregates = reinterpret_cast<value*>(static_cast<std::byte*>(scratch.get()));
    auto* const anchors = reinterpret_cast<value*>(static_cast<std::byte*>(scratch.get()) + aggregate_bytes);

    using kernel_type = scan_tiles_kernel<Tile, T>;
    using scan_of_sums = scan_anchors_kernel<T, Op>;
    const launch_shape tiles{plan.blocks, plan.block_threads, kernel_type::shared_bytes};
    if (plan.tiles > 1)
        on.launch(tiles, kernel_type{work, aggregates, nullptr, 1});
    if (groups > 1 || work.init.present)
        on.launch({1, plan.block_threads, sizeof(typename scan_of_sums::shared_storage)},
                  scan_of_sums{aggregates, anchors, groups, work.init, work.op});
    on.launch(tiles, kernel_type{work, aggregates, anchors, 3});
}

/// Enqueues the scan of `[first, first + n)`, which is not empty, to `out`; from `init` on, where it is not null.
template <scan_kind Kind, class T, launcher Launcher, class Iterator, class Output, class Op, class Transform>
void enqueue_scan(Launcher& on, const optional_config<scan_config>& chosen_config, Iterator first, std::size_t n,
                  Output out, const T* init, Op op, Transform transform)
{
    const machine gpu = on.gpu();
    const scan_config config = chosen_config.value_or(tuned(scan_tuning, gpu.architecture, sizeof(T)));
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
        const small_scan_plan plan = planned(on, plan_small_scan(n, tile_type::row, tile_type::rows,
                                                                 tile_type::row_registers, most, config, gpu));
        if (plan.blocks != 0)
            return enqueue_small<T>(on, work, op, plan);
    }
    const scan_plan plan =
        planned(on, plan_scan(n, tile_type::tile, kernel_type::storage_bytes, tile_type::stage_bytes, config, gpu));
    if (plan.method == scan_config::three_phase)
        enqueue_three_phase<T>(on, work, op, plan);
    else
        enqueue_single_pass<T>(on, work, op, plan);
}

}  // namespace parprims::detail::device
