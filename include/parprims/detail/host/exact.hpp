/// @file
/// @brief  Exact sums on the threads of the host.
#pragma once

#include <parprims/detail/contract/exact_terms.hpp>
#include <parprims/detail/host/exact_simd.hpp>
#include <parprims/detail/host/parallel.hpp>
#include <parprims/detail/host/sequence.hpp>
#include <parprims/detail/iterator/traits.hpp>
#include <parprims/detail/numeric/exact_limbs.hpp>
#include <parprims/detail/numeric/exact_window.hpp>
#include <parprims/detail/numeric/integers.hpp>
#include <parprims/detail/numeric/rounding.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace parprims::detail::host {

/// numeric::error_of_product, for factors below 2^1022, in loops that vectorise.
inline double error_of_product(double a, double b, double rounded)
{
#if defined(__FMA__) || defined(__aarch64__)
    return numeric::error_of_product(a, b, rounded);
#else
    // Dekker's product: halves of 26 and 27 bits, whose products are exact.
    const auto upper = [](double x) {
        const auto bits = __builtin_bit_cast(std::uint64_t, x);
        return __builtin_bit_cast(double, (bits + (std::uint64_t{1} << 26)) & (~std::uint64_t{0} << 27));
    };
    const double a_high = upper(a), a_low = a - a_high;
    const double b_high = upper(b), b_low = b - b_high;
    return -((((rounded - a_high * b_high) - a_low * b_high) - a_high * b_low) - a_low * b_low);
#endif
}

/// Adds the terms of one share of the elements: those that a window holds in lanes that do not round, all others as integers.
template <class Terms, class Sum>
class exact_share {
public:
    static constexpr std::size_t block = exact_block;
    using term = typename Terms::term;

    explicit exact_share(Sum& sum) : sum_(sum) { start(); }
    ~exact_share() { flush(); }
    exact_share(const exact_share&) = delete;
    exact_share& operator=(const exact_share&) = delete;

    /// Adds blocks of elements by SIMD, until one has a term that the window does not hold; how many.
    template <class Input, class Iterator>
    std::size_t add_by_simd(const Iterator& first, std::size_t blocks)
    {
        if (added_ + additions > window::most_additions)
            flush();
        const std::size_t most = (window::most_additions - added_) / additions;
        const std::size_t done = Input::add(first, smaller_of(blocks, most), sizes_, sums_[0]);
        added_ += static_cast<unsigned>(done) * additions;
        return done;
    }

    /// Adds a block of terms. Those that the window does not hold are replaced.
    void add(term (&terms)[block])
    {
        numeric::key_range keys;
        unsigned small = 1;
        for (const term& each : terms) {
            keys.add(Terms::key(each));
            small &= is_small(each) ? 1u : 0u;
        }
        const bool are_in_upper = window_.upper_holds(keys);  // never a product of doubles, with its error
        if (!are_in_upper && !(small != 0 && (window_.holds(keys) || move_window(keys))) && !take_others(terms))
            return;
        alignas(64) double values[block];
        for (std::size_t i = 0; i < block; ++i)
            values[i] = Terms::number(terms[i]);
        numeric::separate(values);  // a product is rounded before it is added
        if (added_ + additions > window::most_additions)
            flush();
        added_ += additions;
        if (are_in_upper) {
            add_rows<0, window::upper>(values);
            sums_[window::levels - 1][0] += 0.0;  // -0 would say that all numbers are -0
            return;
        }
        add_rows<0, window::levels>(values);
        if constexpr (Terms::has_errors) {
            alignas(64) double errors[block];
            for (std::size_t i = 0; i < block; ++i)
                errors[i] = host::error_of_product(terms[i].a, terms[i].b, values[i]);
            numeric::separate(errors);
            // At most 2^-53 of the products, so the first level would leave them as they are.
            add_rows<1, window::levels>(errors);
        }
    }

private:
    using window = typename Terms::window;
    static constexpr std::size_t lanes = exact_lanes;
    static constexpr std::size_t rows = block / lanes;
    static constexpr unsigned additions = rows * (Terms::has_errors ? 2 : 1);  // of a block to each sum
    static constexpr std::size_t most_others = block / 8;                      // that are added apart

    /// Whether host::error_of_product takes the factors.
    static bool is_small(const term& each)
    {
        if constexpr (Terms::has_errors)
            return numeric::exponent_key(each.a) < large_key && numeric::exponent_key(each.b) < large_key;
        else
            return true;
    }
    bool holds(const term& each) const { return window_.holds(Terms::key(each)) && is_small(each); }

    /// Moves the window to where it holds terms with these keys, if there is such a place.
    bool move_window(const numeric::key_range& keys)
    {
        const window moved = window::around(keys.highest);
        if (!moved.holds(keys))
            return false;
        flush();
        window_ = moved;
        start();
        return true;
    }

    /// Adds terms that the window does not hold, and leaves nothing in their place: if they are few. Otherwise all.
    bool take_others(term (&terms)[block])
    {
        std::size_t others = 0;
        for (const term& each : terms)
            others += holds(each) ? 0 : 1;
        for (term& each : terms)
            if (others > most_others || !holds(each)) {
                add_exactly(each);
                each = Terms::nothing();
            }
        return others <= most_others;
    }

