/// @file
/// @brief  The sums of a bin of a weighted histogram on the host: of words, for the weights that a window holds; and of any weights.
#pragma once

#include <parprims/detail/contract/weights.hpp>
#include <parprims/detail/host/weights.hpp>
#include <parprims/detail/numeric/exact_limbs.hpp>
#include <parprims/detail/numeric/exact_moments.hpp>
#include <parprims/detail/numeric/rounding.hpp>

#include <cstdint>
#include <type_traits>

namespace parprims::detail::host {

template <int Lowest, int Highest>
auto row_of(numeric::exact_sum<Lowest, Highest>& sum)
{
    constexpr int count = static_cast<int>(numeric::limb_range{Lowest, Highest}.limbs());
    sum.settle();
    return numeric::make_limb_row<count>(Lowest, 0, count,
                                         [&sum](int k) { return sum.limb(static_cast<unsigned>(k)); });
}

/// The exact sums of a bin. They hold any weights.
template <class Real, bool HasSquares>
struct exact_bin {
    static constexpr numeric::limb_range limbs = weight_traits<Real>::limbs;
    static constexpr numeric::limb_range square_limbs = weight_traits<Real>::square_limbs;
    struct none {};

    numeric::exact_sum<limbs.lowest, limbs.highest> sum;
    std::conditional_t<HasSquares, numeric::exact_sum<square_limbs.lowest, square_limbs.highest>, none> squares;

    void add(Real weight)
    {
        sum.add_value(weight);
        if constexpr (HasSquares)
            squares.add_product(weight, weight);
    }
    void merge(exact_bin& other)
    {
        sum.merge(other.sum);
        if constexpr (HasSquares)
            squares.merge(other.squares);
    }
    template <class Bin>
    Bin rounded(std::uint64_t count)
    {
        const auto of_sum = host::row_of(sum);
        if constexpr (HasSquares)
            return rounded_bin<Bin>(of_sum, host::row_of(squares), count, sum.seen());
        else
            return rounded_bin<Bin>(of_sum, of_sum, count, sum.seen());
    }
};

/// A sum as settled limbs, of which the first counts units.
template <int Bits>
class unit_sum {
public:
    static constexpr int count = Bits / 32 + 5;

    /// Adds `value` times 2^bit, for a `bit` of at most `Bits`.
    void add(numeric::int128 value, int bit)
    {
        int k = bit / 32;
        for (int bits = 32 - bit % 32; k + 1 < count; bits = 32) {
            const auto part = static_cast<std::uint64_t>(value) & (~std::uint64_t{0} >> (64 - bits));
            limbs_[k++] += static_cast<std::int64_t>(part << (32 - bits));
            value >>= bits;
        }
        limbs_[k] += static_cast<std::int64_t>(value);
    }
    void settle() { numeric::pass_on_carries(limbs_, count); }
    auto row(int unit) const
    {
        return numeric::make_limb_row<count>(unit, 0, count, [this](int k) { return limbs_[k]; });
    }
    template <class Sum>
    void add_to(Sum& sum, int unit) const
    {
        for (int k = 0; k < count; ++k)
            sum.add(limbs_[k], unit + 32 * k);
    }

private:
    std::int64_t limbs_[count] = {};
};

/// The sums of a bin's words; if `HasSquares`, a count and the sums of products of words, too: of word k and word l in number k + l. A product
/// has 80 bits, so 2^47 of them fit.
template <class Integer, int Words, bool HasSquares>
struct word_sums {
    Integer sums[Words] = {};

    void add(const std::int64_t (&words)[Words])
    {
        for (int k = 0; k < Words; ++k)
            sums[k] += words[k];
    }
    template <class Other>
    void merge(const Other& other)
    {
        for (int k = 0; k < Words; ++k)
            sums[k] += other.sums[k];
    }
};
template <class Integer, int Words>
struct word_sums<Integer, Words, true> : word_sums<Integer, Words, false> {
    static constexpr int products_count = 2 * Words - 1;
    std::uint64_t count = 0;
    numeric::int128 products[products_count] = {};

    void add(const std::int64_t (&words)[Words])
    {
        word_sums<Integer, Words, false>::add(words);
        ++count;
        for (int k = 0; k < Words; ++k)
            for (int l = 0; l <= k; ++l)
                products[k + l] += numeric::int128{words[k]} * words[l];
    }
    template <class Other>
    void merge(const Other& other)
    {
        word_sums<Integer, Words, false>::merge(other);
        count += other.count;
        for (int k = 0; k < products_count; ++k)
            products[k] += other.products[k];
    }
};

/// `value` * 2^exponent, rounded once.
template <class T>
T rounded_integer(numeric::int128 value, int exponent)
{
    const auto magnitude = static_cast<numeric::uint128>(value < 0 ? -value : value);
    return value != 0 ? numeric::nearest<T>(magnitude, exponent, value < 0) : T{0};
}

/// The total of a bin over all tables and tasks.
template <class Window, bool HasSquares>
class bin_total {
public:
    void add(const word_sums<std::int64_t, Window::words, HasSquares>& sums) { total_.merge(sums); }

    /// Adds the sums to `bin`.
    template <class Bin>
    void add_to(Bin& bin, int unit) const
    {
        values().add_to(bin.sum, unit);
        if constexpr (HasSquares)
            squares().add_to(bin.squares, 2 * unit);
    }
    std::uint64_t count() const
    {
        if constexpr (HasSquares)
            return total_.count;
        else
            return 0;
    }
    template <class Bin>
    Bin rounded(int unit) const
    {
        using T = typename sum_traits<Bin>::type;
        if constexpr (!HasSquares) {
            return host::rounded_integer<T>(value(), unit);
        } else if constexpr (sum_traits<Bin>::values == 2 && Window::words == 1) {
            return {host::rounded_integer<T>(value(), unit), host::rounded_integer<T>(total_.products[0], 2 * unit)};
        } else {
            const auto sum = values();
            const auto of_squares = squares();
            return rounded_bin<Bin>(sum.row(unit), of_squares.row(2 * unit), count(), 0);
        }
    }

private:
    numeric::int128 value() const
    {
        numeric::int128 sum = 0;
        for (int k = Window::words; k-- > 0;)
            sum = (sum << word_bits) + total_.sums[k];
        return sum;
    }
    auto values() const
    {
        unit_sum<0> sum;
        sum.add(value(), 0);
        sum.settle();
        return sum;
    }
    auto squares() const
    {
        unit_sum<2 * word_bits*(Window::words - 1)> sum;
        sum.add(total_.products[0], 0);
        if constexpr (Window::words == 2) {
            sum.add(total_.products[1], word_bits + 1);  // twice
            sum.add(total_.products[2], 2 * word_bits);
        }
        sum.settle();
        return sum;
    }

    word_sums<numeric::int128, Window::words, HasSquares> total_;
};

}  // namespace parprims::detail::host
