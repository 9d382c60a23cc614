/// @file
/// @brief  The exact sum of the terms of one lane as integers in shared memory.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/device/exact/tuning.hpp>
#include <parprims/detail/numeric/exact_limbs.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <cstdint>

namespace parprims::detail::device {

/// Integers in shared memory that belong to one lane, so that additions need not be atomic, and lanes have no bank conflicts.
template <class Terms>
class lane_bins {
public:
    static constexpr bins_shape shape = bins_of<Terms>;

    /// @param  bins  of `threads` threads: bin k of thread t is number k * threads + t
    PARPRIMS_DEVICE lane_bins(std::int64_t* bins, unsigned thread, unsigned threads)
        : first_(bins + thread), threads_(threads)
    {
    }

    /// Whether anything was added. Until then the bins are not initialised.
    PARPRIMS_DEVICE bool are_used() const { return additions_ != 0; }

    /// Adds `mantissa`, of at most 54 bits, times 2^`exponent`. Zero may have any exponent. Callers count additions: see `count`.
    PARPRIMS_DEVICE void add(std::int64_t mantissa, int exponent)
    {
        const auto place = static_cast<unsigned>(exponent < shape.lowest ? 0 : exponent - shape.lowest);
        const unsigned k = place / shape.spacing;
        const unsigned shift = place % shape.spacing;
        constexpr std::uint64_t lower = (std::uint64_t{1} << shape.spacing) - 1;
        add_to(k, static_cast<std::int64_t>(static_cast<std::uint64_t>(mantissa) << shift & lower));
        std::int64_t above = mantissa >> (shape.spacing - shift);
        constexpr unsigned last = (54 + shape.spacing) / shape.spacing - 1;
#pragma unroll
        for (unsigned i = 1; i < last; ++i, above >>= shape.spacing)
            add_to(k + i, static_cast<std::int64_t>(static_cast<std::uint64_t>(above) & lower));
        add_to(k + last, above);
    }
    /// Adds a finite number. Callers count additions: see `count`.
    PARPRIMS_DEVICE void add_number(double number)
    {
        const numeric::scaled_integer integer = numeric::scaled(number);
        add(integer.mantissa, integer.exponent);
    }
    PARPRIMS_DEVICE void add_number(float number)
    {
        // One product of two 32-bit factors: the mantissa, with its sign, and a power of two.
        static_assert(shape.lowest == -149 && shape.spacing == 16);
        const auto bits = __builtin_bit_cast(std::uint32_t, number);
        const unsigned field = bits >> 23 & 0xff;
        const unsigned is_normal = field < 1 ? 0 : 1;
        const auto mantissa = static_cast<std::int32_t>((bits & 0x7fffff) | is_normal << 23);
        const auto sign = static_cast<std::int32_t>(bits) >> 31;
        const unsigned place = field - is_normal;
        const std::int32_t power = std::int32_t{1} << place % 16;
        add_to(place / 16, std::int64_t{(mantissa ^ sign) - sign} * power);
    }

    /// Call this before up to `additions` additions: passes on carries if a bin might otherwise overflow.
    PARPRIMS_DEVICE void count(unsigned additions)
    {
        if (!are_used())
            clear();
        else if (additions_ + additions > shape.most_additions)
            settle();
        additions_ += additions;
    }

    PARPRIMS_DEVICE void clear()
    {
#pragma unroll 4
        for (unsigned k = 0; k < shape.count; ++k)
            simt::store(first_, k * threads_, std::int64_t{0});
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
        additions_ = 1;  // what is left in the bins
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

}  // namespace parprims::detail::device
