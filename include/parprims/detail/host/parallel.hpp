/// @file
/// @brief  Runs numbered tasks on the threads of oneTBB, and divides elements among them; signals and tickets between tasks. Only
///         parallel.inl.hpp includes TBB's headers, which are slow to compile.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/numeric/integers.hpp>

#include <cstddef>
#include <type_traits>

namespace parprims::detail::host {

/// The number of threads of a call with `threads`; 0: all cores.
unsigned concurrency(unsigned threads);

/// Calls `body(context, i)` once for each i below `tasks`, on at most `threads` threads (0: all cores), and returns when
/// all are done. If a task throws, the first exception is rethrown here and tasks that have not begun are dropped.
///
/// While a task waits for TBB (an operator may call it), its thread runs no other task of this call. So tasks may wait for each
/// other without deadlock.
void run_tasks(unsigned threads, std::size_t tasks, void (*body)(void* context, std::size_t i), void* context);

/// A flag that one thread sets and others wait for. Out of line, like ticket_counter: <atomic> and <thread> cost nvcc a second,
/// and a thread calls this once in many thousand elements.
class signal {
public:
    void set() noexcept;
    /// Returns true when this is set, false if `cancelled` is set before.
    bool wait(const signal& cancelled) const noexcept;

private:
    bool is_set() const noexcept;

    mutable unsigned word_ = 0;  // atomic
};

/// Numbers from 0 on, each given once.
class ticket_counter {
public:
    std::size_t take() noexcept;

private:
    std::size_t next_ = 0;  // atomic
};

/// `run_tasks` for a callable.
template <class Body>
void parallel_for(unsigned threads, std::size_t tasks, Body&& body)
{
    const auto call = [](void* context, std::size_t i) { (*static_cast<std::remove_reference_t<Body>*>(context))(i); };
    run_tasks(threads, tasks, call, &body);
}

inline constexpr std::size_t min_share = 32 * 1024;  ///< elements; fewer do not pay for a task

/// Divides [0, n) into `tasks` shares and calls `body(task, begin, end)` for each.
template <class Body>
void for_each_share(unsigned threads, std::size_t tasks, std::size_t n, Body body)
{
    const std::size_t share = order::ceil_div(n, tasks);
    parallel_for(threads, tasks,
                 [&](std::size_t t) { body(t, smaller_of(t * share, n), smaller_of((t + 1) * share, n)); });
}

/// The number of shares of n elements: at least one, and none is empty unless n is 0.
inline std::size_t shares_of(unsigned threads, std::size_t n)
{
    const std::size_t share = larger_of(order::ceil_div(n, std::size_t{8} * concurrency(threads)), min_share);
    return larger_of<std::size_t>(order::ceil_div(n, share), 1);
}

}  // namespace parprims::detail::host

#if defined(PARPRIMS_HEADER_ONLY)
#include <parprims/detail/host/parallel.inl.hpp>
#endif
