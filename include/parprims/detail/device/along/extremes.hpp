/// @file
/// @brief  Extremes of the lines of an array, by the kernel of reductions along dimensions: what it combines, and what it writes.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/contract/extreme.hpp>
#include <parprims/detail/device/along/dispatch.hpp>
#include <parprims/detail/device/call/launcher.hpp>
#include <parprims/detail/device/extremes/located.hpp>
#include <parprims/detail/device/extremes/segments.hpp>
#include <parprims/detail/device/load/input.hpp>
#include <parprims/detail/device/store/output.hpp>
#include <parprims/detail/iterator/traits.hpp>
#include <parprims/functional.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

namespace parprims::detail::device {

/// Makes extremes of an element and its position in its line.
template <class Found, class Value>
struct lift_place {
    template <class Input, class Element>
    PARPRIMS_DEVICE Found operator()(Element&& element, std::size_t i) const
    {
        return Found::at(device::operand<Value, Input>(identity{}, static_cast<Element&&>(element)), i);
    }
};

/// Writes the positions of the extremes of a line, `step` elements apart.
template <class Search, class Output>
struct finish_positions {
    Output output;
    std::size_t step;

    template <class Found>
    PARPRIMS_DEVICE void operator()(std::size_t at, const Found& found) const
    {
        write(at, found, std::make_integer_sequence<unsigned, Search::count>{});
    }

private:
    template <class Found, unsigned... K>
    PARPRIMS_DEVICE void write(std::size_t at, const Found& found, std::integer_sequence<unsigned, K...>) const
    {
        (output.set(at + K * step, static_cast<std::size_t>(found.template place<K, Search>())), ...);
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
    const finish_positions<Search, output_for<Output>> finish{device::make_output(at.out),
                                                              static_cast<std::size_t>(step)};
    const auto enqueue = [&]<class Position>(Position) {
        using found = segment_extremes<Search, value_type, Position>;
        device::enqueue_lines<found>(launcher, at, better_of<Search>{search}, lift_place<found, value_type>{}, finish);
    };
    if (length < std::numeric_limits<std::uint32_t>::max() / 2)
        enqueue(std::uint32_t{});
    else
        enqueue(std::size_t{});
}

}  // namespace parprims::detail::device
