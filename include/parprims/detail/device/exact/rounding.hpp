/// @file
/// @brief  A warp rounds the limbs of a sum.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/numeric/exact_limbs.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <cstdint>

namespace parprims::detail::warp {

/// Passes on the carries of limbs. Limb k, settled, is with lane k % 32 in round k / 32: calls `use(k, limb)` there.
template <unsigned Count, class Use>
PARPRIMS_DEVICE void settle_limbs(const std::uint64_t (&limbs)[Count], Use use)
{
    constexpr unsigned rounds = (Count + simt::warp_size - 1) / simt::warp_size;
    const auto limb = [&](unsigned k) { return static_cast<std::int64_t>(simt::load(limbs, k)); };
#pragma unroll
    for (unsigned r = 0; r < rounds; ++r) {
        const unsigned k = r * simt::warp_size + simt::block::lane();
        use(k, k < Count ? numeric::settled(limb(k), k == 0 ? 0 : limb(k - 1)) : 0);
    }
}

/// The sum of limbs in units of 2^(Lowest + 32 * k), rounded once; in lane 0. Nonzero limbs are found by ballots, because most are 0.
/// @param  settled  memory for them
template <class T, int Lowest, unsigned Count>
PARPRIMS_DEVICE T rounded_limbs(const std::uint64_t (&limbs)[Count], std::int64_t (&settled)[Count], std::uint32_t seen)
{
    constexpr unsigned rounds = (Count + simt::warp_size - 1) / simt::warp_size;
    simt::lane_mask used[rounds];
    int top = 0;  // one more than the highest nonzero limb; 0 if none
    warp::settle_limbs(limbs, [&](unsigned k, std::int64_t mine) {
        const unsigned r = k / simt::warp_size;
        if (k < Count)
            simt::store(settled, k, mine);
        used[r] = simt::ballot(mine != 0);
        if (used[r] != 0)
            top = static_cast<int>(r * simt::warp_size + simt::highest_lane(used[r]) + 1);
    });
    simt::sync_warp();
    if (simt::block::lane() != 0)
        return T{};
    const auto limb = [&](int k) { return k < 0 ? 0 : simt::load(settled, static_cast<unsigned>(k)); };
    int below = 0;  // one more than the highest nonzero limb below the leading ones; 0 if none
#pragma unroll
    for (unsigned r = 0; r < rounds; ++r) {
        const int before = top - numeric::leading_limbs - static_cast<int>(r * simt::warp_size);
        const simt::lane_mask lower = before <= 0 ? 0 : before >= 32 ? simt::all_lanes : (1u << before) - 1;
        if ((used[r] & lower) != 0)
            below = static_cast<int>(r * simt::warp_size + simt::highest_lane(used[r] & lower) + 1);
    }
    return numeric::rounded_leading<T, Lowest>(top, limb, below == 0 ? 0 : limb(below - 1), seen);
}

}  // namespace parprims::detail::warp
