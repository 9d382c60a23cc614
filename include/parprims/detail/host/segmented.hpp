/// @file
/// @brief  Segmented reductions on the threads of the host.
#pragma once

#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/host/parallel.hpp>
#include <parprims/detail/host/reduce.hpp>
#include <parprims/detail/host/sequence.hpp>
#include <parprims/detail/host/values.hpp>
#include <parprims/detail/iterator/traits.hpp>
#include <parprims/detail/numeric/integers.hpp>
#include <parprims/functional.hpp>

#include <cstddef>

namespace parprims::detail::host {

/// Elements and segments of a task.
inline constexpr std::size_t segmented_task = 1 << 16;

/// The first segment s with `s + begin(s)` not less than `position`, or the number of segments.
template <class Segments>
std::size_t find_segment(const Segments& segments, std::size_t position)
{
    return first_that(segments.count, [&](std::size_t s) { return s + segments.begin(s) >= position; });
}

/// Writes the reduction of each segment to `out`. The offsets ascend, and are at most n.
template <class T, class Segments, class Iterator, class Output, class Op>
void segmented_reduce(unsigned threads, const Segments& segments, Iterator first, const Output& out, const T& init,
                      Op op)
{
    using Value = iter_value_t<Iterator>;
    const auto set = [&](std::size_t s, const T& value) { *(out + static_cast<std::ptrdiff_t>(s)) = value; };
    if (segments.count == 0)
        return;  // there may be no offsets
    const std::size_t tasks = order::ceil_div(segments.n + segments.count, segmented_task);

    // 1. Each task folds the segments that begin in its part of the input, except those of more elements than a task.
    parallel_for(threads, tasks, [&](std::size_t task) {
        value_array<T, order::row<Value>> columns;
        value_array<T, order::row<Value>> elements;
        Op combine = op;
        identity transform;
        std::size_t s = find_segment(segments, task * segmented_task);
        const std::size_t last = find_segment(segments, (task + 1) * segmented_task);
        for (std::size_t begin = segments.begin(s), end; s < last; ++s, begin = end) {
            end = segments.begin(s + 1);
            const std::size_t size = end - begin;
            if (size == 0)
                set(s, init);
            else if (size <= 8 && !may_fuse<T, Iterator, identity>)  // as in fold_chunk, without its call
                set(s, static_cast<T>(combine(
                           init, host::fold_few<T>(
                                     [&](std::size_t e) { return host::element<T>(first, begin + e, transform); }, size,
                                     combine))));
            else if (size <= order::chunk<Value>)
                set(s, static_cast<T>(combine(init, host::fold_chunk<Value, T>(columns, elements, first, begin, size,
                                                                               combine, transform))));
            else if (size <= segmented_task)
                set(s, static_cast<T>(combine(init, host::fold_subtree<T>(first, begin, size, combine, transform))));
        }
    });

    // 2. All threads fold each of those. It has the end of a task inside.
    std::size_t done = 0;
    for (std::size_t task = 1; task < tasks; ++task) {
        const std::size_t s = find_segment(segments, task * segmented_task);
        if (s == 0 || s == done)
            continue;
        done = s;
        const std::size_t begin = segments.begin(s - 1);
        const std::size_t size = segments.begin(s) - begin;
        if (size > segmented_task)
            set(s - 1,
                host::reduce<T>(threads, first + static_cast<std::ptrdiff_t>(begin), size, init, op, identity{}));
    }
}

}  // namespace parprims::detail::host
