/// @file
/// @brief  Segmented reductions on the threads of the host.
#pragma once

#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/host/parallel.hpp>
#include <parprims/detail/host/reduce.hpp>
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

/// Calls `fold(first, last)` for the segments that begin in the part of the input that is a task's, and `fold_long(s, begin, n)`, one after the
/// other, for those of n elements, more than a task, which are among them.
template <class Segments, class Fold, class FoldLong>
void for_each_segment(unsigned threads, const Segments& segments, Fold fold, FoldLong fold_long)
{
    if (segments.count == 0)
        return;  // there may be no offsets
    const std::size_t tasks = order::ceil_div(segments.n + segments.count, segmented_task);
    parallel_for(threads, tasks, [&](std::size_t task) {
        fold(host::find_segment(segments, task * segmented_task),
             host::find_segment(segments, (task + 1) * segmented_task));
    });
    // A long segment has the end of a task inside.
    std::size_t done = 0;
    for (std::size_t task = 1; task < tasks; ++task) {
        const std::size_t s = host::find_segment(segments, task * segmented_task);
        if (s == 0 || s == done)
            continue;
        done = s;
        const std::size_t begin = segments.begin(s - 1), n = segments.begin(s) - begin;
        if (n > segmented_task)
            fold_long(s - 1, begin, n);
    }
}

/// Writes the reduction of each segment to `out`. The offsets ascend, and are at most n.
template <class T, class Segments, class Iterator, class Output, class Op>
void segmented_reduce(unsigned threads, const Segments& segments, Iterator first, const Output& out, const T& init,
                      Op op)
{
    using Value = iter_value_t<Iterator>;
    const auto set = [&](std::size_t s, const T& value) { *(out + static_cast<std::ptrdiff_t>(s)) = value; };
    const auto fold = [&](std::size_t s, std::size_t last) {
        value_array<T, order::row<Value>> columns;
        value_array<T, order::row<Value>> elements;
        Op combine = op;
        identity transform;
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
    };
    host::for_each_segment(threads, segments, fold, [&](std::size_t s, std::size_t begin, std::size_t n) {
        set(s, host::reduce<T>(threads, first + static_cast<std::ptrdiff_t>(begin), n, init, op, identity{}));
    });
}

}  // namespace parprims::detail::host
