/// @file
/// @brief  The search for extremes on the threads of the host.
#pragma once

#include <parprims/detail/extreme.hpp>
#include <parprims/detail/host/sequence.hpp>
#include <parprims/detail/host/shares.hpp>
#include <parprims/detail/host/values.hpp>
#include <parprims/detail/iterator/traits.hpp>

#include <cstddef>
#include <utility>

namespace parprims::detail::host {

/// Extreme K of the `count` elements at the positions `position(0)`, `position(1)`, ..., which ascend.
template <unsigned K, class Iterator, class Search, class Position>
std::size_t find_extreme(Iterator first, std::size_t count, const Search& search, Position position)
{
    using value_type = iter_value_t<Iterator>;
    const auto at = [&](std::size_t i) -> decltype(auto) { return rounded_element(first, i); };
    std::size_t best = position(0);
    for (std::size_t i = 1; i < count; ++i)
        if (search.template replaces<K, value_type>(at(position(i)), at(best)))
            best = position(i);
    return best;
}

template <class Search, class Iterator, unsigned... K>
positions<Search::count> find_extremes(unsigned threads, Iterator first, std::size_t n, const Search& search,
                                       std::integer_sequence<unsigned, K...>)
{
    sequence<positions<Search::count>> found(shares_of(threads, n));
    for_each_share(threads, found.size(), n, [&](std::size_t task, std::size_t begin, std::size_t end) {
        ((found[task].at[K] = find_extreme<K>(first, end - begin, search, [&](std::size_t i) { return begin + i; })),
         ...);
    });
    return {find_extreme<K>(first, found.size(), search, [&](std::size_t i) { return found[i].at[K]; })...};
}

/// The extremes of `n` elements from `first` on, on at most `threads` threads (0: all cores). n is not 0.
template <class Search, class Iterator>
positions<Search::count> find_extremes(unsigned threads, Iterator first, std::size_t n, const Search& search)
{
    return find_extremes(threads, first, n, search, std::make_integer_sequence<unsigned, Search::count>{});
}

}  // namespace parprims::detail::host
