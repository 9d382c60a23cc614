/// @file
/// @brief  What the elements of an exact sum are: floats, doubles, or products of two of these, which are not rounded.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/numeric/arithmetic.hpp>
#include <parprims/detail/numeric/exact_limbs.hpp>
#include <parprims/detail/numeric/exact_window.hpp>
#include <parprims/detail/numeric/rounding.hpp>
#include <parprims/functional.hpp>
#include <parprims/tuple.hpp>

#include <cstdint>
#include <type_traits>
#include <utility>

namespace parprims::detail::exact {

/// Terms that are numbers. Floats, halves and integers of 16 bits become floats.
template <class Real>
struct numbers {
    using term = Real;
    using window = std::conditional_t<std::is_same_v<Real, float>, numeric::exact_window<float, 4, 24, -149>,
                                      numeric::exact_window<double, 6, 53, -1074>>;
    static constexpr bool has_errors = false;
    static constexpr numeric::limb_range limbs = numeric::limbs_of<Real>;

    /// A term that changes nothing, also not that all others are -0.
    PARPRIMS_HOST_DEVICE static constexpr Real nothing() { return Real{-0.0f}; }
    template <class Number>
    PARPRIMS_HOST_DEVICE static constexpr Real of(const Number& number)
    {
        if constexpr (std::is_same_v<Number, float> && std::is_same_v<Real, double>)
            return numeric::widened(number);
        else
            return static_cast<Real>(number);
    }
    PARPRIMS_HOST_DEVICE static constexpr double number(Real term)
    {
        if constexpr (std::is_same_v<Real, float>)
            return numeric::widened(term);
        else
            return term;
    }
    PARPRIMS_HOST_DEVICE static constexpr std::uint32_t key(Real term) { return numeric::exponent_key(term); }
};

/// Products of two floats, which are doubles.
struct float_products {
    using term = double;
    using window = numeric::exact_window<double, 4, 48, -298>;
    static constexpr bool has_errors = false;
    static constexpr numeric::limb_range limbs = numeric::limbs_of_float_product;

    PARPRIMS_HOST_DEVICE static constexpr double nothing() { return -0.0; }
    PARPRIMS_HOST_DEVICE static constexpr double of(float a, float b)
    {
        return numeric::multiply_unfused(numeric::widened(a), numeric::widened(b));
    }
    PARPRIMS_HOST_DEVICE static constexpr double number(double term) { return term; }
    PARPRIMS_HOST_DEVICE static constexpr std::uint32_t key(double term) { return numeric::exponent_key(term); }
};

/// Products of two doubles. In a window each is the sum of a double, its rounded value, and of another one, its error: the window's last unit
/// is at least 2^-1074, so the error has no digit below that. Elsewhere the mantissas are multiplied as integers.
struct double_products {
    struct term {
        double a;
        double b;
    };
    /// A rounded value of 107 digits: it may be the first number of a binade above that of the product.
    using window = numeric::exact_window<double, 5, 107, -1074>;
    static constexpr bool has_errors = true;
    static constexpr numeric::limb_range limbs = numeric::limbs_of_double_product;

    PARPRIMS_HOST_DEVICE static constexpr term nothing() { return {-0.0, 1.0}; }
    PARPRIMS_HOST_DEVICE static constexpr term of(double a, double b) { return {a, b}; }
    PARPRIMS_HOST_DEVICE static constexpr double number(const term& term)
    {
        return numeric::multiply_unfused(term.a, term.b);
    }
    /// A product that is not 0 but rounds to 0 has the key of the least number.
    PARPRIMS_HOST_DEVICE static constexpr std::uint32_t key(const term& term)
    {
        const std::uint32_t key = numeric::exponent_key(number(term));
        return key == 0 && numeric::exponent_key(term.a) != 0 && numeric::exponent_key(term.b) != 0 ? 1 : key;
    }
};

/// The type of number that a value is for an exact sum: float or double; void for other types.
template <class Value>
constexpr auto real_of()
{
    if constexpr (std::is_same_v<Value, float> || std::is_same_v<Value, double>)
        return Value{};
    else if constexpr (std::is_integral_v<Value> && sizeof(Value) <= 4)
        return std::conditional_t<sizeof(Value) <= 2, float, double>{};
    else if constexpr (!std::is_integral_v<Value> && sizeof(Value) == 2 &&
                       requires(const Value& value) { static_cast<float>(value); })
        return float{};  // half, bfloat16
}
template <class Value>
using real = decltype(real_of<std::remove_cvref_t<Value>>());

template <class Transform>
inline constexpr bool multiplies_pair = std::is_same_v<std::remove_cvref_t<Transform>, of_pair<multiplies>>;

/// The terms that elements become; void if they cannot.
template <class Value, class Transform>
constexpr auto terms_of()
{
    if constexpr (multiplies_pair<Transform>) {
        using first = real<decltype(parprims::get<0>(std::declval<const Value&>()))>;
        using second = real<decltype(parprims::get<1>(std::declval<const Value&>()))>;
        if constexpr (std::is_same_v<first, float> && std::is_same_v<second, float>)
            return float_products{};
        else if constexpr (!std::is_void_v<first> && !std::is_void_v<second>)
            return double_products{};
    } else {
        using result = real<decltype(std::declval<Transform&>()(std::declval<const Value&>()))>;
        if constexpr (!std::is_void_v<result>)
            return numbers<result>{};
    }
}
template <class Value, class Transform>
using terms = decltype(terms_of<Value, Transform>());

/// The terms of a sum of elements alone, wide enough for an init of type T; void if they cannot be summed.
template <class Value, class T>
constexpr auto sum_terms_of()
{
    if constexpr (std::is_same_v<T, double> && !std::is_void_v<real<Value>>)
        return numbers<double>{};
    else if constexpr (!std::is_void_v<real<Value>>)
        return numbers<real<Value>>{};
}
template <class Value, class T>
using sum_terms = decltype(sum_terms_of<Value, T>());

// A transform may be for the host alone, or for the GPU alone.
PARPRIMS_BEGIN_UNMARKED_CALLS
/// The term of an element.
template <class Terms, class Transform, class Element>
PARPRIMS_HOST_DEVICE constexpr typename Terms::term term_of(Transform& transform, Element&& element)
{
    if constexpr (multiplies_pair<Transform>)
        return Terms::of(static_cast<real<decltype(parprims::get<0>(element))>>(parprims::get<0>(element)),
                         static_cast<real<decltype(parprims::get<1>(element))>>(parprims::get<1>(element)));
    else
        return Terms::of(transform(std::forward<Element>(element)));
}
PARPRIMS_END_UNMARKED_CALLS

}  // namespace parprims::detail::exact
