/// @file
/// @brief  Where the segments of an input begin, for both backends.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/contract/order.hpp>

#include <cstddef>

namespace parprims::detail {

/// Segments of one size, but for the last one, which may have fewer elements. Or lines with gaps between them, which belong to none.
struct fixed_segments {
    static constexpr bool is_searched = false;  // whether a search finds the segment of a position

    std::size_t size;    // from one segment to the next, from 1 to n
    std::size_t n;       // elements of the input
    std::size_t count;   // segments
    std::size_t length;  // of a segment: `size` without gaps

    static constexpr fixed_segments of(std::size_t n, std::size_t size)
    {
        const std::size_t limited = size < n || n == 0 ? size : n;
        return {limited, n, order::ceil_div(n, limited), limited};
    }
    /// Lines of `length` elements that begin `size` elements apart.
    static constexpr fixed_segments lines(std::size_t count, std::size_t length, std::size_t size)
    {
        return {size, (count - 1) * size + length, count, length};
    }

    /// Elements between one segment and the next that belong to none.
    constexpr std::size_t gap() const { return size - length; }
    /// Lines one behind the other, as if there were no gaps.
    constexpr fixed_segments without_gaps() const { return lines(count, length, length); }

    /// Where segment s begins; n for s = `count`.
    PARPRIMS_HOST_DEVICE std::size_t begin(std::size_t s) const
    {
        const std::size_t first = s * size;
        return first < n ? first : n;
    }
    /// Where it ends; n for s = `count`.
    PARPRIMS_HOST_DEVICE std::size_t end(std::size_t s) const
    {
        const std::size_t first = begin(s);
        return n - first < length ? n : first + length;
    }
    /// Most elements from where a segment begins to the next one.
    PARPRIMS_HOST_DEVICE std::size_t longest() const { return size; }
    /// Whether gaps are longer than segments.
    bool are_far_apart() const { return gap() > length; }
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
    PARPRIMS_HOST_DEVICE std::size_t end(std::size_t s) const { return begin(s + 1); }
    PARPRIMS_HOST_DEVICE std::size_t longest() const { return n; }
};
PARPRIMS_END_UNMARKED_CALLS

}  // namespace parprims::detail
