/// @file
/// @brief  The search for extremes of segments on the threads of the host.
#pragma once

#include <parprims/detail/arguments.hpp>
#include <parprims/detail/contract/extreme.hpp>
#include <parprims/detail/host/extremes.hpp>
#include <parprims/detail/host/segmented.hpp>

#include <cstddef>
#include <utility>

namespace parprims::detail::host {

template <class Search, class Segments, class Iterator, class Output, unsigned... K>
void segmented_extremes(unsigned threads, const Segments& segments, const Iterator& first, const Output& out,
                        const Search& search, std::integer_sequence<unsigned, K...>)
{
    if (segments.count == 0)
        return;  // there may be no offsets
    const auto set = [&](std::size_t s, const positions<Search::count>& found) {
        const auto to = out + static_cast<std::ptrdiff_t>(s * Search::count);
        (detail::assign_count(to + static_cast<std::ptrdiff_t>(K), found.at[K]), ...);
    };
    const auto find = [&](std::size_t s, std::size_t last) {
        for (std::size_t begin = segments.begin(s), end; s < last; ++s, begin = end) {
            end = segments.begin(s + 1);
            if (end - begin > segmented_task)
                continue;
            positions<Search::count> best{((void)K, begin)...};
            if (begin != end)
                (host::find_extreme_in_blocks<K>(first, begin + 1, end, search, best.at[K]), ...);
            set(s, best);
        }
    };
    host::for_each_segment(threads, segments, find, [&](std::size_t s) {
        const std::size_t begin = segments.begin(s);
        auto found = host::find_extremes(threads, first + static_cast<std::ptrdiff_t>(begin),
                                         segments.begin(s + 1) - begin, search);
        ((found.at[K] += begin), ...);
        set(s, found);
    });
}

/// Writes the positions of the extremes of each segment to `out`. The offsets ascend, and are at most n.
template <class Search, class Segments, class Iterator, class Output>
void segmented_extremes(unsigned threads, const Segments& segments, const Iterator& first, const Output& out,
                        const Search& search)
{
    host::segmented_extremes(threads, segments, first, out, search,
                             std::make_integer_sequence<unsigned, Search::count>{});
}

}  // namespace parprims::detail::host
