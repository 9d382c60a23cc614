/// @file
/// @brief  The exact sum of the terms of one lane: doubles in registers for those in a window, integers in shared memory for all.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/contract/exact_terms.hpp>
#include <parprims/detail/device/exact/tuning.hpp>
#include <parprims/detail/numeric/arithmetic.hpp>
#include <parprims/detail/numeric/exact_limbs.hpp>
#include <parprims/detail/numeric/exact_window.hpp>
#include <parprims/detail/numeric/rounding.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <cstdint>
#include <type_traits>

namespace parprims::detail::device {

/// Integers in shared memory that belong to one lane, so that no addition is atomic, and no two lanes meet in a bank.
template <class Terms>
class lane_bins {
public:
    static constexpr bins_shape shape = bins_of<Terms>;

    /// @param  bins  of all threads: bin k of thread t is number k * threads + t
    PARPRIMS_DEVICE lane_bins(simt::block block, std::int64_t* bins)
        : first_(bins + block.thread()), threads_(block.threads())
    {
#pragma unroll 1
        for (unsigned k = 0; k < shape.count; ++k)
            simt::store(first_, k * threads_, std::int64_t{0});
    }

    /// Adds `mantissa`, of at most 54 bits, times 2^`exponent`. Does not count it.
    PARPRIMS_DEVICE void add(std::int64_t mantissa, int exponent)
    {
        if (mantissa == 0)  // whose exponent may be anything
            return;
        const auto place = static_cast<unsigned>(exponent - shape.lowest);
        const unsigned k = place / shape.spacing;
        const unsigned shift = place % shape.spacing;
        constexpr std::uint64_t lower = (std::uint64_t{1} << shape.spacing) - 1;
        const std::int64_t above = mantissa >> (shape.spacing - shift);
        add_to(k, static_cast<std::int64_t>(static_cast<std::uint64_t>(mantissa) << shift & lower));
        if constexpr (shape.spacing >= 52) {
            add_to(k + 1, above);
        } else {
            add_to(k + 1, static_cast<std::int64_t>(static_cast<std::uint64_t>(above) & lower));
            add_to(k + 2, above >> shape.spacing);
        }
    }
    /// Adds a finite number. Does not count it.
    PARPRIMS_DEVICE void add_number(double number)
    {
        const numeric::scaled_integer integer = numeric::scaled(number);
        add(integer.mantissa, integer.exponent);
    }
    PARPRIMS_DEVICE void add_number(float number)
    {
        static_assert(shape.spacing + 24 < 63);
        const auto bits = __builtin_bit_cast(std::uint32_t, number);
        const unsigned field = bits >> 23 & 0xff;
        const unsigned mantissa = (bits & 0x7fffff) | (field != 0 ? 0x800000 : 0);
        const unsigned place = field != 0 ? field - 1 : 0;
        static_assert(shape.lowest == -149);
        const auto magnitude = static_cast<std::int64_t>(std::uint64_t{mantissa} << place % shape.spacing);
        add_to(place / shape.spacing, bits >> 31 != 0 ? -magnitude : magnitude);
    }

    /// To be called before so many additions that change a bin once: passes on carries, if it is time.
    PARPRIMS_DEVICE void count(unsigned additions)
    {
        if (additions_ + additions > shape.most_additions)
            settle();
        additions_ += additions;
    }

    /// Passes on carries, so that less than `spacing` bits remain in a bin.
    PARPRIMS_DEVICE void settle()
    {
        std::int64_t carry = 0;
#pragma unroll 1
        for (unsigned k = 0; k < shape.count; ++k) {
            const std::int64_t sum = simt::load(first_, k * threads_) + carry;
            carry = k + 1 == shape.count ? 0 : (sum + (std::int64_t{1} << (shape.spacing - 1))) >> shape.spacing;
            simt::store(first_, k * threads_, sum - (carry << shape.spacing));
        }
        additions_ = 1;  // what remains
    }

private:
    PARPRIMS_DEVICE void add_to(unsigned k, std::int64_t part)
    {
        simt::store(first_, k * threads_, simt::load(first_, k * threads_) + part);
    }

