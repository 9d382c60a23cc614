/// @file
/// @brief  Dispatch of the search for extremes, on any launcher: plan, memory, launch. Arguments are valid.
#pragma once

#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/device/call/launcher.hpp>
#include <parprims/detail/device/extremes/kernel.hpp>
#include <parprims/detail/device/load/input.hpp>
#include <parprims/detail/numeric/integers.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>

namespace parprims::detail::device {

struct extremes_plan {
    bool is_few;  ///< positions of 32 bits suffice
    unsigned block_threads;
    std::size_t max_blocks;  ///< that are resident together
};

inline extremes_plan plan_extremes(std::size_t n, const gpu_properties& gpu)
{
    return {n < std::numeric_limits<std::uint32_t>::max() / 2, extremes_threads,
            std::size_t{gpu.multiprocessors} * extremes_blocks_per_sm};
}

/// Warps of a block, at most `most`. One block takes all batches if it can. Several are small, but no more than one warp can fold.
inline std::size_t extremes_warps(std::size_t batches, std::size_t most)
{
    if (batches <= most)
        return larger_of<std::size_t>(batches, 1);
    std::size_t warps = smaller_of<std::size_t>(min_extremes_warps, most);
    while (2 * warps <= most && order::ceil_div(batches, warps) > order::lanes)
        warps *= 2;
    return warps;
}

/// Enqueues the search in `[first, first + n)`, which may be empty. `*output` becomes the positions.
template <launcher Launcher, class Iterator, class Output, class Search>
void enqueue_extremes(Launcher& launcher, Iterator first, std::size_t n, Output output, Search search)
{
    const extremes_plan plan = device::planned(launcher, plan_extremes(n, launcher.gpu()));

    const auto launch = [&]<class Position>(Position) {
        using kernel_type = extremes_kernel<input_for<Iterator>, Search, Output, Position>;
        const auto elements = kernel_type::batches_type::make(device::make_input(first), n, search);
        // A warp for each batch, as long as all blocks are resident.
        const std::size_t batches = order::ceil_div(elements.packets, kernel_type::batch);
        const std::size_t warps = extremes_warps(batches, plan.block_threads / order::lanes);
        const std::size_t blocks = clamped<std::size_t>(order::ceil_div(batches, warps), 1, plan.max_blocks);
        const auto partials = launcher.zeroed(blocks == 1 ? 0 : kernel_type::partials_type::bytes(blocks));
        launcher.launch({blocks, static_cast<unsigned>(warps) * order::lanes,
                         sizeof(typename kernel_type::shared_storage)},
                        kernel_type{elements, output, {partials.get(), blocks}});
    };
    if (plan.is_few)
        launch(std::uint32_t{});
    else
        launch(std::size_t{});
}

}  // namespace parprims::detail::device
