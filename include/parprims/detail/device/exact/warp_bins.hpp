/// @file
/// @brief  Exact sums of the groups of lanes of a warp, one for each group: integers in shared memory, rounded at the end.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/device/exact/lane_bins.hpp>
#include <parprims/detail/device/exact/tuning.hpp>
#include <parprims/detail/device/tree/ticket.hpp>
#include <parprims/detail/numeric/exact_limbs.hpp>
#include <parprims/detail/numeric/exact_window.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <cstddef>
#include <cstdint>

namespace parprims::detail::device {

/// A sum that several warps add to: a ticket, the flags of what was seen, and a word for each bin, or two: then the bits of a bin are divided among
/// them. So 2^37 warps can add without overflow. Must be zero at first; the last warp zeroes it again.
template <class Terms>
struct shared_bins {
    static constexpr unsigned bins = bins_of<Terms>.count;
    static constexpr unsigned parts = bins_of<Terms>.spacing > 32 ? 2 : 1;
    static constexpr unsigned words = parts * bins + 1;
    static constexpr unsigned half = bins_of<Terms>.spacing / 2;
    static constexpr std::int64_t lower = (std::int64_t{1} << half) - 1;

    std::uint64_t* first;

    PARPRIMS_DEVICE std::uint64_t* word(unsigned i) const { return first + 1 + i; }
    PARPRIMS_DEVICE unsigned* tickets() const { return reinterpret_cast<unsigned*>(first); }
    PARPRIMS_DEVICE std::uint32_t* seen() const { return reinterpret_cast<std::uint32_t*>(first) + 1; }

    /// Adds to bin k.
    PARPRIMS_DEVICE void add(unsigned k, std::int64_t part) const
    {
        if constexpr (parts == 1) {
            simt::atomic_add(word(k), static_cast<std::uint64_t>(part));
        } else {
            simt::atomic_add(word(2 * k), static_cast<std::uint64_t>(part & lower));
            simt::atomic_add(word(2 * k + 1), static_cast<std::uint64_t>(part >> half));
        }
    }
    /// Bin k, with what the one below passes on.
    PARPRIMS_DEVICE std::int64_t bin(unsigned k) const
    {
        const auto lowest = static_cast<std::int64_t>(simt::atomic_load(word(parts * k)));
        if constexpr (parts == 1) {
            return lowest;
        } else {
            const auto upper = static_cast<std::int64_t>(simt::atomic_load(word(2 * k + 1)));
            const std::int64_t below =
                k == 0 ? 0 : static_cast<std::int64_t>(simt::atomic_load(word(2 * k - 1))) >> half;
            const std::int64_t kept = k + 1 == bins ? upper : upper & lower;
            return lowest + (kept << half) + below;
        }
    }
};

/// Each lane adds terms to bins of its own. Then the bins of each group of lanes are added up and rounded; the size of a group is a power
/// of two. Between two sums, bins that have been used are zero. All lanes of the warp call each function together, except `add` and
/// `add_total`, and with the same `group`.
template <class Terms>
class warp_bins {
public:
    static constexpr bins_shape shape = bins_of<Terms>;
    static constexpr unsigned size = shape.count * simt::warp_size;
    using term = typename Terms::term;

    /// @param  bins  `size` of them, of this warp
    PARPRIMS_DEVICE explicit warp_bins(std::int64_t* bins)
        : bins_(bins), lane_(simt::block::lane()), mine_(bins, lane_, simt::warp_size)
    {
    }

    /// Whether this lane has added anything since the last sum.
    PARPRIMS_DEVICE bool are_used() const { return is_used_; }

