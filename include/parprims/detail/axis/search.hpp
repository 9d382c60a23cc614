/// @file
/// @brief  Where a sample lies among given edges.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/axis/sample.hpp>

#include <cstddef>
#include <cstdint>

namespace parprims::detail::axis {

/// The i with `edges[i] <= x < edges[i + 1]`, which must exist. The number of steps depends on `bins` alone.
template <class Index, class T>
PARPRIMS_HOST_DEVICE constexpr std::size_t bisect(const T* edges, Index bins, T x)
{
    Index low = 0;
    for (Index left = bins; left > 1;) {
        const Index half = left / 2;
        low += edges[low + half] <= x ? half : 0;
        left -= half;
    }
    return low;
}

template <class T>
PARPRIMS_HOST_DEVICE constexpr std::size_t slot_among(const T* edges, std::size_t bins, T x)
{
    if (!(x >= edges[0] && x < edges[bins]))
        return bins + (x < edges[0] ? underflow : x >= edges[bins] ? overflow : nan);
    if (bins <= UINT32_MAX)
        return bisect(edges, static_cast<std::uint32_t>(bins), x);
    return bisect(edges, bins, x);
}

}  // namespace parprims::detail::axis
