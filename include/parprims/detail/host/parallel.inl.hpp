/// @file
/// @brief  The tasks of the host backend on oneTBB.
#pragma once

#include <parprims/detail/host/parallel.hpp>
#include <parprims/error.hpp>

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/partitioner.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/version.h>

#include <algorithm>
#include <atomic>
#include <new>
#include <thread>

static_assert(TBB_VERSION_MAJOR >= 2021, "parprims needs oneTBB 2021.1 or later");

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
    std::atomic<bool> task_failed = false;
    const auto run_task = [&](std::size_t i) {
        try {
            body(context, i);
        } catch (...) {
            task_failed = true;
            throw;
        }
    };
    const auto run = [&] {
        const auto run_range = [&](const tbb::blocked_range<std::size_t>& range) {
            for (std::size_t i = range.begin(); i != range.end(); ++i)
                tbb::this_task_arena::isolate([&] { run_task(i); });
        };
        tbb::parallel_for(tbb::blocked_range<std::size_t>(0, tasks, 1), run_range, tbb::simple_partitioner());
    };
    try {
        if (threads == 0)
            run();
        else
            tbb::task_arena(static_cast<int>(concurrency(threads))).execute(run);
    } catch (const std::bad_alloc&) {
        if (task_failed)  // what an operator throws is passed on as it is
            throw;
        throw out_of_memory(0, "host memory for the tasks of TBB");
    }
}

PARPRIMS_INLINE void signal::set() noexcept
{
    std::atomic_ref(word_).store(1, std::memory_order_release);
}

PARPRIMS_INLINE bool signal::is_set() const noexcept
{
    return std::atomic_ref(word_).load(std::memory_order_acquire) != 0;
}

PARPRIMS_INLINE bool signal::wait(const signal& cancelled) const noexcept
{
    for (unsigned tries = 0; !is_set(); ++tries) {
        if (cancelled.is_set())
            return false;
        if (tries > 64)
            std::this_thread::yield();
    }
    return true;
}

PARPRIMS_INLINE std::size_t ticket_counter::take() noexcept
{
    return std::atomic_ref(next_).fetch_add(1, std::memory_order_relaxed);
}

}  // namespace parprims::detail::host
