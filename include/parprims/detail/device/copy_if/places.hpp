/// @file
/// @brief  Where the elements of a warp go that `copy_if` keeps.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/device/tree/warp_scan.hpp>
#include <parprims/detail/simt/simt.hpp>
#include <parprims/functional.hpp>

namespace parprims::detail::device {

/// How many elements of the warp are kept before those of this lane, for each row of `Items` elements a lane; returns how many the
/// warp keeps. The counts of several rows are added in one word.
template <unsigned Items, unsigned Rows>
PARPRIMS_DEVICE inline unsigned place_in_warp(const unsigned (&kept)[Rows], unsigned (&places)[Rows])
{
    constexpr unsigned bits = Items * simt::warp_size < 256 ? 8 : 16;
    constexpr unsigned fields = Rows < 32 / bits ? Rows : 32 / bits;
    static_assert(Rows % fields == 0);
    unsigned before = 0;
#pragma unroll
    for (unsigned r = 0; r < Rows; r += fields) {
        unsigned counts = 0;
#pragma unroll
        for (unsigned f = 0; f < fields; ++f)
            counts |= simt::count_lanes(kept[r + f]) << f * bits;
        const unsigned scanned = warp::scan_full_lanes(counts, plus{});
        const unsigned totals = simt::shuffle(scanned, simt::warp_size - 1);
        const unsigned below = scanned - counts;
#pragma unroll
        for (unsigned f = 0; f < fields; ++f) {
            places[r + f] = before + (below >> f * bits & ((1u << bits) - 1));
            before += totals >> f * bits & ((1u << bits) - 1);
        }
    }
    return before;
}

}  // namespace parprims::detail::device
