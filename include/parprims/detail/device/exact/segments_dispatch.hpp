/// @file
/// @brief  Dispatch of exact sums of segments and of runs of equal keys, on any launcher. The arguments have been checked.
#pragma once

#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/contract/segments.hpp>
#include <parprims/detail/contract/selection.hpp>
#include <parprims/detail/device/call/launcher.hpp>
#include <parprims/detail/device/copy_if/dispatch.hpp>
#include <parprims/detail/device/exact/few_kernel.hpp>
#include <parprims/detail/device/exact/runs.hpp>
#include <parprims/detail/device/exact/segments_kernel.hpp>
#include <parprims/detail/device/exact/tuning.hpp>
#include <parprims/detail/device/load/input.hpp>
#include <parprims/detail/device/store/output.hpp>
#include <parprims/detail/numeric/integers.hpp>
#include <parprims/iterator.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace parprims::detail::device {

struct exact_segments_plan {
    std::size_t task;  ///< positions of a task: elements, and one for the end of each segment
    std::size_t tasks;
    unsigned block_threads;
    std::size_t most_tasks;  ///< wanted at most; more only if a task would have more than `max_exact_task` positions
};

/// @param  searches    segments may be longer than others
/// @param  warp_bytes  of shared memory
inline exact_segments_plan plan_exact_segments(std::size_t n, std::size_t segments, bool searches,
                                               std::size_t warp_bytes, const gpu_properties& gpu)
{
    unsigned warps = exact_segments_threads / order::lanes;
    while (warps > 1 && warps * warp_bytes > gpu.shared_bytes_per_block)
        warps /= 2;
    const std::size_t positions = n + segments;
    const std::size_t resident =
        gpu.multiprocessors *
        clamped<std::size_t>(gpu.shared_bytes_per_multiprocessor / warp_bytes, 1, exact_segments_warps_per_sm);
    // Several tasks for each warp, so that all warps end at about the same time. Fewer where segments differ in length, because then each
    // task needs words for a long segment, and a search of the offsets.
    const std::size_t most_tasks = (searches ? 2 : 4) * resident;
    const std::size_t task =
        larger_of(exact_task(n, segments, searches, most_tasks),
                  smaller_of(order::ceil_div(positions, most_tasks_of_warp * resident), largest_exact_task));
    return {task, order::ceil_div(positions, task), warps * order::lanes, most_tasks};
}

/// Enqueues init + the sum of each segment, of which there is at least one.
template <class Terms, unsigned MinBlocks = 0, launcher Launcher, class Segments, class Iterator, class Output, class T>
void enqueue_exact_segments(Launcher& launcher, const Segments& segments, Iterator first, Output output, T init)
{
    const bool has_windows = adds_doubles_fast(launcher.gpu().architecture);
    if constexpr (std::is_same_v<Segments, fixed_segments> && !reads_size<Launcher> &&
                  input_for<Iterator>::has_source) {
        using few_type = exact_few_kernel<input_for<Iterator>, Terms, T, Output>;
        if (segments.length <= few_type::most && has_windows) {
            launcher.launch({order::ceil_div(segments.count, std::size_t{exact_few_segments * exact_few_threads}),
                             exact_few_threads, sizeof(typename few_type::shared_storage)},
                            few_type{device::make_input(first), segments, output, init});
            return;
        }
    }
    using kernel_type = exact_segments_kernel<Segments, input_for<Iterator>, Terms, T, Output, MinBlocks>;
    const exact_segments_plan plan =
        device::planned(launcher, plan_exact_segments(segments.n, segments.count, Segments::is_searched,
                                                      kernel_type::warp_bytes, launcher.gpu()));
    // If offsets do not ascend, a sum may lack a piece; it is not completed.
    const bool may_be_long =
        segments.longest() > (reads_size<Launcher> ? smaller_of(plan.task, min_exact_task) : plan.task);
    const unsigned warps = plan.block_threads / order::lanes;
    const std::size_t blocks = order::ceil_div(plan.tasks, std::size_t{warps});
    const std::size_t most_tasks = reads_size<Launcher> ? larger_of(blocks * warps, plan.most_tasks) : plan.tasks;
    const shared_words<Launcher> sums(
        launcher, may_be_long ? most_tasks * kernel_type::all_type::words * sizeof(std::uint64_t) : 0,
        !Segments::is_searched);
    launcher.launch({blocks, plan.block_threads,
                     sizeof(typename kernel_type::shared_storage) + warps * kernel_type::warp_bytes},
                    kernel_type{segments, device::make_input(first), output, init, plan.task, plan.most_tasks,
                                has_windows, reinterpret_cast<std::uint64_t*>(sums.get())});
}

/// Enqueues the sums of n values, which may be 0, by runs of equal keys; `*count` becomes the number of runs. The first kernel writes
/// where runs begin, to n words of scratch.
template <class Terms, class T, launcher Launcher, class Keys, class Values, class KeysOut, class ValuesOut,
          class Equal, class Count>
void enqueue_exact_by_key(Launcher& launcher, Keys keys, std::size_t n, Values values, KeysOut keys_out,
                          ValuesOut values_out, Equal equal, Count count)
{
    const auto scratch = launcher.scratch((n + 1) * sizeof(std::size_t));
    auto* const runs = reinterpret_cast<std::size_t*>(scratch.get());
    std::size_t* const heads = runs + 1;
    const kept_outputs<KeysOut, counting_iterator<std::size_t>, std::size_t*> places{
        keys_out, counting_iterator(std::size_t{0}), heads, {}};
    device::enqueue_copy_if(launcher, keys, n, places, starts_run<Equal>{equal}, run_count<Count>{runs, count});
    constexpr unsigned blocks_per_sm = reads_size<Launcher> ? sized_runs_blocks_per_sm<Terms> : 0;
    if (n != 0)
        device::enqueue_exact_segments<Terms, blocks_per_sm>(launcher, unknown_runs{{heads, n, n}, runs}, values,
                                                             device::make_output(values_out), static_cast<T>(-0.0));
}

}  // namespace parprims::detail::device
