/// @file
/// @brief  The Hillis-Steele scans of the order contract, by one warp.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/device/tree/warp_tree.hpp>
#include <parprims/detail/simt/simt.hpp>
#include <parprims/detail/uninitialized.hpp>

namespace parprims::detail::warp {

/// Inclusive Hillis-Steele scan over the live lanes of a warp. Lanes that are not live come last and hold no value.
/// @source  Hillis and Steele, "Data parallel algorithms", CACM 1986
template <class T, class Op>
PARPRIMS_DEVICE inline T scan_lanes(T value, bool live, Op op)
{
    const unsigned lane = simt::block::lane();
#pragma unroll(sizeof(T) <= 32 ? 5 : 1)
    for (unsigned distance = 1; distance < simt::warp_size; distance *= 2) {
        const T below = simt::shuffle_up(value, distance);
        if (live && lane >= distance)
            value = warp::combine<T>(op, below, value);
    }
    return value;
}

/// Inclusive Hillis-Steele scan over lanes that all hold a value. It has no branch, so the scans of several rows overlap.
template <class T, class Op>
PARPRIMS_DEVICE inline T scan_full_lanes(T value, Op op)
{
    const unsigned lane = simt::block::lane();
#pragma unroll(sizeof(T) <= 32 ? 5 : 1)
    for (unsigned distance = 1; distance < simt::warp_size; distance *= 2) {
        const T sum = warp::combine<T>(op, simt::shuffle_up(value, distance), value);
        value = lane >= distance ? sum : value;
    }
    return value;
}

/// Inclusive Hillis-Steele scan over the first `Lanes` lanes that begins anew at each lane of `heads`.
template <unsigned Lanes = simt::warp_size, class T, class Op>
PARPRIMS_DEVICE inline T scan_runs(T value, simt::lane_mask heads, Op op)
{
    const unsigned lane = simt::block::lane();
    const simt::lane_mask upto = heads & (simt::all_lanes >> (simt::warp_size - 1 - lane));
    const unsigned reach = upto != 0 ? lane - simt::highest_lane(upto) : lane;  // lanes below that belong to the run
#pragma unroll(sizeof(T) <= 32 ? 5 : 1)
    for (unsigned distance = 1; distance < Lanes; distance *= 2) {
        const T sum = warp::combine<T>(op, simt::shuffle_up(value, distance), value);
        value = reach >= distance ? sum : value;
    }
    return value;
}

/// Inclusive Hillis-Steele scan over `live` values: up to 32, one in each lane, or up to 64, where lane l holds values l and
/// l + 32. The other lanes must hold copies of live values, to which the operator is applied, too; their results are not used.
template <unsigned Rows, class T, class Op>
PARPRIMS_DEVICE inline void scan_rows(T& low, T& high, unsigned live, Op op)
{
    static_assert(Rows <= 2 * simt::warp_size);
    const unsigned lane = simt::block::lane();
#pragma unroll(sizeof(T) <= 32 ? 5 : 1)
    for (unsigned distance = 1; distance < simt::warp_size && distance < Rows; distance *= 2) {
        const unsigned source = (lane - distance) % simt::warp_size;
        const T below = simt::shuffle(low, source);
        if constexpr (Rows > simt::warp_size) {
            const T across = simt::shuffle(high, source);
            const T sum = warp::combine<T>(op, simt::select(lane >= distance, across, below), high);
            high = simt::select(lane + simt::warp_size < live, sum, high);
        }
        const T sum = warp::combine<T>(op, below, low);
        low = simt::select(lane >= distance && lane < live, sum, low);
    }
    if constexpr (Rows > simt::warp_size)
        high = warp::combine<T>(op, low, high);
}

/// Inclusive scan of values in shared memory: of the first `live` of `Rows`.
template <unsigned Rows, class T, class Op>
PARPRIMS_DEVICE inline void scan_rows(const uninitialized<T>* totals, unsigned live, uninitialized<T>* scans, Op op)
{
    if (live == 0)
        return;
    const unsigned lane = simt::block::lane();
    const auto total = [&](unsigned r) { return simt::load(totals, r < live ? r : live - 1); };
    T low = total(lane);
    T high = Rows > simt::warp_size ? total(lane + simt::warp_size) : low;
    warp::scan_rows<Rows>(low, high, live, op);
    if (lane < live)
        simt::store(scans, lane, low);
    if (lane + simt::warp_size < live)
        simt::store(scans, lane + simt::warp_size, high);
}

}  // namespace parprims::detail::warp
