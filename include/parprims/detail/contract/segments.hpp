/// @file
/// @brief  Where the segments of an input begin, for both backends.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/contract/order.hpp>

#include <cstddef>

namespace parprims::detail {

/// Segments of `size` elements, but for the last one, which may have fewer.
struct fixed_segments {
    static constexpr bool is_searched = false;  // whether a search finds the segment of a position

    std::size_t size;   // from 1 to n
    std::size_t n;      // elements of the input
    std::size_t count;  // segments

    static constexpr fixed_segments of(std::size_t n, std::size_t size)
    {
        const std::size_t limited = size < n || n == 0 ? size : n;
        return {limited, n, order::ceil_div(n, limited)};
    }

    /// Where segment s begins; n for s = `count`.
    PARPRIMS_HOST_DEVICE std::size_t begin(std::size_t s) const
    {
        const std::size_t first = s * size;
        return first < n ? first : n;
    }
    /// Most elements of a segment.
    PARPRIMS_HOST_DEVICE std::size_t longest() const { return size; }
};

PARPRIMS_BEGIN_UNMARKED_CALLS
/// Segments from each of `count + 1` offsets to the next one. Offsets that exceed n count as n, and negative ones too, so
/// offsets of any kind lead to no access outside of the input.
template <class Offsets>
struct offset_segments {
    static constexpr bool is_searched = true;

    Offsets offsets;
    std::size_t n;
    std::size_t count;

    PARPRIMS_HOST_DEVICE std::size_t begin(std::size_t s) const
    {
        const auto first = static_cast<std::size_t>(*(offsets + static_cast<std::ptrdiff_t>(s)));
        return first < n ? first : n;
    }
    PARPRIMS_HOST_DEVICE std::size_t longest() const { return n; }
};
PARPRIMS_END_UNMARKED_CALLS

}  // namespace parprims::detail
