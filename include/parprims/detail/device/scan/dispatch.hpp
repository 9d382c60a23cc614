/// @file
/// @brief  Dispatch of scans, on any launcher: plan, memory, launch. Arguments are valid.
#pragma once

#include <parprims/detail/device/call/launcher.hpp>
#include <parprims/detail/device/load/input.hpp>
#include <parprims/detail/device/pass/dispatch.hpp>
#include <parprims/detail/device/scan/cluster_kernel.hpp>
#include <parprims/detail/device/scan/plan.hpp>
#include <parprims/detail/device/scan/three_phase.hpp>
#include <parprims/detail/device/scan/work.hpp>
#include <parprims/detail/device/store/output.hpp>
#include <parprims/detail/uninitialized.hpp>
#include <parprims/execution.hpp>

#include <cstddef>
#include <type_traits>

namespace parprims::detail::device {

/// Rows that warps have registers for. In tests warps have more, so that blocks with fewer warps than planned work, too.
template <class Launcher>
constexpr unsigned held_rows_of(unsigned planned)
{
    if constexpr (requires { Launcher::held_rows; })
        return Launcher::held_rows;
    else
        return planned;
}

/// Enqueues a scan of one tile by a cluster.
template <class T, launcher Launcher, class Tile>
void enqueue_cluster(Launcher& launcher, const Tile& work, const cluster_scan_plan& plan)
{
    using kernel_type = scan_cluster_kernel<Tile, T, held_rows_of<Launcher>(1)>;
    launcher.launch({plan.blocks, plan.block_threads, kernel_type::storage_bytes, plan.blocks},
                    kernel_type{work, plan.block_rows});
}

/// What a scan of `[first, first + n)` to `out` works on. `init` may be null.
template <scan_kind Kind, class T, class Iterator, class Output, class Op, class Transform>
auto make_scan_tile(Iterator first, std::size_t n, Output out, const T* init, Op op, Transform transform)
{
    using tile_type = scan_tile<Kind, input_for<Iterator>, output_for<Output>, T, Op, Transform>;
    const auto input = device::make_input(first);
    unsigned input_shift = 0;
    unsigned output_shift = 0;
    if constexpr (tile_type::stages_raw && !tile_type::has_thread_rows)
        input_shift = block::shift_of(input.data);
    if constexpr (std::is_pointer_v<Output>)
        output_shift = block::shift_of(out);
    return tile_type{input,       n,           device::make_output(out), maybe<T>::copy_of(init), op, transform,
                     input_shift, output_shift};
}

/// Enqueues a scan of few tiles, with a block for each, which holds its tile from load to store. Returns false if there are too many tiles.
template <class T, launcher Launcher, class Tile>
bool enqueue_short_scan(Launcher& launcher, const scan_config& config, const Tile& work)
{
    const gpu_properties gpu = launcher.gpu();
    const auto in_cluster = device::planned(launcher, plan_cluster_scan(work.n, Tile::row, Tile::rows, config, gpu));
    if (in_cluster.blocks != 0) {
        device::enqueue_cluster<T>(launcher, work, in_cluster);
        return true;
    }
    const auto small =
        device::planned(launcher, plan_small_scan(work.tiles(), work.is_aligned(), !Tile::has_thread_rows,
                                                  epoch_words<T>::max_tiles, config, gpu));
    if (small.blocks == 0)
        return false;
    if constexpr (!Tile::has_thread_rows)
        if (!small.is_held) {
            using staged = scan_work<Tile, T>;
            device::enqueue_short_pass(launcher, staged{{work}, 2}, small.blocks, small.block_threads);
            return true;
        }
    using held = held_scan_work<Tile, T, held_rows_of<Launcher>(Tile::rows / held_scan_warps)>;
    device::enqueue_short_pass(launcher, held{{work}}, small.blocks, small.block_threads);
    return true;
}

/// The plan of a long pass over n elements.
template <class Work, launcher Launcher>
long_plan planned_single_pass(Launcher& launcher, std::size_t n, std::size_t tile, const scan_config& config)
{
    using kernel_type = long_pass<Work>;
    return device::planned(launcher, plan_single_pass(n, tile, kernel_type::shared_bytes(0, 0), Work::slot_bytes(),
                                                      kernel_type::max_threads, config, launcher.gpu()));
}

/// Enqueues a scan of any number of tiles: blocks take one after another.
template <class T, launcher Launcher, class Tile>
void enqueue_long_scan(Launcher& launcher, const scan_config& config, const Tile& work)
{
    using work_type = scan_work<Tile, T>;
    const long_plan plan = device::planned_single_pass<work_type>(launcher, work.n, Tile::tile, config);
    device::enqueue_long_pass(launcher, work_type{{work}, plan.slots}, plan);
}

/// Enqueues the scan of `[first, first + n)`, which is not empty, to `out`. `init` may be null.
template <scan_kind Kind, class T, launcher Launcher, class Iterator, class Output, class Op, class Transform>
void enqueue_scan(Launcher& launcher, const optional_config<scan_config>& chosen_config, Iterator first, std::size_t n,
                  Output out, const T* init, Op op, Transform transform)
{
    const scan_config config = chosen_config.value_or(default_scan(launcher.gpu().architecture, sizeof(T)));
    const auto work = device::make_scan_tile<Kind, T>(first, n, out, init, op, transform);
    if constexpr (has_small_scan<std::remove_const_t<decltype(work)>, T>)
        if (device::enqueue_short_scan<T>(launcher, config, work))
            return;
    device::enqueue_long_scan<T>(launcher, config, work);
}

/// Enqueues the scan in three phases.
template <scan_kind Kind, class T, launcher Launcher, class Iterator, class Output, class Op, class Transform>
void enqueue_scan(Launcher& launcher, const optional_config<three_phase_scan>& config, Iterator first, std::size_t n,
                  Output out, const T* init, Op op, Transform transform)
{
    const auto work = device::make_scan_tile<Kind, T>(first, n, out, init, op, transform);
    using tile_type = std::remove_const_t<decltype(work)>;
    const three_phase_plan plan =
        device::planned(launcher, plan_three_phase(n, tile_type::tile, config.value_or({}), launcher.gpu()));

    using value = uninitialized<T>;
    const std::size_t aggregate_bytes = aligned_bytes(plan.tiles * sizeof(value));
    const auto scratch = launcher.scratch(aggregate_bytes + plan.groups * sizeof(value));
    auto* const aggregates = reinterpret_cast<value*>(static_cast<std::byte*>(scratch.get()));
    auto* const anchors = reinterpret_cast<value*>(static_cast<std::byte*>(scratch.get()) + aggregate_bytes);

    using work_type = scan_work<tile_type, T>;
    using kernel_type = scan_tiles_kernel<work_type>;
    using scan_of_sums = scan_anchors_kernel<T, Op>;
    const launch_shape tiles{plan.blocks, plan.block_threads, kernel_type::shared_bytes};
    if (plan.tiles > 1)
        launcher.launch(tiles, kernel_type{{{work}, 2}, aggregates, nullptr, 1, n / tile_type::tile});
    if (plan.groups > 1 || work.init.present)
        launcher.launch({1, plan.block_threads, sizeof(typename scan_of_sums::shared_storage)},
                        scan_of_sums{aggregates, anchors, plan.groups, work.init, op});
    launcher.launch(tiles, kernel_type{{{work}, 2}, aggregates, anchors, 3, plan.tiles});
}

}  // namespace parprims::detail::device
