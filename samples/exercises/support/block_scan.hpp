/// @file
/// @brief  What exercises 6, 9, 10 and 19 may use: the sum and the scan of a block of 256 threads, by shuffles.
#pragma once

#include <parprims/simt/simt.hpp>

#include <type_traits>

namespace exercises {

namespace simt = parprims::simt;

/// Shared memory of the two functions.
template <class T>
struct block_storage {
    simt::shared_array<T, 8> of_warps;
};

/// The sum of the values of the threads up to this one. All threads call it; it has two barriers.
template <class T>
PARPRIMS_DEVICE T scan_of_block(simt::block block, block_storage<T>& shared, std::type_identity_t<T> value)
{
    for (unsigned distance = 1; distance < simt::warp_size; distance *= 2) {
        const T below = simt::shuffle_up(value, distance);
        value += block.lane() >= distance ? below : T{};
    }
    if (block.lane() == simt::warp_size - 1)
        shared.of_warps[block.warp()] = value;
    block.sync();
    for (unsigned w = 0; w < block.warp(); ++w)
        value += shared.of_warps[w];
    block.sync();  // before the storage is used again
    return value;
}

/// The sum of the values of all threads, in every thread. All threads call it; it has two barriers.
template <class T>
PARPRIMS_DEVICE T sum_of_block(simt::block block, block_storage<T>& shared, std::type_identity_t<T> value)
{
    for (unsigned distance = simt::warp_size / 2; distance > 0; distance /= 2)
        value += simt::shuffle_down(value, distance);
    if (block.lane() == 0)
        shared.of_warps[block.warp()] = value;
    block.sync();
    T sum{};
    for (unsigned w = 0; w < block.warps(); ++w)
        sum += shared.of_warps[w];
    block.sync();  // before the storage is used again
    return sum;
}

}  // namespace exercises
