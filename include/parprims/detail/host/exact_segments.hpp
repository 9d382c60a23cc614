/// @file
/// @brief  Exact sums of segments, and of runs of equal keys, on the threads of the host.
#pragma once

#include <parprims/detail/contract/exact_terms.hpp>
#include <parprims/detail/host/exact.hpp>
#include <parprims/detail/host/parallel.hpp>
#include <parprims/detail/host/segmented.hpp>
#include <parprims/detail/host/sequence.hpp>
#include <parprims/detail/host/values.hpp>
#include <parprims/detail/iterator/traits.hpp>
#include <parprims/functional.hpp>

#include <cstddef>

namespace parprims::detail::host {

/// Adds elements to `sum`: few of them one by one.
template <class Sum, class Iterator>
void add_elements(Sum& sum, const Iterator& first, std::size_t begin, std::size_t end)
{
    constexpr std::size_t most_single = 256;
    using terms = exact::terms<iter_value_t<Iterator>, identity>;
    identity transform;
    if (end - begin > most_single)
        return host::add_terms(sum, first, begin, end, transform);
    for (std::size_t i = begin; i < end; ++i)
        sum.add_value(terms::number(exact::term_of<terms>(transform, *(first + static_cast<std::ptrdiff_t>(i)))));
}

/// Writes init + the sum of each segment to `out`. The offsets ascend, and are at most n.
template <class T, class Segments, class Iterator, class Output>
void exact_segments(unsigned threads, const Segments& segments, Iterator first, const Output& out, const T& init)
{
    const auto set = [&](std::size_t s, const T& value) { *(out + static_cast<std::ptrdiff_t>(s)) = value; };
    const auto fold = [&](std::size_t s, std::size_t last) {
        for (std::size_t begin = segments.begin(s), end; s < last; ++s, begin = end) {
            end = segments.begin(s + 1);
            sum_of<Iterator, identity> sum;
            if (begin == end)
                set(s, init);
            else if (end - begin <= segmented_task) {
                host::add_elements(sum, first, begin, end);
                set(s, host::rounded_sum(init, sum));
            }
        }
    };
    host::for_each_segment(threads, segments, fold, [&](std::size_t s, std::size_t begin, std::size_t n) {
        set(s, host::exact_sum(threads, first + static_cast<std::ptrdiff_t>(begin), n, init, identity{}));
    });
}

/// Writes the first key of each run of equal keys and the sum of its values. Returns the number of runs.
template <class T, class Keys, class Values, class KeysOut, class ValuesOut, class Equal>
std::size_t exact_by_key(unsigned threads, const Keys& keys, std::size_t n, const Values& values, KeysOut keys_out,
                         ValuesOut values_out, Equal equal)
{
    using sum_type = sum_of<Values, identity>;
    struct share {
        std::size_t heads = 0;  // before this one
        sum_type first;         // of the elements before the first head
        sum_type last;          // of those from the last head on, if there is one
    };
    const auto set = [&](std::size_t run, sum_type& sum) {
        *(values_out + static_cast<std::ptrdiff_t>(run)) = host::rounded_sum(static_cast<T>(-0.0), sum);
    };
    if (n == 0)
        return 0;
    const std::size_t tasks = shares_of(threads, n);
    sequence<share> shares(tasks + 1);
    const auto is_head = [&](Equal& same, std::size_t i) {
        return i == 0 || !same(host::rounded_element(keys, i - 1), host::rounded_element(keys, i));
    };

    // 1. Each task counts the runs that begin in its share.
    for_each_share(threads, tasks, n, [&](std::size_t task, std::size_t begin, std::size_t end) {
        Equal same = equal;
        for (std::size_t i = begin; i < end; ++i)
            shares[task + 1].heads += is_head(same, i) ? 1 : 0;
    });
    for (std::size_t task = 1; task <= tasks; ++task)
        shares[task].heads += shares[task - 1].heads;

    // 2. Each writes those that end there, too.
    for_each_share(threads, tasks, n, [&](std::size_t task, std::size_t begin, std::size_t end) {
        Equal same = equal;
        share& mine = shares[task];
        std::size_t run = mine.heads;
        std::size_t i = begin;
        const auto add_run = [&](sum_type& sum) {
            const std::size_t from = i++;
            while (i < end && !is_head(same, i))
                ++i;
            host::add_elements(sum, values, from, i);
        };
        if (begin < end && !is_head(same, begin))
            add_run(mine.first);
        while (i < end) {
            *(keys_out + static_cast<std::ptrdiff_t>(run)) = host::rounded_element(keys, i);
            sum_type sum;
            add_run(sum);
            if (i == end)
                mine.last = sum;
            else
                set(run, sum);
            ++run;
        }
    });

    // 3. Those of several shares.
    sum_type open;
    for (std::size_t task = 0; task < tasks; ++task) {
        open.merge(shares[task].first);
        if (shares[task + 1].heads == shares[task].heads)
            continue;
        if (shares[task].heads != 0)
            set(shares[task].heads - 1, open);
        open = shares[task].last;
    }
    set(shares[tasks].heads - 1, open);
    return shares[tasks].heads;
}

}  // namespace parprims::detail::host
