/// @file
/// @brief  The limbs of a sum in the registers of a warp, which rounds them.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/numeric/exact_limbs.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <cstdint>

namespace parprims::detail::warp {

/// Limbs in units of 2^(Lowest + 32 * k): limb k is number k / 32 of lane k % 32. For all lanes of a warp together.
template <int Lowest, unsigned Count>
class limbs_of_warp {
public:
    static constexpr unsigned rounds = (Count + simt::warp_size - 1) / simt::warp_size;

    /// Takes `limb(k)` for each k below `Count`.
    template <class Limb>
    PARPRIMS_DEVICE explicit limbs_of_warp(Limb limb)
    {
        for_each([&](unsigned k, std::int64_t& mine) { mine = k < Count ? limb(k) : 0; });
    }

    /// Calls `use(k, limb)` for the limbs of this lane, and for some k from `Count` on, whose limbs are 0.
    template <class Use>
    PARPRIMS_DEVICE void for_each(Use use)
    {
#pragma unroll
        for (unsigned r = 0; r < rounds; ++r)
            use(r * simt::warp_size + simt::block::lane(), limbs_[r]);
    }

    /// Adds to limb k, the same one in all lanes.
    PARPRIMS_DEVICE void add(unsigned k, std::int64_t part)
    {
        for_each([&](unsigned own, std::int64_t& limb) { limb += own == k ? part : 0; });
    }

    /// Passes on carries, so that a limb is at most 3/4 of a unit of the next one.
    PARPRIMS_DEVICE void settle()
    {
        const unsigned lane = simt::block::lane();
        std::int32_t of_last_lane = 0;  // in lane 0: its carry in the round before
#pragma unroll
        for (unsigned r = 0; r < rounds; ++r) {
            const auto carry = static_cast<std::int32_t>(numeric::carry_of(limbs_[r]));
            const std::int32_t below = simt::shuffle(carry, (lane + simt::warp_size - 1) % simt::warp_size);
            limbs_[r] += (lane == 0 ? of_last_lane : below) - std::int64_t{carry} * (std::int64_t{1} << 32);
            of_last_lane = below;
        }
    }

    /// The sum of settled limbs, rounded once, in all lanes.
    template <class T>
    PARPRIMS_DEVICE T rounded(std::uint32_t seen) const
    {
        simt::lane_mask used[rounds], negative[rounds];
        int top = 0;  // one more than the highest limb that is not 0; 0 if there is none
#pragma unroll
        for (unsigned r = 0; r < rounds; ++r) {
            used[r] = simt::ballot(limbs_[r] != 0);
            negative[r] = simt::ballot(limbs_[r] < 0);
            if (used[r] != 0)
                top = static_cast<int>(r * simt::warp_size + simt::highest_lane(used[r]) + 1);
        }
        int below = 0;  // the sign of the highest one below the leading ones that is not 0
#pragma unroll
        for (unsigned r = 0; r < rounds; ++r) {
            const int before = top - numeric::leading_limbs - static_cast<int>(r * simt::warp_size);
            const simt::lane_mask lower = before <= 0 ? 0 : before >= 32 ? simt::all_lanes : (1u << before) - 1;
            if ((used[r] & lower) != 0)
                below = (negative[r] >> simt::highest_lane(used[r] & lower) & 1) != 0 ? -1 : 1;
        }
        return numeric::rounded_leading<T, Lowest>(top, limb(top - 1), limb(top - 2), limb(top - 3), below, seen);
    }

private:
    /// Limb k, the same one in all lanes; 0 if k < 0.
    PARPRIMS_DEVICE std::int64_t limb(int k) const
    {
        std::int64_t mine = 0;
#pragma unroll
        for (unsigned r = 0; r < rounds; ++r)
            mine = k >= static_cast<int>(r * simt::warp_size) ? limbs_[r] : mine;
        return simt::shuffle(mine, static_cast<unsigned>(k) % simt::warp_size);
    }

    std::int64_t limbs_[rounds];
};

}  // namespace parprims::detail::warp
