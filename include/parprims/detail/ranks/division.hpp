/// @file
/// @brief  A slice in terms of the blocks of the whole input, and aligned subtrees of a row of blocks. For host and kernels.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/numeric/integers.hpp>

#include <cstddef>

namespace parprims::detail::ranks {

/// The counters of a histogram that a rank writes: all, or its own.
struct counter_range {
    std::size_t begin = 0;
    std::size_t end = ~std::size_t{};
    bool is_own = false;  // the same on all ranks
};

/// A slice in terms of the blocks of the whole input.
struct slice {
    std::size_t head;    // elements before the first border of blocks in it; all, if there is none
    std::size_t first;   // number of its first complete block
    std::size_t blocks;  // that are complete
    std::size_t tail;    // elements after them
};

PARPRIMS_HOST_DEVICE constexpr slice divide(std::size_t begin, std::size_t n, std::size_t block)
{
    const std::size_t first = order::ceil_div(begin, block);
    const std::size_t end = (begin + n) / block;
    const std::size_t head = smaller_of(n, first * block - begin);
    const std::size_t blocks = end > first ? end - first : 0;
    return {head, first, blocks, n - head - blocks * block};
}

/// Whether the block in which a slice ends begins in the slice and does not end with it.
PARPRIMS_HOST_DEVICE constexpr bool has_shared_block(std::size_t begin, std::size_t end, std::size_t block)
{
    return end % block != 0 && begin <= end / block * block;
}

/// The blocks of a slice in aligned subtrees of at most `unit` blocks, a power of two: as few as that allows. Those of `unit`
/// blocks lie in the middle; there are fewer than 64 on either side, or fewer than 128 in all.
class subtrees {
public:
    struct subtree {
        std::size_t begin;   // the number of its first block
        std::size_t blocks;  // a power of two
    };

    PARPRIMS_HOST_DEVICE constexpr subtrees(std::size_t begin, std::size_t end, std::size_t unit = std::size_t{1} << 62)
        : begin_(begin), end_(end), unit_(unit)
    {
        const std::size_t first = order::ceil_div(begin, unit);
        const std::size_t last = end / unit;
        middle_begin_ = first <= last ? first : 0;
        middle_ = first <= last ? last - first : 0;
        left_ = count(begin, first <= last ? first * unit : end);
        right_ = first <= last ? count(last * unit, end) : 0;
    }

    PARPRIMS_HOST_DEVICE constexpr std::size_t left() const { return left_; }
    PARPRIMS_HOST_DEVICE constexpr std::size_t middle() const { return middle_; }  ///< of `unit` blocks
    PARPRIMS_HOST_DEVICE constexpr std::size_t right() const { return right_; }
    PARPRIMS_HOST_DEVICE constexpr std::size_t all() const { return left_ + middle_ + right_; }
    /// The first subtree of the middle, counted in units.
    PARPRIMS_HOST_DEVICE constexpr std::size_t middle_begin() const { return middle_begin_; }

    PARPRIMS_HOST_DEVICE constexpr subtree operator[](std::size_t i) const
    {
        if (i < left_)
            return nth(begin_, end_, i);
        if (i < left_ + middle_)
            return {(middle_begin_ + i - left_) * unit_, unit_};
        return nth((middle_begin_ + middle_) * unit_, end_, i - left_ - middle_);
    }

    /// The largest subtree that begins with block `begin` and ends by block `end`, after one of 2^`level` blocks or, for the
    /// first, 1: it has two to the power of the result.
    PARPRIMS_HOST_DEVICE static constexpr unsigned next_level(std::size_t begin, std::size_t end, unsigned level)
    {
        while ((begin >> level & 1) == 0 && std::size_t{2} << level <= end - begin)
            ++level;
        while (std::size_t{1} << level > end - begin)
            --level;
        return level;
    }

private:
    // From `begin` to the peak, the subtrees are the bits of the distance, the lowest first; from there on, the highest first.

    PARPRIMS_HOST_DEVICE static constexpr std::size_t peak(std::size_t begin, std::size_t end)
    {
        std::size_t bits = begin ^ end;
        for (unsigned shift = 1; shift < 64; shift *= 2)
            bits |= bits >> shift;
        return end & ~(bits >> 1);
    }
    PARPRIMS_HOST_DEVICE static constexpr std::size_t lowest_bit(std::size_t bits) { return bits & (~bits + 1); }
    PARPRIMS_HOST_DEVICE static constexpr std::size_t count_bits(std::size_t bits)
    {
        std::size_t found = 0;
        for (; bits != 0; bits &= bits - 1)
            ++found;
        return found;
    }
    PARPRIMS_HOST_DEVICE static constexpr std::size_t count(std::size_t begin, std::size_t end)
    {
        const std::size_t top = peak(begin, end);
        return count_bits(top - begin) + count_bits(end - top);
    }
    PARPRIMS_HOST_DEVICE static constexpr subtree nth(std::size_t begin, std::size_t end, std::size_t i)
    {
        const std::size_t top = peak(begin, end);
        for (; begin != top; begin += lowest_bit(top - begin), --i)
            if (i == 0)
                return {begin, lowest_bit(top - begin)};
        std::size_t bits = end - top;
        for (std::size_t after = count_bits(bits) - 1; after != i; --after)
            bits &= bits - 1;
        return {top + (bits & (bits - 1)), lowest_bit(bits)};
    }

    std::size_t begin_, end_, unit_;
    std::size_t middle_begin_ = 0;
    std::size_t left_ = 0, middle_ = 0, right_ = 0;
};

}  // namespace parprims::detail::ranks
