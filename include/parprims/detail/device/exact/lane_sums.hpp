/// @file
/// @brief  The exact sum of the terms of one lane: doubles in registers for those in a window, its bins for all others.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/contract/exact_terms.hpp>
#include <parprims/detail/device/exact/lane_bins.hpp>
#include <parprims/detail/device/exact/tuning.hpp>
#include <parprims/detail/numeric/arithmetic.hpp>
#include <parprims/detail/numeric/exact_limbs.hpp>
#include <parprims/detail/numeric/exact_window.hpp>
#include <parprims/detail/numeric/rounding.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <cstdint>

namespace parprims::detail::warp {

/// The sum of the values of all lanes, each of at most 54 bits: GPUs from 8.0 on add words of 32 bits in one instruction.
PARPRIMS_DEVICE inline std::int64_t sum_of_54_bits(std::int64_t value)
{
    constexpr unsigned half = 27;
    const unsigned low = simt::sum_lanes(static_cast<unsigned>(value) & ((1u << half) - 1));
    const unsigned high = simt::sum_lanes(static_cast<unsigned>(value >> half));
    return std::int64_t{low} + std::int64_t{static_cast<std::int32_t>(high)} * (std::int64_t{1} << half);
}

/// The sum of the values of all lanes.
PARPRIMS_DEVICE inline std::int64_t sum(std::int64_t value)
{
#pragma unroll
    for (unsigned distance = 1; distance < simt::warp_size; distance *= 2)
        value += simt::shuffle(value, simt::block::lane() ^ distance);
    return value;
}

}  // namespace parprims::detail::warp

namespace parprims::detail::device {

/// Adds a number, or what is left of it, to the sums of a window, from level `First` to level `Last`.
template <unsigned First, unsigned Last, unsigned Levels>
PARPRIMS_DEVICE inline void add_to_levels(double (&sums)[Levels], double number)
{
#pragma unroll
    for (unsigned k = First; k < Last; ++k) {
        const double sum = numeric::add_unfused(sums[k], number);
        number = numeric::subtract_unfused(number, numeric::subtract_unfused(sum, sums[k]));
        sums[k] = sum;
    }
    sums[Last] = numeric::add_unfused(sums[Last], number);
}

/// The sum of one lane's terms. All lanes of a warp call each function together, and have the same window.
///
/// @tparam  AddProduct  called with two doubles whose product cannot be written as the sum of two doubles
template <class Terms, class AddProduct>
class lane_sums {
public:
    using term = typename Terms::term;
    using window = typename Terms::window;

    PARPRIMS_DEVICE lane_sums(simt::block block, std::int64_t* bins, bool has_windows, AddProduct add_product)
        : bins_(bins, block.thread(), block.threads()), has_windows_(has_windows), add_product_(add_product)
    {
        start();
    }

    template <unsigned Count>
    PARPRIMS_DEVICE void add(term (&terms)[Count])
    {
        constexpr unsigned additions = Count * (Terms::has_errors ? 2 : 1);
        numeric::key_range keys;
#pragma unroll
        for (unsigned i = 0; i < Count; ++i)
            keys.add(Terms::key(terms[i]));
        window next = window_;
        const simt::lane_mask holding = simt::ballot(has_windows_ && window_.holds(keys));
        if (holding != simt::all_lanes) {
            keys.highest = ~simt::min_lanes(~keys.highest);
            keys.lowest = simt::min_lanes(keys.lowest);
            next = window::around(keys.highest);
            if (!has_windows_ || !next.holds(keys)) {
                // No window holds the terms of all lanes. If this one holds those of most lanes, only the other terms become integers.
                const bool holds_most = simt::count_lanes(holding) >= simt::warp_size - most_lanes_outside;
                bins_.count(additions);
                if (!holds_most) {
#pragma unroll
                    for (unsigned i = 0; i < Count; ++i)
                        add_to_bins(terms[i]);
                    return;
                }
                keys = take_outside(terms);
                next = window_;
            }
        }
        if (next.top != window_.top || additions_ + additions > window::most_additions) {
            flush();
            window_ = next;
            start();
        }
        additions_ += additions;
        constexpr unsigned last = window::levels - 1;
        if constexpr (!Terms::has_errors)
            if (simt::ballot(window_.upper_holds(keys)) == simt::all_lanes) {
                seen_ |= numeric::seen_no_minus_zero;
#pragma unroll
                for (unsigned i = 0; i < Count; ++i)
                    device::add_to_levels<0, window::upper - 1>(sums_, Terms::number(terms[i]));
                return;
            }
        uses_all_levels_ = true;
#pragma unroll
        for (unsigned i = 0; i < Count; ++i) {
            const double number = Terms::number(terms[i]);
            device::add_to_levels<0, last>(sums_, number);
            if constexpr (Terms::
                              has_errors)  // less than 2^-53 of the number, so the first level would leave it as it is
                device::add_to_levels<1, last>(sums_, numeric::error_of_product(terms[i].a, terms[i].b, number));
        }
    }

