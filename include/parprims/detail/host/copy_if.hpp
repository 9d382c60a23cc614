/// @file
/// @brief  `copy_if` on the threads of the host.
#pragma once

#include <parprims/detail/host/sequence.hpp>
#include <parprims/detail/host/shares.hpp>
#include <parprims/detail/host/values.hpp>

#include <cstddef>

namespace parprims::detail::host {

/// Counts what each share keeps, then copies. Returns how many elements were copied.
template <class Iterator, class Output, class Predicate>
std::size_t copy_if(unsigned threads, Iterator first, std::size_t n, Output out, Predicate predicate)
{
    const std::size_t shares = shares_of(threads, n);
    sequence<std::size_t> places(shares + 1);  // where the results of each share begin
    if (shares > 1)
        for_each_share(threads, shares, n, [&](std::size_t task, std::size_t begin, std::size_t end) {
            std::size_t kept = 0;
            for (std::size_t i = begin; i < end; ++i)
                kept += predicate(rounded_element(first, i)) ? 1 : 0;
            places[task + 1] = kept;
        });
    for (std::size_t task = 1; task < places.size(); ++task)
        places[task] += places[task - 1];
    std::size_t total = places.back();
    for_each_share(threads, shares, n, [&](std::size_t task, std::size_t begin, std::size_t end) {
        std::size_t place = places[task];
        for (std::size_t i = begin; i < end; ++i) {
            decltype(auto) element = rounded_element(first, i);
            if (predicate(element))
                *(out + static_cast<std::ptrdiff_t>(place++)) = element;
        }
        if (shares == 1)  // the only share was not counted
            total = place;
    });
    return total;
}

}  // namespace parprims::detail::host
