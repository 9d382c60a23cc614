/// @file
/// @brief  The weights that the words of a sum do not hold: their exact sums as limbs in device memory.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/contract/weights.hpp>
#include <parprims/detail/device/weighted/window.hpp>
#include <parprims/detail/numeric/exact_limbs.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <cstddef>
#include <cstdint>

namespace parprims::detail::device {

/// Flags of a slot, beside numeric::seen_nan and the infinities: it has outliers.
inline constexpr std::uint32_t seen_outlier = 16;

/// The limbs of a slot: of weights, then of their squares.
template <class W, unsigned Values>
struct limbs_of_slot {
    using traits = weight_traits<W>;
    static constexpr unsigned of_values = traits::limbs.limbs();
    static constexpr unsigned of_squares = Values > 1 ? traits::square_limbs.limbs() : 0;
    static constexpr unsigned count = of_values + of_squares;

    /// Adds a finite weight to the limbs of a slot, in shared or device memory.
    PARPRIMS_DEVICE static void add(std::uint64_t* limbs, typename traits::real weight)
    {
        const auto adder = [](std::uint64_t* to) {
            return [to](unsigned k, std::int64_t part) {
                if (part != 0)
                    simt::atomic_add(to + k, static_cast<std::uint64_t>(part));
            };
        };
        const double value = numeric::widened(weight);
        const numeric::scaled_integer number = numeric::scaled(value);
        numeric::for_each_limb<traits::limbs.lowest>(number.mantissa, number.exponent, adder(limbs));
        if constexpr (Values > 1)
            numeric::for_each_limb_of_product<traits::square_limbs.lowest>(value, value, adder(limbs + of_values));
    }
};

/// Rows of limbs for slots with outliers: a row for each slot, or, if there are fewer, each slot takes one of those that follow its
/// number. Zero at first.
struct outlier_rows {
    std::uint64_t* owners;  ///< slot + 1; not used if there is a row for each slot
    std::uint64_t* limbs;
    std::size_t rows;
    std::size_t extent;
    unsigned row_limbs;

    /// The row of a slot; null if it has none, or, `takes`, can get none.
    PARPRIMS_DEVICE std::uint64_t* row_of(std::size_t slot, bool takes) const
    {
        if (rows >= extent)
            return limbs + slot * row_limbs;
#pragma unroll 1
        for (unsigned probe = 0; probe < max_row_probes; ++probe) {
            const std::size_t at = (slot + probe) % rows;
            std::uint64_t owner = simt::atomic_load(owners + at);
            if (owner == 0 && takes) {
                owner = simt::atomic_replace(owners + at, 0, slot + 1);
                if (owner == 0)
                    owner = slot + 1;
            }
            if (owner == slot + 1)
                return limbs + at * row_limbs;
        }
        return nullptr;
    }
};

}  // namespace parprims::detail::device
