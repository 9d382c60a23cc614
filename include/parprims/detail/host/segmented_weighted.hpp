/// @file
/// @brief  A weighted histogram of each segment on the threads of the host.
#pragma once

#include <parprims/detail/contract/weights.hpp>
#include <parprims/detail/host/segmented.hpp>
#include <parprims/detail/host/sequence.hpp>
#include <parprims/detail/host/weighted.hpp>
#include <parprims/detail/iterator/traits.hpp>

#include <cstddef>

namespace parprims::detail::host {

/// Adds the weights of each segment to sums of its own: those of segment s begin at `sums + sums_at(s)`. A task adds its short
/// segments one after the other, with one window and in one memory.
template <class Segments, class Iterator, class Weights, class Axis, class Sums, class SumsAt>
void segmented_weighted_histogram(unsigned threads, const Segments& segments, const Iterator& first,
                                  const Weights& weights, const Axis& axis, const Sums& sums, const SumsAt& sums_at)
{
    using real = typename weight_traits<iter_value_t<Weights>>::real;
    constexpr bool has_squares = sum_traits<iter_value_t<Sums>>::values > 1;
    const std::size_t extent = axis.extent();
    const auto at = [](const auto& it, std::size_t i) { return it + static_cast<std::ptrdiff_t>(i); };
    const auto add_some = [&](std::size_t s, std::size_t last) {
        std::size_t begin = segments.begin(s);
        const auto seen =
            host::look_at_weights(at(first, begin), segments.begin(last) - begin, at(weights, begin), axis);
        host::with_window<real>(seen, [&]<class Window>(const Window& window) {
            const Axis own_axis = axis;
            sequence<task_sums<Window, has_squares>> own(1);
            for (std::size_t end; s < last; ++s, begin = end) {
                end = segments.begin(s + 1);
                if (end - begin > segmented_task)
                    continue;
                own[0].prepare(extent, end - begin);
                own[0].add(first, weights, begin, end, own_axis, window);
                host::for_each_total(own, 0, extent, window, host::bins_writer(window, at(sums, sums_at(s))));
            }
        });
    };
    host::for_each_segment(threads, segments, add_some, [&](std::size_t s, std::size_t begin, std::size_t n) {
        host::weighted_histogram(threads, at(first, begin), n, at(weights, begin), axis, at(sums, sums_at(s)));
    });
}

}  // namespace parprims::detail::host
