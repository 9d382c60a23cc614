/// @file
/// @brief  Exact sums by long addition and subtraction, bit by bit where it matters, and inputs that are hard to sum.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>

namespace exact_oracle {

/// A sum of doubles and of products of two: natural numbers of 4608 bits, in units of 2^-2200, of what is positive and what is not.
class big_sum {
public:
    void add(double x)
    {
        note(x);
        if (!std::isfinite(x) || x == 0)
            return;
        int exponent = 0;
        const double fraction = std::frexp(std::fabs(x), &exponent);
        add_bits(std::signbit(x), static_cast<std::uint64_t>(std::ldexp(fraction, 53)), exponent - 53);
    }

    void add_product(double x, double y)
    {
        if (!std::isfinite(x) || !std::isfinite(y) || x == 0 || y == 0)
            return note(x * y);
        all_minus_zero_ = false;
        int first = 0, second = 0;
        const auto a = static_cast<std::uint64_t>(std::ldexp(std::frexp(std::fabs(x), &first), 53));
        const auto b = static_cast<std::uint64_t>(std::ldexp(std::frexp(std::fabs(y), &second), 53));
        const bool is_negative = std::signbit(x) != std::signbit(y);
        for (int bit = 0; bit < 53; ++bit)  // long multiplication
            if ((b >> bit & 1) != 0)
                add_bits(is_negative, a, first + second - 106 + bit);
    }

    /// Rounded to nearest, ties to even.
    template <class T>
    T rounded() const
    {
        if (has_nan_ || (has_infinity_[0] && has_infinity_[1]))
            return std::numeric_limits<T>::quiet_NaN();
        if (has_infinity_[0] || has_infinity_[1])
            return has_infinity_[1] ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::infinity();
        const bool is_negative = is_less(parts_[0], parts_[1]);
        const number rest = difference(parts_[is_negative ? 1 : 0], parts_[is_negative ? 0 : 1]);
        int top = bits - 1;
        while (top >= 0 && !bit_of(rest, top))
            --top;
        if (top < 0)
            return all_minus_zero_ ? -T{0} : T{0};
        constexpr int digits = std::numeric_limits<T>::digits;
        constexpr int denormal = std::numeric_limits<T>::min_exponent - digits;
        int last = top - digits + 1;  // the last digit that is kept
        if (last + lowest < denormal)
            last = denormal - lowest;
        double kept = 0;
        for (int i = top; i >= last; --i)
            kept = 2 * kept + (bit_of(rest, i) ? 1 : 0);
        const bool half = last > 0 && bit_of(rest, last - 1);
        bool more = false;
        for (int i = last - 2; i >= 0 && !more; --i)
            more = bit_of(rest, i);
        if (half && (more || std::fmod(kept, 2) != 0))
            kept += 1;
        const double limit = std::ldexp(1.0, std::numeric_limits<T>::max_exponent - 1);
        const double value = std::ldexp(kept, last + lowest);
        const T result =
            value / 2 >= limit || std::isinf(value) ? std::numeric_limits<T>::infinity() : static_cast<T>(value);
        return is_negative && result != 0 ? -result : result;
    }

private:
    static constexpr int lowest = -2200;
    static constexpr int bits = 4608;
    using number = std::vector<std::uint64_t>;

    static bool bit_of(const number& x, int i) { return (x[static_cast<std::size_t>(i / 64)] >> i % 64 & 1) != 0; }
    static bool is_less(const number& x, const number& y)
    {
        for (std::size_t k = x.size(); k-- > 0;)
            if (x[k] != y[k])
                return x[k] < y[k];
        return false;
    }
    static number difference(const number& x, const number& y)
    {
        number result(x.size());
        std::uint64_t borrow = 0;
        for (std::size_t k = 0; k < x.size(); ++k) {
            result[k] = x[k] - y[k] - borrow;
            borrow = x[k] < y[k] || (x[k] == y[k] && borrow != 0) ? 1 : 0;
        }
        return result;
    }

    void note(double x)
    {
        has_nan_ = has_nan_ || std::isnan(x);
        has_infinity_[std::signbit(x) ? 1 : 0] |= std::isinf(x);
        all_minus_zero_ = all_minus_zero_ && x == 0 && std::signbit(x);
    }

    void add_bits(bool is_negative, std::uint64_t mantissa, int exponent)
    {
        number& to = parts_[is_negative ? 1 : 0];
        auto k = static_cast<std::size_t>((exponent - lowest) / 64);
        const int shift = (exponent - lowest) % 64;
        std::uint64_t words[] = {mantissa << shift, shift == 0 ? 0 : mantissa >> (64 - shift)};
        std::uint64_t carry = 0;
        for (std::size_t i = 0; i < 2 || carry != 0; ++i, ++k) {
            const std::uint64_t word = i < 2 ? words[i] : 0;
            const std::uint64_t sum = to[k] + word;
            const std::uint64_t next = sum + carry;
            carry = (sum < word ? 1 : 0) + (next < sum ? 1 : 0);
            to[k] = next;
        }
    }

