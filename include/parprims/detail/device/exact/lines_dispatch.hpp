/// @file
/// @brief  Dispatch of exact sums of lines that are neighbours in memory, on any launcher. The arguments have been checked.
#pragma once

#include <parprims/detail/contract/lines.hpp>
#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/device/call/launcher.hpp>
#include <parprims/detail/device/exact/lines_kernel.hpp>
#include <parprims/detail/device/exact/tuning.hpp>
#include <parprims/detail/device/load/input.hpp>
#include <parprims/detail/device/store/output.hpp>
#include <parprims/detail/numeric/integers.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <cstddef>
#include <cstdint>

namespace parprims::detail::device {

/// @param  neighbours  lines that lie next to each other
/// @param  most_warps  of a multiprocessor
/// @param  warp_bytes  of shared memory
inline exact_lines_plan plan_exact_lines(std::size_t lines, std::size_t length, std::size_t neighbours,
                                         std::size_t most_warps, std::size_t warp_bytes, const gpu_properties& gpu)
{
    exact_lines_plan plan{};
    plan.group = simt::warp_size;
    while (plan.group > 1 && (simt::warp_size / plan.group < neighbours || exact_lane_elements * plan.group > length))
        plan.group /= 2;
    plan.warps_across = order::ceil_div(lines, std::size_t{simt::warp_size / plan.group});
    // All warps take about the same time, so they are about as many as are resident at once, or fewer. Lines that are many have no slices.
    const std::size_t resident =
        gpu.multiprocessors * clamped<std::size_t>(gpu.shared_bytes_per_multiprocessor / warp_bytes, 1, most_warps);
    plan.share = larger_of(order::ceil_div(length, larger_of<std::size_t>(resident / plan.warps_across, 1)),
                           min_exact_slice * plan.group);
    plan.slices = order::ceil_div(length, plan.share);
    unsigned warps = exact_segments_threads / simt::warp_size;
    while (warps > 1 && warps * warp_bytes > gpu.shared_bytes_per_block)
        warps /= 2;
    plan.block_threads = warps * simt::warp_size;
    return plan;
}

/// Enqueues init + the sum of each line, of which there is at least one, along one dimension. `first` and `out` point to the first elements.
template <class Terms, launcher Launcher, class Iterator, class Output, class T>
void enqueue_exact_lines(Launcher& launcher, const array_lines& array, Iterator first, Output out, const T& init)
{
    using kernel_type = exact_lines_kernel<input_for<Iterator>, Terms, T, output_for<Output>>;
    const std::size_t lines = array.lines.size(), length = array.line.size();
    const exact_lines_plan plan = device::planned(
        launcher, plan_exact_lines(lines, length, array.lines.at[array.lines.count - 1].extent,
                                   exact_lines_warps_per_sm<Terms>, kernel_type::warp_bytes, launcher.gpu()));
    const unsigned warps = plan.block_threads / simt::warp_size;
    const std::size_t padded = plan.warps_across * (simt::warp_size / plan.group);
    const shared_words<Launcher> sums(
        launcher, plan.slices == 1 ? 0 : padded * kernel_type::all_type::words * sizeof(std::uint64_t));
    // Not a temporary: g++ 12 with -ftrivial-auto-var-init, as tests of kernels have, clears bytes of it that are no padding.
    const kernel_type kernel{device::make_input(first),
                             array.lines,
                             lines,
                             length,
                             static_cast<std::size_t>(array.line.stride()),
                             device::make_output(out),
                             init,
                             plan,
                             adds_doubles_fast(launcher.gpu().architecture),
                             reinterpret_cast<std::uint64_t*>(sums.get())};
    launcher.launch({order::ceil_div(plan.warps_across * plan.slices, std::size_t{warps}), plan.block_threads,
                     sizeof(typename kernel_type::shared_storage) + warps * kernel_type::warp_bytes},
                    kernel);
}

}  // namespace parprims::detail::device
