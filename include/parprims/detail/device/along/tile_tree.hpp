/// @file
/// @brief  The order contract's tree over the totals of threads in shared memory.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/device/along/tuning.hpp>
#include <parprims/detail/device/tree/warp_tree.hpp>
#include <parprims/detail/simt/simt.hpp>
#include <parprims/detail/uninitialized.hpp>

namespace parprims::detail::device {

/// Folds values 0 to `Count` as far as they exist, at least the first one: `load(k)` returns value k, and `exists(k)` whether there is one.
template <unsigned Count, class T, class Exists, class Load, class Op>
PARPRIMS_DEVICE inline T fold_few(Exists exists, Load load, Op op)
{
    uninitialized<T> x[Count];
#pragma unroll
    for (unsigned k = 0; k < Count; ++k)
        if (exists(k))
            x[k].value = load(k);
#pragma unroll
    for (unsigned d = 1; d < Count; d *= 2)
#pragma unroll
        for (unsigned k = 0; k < Count; k += 2 * d)
            if (exists(k + d))
                x[k].value = warp::combine<T>(op, x[k].value, x[k + d].value);
    return x[0].value;
}

/// For all threads of a block: folds the first `live` totals of each of `lines` lines. Total i of line j is number `i * width + j`; that of
/// all is number j afterwards, for the threads that have it.
template <class T, class Op>
PARPRIMS_DEVICE inline void fold_totals(simt::block block, uninitialized<T>* totals, unsigned width, unsigned lines,
                                        unsigned live, Op op)
{
#pragma unroll 1
    for (unsigned distance = 1; distance < live; distance *= along_radix) {
        const unsigned groups = (live + along_radix * distance - 1) / (along_radix * distance);
#pragma unroll 1
        for (unsigned u = block.thread(); u < groups * width; u += block.threads()) {
            const unsigned group = groups == 1 ? 0 : u / width;
            const unsigned j = u - group * width;
            if (j >= lines)
                continue;
            const auto number = [&](unsigned k) { return (group * along_radix + k) * distance; };
            const T total =
                device::fold_few<along_radix, T>([&](unsigned k) { return number(k) < live; },
                                                 [&](unsigned k) { return simt::load(totals, number(k) * width + j); },
                                                 op);
            simt::store(totals, number(0) * width + j, total);
        }
        if (groups != 1)
            block.sync();
    }
}

}  // namespace parprims::detail::device
