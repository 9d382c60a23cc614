/// @file
/// @brief  The search for extremes in the lines of an array on the threads of the host.
#pragma once

#include <parprims/detail/arguments.hpp>
#include <parprims/detail/contract/extreme.hpp>
#include <parprims/detail/contract/lines.hpp>
#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/host/along.hpp>
#include <parprims/detail/host/extremes.hpp>
#include <parprims/detail/host/parallel.hpp>
#include <parprims/detail/host/sequence.hpp>
#include <parprims/detail/iterator/traits.hpp>
#include <parprims/detail/numeric/integers.hpp>

#include <cstddef>

namespace parprims::detail::host {

inline constexpr std::size_t extremes_tile_lines = 64;      ///< neighbouring lines that a task looks at together
inline constexpr std::size_t extremes_task_rows = 1 << 14;  ///< elements of a line that a task looks at

/// Finds extreme K among elements [begin, end) of `lines` neighbouring lines, of which the first is at `first`, `step` apart.
template <unsigned K, class Iterator, class Search, class Positions>
void find_in_lines(const Iterator& first, std::ptrdiff_t step, std::size_t lines, const dimension_list& line,
                   std::size_t begin, std::size_t end, const Search& search, Positions& best)
{
    using value_type = iter_value_t<Iterator>;
    if (line.count <= 1 && line.stride() == 1) {
        for (std::size_t w = 0; w < lines; ++w)
            host::find_extreme_in_blocks<K>(first + static_cast<std::ptrdiff_t>(w) * step, begin + 1, end, search,
                                            best[w].at[K]);
        return;
    }
    const auto at = [&](std::size_t w, std::size_t i) -> decltype(auto) {
        return host::rounded_element(first,
                                     static_cast<std::size_t>(static_cast<std::ptrdiff_t>(w) * step + line.offset(i)));
    };
    for (std::size_t i = begin + 1; i < end; ++i)
        for (std::size_t w = 0; w < lines; ++w)
            if (search.template replaces<K, value_type>(at(w, i), at(w, best[w].at[K])))
                best[w].at[K] = i;
}

/// Calls `set(l, k, position)` for each line and extreme. Lines have elements.
template <class Iterator, class Search, class Set>
void find_along(unsigned threads, const array_lines& array, Iterator first, const Search& search, const Set& set)
{
    const std::size_t lines = array.lines.size();
    const std::size_t length = array.line.size();
    const std::size_t neighbours = array.lines.count == 0 ? 1 : array.lines.at[array.lines.count - 1].extent;
    const std::size_t tiles_of_run = order::ceil_div(neighbours, extremes_tile_lines);
    const std::size_t parts = order::ceil_div(length, extremes_task_rows);
    sequence<positions<Search::count>> found(lines * parts);
    parallel_for(threads, lines / neighbours * tiles_of_run * parts, [&](std::size_t task) {
        const std::size_t tile = task / parts, p = task % parts;
        const std::size_t l = tile / tiles_of_run * neighbours + tile % tiles_of_run * extremes_tile_lines;
        const std::size_t count =
            smaller_of(extremes_tile_lines, neighbours - tile % tiles_of_run * extremes_tile_lines);
        const std::size_t begin = p * extremes_task_rows, end = smaller_of(length, begin + extremes_task_rows);
        positions<Search::count> best[extremes_tile_lines];
        detail::for_each_extreme<Search>([&]<unsigned K>() {
            for (std::size_t w = 0; w < count; ++w)
                best[w].at[K] = begin;
            host::find_in_lines<K>(first + array.lines.offset(l), array.lines.stride(), count, array.line, begin, end,
                                   search, best);
        });
        for (std::size_t w = 0; w < count; ++w)
            found[(l + w) * parts + p] = best[w];
    });
    for (std::size_t l = 0; l < lines; ++l) {
        const line_elements<Iterator> elements{first + array.lines.offset(l), &array.line};
        detail::for_each_extreme<Search>([&]<unsigned K>() {
            std::size_t best = found[l * parts].at[K];
            for (std::size_t p = 1; p < parts; ++p)
                host::find_extreme<K>(elements, found[l * parts + p].at[K], found[l * parts + p].at[K] + 1, search,
                                      best);
            set(l, K, best);
        });
    }
}

/// Writes the positions of the extremes of each line, those of one line `step` apart; 0 of a line without elements.
template <class Iterator, class Output, class Search>
void extremes_along(unsigned threads, const array_lines& array, Iterator first, Output out, std::ptrdiff_t step,
                    const Search& search)
{
    const auto set = [&](std::size_t l, unsigned k, std::size_t position) {
        detail::assign_count(out + (array.lines.out_offset(l) + static_cast<std::ptrdiff_t>(k) * step), position);
    };
    const std::size_t lines = array.lines.size();
    if (lines != 0 && array.line.size() != 0)
        return host::find_along(threads, array, first, search, set);
    for (std::size_t l = 0; l < lines; ++l)
        for (unsigned k = 0; k < Search::count; ++k)
            set(l, k, 0);
}

}  // namespace parprims::detail::host
