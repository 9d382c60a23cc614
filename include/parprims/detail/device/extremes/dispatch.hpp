/// @file
/// @brief  Dispatch of the search for extremes, on any launcher: plan, memory, launch. Arguments are valid.
#pragma once

#include <parprims/detail/block/input.hpp>
#include <parprims/detail/device/extremes/kernel.hpp>
#include <parprims/detail/device/launch/launcher.hpp>
#include <parprims/detail/numeric/integers.hpp>
#include <parprims/detail/order.hpp>

#include <cstddef>
#include <cstdint>

namespace parprims::detail::device {

struct extremes_plan {
    std::size_t blocks;
    unsigned block_threads;
};

/// A warp for each batch, as long as all blocks are resident.
inline extremes_plan plan_extremes(std::size_t batches, unsigned max_threads, const gpu_properties& gpu)
{
    const std::size_t warps = clamped<std::size_t>(batches, 1, max_threads / order::lanes);
    const std::size_t resident = std::size_t{gpu.multiprocessors} * extremes_blocks_per_sm;
    return {clamped<std::size_t>(order::ceil_div(batches, warps), 1, resident),
            static_cast<unsigned>(warps) * order::lanes};
}

/// Enqueues the search in `[first, first + n)`, which may be empty. `*output` becomes the positions.
template <launcher Launcher, class Iterator, class Output, class Search>
void enqueue_extremes(Launcher& launcher, Iterator first, std::size_t n, Output output, Search search)
{
    using kernel_type = extremes_kernel<input_for<Iterator>, Search, Output>;
    const auto input = make_input(first);
    std::size_t head = 0;
    if constexpr (kernel_type::in_packets)
        head = smaller_of<std::size_t>(-reinterpret_cast<std::uintptr_t>(input.data) % 16 / sizeof(*input.data), n);
    const std::size_t packets = (n - head) / kernel_type::items;
    const extremes_plan plan = planned(launcher, plan_extremes(order::ceil_div(packets, kernel_type::batch),
                                                               kernel_type::max_threads, launcher.gpu()));
    const auto partials = launcher.zeroed(plan.blocks == 1 ? 0 : kernel_type::partials_type::bytes(plan.blocks));
    launcher.launch({plan.blocks, plan.block_threads, sizeof(typename kernel_type::shared_storage)},
                    kernel_type{input, n, head, packets, search, output, {partials.get()}});
}

}  // namespace parprims::detail::device
