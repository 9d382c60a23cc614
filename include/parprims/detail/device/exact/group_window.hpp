/// @file
/// @brief  Exact sums of groups of lanes in registers, as long as their terms lie in a window.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/contract/exact_terms.hpp>
#include <parprims/detail/device/exact/lane_sums.hpp>
#include <parprims/detail/numeric/arithmetic.hpp>
#include <parprims/detail/numeric/exact_rounding.hpp>
#include <parprims/detail/numeric/exact_window.hpp>
#include <parprims/detail/numeric/rounding.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <cstdint>
#include <type_traits>

namespace parprims::detail::device {

/// Each lane adds terms to the levels of a window, which its group of lanes, a power of two, chooses together.
template <class Terms>
class group_window {
public:
    using term = typename Terms::term;
    /// Three levels, so that a sum is three doubles. The headroom is for larger terms that are loaded after the window has been chosen.
    using window = std::conditional_t<std::is_same_v<term, float>, numeric::exact_window<float, 3, 24, -149, 32>,
                                      numeric::exact_window<double, 3, 53, -1074, 20>>;
    static constexpr unsigned levels = window::levels;

    /// For all lanes of the warp: begins a sum. `highest` is the highest key of this lane's finite terms; the group's highest is decisive.
    PARPRIMS_DEVICE void start(unsigned group, std::uint32_t highest)
    {
        for (unsigned distance = 1; distance < group; distance *= 2) {
            const std::uint32_t other = simt::shuffle(highest, simt::block::lane() ^ distance);
            highest = other > highest ? other : highest;
        }
        window_ = window::around(highest);
#pragma unroll
        for (unsigned k = 0; k < levels; ++k)
            sums_[k] = window_.start(k);
    }

    /// Adds terms, if the window holds all of them. Returns whether it does.
    template <unsigned Count>
    PARPRIMS_DEVICE bool add(const term (&terms)[Count])
    {
        numeric::key_range keys;
#pragma unroll
        for (unsigned i = 0; i < Count; ++i)
            keys.add(Terms::key(terms[i]));
        if (!window_.holds(keys))
            return false;
#pragma unroll
        for (unsigned i = 0; i < Count; ++i)
            device::add_to_levels<0, levels - 1>(sums_, Terms::number(terms[i]));
        return true;
    }

    /// For all lanes of the warp: the sum of each group, rounded once, in all its lanes. A group has at most `window::most_exact` terms.
    template <class T>
    PARPRIMS_DEVICE T rounded(unsigned group) const
    {
        double totals[levels];
#pragma unroll
        for (unsigned k = 0; k < levels; ++k) {
            const double start = window_.start(k);
            totals[k] = k + 1 < levels ? numeric::subtract_unfused(sums_[k], start) : sums_[k];
        }
        for (unsigned distance = 1; distance < group; distance *= 2)
#pragma unroll
            for (unsigned k = 0; k < levels; ++k)
                totals[k] = numeric::add_unfused(totals[k], simt::shuffle(totals[k], simt::block::lane() ^ distance));
        // The last level is -0 only if all terms are.
        const T sum = numeric::rounded_sum<T>(totals[0], totals[1], totals[2]);
        return numeric::seen_in(totals[levels - 1]) == 0 ? -T{0} : sum;
    }

    /// Passes on what this lane has added: `add(total, exponent)` for each level.
    template <class Add>
    PARPRIMS_DEVICE void leave(Add add) const
    {
#pragma unroll
        for (unsigned k = 0; k < levels; ++k)
            add(window_.total(k, sums_[k]), window_.unit(k));
    }
    PARPRIMS_DEVICE std::uint32_t seen() const { return numeric::seen_in(sums_[levels - 1]); }

private:
    window window_ = window::around(0);
    double sums_[levels];
};

}  // namespace parprims::detail::device
