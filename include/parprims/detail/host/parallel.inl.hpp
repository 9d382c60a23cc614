/// @file
/// @brief  The tasks of the host backend on oneTBB; part of the compiled library, or of a header-only user.
#pragma once

#include <parprims/detail/host/parallel.hpp>

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/partitioner.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>

namespace parprims::detail::host {

PARPRIMS_INLINE unsigned concurrency(unsigned threads)
{
    if (threads == 0)
        return static_cast<unsigned>(tbb::this_task_arena::max_concurrency());
    const std::size_t limit = tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism);
    return static_cast<unsigned>(std::min<std::size_t>(threads, limit));
}

PARPRIMS_INLINE void run_tasks(unsigned threads, std::size_t tasks, void (*body)(void*, std::size_t), void* context)
{
    if (tasks <= 1 || concurrency(threads) == 1) {
        for (std::size_t i = 0; i < tasks; ++i)
            body(context, i);
        return;
    }
    const auto run = [&] {
        const auto run_range = [&](const tbb::blocked_range<std::size_t>& range) {
            for (std::size_t i = range.begin(); i != range.end(); ++i)
                tbb::this_task_arena::isolate([&] { body(context, i); });
        };
        tbb::parallel_for(tbb::blocked_range<std::size_t>(0, tasks, 1), run_range, tbb::simple_partitioner());
    };
    if (threads == 0)
        run();
    else
        tbb::task_arena(static_cast<int>(concurrency(threads))).execute(run);
}

}  // namespace parprims::detail::host