    std::int64_t* first_;
    unsigned threads_;
    unsigned additions_ = 0;
};

/// Adds a number, or what is left of it, to the sums of a window, from level `First` on.
template <unsigned First, unsigned Levels>
PARPRIMS_DEVICE inline void add_to_levels(double (&sums)[Levels], double number)
{
#pragma unroll
    for (unsigned k = First; k + 1 < Levels; ++k) {
        const double sum = numeric::add_unfused(sums[k], number);
        number = numeric::subtract_unfused(number, numeric::subtract_unfused(sum, sums[k]));
        sums[k] = sum;
    }
    sums[Levels - 1] = numeric::add_unfused(sums[Levels - 1], number);
}

/// The sum of one lane's terms. All lanes of a warp call each function together, and have the same window.
///
/// @tparam  AddProduct  called with two doubles whose product is not the sum of two doubles
template <class Terms, class AddProduct>
class lane_sums {
public:
    using term = typename Terms::term;
    using window = typename Terms::window;

    PARPRIMS_DEVICE lane_sums(simt::block block, std::int64_t* bins, bool has_windows, AddProduct add_product)
        : bins_(block, bins), has_windows_(has_windows), add_product_(add_product)
    {
        start();
    }

    template <unsigned Count>
    PARPRIMS_DEVICE void add(const term (&terms)[Count])
    {
        constexpr unsigned additions = Count * (Terms::has_errors ? 2 : 1);
        numeric::key_range keys;
#pragma unroll
        for (unsigned i = 0; i < Count; ++i)
            keys.add(Terms::key(terms[i]));
        window next = window_;
        bool fits = all(has_windows_ && window_.holds(keys));
        if (!fits && has_windows_) {
            keys.highest = ~simt::min_lanes(~keys.highest);
            keys.lowest = simt::min_lanes(keys.lowest);
            next = window::around(keys.highest);
            fits = next.holds(keys);
        }
        if (!fits) {
            bins_.count(additions);
#pragma unroll
            for (unsigned i = 0; i < Count; ++i)
                add_to_bins(terms[i]);
            return;
        }
        if (next.top != window_.top || additions_ + additions > window::most_additions) {
            flush();
            window_ = next;
            start();
        }
        additions_ += additions;
#pragma unroll
        for (unsigned i = 0; i < Count; ++i) {
            const double number = Terms::number(terms[i]);
            device::add_to_levels<0>(sums_, number);
            if constexpr (Terms::
                              has_errors)  // less than 2^-53 of the number, so the first level would leave it as it is
                device::add_to_levels<1>(sums_, numeric::error_of_product(terms[i].a, terms[i].b, number));
        }
    }

    /// Leaves all in the bins.
    PARPRIMS_DEVICE void finish()
    {
        flush();
        bins_.settle();
    }

    PARPRIMS_DEVICE std::uint32_t seen() const { return seen_; }

private:
    PARPRIMS_DEVICE static bool all(bool holds) { return simt::ballot(holds) == simt::all_lanes; }

    PARPRIMS_DEVICE void start()
    {
#pragma unroll
        for (unsigned k = 0; k < window::levels; ++k)
            sums_[k] = window_.start(k);
        additions_ = 0;
    }

    PARPRIMS_DEVICE void flush()
    {
        bins_.count(window::levels);
#pragma unroll
        for (unsigned k = 0; k < window::levels; ++k)
            bins_.add(window_.total(k, sums_[k]), window_.unit(k));
        seen_ |= numeric::seen_in(sums_[window::levels - 1]);
    }

    PARPRIMS_DEVICE void add_to_bins(const term& each)
    {
        const auto number = [&] {
            if constexpr (std::is_same_v<term, float>)
                return each;
            else
                return Terms::number(each);
        }();
        const std::uint32_t seen = numeric::seen_in(Terms::number(each));
        if constexpr (Terms::has_errors) {
            const std::uint32_t key = Terms::key(each);
            if (key != 0 && (key < window::key_of(least_product) || numeric::is_special(seen))) {
                if (numeric::is_special(numeric::seen_in(each.a) | numeric::seen_in(each.b))) {
                    seen_ |= seen;
                } else {
                    seen_ |= numeric::seen_no_minus_zero;
                    add_product_(each.a, each.b);
                }
                return;
            }
        }
        seen_ |= seen;
        if (numeric::is_special(seen))
            return;
        bins_.add_number(number);
        if constexpr (Terms::has_errors)
            bins_.add_number(numeric::error_of_product(each.a, each.b, number));
    }

    /// From this exponent on the error of a rounded product has no digit below 2^-1074.
    static constexpr int least_product = -1074 + 106;

    lane_bins<Terms> bins_;
    bool has_windows_;
    AddProduct add_product_;
    window window_ = window::around(0);
    unsigned additions_ = 0;
    std::uint32_t seen_ = 0;
    double sums_[window::levels];
};

}  // namespace parprims::detail::device
