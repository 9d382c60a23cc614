/// @file
/// @brief  The search for extremes of segments on the threads of the host.
#pragma once

#include <parprims/detail/arguments.hpp>
#include <parprims/detail/contract/extreme.hpp>
#include <parprims/detail/host/extremes.hpp>
#include <parprims/detail/host/segmented.hpp>

#include <cstddef>

namespace parprims::detail::host {

/// Writes the positions of the extremes of each segment to `out`. The offsets ascend, and are at most n.
template <class Search, class Segments, class Iterator, class Output>
void segmented_extremes(unsigned threads, const Segments& segments, const Iterator& first, const Output& out,
                        const Search& search)
{
    const auto set = [&](std::size_t s, unsigned k, std::size_t position) {
        detail::assign_count(out + static_cast<std::ptrdiff_t>(s * Search::count + k), position);
    };
    const auto find = [&](std::size_t s, std::size_t last) {
        for (std::size_t begin = segments.begin(s), end; s < last; ++s, begin = end) {
            end = segments.begin(s + 1);
            if (end - begin > segmented_task)
                continue;
            detail::for_each_extreme<Search>([&]<unsigned K>() {
                std::size_t best = begin;
                host::find_extreme_in_blocks<K>(first, begin + 1, end, search, best);
                set(s, K, best);
            });
        }
    };
    host::for_each_segment(threads, segments, find, [&](std::size_t s, std::size_t begin, std::size_t n) {
        const auto found = host::find_extremes(threads, first + static_cast<std::ptrdiff_t>(begin), n, search);
        for (unsigned k = 0; k < Search::count; ++k)
            set(s, k, begin + found.at[k]);
    });
}

}  // namespace parprims::detail::host
