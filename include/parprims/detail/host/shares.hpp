/// @file
/// @brief  Divides the elements of a call among tasks.
#pragma once

#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/host/parallel.hpp>
#include <parprims/detail/numeric/integers.hpp>

#include <cstddef>

namespace parprims::detail::host {

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