    /// Adds terms, without a branch for each. Adding -0 changes nothing.
    template <unsigned Count>
    PARPRIMS_DEVICE void add(const term (&terms)[Count])
    {
        prepare();
        is_used_ = true;
        std::uint32_t highest = 0;
#pragma unroll
        for (unsigned i = 0; i < Count; ++i) {
            const std::uint32_t key = Terms::key(terms[i]);
            const bool is_finite = key < Terms::window::infinity_key;
            const term finite = simt::select(is_finite, terms[i], Terms::nothing());
            highest = key > highest ? key : highest;
            keys_.add(is_finite ? key : 0);
            not_minus_zero_ |= bits_beside_minus_zero(finite);
            mine_.add_number(finite);
        }
        if (highest >= Terms::window::infinity_key)
#pragma unroll
            for (unsigned i = 0; i < Count; ++i)
                seen_ |= numeric::seen_in(terms[i]);
    }

    /// Adds `total` * 2^`exponent`, of at most 54 bits, a sum of terms, and the flags of what was seen in these terms.
    PARPRIMS_DEVICE void add_total(std::int64_t total, int exponent, std::uint32_t seen)
    {
        prepare();
        seen_ |= seen;
        if (total == 0)
            return;
        keys_.add(Terms::window::key_of(exponent));
        keys_.add(Terms::window::key_of(exponent + 54));
        mine_.add(total, exponent);
    }

    /// Adds up the bins of each group.
    /// @pre  no lane has added more than `additions` terms since the last sum
    PARPRIMS_DEVICE void add_up(unsigned group, std::size_t additions)
    {
        prepare();
        find_used();
        seen_ |= not_minus_zero_ != 0 ? numeric::seen_no_minus_zero : 0;
        if (additions * group > shape.most_additions)
            pass_on_carries([&](unsigned) { return lane_; });
        simt::sync_warp();
        const unsigned first = lane_ & ~(group - 1);
        const unsigned own = lane_ - first;
        if (group > 1)
            for (unsigned k = (low_ & ~(group - 1)) + own; k < high_; k += group) {
                if (k < low_)
                    continue;
                std::int64_t total = 0;
                for (unsigned i = 0; i < group; ++i)
                    total += simt::load(bins_, k * simt::warp_size + first + ((own + i) & (group - 1)));
                simt::store(bins_, k * simt::warp_size + lane_, total);
            }
        for (unsigned distance = 1; distance < group; distance *= 2)
            seen_ |= simt::shuffle(seen_, lane_ ^ distance);
        simt::sync_warp();
        // Bin k of the group is in its lane k.
        if (own == 0)
            pass_on_carries([&](unsigned k) { return first + (k & (group - 1)); });
        simt::sync_warp();
    }

    /// For the first lane of a group, after `add_up`: the sum, rounded once.
    template <class T>
    PARPRIMS_DEVICE T rounded(unsigned group) const
    {
        return numeric::rounded_limbs<T, static_cast<int>(shape.spacing)>(
            shape.lowest, static_cast<int>(low_), static_cast<int>(high_),
            [&](int k) {
                const auto bin = static_cast<unsigned>(k);
                return simt::load(bins_, bin * simt::warp_size + lane_ + (bin & (group - 1)));
            },
            seen_);
    }

    /// After `add_up`: adds the sum of each group to its `all`. Returns whether this warp is the last of `warps` to do so; its groups then hold
    /// the sums of all. The first lane's `all` counts the warps.
    PARPRIMS_DEVICE bool add_to(const shared_bins<Terms>& all, unsigned group, unsigned warps)
    {
        const unsigned own = lane_ & (group - 1);
        for (unsigned k = (low_ & ~(group - 1)) + own; k < high_; k += group) {
            const std::int64_t bin = simt::load(bins_, k * simt::warp_size + lane_);
            if (k >= low_ && bin != 0)
                all.add(k, bin);
        }
        if (own == 0)
            simt::atomic_or(all.seen(), seen_);
        simt::sync_warp();
        unsigned ticket = 0;
        if (lane_ == 0)
            ticket = block::take_ticket<simt::order::acq_rel>(warps, all.tickets());
        ticket = simt::shuffle(ticket, 0);
        if (!block::is_last_ticket(warps, ticket))
            return false;

        simt::sync_warp();
        constexpr unsigned batch = 6;  // whose loads are in flight together
        for (unsigned first = own; first < shape.count; first += batch * group) {
            std::int64_t bins[batch];
#pragma unroll
            for (unsigned i = 0; i < batch; ++i)
                bins[i] = first + i * group < shape.count ? all.bin(first + i * group) : 0;
#pragma unroll
            for (unsigned i = 0; i < batch; ++i)
                if (const unsigned k = first + i * group; k < shape.count)
                    simt::store(bins_, k * simt::warp_size + lane_, bins[i]);
        }
        seen_ = simt::atomic_load(all.seen());
        simt::sync_warp();
        for (unsigned i = own; i + 1 < all.words; i += group)
            simt::atomic_store(all.word(i), std::uint64_t{0});
        if (own == 0)
            simt::atomic_store(all.seen(), std::uint32_t{0});
        low_ = 0;
        high_ = shape.count;
        if (own == 0)
            pass_on_carries([&](unsigned k) { return lane_ + (k & (group - 1)); });
        simt::sync_warp();
        return true;
    }

