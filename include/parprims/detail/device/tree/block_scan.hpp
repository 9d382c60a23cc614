/// @file
/// @brief  The Hillis-Steele scan of one block: of each warp, then of the warps' totals.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/device/tree/warp_scan.hpp>
#include <parprims/detail/device/tree/warp_tree.hpp>
#include <parprims/detail/simt/simt.hpp>
#include <parprims/detail/uninitialized.hpp>

namespace parprims::detail::block {

/// Shared memory of a block's scan.
template <class T>
struct scan_storage {
    uninitialized<T> warp_totals[simt::warp_size];
};

/// What a thread knows after a block's scan.
template <class T>
struct scanned {
    T inclusive;  ///< of this thread and all threads below it
    T total;      ///< of the block
};

/// Inclusive scan over the threads of a block, each of which holds a value. There is one barrier, before which the totals of
/// the warps are stored and after which each warp scans them all: between two scans with one storage the caller needs another.
/// @source  Hillis and Steele, "Data parallel algorithms", CACM 1986
template <class T, class Op>
PARPRIMS_DEVICE inline scanned<T> inclusive_scan(simt::block block, scan_storage<T>& storage, const T& value, Op op)
{
    const unsigned lane = simt::block::lane();
    const unsigned index = block.warp();
    const unsigned last = block.warps() - 1;

    // 1. Scan the lanes of each warp.
    const T in_warp = warp::scan_full_lanes(value, op);
    if (lane == simt::warp_size - 1)
        simt::store(storage.warp_totals, index, in_warp);
    block.sync();

    // 2. Scan the totals of the warps. Lanes above the last warp hold copies, which no lane below sees.
    const T totals = warp::scan_full_lanes(simt::load(storage.warp_totals, lane < last ? lane : last), op);
    const T total = simt::shuffle(totals, last);
    const T before = simt::shuffle(totals, (index - 1) % simt::warp_size);
    return {index == 0 ? in_warp : warp::combine<T>(op, before, in_warp), total};
}

}  // namespace parprims::detail::block
