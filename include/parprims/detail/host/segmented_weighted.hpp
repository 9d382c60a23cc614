/// @file
/// @brief  A weighted histogram of each segment on the threads of the host.
#pragma once

#include <parprims/detail/host/segmented.hpp>
#include <parprims/detail/host/weighted.hpp>

#include <cstddef>

namespace parprims::detail::host {

/// Adds the weights of each segment to `axis.extent()` sums, of which there is one: those of segment s are from
/// `sums + s * axis.extent()` on.
template <class Segments, class Iterator, class Weights, class Axis, class Sums>
void segmented_weighted_histogram(unsigned threads, const Segments& segments, const Iterator& first,
                                  const Weights& weights, const Axis& axis, const Sums& sums)
{
    const std::size_t extent = axis.extent();
    const auto add = [&](unsigned own_threads, std::size_t s, std::size_t begin, std::size_t n) {
        const auto offset = static_cast<std::ptrdiff_t>(begin);
        host::weighted_histogram(own_threads, first + offset, n, weights + offset, axis,
                                 sums + static_cast<std::ptrdiff_t>(s * extent));
    };
    const auto add_some = [&](std::size_t s, std::size_t last) {
        for (std::size_t begin = segments.begin(s), end; s < last; ++s, begin = end) {
            end = segments.begin(s + 1);
            if (end - begin <= segmented_task)
                add(1, s, begin, end - begin);
        }
    };
    host::for_each_segment(threads, segments, add_some,
                           [&](std::size_t s, std::size_t begin, std::size_t n) { add(threads, s, begin, n); });
}

}  // namespace parprims::detail::host