    /// Passes on the carries of this lane's bins, so that it can add as many terms again.
    PARPRIMS_DEVICE void settle()
    {
        prepare();
        mine_.settle();
    }

    /// Begins the next sum.
    PARPRIMS_DEVICE void clear()
    {
        simt::sync_warp();
        for (unsigned k = low_; k < high_; ++k)
            simt::store(bins_, k * simt::warp_size + lane_, std::int64_t{0});
        keys_ = {};
        not_minus_zero_ = 0;
        seen_ = 0;
        is_used_ = false;
    }

private:
    /// Zeroes the lane's bins before they are used for the first time.
    PARPRIMS_DEVICE void prepare()
    {
        if (!is_prepared_)
            mine_.clear();
        is_prepared_ = true;
    }

    /// 0 for -0 alone.
    PARPRIMS_DEVICE static std::uint32_t bits_beside_minus_zero(float number)
    {
        return __builtin_bit_cast(std::uint32_t, number) ^ 0x80000000u;
    }
    PARPRIMS_DEVICE static std::uint32_t bits_beside_minus_zero(double number)
    {
        const auto bits = __builtin_bit_cast(std::uint64_t, number);
        return (static_cast<std::uint32_t>(bits >> 32) ^ 0x80000000u) | static_cast<std::uint32_t>(bits);
    }

    /// Bins from `low_` to `high_` - 1 of all lanes are those that terms and their carries have changed.
    PARPRIMS_DEVICE void find_used()
    {
        const unsigned highest = ~simt::min_lanes(~keys_.highest);
        const unsigned lowest = simt::min_lanes(keys_.lowest);
        low_ = highest == 0 ? 0 : bin_of(lowest);
        high_ = highest == 0 ? 0 : bin_of(highest) + 1 + (63 + shape.spacing - 1) / shape.spacing;
        high_ = high_ < shape.count ? high_ : shape.count;
    }
    /// The lowest bin that a number with this key changes.
    PARPRIMS_DEVICE static unsigned bin_of(std::uint32_t key)
    {
        const unsigned field = key >> (sizeof(term) == 4 ? 23 : 20);
        return (field - (field != 0 ? 1 : 0)) / shape.spacing;
    }

    template <class Column>
    PARPRIMS_DEVICE void pass_on_carries(Column column)
    {
        std::int64_t carry = 0;
        for (unsigned k = low_; k < high_; ++k) {
            const unsigned place = k * simt::warp_size + column(k);
            const std::int64_t sum = simt::load(bins_, place) + carry;
            carry = k + 1 == shape.count ? 0 : (sum + (std::int64_t{1} << (shape.spacing - 1))) >> shape.spacing;
            simt::store(bins_, place, sum - (carry << shape.spacing));
        }
    }

    std::int64_t* bins_;
    unsigned lane_;
    lane_bins<Terms> mine_;
    numeric::key_range keys_;
    std::uint32_t not_minus_zero_ = 0;
    std::uint32_t seen_ = 0;
    bool is_prepared_ = false;
    bool is_used_ = false;
    unsigned low_ = 0;
    unsigned high_ = 0;
};

}  // namespace parprims::detail::device
