/// @file
/// @brief  Extremes of the lines of an array, by the kernel of reductions along dimensions: what it combines, and what it writes.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/contract/extreme.hpp>
#include <parprims/detail/device/along/dispatch.hpp>
#include <parprims/detail/device/call/launcher.hpp>
#include <parprims/detail/device/extremes/located.hpp>
#include <parprims/detail/device/extremes/segments.hpp>
#include <parprims/detail/device/store/output.hpp>
#include <parprims/detail/iterator/traits.hpp>
#include <parprims/functional.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

namespace parprims::detail::device {

/// Writes the positions of the extremes of a line, `step` elements apart. The found positions count from `first` elements before the line.
template <class Search, class Output>
struct finish_positions {
    Output output;
    std::size_t step;

    template <class Found>
    PARPRIMS_DEVICE void operator()(std::size_t at, const Found& found, std::size_t first = 0) const
    {
        write(at, found, first, std::make_integer_sequence<unsigned, Search::count>{});
    }

private:
    template <class Found, unsigned... K>
    PARPRIMS_DEVICE void write(std::size_t at, const Found& found, std::size_t first,
                               std::integer_sequence<unsigned, K...>) const
    {
        (output.set(at + K * step, static_cast<std::size_t>(found.template place<K, Search>()) - first), ...);
    }
};

/// The output of a segmented reduction whose segments are lines: element l takes the extremes of line l, and writes their positions.
template <class Search, class Finish>
struct line_positions {
    Finish finish;
    fixed_segments segments;
    std::size_t start;
    std::ptrdiff_t stride;
    std::size_t line;

    PARPRIMS_DEVICE line_positions operator+(std::ptrdiff_t l) const
    {
        return {finish, segments, start, stride, line + static_cast<std::size_t>(l)};
    }
    PARPRIMS_DEVICE const line_positions& operator*() const { return *this; }
    template <class Found>
    PARPRIMS_DEVICE void operator=(const Found& found) const
    {
        finish(start + line * static_cast<std::size_t>(stride), found, segments.begin(line));
    }
};

/// Enqueues the search in all lines. The positions of a line without elements are 0.
template <launcher Launcher, class Iterator, class Output, class Search>
void enqueue_extremes_along(Launcher& launcher, const placed_lines<Iterator, Output>& at, std::ptrdiff_t step,
                            Search search)
{
    using value_type = iter_value_t<Iterator>;
    if (at.lines.lines.size() == 0)
        return;
    const std::size_t length = at.lines.line.size();
    if (length == 0) {
        for (unsigned k = 0; k < Search::count; ++k) {
            placed_lines<Iterator, Output> of_extreme = at;
            of_extreme.out_start += k * static_cast<std::size_t>(step);
            device::enqueue_fill(launcher, of_extreme, std::size_t{0});
        }
        return;
    }
    using finish_type = finish_positions<Search, output_for<Output>>;
    const finish_type finish{device::make_output(at.out), static_cast<std::size_t>(step)};
    const auto first = at.input + static_cast<std::ptrdiff_t>(at.start);
    const bool is_of_segments =
        device::planned(launcher, lines_kernel{device::are_segments(first, at.lines)}).is_of_segments;
    const auto enqueue = [&]<class Position>(Position) {
        using found = segment_extremes<Search, compared<Search, value_type>, Position>;
        if (is_of_segments)
            device::enqueue_segmented_reduce(launcher, segments_of(at.lines), first,
                                             line_positions<Search, finish_type>{finish, segments_of(at.lines),
                                                                                 at.out_start,
                                                                                 at.lines.lines.out_stride(), 0},
                                             found(), better_of<Search>{search});
        else
            device::enqueue_lines<found, value_type>(launcher, at, better_of<Search>{search}, identity{}, finish);
    };
    const std::size_t places = is_of_segments ? segments_of(at.lines).n : length;
    if (places < std::numeric_limits<std::uint32_t>::max() / 2)
        enqueue(std::uint32_t{});
    else
        enqueue(std::size_t{});
}

}  // namespace parprims::detail::device
