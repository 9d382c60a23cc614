/// @file
/// @brief  The search for extremes on the threads of the host.
#pragma once

#include <parprims/detail/contract/extreme.hpp>
#include <parprims/detail/host/parallel.hpp>
#include <parprims/detail/host/sequence.hpp>
#include <parprims/detail/host/values.hpp>
#include <parprims/detail/iterator/traits.hpp>
#include <parprims/detail/numeric/integers.hpp>

#include <cstddef>
#include <type_traits>

namespace parprims::detail::host {

/// Replaces `best` by extreme K of it and the elements at the positions from `begin` to `end`, which come after it.
template <unsigned K, class Iterator, class Search>
void find_extreme(const Iterator& first, std::size_t begin, std::size_t end, const Search& search, std::size_t& best)
{
    for (std::size_t i = begin; i < end; ++i)
        if (search.template replaces<K, iter_value_t<Iterator>>(host::rounded_element(first, i),
                                                                host::rounded_element(first, best)))
            best = i;
}

/// Replaces `best` as `find_extreme` does, for many elements. If none of a block replaces `best`, which a loop without branches finds, the
/// block is skipped.
template <unsigned K, class Iterator, class Search>
void find_extreme_in_blocks(const Iterator& first, std::size_t begin, std::size_t end, const Search& search,
                            std::size_t& best)
{
    using value_type = iter_value_t<Iterator>;
    constexpr std::size_t block = 256;
    for (std::size_t i = begin; i < end; i += block) {
        const std::size_t block_end = smaller_of(i + block, end);
        unsigned replaced = 0;
        if constexpr (std::is_arithmetic_v<value_type>) {
            const value_type limit = host::rounded_element(first, best);
            for (std::size_t e = i; e < block_end; ++e)
                replaced |= search.template replaces<K, value_type>(host::rounded_element(first, e), limit) ? 1u : 0u;
        }
        if (!std::is_arithmetic_v<value_type> || replaced != 0)
            host::find_extreme<K>(first, i, block_end, search, best);
    }
}

/// The extremes of `n` elements from `first` on, on at most `threads` threads (0: all cores). n is not 0.
template <class Search, class Iterator>
positions<Search::count> find_extremes(unsigned threads, Iterator first, std::size_t n, const Search& search)
{
    sequence<positions<Search::count>> found(shares_of(threads, n));
    for_each_share(threads, found.size(), n, [&](std::size_t task, std::size_t begin, std::size_t end) {
        detail::for_each_extreme<Search>([&]<unsigned K>() {
            std::size_t best = begin;
            host::find_extreme_in_blocks<K>(first, begin + 1, end, search, best);
            found[task].at[K] = best;
        });
    });
    positions<Search::count> best = found[0];
    for (std::size_t task = 1; task < found.size(); ++task)
        detail::for_each_extreme<Search>([&]<unsigned K>() {
            host::find_extreme<K>(first, found[task].at[K], found[task].at[K] + 1, search, best.at[K]);
        });
    return best;
}

}  // namespace parprims::detail::host