    void start()
    {
        for (unsigned k = 0; k < window::levels; ++k)
            for (std::size_t l = 0; l < lanes; ++l)
                sums_[k][l] = window_.start(k);
        added_ = 0;
        // As numbers, by the keys: those of denormal numbers alone begin with the first one.
        using key_type = std::conditional_t<std::is_same_v<term, float>, std::uint32_t, std::uint64_t>;
        using real = std::conditional_t<std::is_same_v<term, float>, float, double>;
        constexpr unsigned shift = sizeof(real) == 4 ? 0 : 32;
        const auto size_of = [](std::uint32_t key) {
            return double{__builtin_bit_cast(real, static_cast<key_type>(key_type{key} << shift))};
        };
        const std::uint32_t first = window_.first_key();
        sizes_ = {first == 0 ? double{numeric::denormal_of<real>} : size_of(first + 1),
                  size_of(window_.first_upper_key()), size_of(window_.end_key())};
    }

    void flush()
    {
        for (unsigned k = 0; k < window::levels; ++k)
            for (std::size_t l = 0; l < lanes; ++l)
                sum_.add(window_.total(k, sums_[k][l]), window_.unit(k));
        bool is_minus_zero = true;
        for (const double last : sums_[window::levels - 1])
            is_minus_zero = is_minus_zero && numeric::seen_in(last) == 0;
        sum_.add_seen(is_minus_zero ? 0 : numeric::seen_no_minus_zero);
        start();
    }

    void add_exactly(const term& each)
    {
        if constexpr (Terms::has_errors)
            sum_.add_product(each.a, each.b);
        else
            sum_.add_value(Terms::number(each));
    }

    template <unsigned First, unsigned Levels>
    void add_rows(const double (&values)[block])
    {
        // Level by level: what a row leaves stays in an array, so that each loop is over the lanes.
        for (std::size_t r = 0; r < block; r += lanes) {
            double left[lanes];
            for (std::size_t l = 0; l < lanes; ++l)
                left[l] = values[r + l];
            for (unsigned k = First; k + 1 < Levels; ++k)
                for (std::size_t l = 0; l < lanes; ++l) {
                    const double sum = sums_[k][l] + left[l];
                    left[l] -= sum - sums_[k][l];
                    sums_[k][l] = sum;
                }
            for (std::size_t l = 0; l < lanes; ++l)
                sums_[Levels - 1][l] += left[l];
        }
    }

    static constexpr std::uint32_t large_key = (1022 + 1023) << 20;

    Sum& sum_;
    window window_ = window::around(0);
    unsigned added_ = 0;
    exact_sizes sizes_{};
    alignas(64) double sums_[window::levels][lanes];
};

/// Adds the terms of elements from `begin` to `end` - 1 to `sum`.
template <class Sum, class Iterator, class Transform>
void add_terms(Sum& sum, const Iterator& first, std::size_t begin, std::size_t end, Transform& transform)
{
    using terms = exact::terms<iter_value_t<Iterator>, Transform>;
    using input = exact_input<Iterator, Transform>;
    exact_share<terms, Sum> share(sum);
    constexpr std::size_t block = exact_share<terms, Sum>::block;
    for (std::size_t i = begin; i < end; i += block) {
        if constexpr (input::has_simd) {
            const auto from = first + static_cast<std::ptrdiff_t>(i);
            i += block * share.template add_by_simd<input>(from, (end - i) / block);
            if (i >= end)
                break;
        }
        alignas(64) typename terms::term loaded[block];
        const std::size_t count = smaller_of(block, end - i);
        for (std::size_t j = 0; j < count; ++j)
            loaded[j] = exact::term_of<terms>(transform, *(first + static_cast<std::ptrdiff_t>(i + j)));
        for (std::size_t j = count; j < block; ++j)
            loaded[j] = terms::nothing();
        share.add(loaded);
    }
}

/// A sum of the terms that elements become.
template <class Iterator, class Transform>
using sum_of = numeric::exact_sum<exact::terms<iter_value_t<Iterator>, Transform>::limbs.lowest,
                                  exact::terms<iter_value_t<Iterator>, Transform>::limbs.highest>;

/// The sum of `n` terms from `first` on, on at most `threads` threads (0: all cores).
template <class Iterator, class Transform>
auto exact_total(unsigned threads, Iterator first, std::size_t n, Transform transform)
{
    using sum_type = sum_of<Iterator, Transform>;
    const std::size_t tasks = shares_of(threads, n);
    sequence<sum_type> sums(tasks);
    for_each_share(threads, tasks, n, [&](std::size_t task, std::size_t begin, std::size_t end) {
        auto function = transform;
        host::add_terms(sums[task], first, begin, end, function);
    });
    sum_type total;
    for (sum_type& each : sums)
        total.merge(each);
    return total;
}

/// init + a sum, rounded once.
template <class T, int Lowest, int Highest>
T rounded_sum(T init, numeric::exact_sum<Lowest, Highest>& total)
{
    constexpr numeric::limb_range range = numeric::limb_range{Lowest, Highest}.joined(numeric::limbs_of<T>);
    numeric::exact_sum<range.lowest, range.highest> sum;
    sum.add_value(init);
    sum.merge(total);
    return sum.template rounded<T>();
}

/// init + the sum of `n` terms from `first` on, rounded once.
template <class T, class Iterator, class Transform>
T exact_sum(unsigned threads, Iterator first, std::size_t n, T init, Transform transform)
{
    if (n == 0)
        return init;
    auto total = host::exact_total(threads, first, n, transform);
    return host::rounded_sum(init, total);
}

}  // namespace parprims::detail::host