    number parts_[2] = {number(bits / 64), number(bits / 64)};
    bool has_nan_ = false;
    bool has_infinity_[2] = {};
    bool all_minus_zero_ = true;
};

/// Kinds of inputs.
enum class kind {
    uniform,
    normal,
    cancelling,  ///< to 0, or to the last digit
    wide,        ///< 2^-60 to 2^60
    whole_range,
    denormal,
    halfway,      ///< sums that are ties, or nearly
    overflowing,  ///< on the way, not in the end
    outliers,     ///< one in a hundred far outside
    minus_zeros,
    zeros,     ///< of both signs
    infinite,  ///< whole range with one infinity
    both_infinities,
    with_nan,
    drifting,  ///< from small to large
    largest,   ///< the largest number and its like, of both signs
};
inline constexpr int kinds = 16;

template <class T>
T from_fields(bool is_negative, std::uint64_t field, std::uint64_t fraction)
{
    constexpr int digits = std::numeric_limits<T>::digits - 1;
    using bits_type = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    const auto bits = static_cast<bits_type>(static_cast<bits_type>(is_negative) << (8 * sizeof(T) - 1) |
                                             static_cast<bits_type>(field) << digits |
                                             (static_cast<bits_type>(fraction) & ((bits_type{1} << digits) - 1)));
    T value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

/// n numbers of a kind.
template <class T>
std::vector<T> inputs(kind which, std::size_t n, std::uint64_t seed)
{
    constexpr int bias = std::numeric_limits<T>::max_exponent - 1;
    std::mt19937_64 random(seed * 16 + static_cast<std::uint64_t>(which));
    const auto below = [&](std::uint64_t limit) { return random() % limit; };
    const auto binade = [&](int exponent) {
        return from_fields<T>(below(2) != 0, static_cast<std::uint64_t>(exponent + bias), random());
    };
    const auto number = [&] { return binade(static_cast<int>(below(3))); };
    std::vector<T> x(n);
    for (std::size_t i = 0; i < n; ++i)
        switch (which) {
        case kind::uniform: x[i] = static_cast<T>(static_cast<double>(random() >> 11) * 0x1p-53); break;
        case kind::normal: x[i] = static_cast<T>(std::normal_distribution<double>()(random)); break;
        case kind::cancelling: x[i] = i % 2 == 0 ? binade(static_cast<int>(below(40)) - 20) : -x[i - 1]; break;
        case kind::wide: x[i] = binade(static_cast<int>(below(121)) - 60); break;
        case kind::whole_range:
        case kind::infinite:
        case kind::both_infinities:
        case kind::with_nan: x[i] = from_fields<T>(below(2) != 0, below(2 * bias + 1), random()); break;
        case kind::denormal: x[i] = from_fields<T>(below(2) != 0, below(3), random()); break;
        case kind::halfway:  // 1 + half of its last digit, and now and then something much smaller
            x[i] = i == 0          ? T{1}
                   : below(4) == 0 ? std::ldexp(below(2) != 0 ? T{1} : T{-1}, -static_cast<int>(below(100)))
                                   : std::ldexp(below(2) != 0 ? T{1} : T{-1}, -std::numeric_limits<T>::digits);
            break;
        case kind::overflowing:
            x[i] = i % 8 < 4 ? std::numeric_limits<T>::max() : -std::numeric_limits<T>::max();
            break;
        case kind::outliers: x[i] = below(100) == 0 ? binade(bias - 2) : number(); break;
        case kind::minus_zeros: x[i] = -T{0}; break;
        case kind::zeros: x[i] = below(2) != 0 ? T{0} : -T{0}; break;
        case kind::drifting: x[i] = binade(static_cast<int>(200 * i / n) - 100); break;
        case kind::largest: x[i] = from_fields<T>(below(2) != 0, 2 * bias - below(2), ~std::uint64_t{0}); break;
        }
    const T infinity = std::numeric_limits<T>::infinity();
    if (n >= 2 && which == kind::infinite)
        x[below(n)] = below(2) != 0 ? infinity : -infinity;
    if (n >= 2 && which == kind::both_infinities)
        x[0] = infinity, x[1 + below(n - 1)] = -infinity;
    if (n >= 2 && which == kind::with_nan)
        x[below(n)] = std::numeric_limits<T>::quiet_NaN();
    if (n > 1 && which == kind::cancelling && below(2) != 0)
        x[n - 1] = binade(-20 - static_cast<int>(below(20)));
    return x;
}

/// The bits of the oracle's sum of init and all x.
template <class T, class Value>
T sum(const std::vector<Value>& x, T init)
{
    big_sum total;
    total.add(init);
    for (const Value& each : x)
        total.add(static_cast<double>(each));
    return total.rounded<T>();
}

template <class T, class Value>
T inner_product(const std::vector<Value>& x, const std::vector<Value>& y, T init)
{
    big_sum total;
    total.add(init);
    for (std::size_t i = 0; i < x.size(); ++i)
        total.add_product(static_cast<double>(x[i]), static_cast<double>(y[i]));
    return total.rounded<T>();
}

}  // namespace exact_oracle
