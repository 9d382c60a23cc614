/// @file
/// @brief  `transform` on the threads of the host.
#pragma once

#include <parprims/detail/host/parallel.hpp>

#include <cstddef>

namespace parprims::detail::host {

template <class Iterator, class Output, class Transform>
void transform(unsigned threads, Iterator first, std::size_t n, Output out, Transform transform)
{
    for_each_share(threads, shares_of(threads, n), n, [&](std::size_t, std::size_t begin, std::size_t end) {
        // Copies, as bytes that are written could be part of what is captured: then it would be read again for each element.
        const Iterator from = first;
        const Output to = out;
        Transform compute = transform;
        for (auto i = static_cast<std::ptrdiff_t>(begin); i < static_cast<std::ptrdiff_t>(end); ++i)
            *(to + i) = compute(*(from + i));
    });
}

}  // namespace parprims::detail::host
