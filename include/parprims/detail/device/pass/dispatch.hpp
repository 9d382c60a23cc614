/// @file
/// @brief  Dispatch of passes over tiles, on any launcher: memory, launch.
#pragma once

#include <parprims/detail/device/call/launcher.hpp>
#include <parprims/detail/device/call/validate.hpp>
#include <parprims/detail/device/pass/long_pass.hpp>
#include <parprims/detail/device/pass/plan.hpp>
#include <parprims/detail/device/pass/short_pass.hpp>
#include <parprims/detail/device/pass/tuning.hpp>

#include <cstddef>

namespace parprims::detail::device {

/// For kernels that need no kernel before them.
struct nothing_before {
    void operator()() const {}
};

template <class Work, launcher Launcher>
void launch_long_pass(Launcher& launcher, const Work& work, const typename long_pass<Work>::words_type& words,
                      const long_plan& plan)
{
    launcher.launch({plan.blocks(), plan.block_threads,
                     long_pass<Work>::shared_bytes(plan.block_threads, plan.used_slots())},
                    long_pass<Work>{work, words});
}

/// Enqueues a pass over many tiles. Calls `enqueue_before` once all memory is allocated, so that a call that runs out of memory has
/// enqueued nothing.
template <class Work, launcher Launcher, class Before = nothing_before>
void enqueue_long_pass(Launcher& launcher, const Work& work, const long_plan& plan, Before enqueue_before = {})
{
    using words_type = typename long_pass<Work>::words_type;
    check_grid(launcher.function(), plan.tiles);  // tickets in flight have 32 bits
    const shared_words memory(launcher, plan.tiles == 1 ? 0 : words_type::bytes(plan.tiles));
    enqueue_before();
    device::launch_long_pass(launcher, work, {{memory.get(), plan.tiles, plan.one_tile_each(), memory.resets()}}, plan);
}

/// Enqueues a pass over few tiles, with a block for each. Calls `enqueue_before` as `enqueue_long_pass` does.
template <class Work, launcher Launcher, class Before = nothing_before>
void enqueue_short_pass(Launcher& launcher, const Work& work, std::size_t tiles, unsigned threads,
                        Before enqueue_before = {})
{
    using kernel_type = short_pass<Work>;
    const auto launch = [&](const typename kernel_type::words_type& words) {
        enqueue_before();
        launcher.launch({tiles, threads, kernel_type::shared_bytes(threads)}, kernel_type{work, words, max_spins});
    };
    if (tiles == 1)  // without a workspace
        return launch({});
    const auto own = launcher.persistent(small_scan_bytes);
    launch(kernel_type::words_type::in(own.get()));
}

}  // namespace parprims::detail::device
