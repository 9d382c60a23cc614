/// @file
/// @brief  The exchange before lanes that hold consecutive elements each write a row through any output, neighbours by neighbouring lanes.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/numeric/integers.hpp>
#include <parprims/detail/simt/simt.hpp>
#include <parprims/detail/uninitialized.hpp>

#include <cstddef>

namespace parprims::detail::warp {

/// values[k] becomes values[(k + by) % Items]. In steps that are powers of two, so that values stay in registers.
template <class T, unsigned Items>
PARPRIMS_DEVICE inline void rotate(uninitialized<T> (&values)[Items], unsigned by)
{
#pragma unroll
    for (unsigned step = 1; step < Items; step *= 2) {
        uninitialized<T> rotated[Items];
#pragma unroll
        for (unsigned k = 0; k < Items; ++k)
            rotated[k].value = simt::select((by & step) != 0, values[(k + step) % Items].value, values[k].value);
#pragma unroll
        for (unsigned k = 0; k < Items; ++k)
            values[k].value = rotated[k].value;
    }
}

/// For one warp, whose lanes hold elements `lane * Items + k` of a row: then they hold elements `k * warp_size + lane`, a stripe for each k. In
/// each of `Items` rounds every lane sends and receives one value. A power of two of items.
template <class T, unsigned Items>
PARPRIMS_DEVICE inline void to_striped(uninitialized<T> (&values)[Items])
{
    static_assert(simt::warp_size % Items == 0);
    constexpr unsigned stripe_lanes = simt::warp_size / Items;  // that hold the elements of a stripe before
    const unsigned lane = simt::block::lane();
    warp::rotate(values, lane / stripe_lanes);
    uninitialized<T> received[Items];
#pragma unroll
    for (unsigned t = 0; t < Items; ++t) {
        const unsigned stripe = (lane - t) % Items;
        received[(Items - t) % Items].value = simt::shuffle<T>(values[t].value, stripe * stripe_lanes + lane / Items);
    }
    warp::rotate(received, (0 - lane) % Items);
#pragma unroll
    for (unsigned k = 0; k < Items; ++k)
        values[k].value = received[k].value;
}

/// For one warp: writes a row, of which each lane has `Items` consecutive elements, from `begin` on. `value_of(k)` is element k of the lane.
template <class T, unsigned Items, class Output, class Value>
PARPRIMS_DEVICE inline void write_row(const Output& output, std::size_t begin, Value value_of)
{
    constexpr unsigned part = smaller_of(Items, simt::warp_size), parts = Items / part;
#pragma unroll
    for (unsigned p = 0; p < parts; ++p) {
        uninitialized<T> values[part];
#pragma unroll
        for (unsigned k = 0; k < part; ++k)
            values[k].value = value_of(p * part + k);
        warp::to_striped(values);
#pragma unroll
        for (unsigned k = 0; k < part; ++k)
            output.set(begin + (k * parts + p) * simt::warp_size + simt::block::lane(), values[k].value);
    }
}

}  // namespace parprims::detail::warp