    /// Passes the totals of the levels, and `more`, to `add_integer(mantissa, exponent)`. Each lane passes one of them, so that the atomic
    /// additions are made at the same time.
    template <class AddInteger>
    PARPRIMS_DEVICE void finish(const numeric::scaled_integer& more, AddInteger add_integer)
    {
        const unsigned lane = simt::block::lane();
        numeric::scaled_integer mine{lane == window::levels ? more.mantissa : 0, more.exponent};
        const auto take = [&](unsigned k) {
            const std::int64_t total = warp::sum_of_54_bits(window_.total(k, sums_[k]));
            if (lane == k)
                mine = {total, window_.unit(k)};
        };
#pragma unroll
        for (unsigned k = 0; k < window::upper; ++k)
            take(k);
        if (uses_all_levels_)
#pragma unroll
            for (unsigned k = window::upper; k < window::levels; ++k)
                take(k);
        if (mine.mantissa != 0)
            add_integer(mine.mantissa, mine.exponent);
    }

    PARPRIMS_DEVICE void add_seen(std::uint32_t seen) { seen_ |= seen; }
    PARPRIMS_DEVICE lane_bins<Terms>& bins() { return bins_; }
    /// The flags of this lane's terms, as `numeric::seen_in`.
    PARPRIMS_DEVICE std::uint32_t seen() const
    {
        return seen_ | (uses_all_levels_ ? numeric::seen_in(sums_[window::levels - 1]) : 0);
    }

private:
    PARPRIMS_DEVICE void start()
    {
#pragma unroll
        for (unsigned k = 0; k < window::levels; ++k)
            sums_[k] = window_.start(k);
        additions_ = 0;
    }

    PARPRIMS_DEVICE void flush()
    {
        if (additions_ == 0)
            return;
        seen_ |= numeric::seen_in(sums_[window::levels - 1]);
        bins_.count(window::levels);
#pragma unroll
        for (unsigned k = 0; k < window::levels; ++k)
            bins_.add(window_.total(k, sums_[k]), window_.unit(k));
    }

    /// Moves the terms outside of the window to the bins; `Terms::nothing()` takes their places. The loop is not unrolled, because few lanes
    /// have such terms. Returns the keys of the other terms.
    template <unsigned Count>
    PARPRIMS_DEVICE numeric::key_range take_outside(term (&terms)[Count])
    {
        numeric::key_range keys;
        std::uint32_t outside = 0;  // a bit for each term
#pragma unroll
        for (unsigned i = 0; i < Count; ++i) {
            const std::uint32_t key = Terms::key(terms[i]);
            if (window_.holds(key))
                keys.add(key);
            else
                outside |= 1u << i;
        }
#pragma unroll 1
        while (outside != 0) {
            const unsigned last = simt::highest_lane(outside);
            outside ^= 1u << last;
            term each = Terms::nothing();
#pragma unroll
            for (unsigned i = 0; i < Count; ++i)
                if (i == last) {
                    each = terms[i];
                    terms[i] = Terms::nothing();
                }
            add_to_bins(each);
        }
        return keys;
    }

    PARPRIMS_DEVICE void add_to_bins(const term& each)
    {
        if constexpr (Terms::has_errors) {
            add_product(each);
        } else {
            seen_ |= numeric::seen_in(each);
            if (Terms::key(each) < window::infinity_key)
                bins_.add_number(each);
        }
    }

    PARPRIMS_DEVICE void add_product(const term& factors)
    {
        const std::uint32_t key = Terms::key(factors);
        const double product = Terms::number(factors);
        if (key == 0 || numeric::is_special(numeric::seen_in(factors.a) | numeric::seen_in(factors.b))) {
            seen_ |= numeric::seen_in(product);
            return;
        }
        seen_ |= numeric::seen_no_minus_zero;
        if (key < window::key_of(least_product) || key >= window::infinity_key) {
            add_product_(factors.a, factors.b);
            return;
        }
        bins_.add_number(product);
        bins_.add_number(numeric::error_of_product(factors.a, factors.b, product));
    }

    /// From this exponent on the error of a rounded product has no digit below 2^-1074.
    static constexpr int least_product = -1074 + 106;

    lane_bins<Terms> bins_;
    bool has_windows_;
    AddProduct add_product_;
    window window_ = window::around(0);
    unsigned additions_ = 0;
    bool uses_all_levels_ = false;  ///< not the upper ones alone
    std::uint32_t seen_ = 0;
    double sums_[window::levels];
};

}  // namespace parprims::detail::device
