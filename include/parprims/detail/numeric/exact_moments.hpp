/// @file
/// @brief  Mean and variance of numbers from their exact sum and that of their squares: rational numbers, rounded once.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/numeric/exact_limbs.hpp>
#include <parprims/detail/numeric/integers.hpp>
#include <parprims/detail/numeric/rounding.hpp>

#include <cstdint>

namespace parprims::detail::numeric {

PARPRIMS_BEGIN_UNMARKED_CALLS
/// An exact number: settled limbs `limb(k)` of weight 2^(lowest + 32 k), from `bottom` to `top`, at most `Most`.
template <int Most, class Limb>
struct limb_row {
    static constexpr int most = Most;

    int lowest;
    int bottom;
    int top;
    Limb limb;

    /// Leaves out zeros at both ends.
    PARPRIMS_HOST_DEVICE constexpr limb_row trimmed() const
    {
        int first = bottom, last = top;
        while (first < last && limb(first) == 0)
            ++first;
        while (first < last && limb(last - 1) == 0)
            --last;
        return {lowest, first, last, limb};
    }
    PARPRIMS_HOST_DEVICE constexpr int exponent() const { return lowest + 32 * bottom; }  ///< of the first limb
    PARPRIMS_HOST_DEVICE constexpr int size() const { return top - bottom; }
    PARPRIMS_HOST_DEVICE constexpr std::int64_t operator[](int k) const { return limb(bottom + k); }
};
PARPRIMS_END_UNMARKED_CALLS

template <int Most, class Limb>
PARPRIMS_HOST_DEVICE constexpr limb_row<Most, Limb> make_limb_row(int lowest, int bottom, int top, Limb limb)
{
    return {lowest, bottom, top, limb};
}

/// Long division from the highest digit on: `rest` and one more digit by `divisor`.
PARPRIMS_HOST_DEVICE constexpr std::uint32_t divide_digit(std::uint64_t& rest, std::uint32_t digit,
                                                          std::uint64_t divisor)
{
    if (divisor >> 32 == 0) {
        const std::uint64_t part = rest << 32 | digit;
        rest = part % divisor;
        return static_cast<std::uint32_t>(part / divisor);
    }
    const uint128 part = uint128{rest} << 32 | digit;
    rest = static_cast<std::uint64_t>(part % divisor);
    return static_cast<std::uint32_t>(part / divisor);
}

/// The integer of `count` digits of 32 bits, lowest first, times 2^exponent, divided by `a` and by `b`.
template <class T>
PARPRIMS_HOST_DEVICE constexpr T rounded_quotient(const std::uint32_t* digits, int count, int exponent, std::uint64_t a,
                                                  std::uint64_t b, bool is_negative)
{
    while (count > 0 && digits[count - 1] == 0)
        --count;
    if (count == 0)
        return T{0};
    uint128 quotient = 0;
    std::uint64_t rest_of_a = 0, rest_of_b = 0;
    int k = count;
    while (quotient >> 64 == 0) {
        --k;
        const std::uint32_t by_a = divide_digit(rest_of_a, k >= 0 ? digits[k] : 0, a);
        quotient = quotient << 32 | divide_digit(rest_of_b, by_a, b);
    }
    bool is_exact = rest_of_a == 0 && rest_of_b == 0;
    for (int below = 0; below < k; ++below)
        is_exact = is_exact && digits[below] == 0;
    return nearest<T>(quotient * 2 + (is_exact ? 0 : 1), exponent + 32 * k - 1, is_negative);
}

/// sum / n, for n > 0.
template <class T, class Row>
PARPRIMS_HOST_DEVICE constexpr T rounded_mean(const Row& sum, std::uint64_t n)
{
    const Row row = sum.trimmed();
    const bool is_negative = row.size() > 0 && row[row.size() - 1] < 0;  // no settled limb cancels those above
    std::uint32_t digits[Row::most] = {};
    std::int64_t carry = 0;
    for (int k = 0; k < row.size(); ++k) {
        carry += is_negative ? -row[k] : row[k];
        digits[k] = static_cast<std::uint32_t>(carry);
        carry >>= 32;
    }
    return rounded_quotient<T>(digits, row.size(), row.exponent(), n, 1, is_negative);
}

/// (n * squares - sum^2) / (n (n - 1)), for n > 1. `squares.lowest - 2 * sum.lowest` is a multiple of 32.
template <class T, class Sum, class Squares>
PARPRIMS_HOST_DEVICE constexpr T rounded_variance(const Sum& sum, const Squares& squares, std::uint64_t n)
{
    const Sum s = sum.trimmed();
    const Squares q = squares.trimmed();
    const int lowest = smaller_of(2 * s.exponent(), q.exponent());
    const int of_s = (2 * s.exponent() - lowest) / 32, of_q = (q.exponent() - lowest) / 32;
    constexpr int most = 2 * Sum::most + Squares::most + 4;
    const int count = larger_of(of_s + 2 * s.size(), of_q + q.size() + 3);
    std::uint32_t digits[most] = {};
    int128 carry = 0;
    for (int k = 0; k < count; ++k) {
        if (k >= of_q && k < of_q + q.size())
            carry += static_cast<int128>(n) * q[k - of_q];
        const int c = k - of_s;  // s[i] * s[c - i], twice unless i is c - i
        for (int i = larger_of(0, c - s.size() + 1); 2 * i <= c; ++i)
            carry -= int128{2 * i < c ? 2 : 1} * s[i] * s[c - i];
        digits[k] = static_cast<std::uint32_t>(carry);
        carry >>= 32;
    }
    return rounded_quotient<T>(digits, count, lowest, n, n - 1, false);
}

}  // namespace parprims::detail::numeric
