/// @file
/// @brief  Operators for reductions and scans, the same on the host and on the device, bit for bit.
#pragma once

#include <parprims/detail/push_macros.hpp>  // first

#include <parprims/config.hpp>
#include <parprims/detail/numeric/arithmetic.hpp>
#include <parprims/detail/numeric/rounding.hpp>
#include <parprims/tuple.hpp>

#include <type_traits>
#include <utility>

PARPRIMS_BEGIN_UNMARKED_CALLS

namespace parprims {

namespace detail {

/// Types that may hold a NaN: floating-point types, and classes like __half.
template <class T>
concept may_be_nan = !std::is_integral_v<T> && requires(const T& a) { static_cast<bool>(a != a); };

template <class T>
concept ordered = requires(const T& a) { static_cast<bool>(a < a); };

/// Classes and unions without an operator of their own: `a + b` or `a * b` converts both operands to float or double.
template <class T, class Result>
concept converts_to = !std::is_scalar_v<T> && (std::is_same_v<Result, float> || std::is_same_v<Result, double>);
template <class T>
concept adds_converted = requires(const T& a) { requires converts_to<T, decltype(a + a)>; } &&
                         !requires(const T& a) { operator+(a, a); } && !requires(const T& a) { a.operator+(a); };
template <class T>
concept multiplies_converted = requires(const T& a) { requires converts_to<T, decltype(a * a)>; } &&
                               !requires(const T& a) { operator*(a, a); } && !requires(const T& a) { a.operator*(a); };

}  // namespace detail

/// @brief  `a + b`, of values of one type; of integers, modulo 2^k. As the operator of a call, it is never fused with the
///         multiplication that computes an operand, so a sum has the same bits on every backend. Called inside an operator of
///         your own, a host compiler may fuse it (docs/order-contract.md).
/// @snippet reference.cpp operators
struct plus {
    template <class A, class B>
        requires requires(const A& a, const B& b) { a + b; }
    PARPRIMS_HOST_DEVICE constexpr auto operator()(const A& a, const B& b) const
    {
        if constexpr (std::is_same_v<A, B> && detail::adds_converted<A>) {
            using number = decltype(a + b);
            return detail::numeric::add_unfused(detail::numeric::rounded<number>(a),
                                                detail::numeric::rounded<number>(b));
        } else if constexpr (std::is_same_v<A, B>)
            return detail::numeric::add_unfused(a, b);
        else
            return a + b;
    }
};

/// @brief  `a * b`, of values of one type; of integers, modulo 2^k. As the operator of a call, it is never fused with an addition;
///         otherwise as `plus`.
///
/// A call also multiplies elements that are not the first ones: such a product may overflow where the serial one does not, and 0 times
/// infinity is NaN. docs/order-contract.md has an operator that carries the exponents apart.
/// @snippet reference.cpp operators
struct multiplies {
    template <class A, class B>
        requires requires(const A& a, const B& b) { a* b; }
    PARPRIMS_HOST_DEVICE constexpr auto operator()(const A& a, const B& b) const
    {
        if constexpr (std::is_same_v<A, B> && detail::multiplies_converted<A>) {
            using number = decltype(a * b);
            return detail::numeric::rounded(detail::numeric::multiply_unfused<number>(a, b));
        } else if constexpr (std::is_same_v<A, B>)
            return detail::numeric::multiply_unfused(a, b);
        else
            return a * b;
    }
};

/// @brief  The smaller of two values; the left one if they are equal. A NaN propagates: if an operand is NaN, so is the result.
/// @snippet reference.cpp operators
struct minimum {
    template <detail::ordered T>
    PARPRIMS_HOST_DEVICE constexpr T operator()(const T& a, const T& b) const
    {
        if constexpr (detail::may_be_nan<T>)
            return (a != a || !(b < a || b != b)) ? a : b;
        else
            return b < a ? b : a;
    }
};

/// @brief  The larger of two values; the left one if they are equal. A NaN propagates: if an operand is NaN, so is the result.
/// @snippet reference.cpp operators
struct maximum {
    template <detail::ordered T>
    PARPRIMS_HOST_DEVICE constexpr T operator()(const T& a, const T& b) const
    {
        if constexpr (detail::may_be_nan<T>)
            return (a != a || !(a < b || b != b)) ? a : b;
        else
            return a < b ? b : a;
    }
};

/// @brief  The smaller of two numbers; a NaN is ignored unless both are NaN.
/// @snippet reference.cpp nan
struct minimum_number {
    template <detail::ordered T>
    PARPRIMS_HOST_DEVICE constexpr T operator()(const T& a, const T& b) const
    {
        return (a != a || b < a) ? b : a;
    }
};

/// @brief  The larger of two numbers; a NaN is ignored unless both are NaN.
/// @snippet reference.cpp nan
struct maximum_number {
    template <detail::ordered T>
    PARPRIMS_HOST_DEVICE constexpr T operator()(const T& a, const T& b) const
    {
        return (a != a || a < b) ? b : a;
    }
};

/// @brief  `a < b`: the order of `min_element` and its like, which place a NaN outside of all numbers.
/// @snippet reference.cpp operators
struct less {
    template <detail::ordered T>
    PARPRIMS_HOST_DEVICE constexpr bool operator()(const T& a, const T& b) const
    {
        return static_cast<bool>(a < b);
    }
};

/// @brief  `a == b`: the equality of keys. A NaN is not equal to itself, so it is a run of its own.
/// @snippet reference.cpp operators
struct equal_to {
    template <class T>
        requires requires(const T& a) { static_cast<bool>(a == a); }
    PARPRIMS_HOST_DEVICE constexpr bool operator()(const T& a, const T& b) const
    {
        return static_cast<bool>(a == b);
    }
};

/// @brief  `a & b`
/// @snippet reference.cpp operators
struct bit_and {
    template <class T>
    PARPRIMS_HOST_DEVICE constexpr T operator()(const T& a, const T& b) const
    {
        return static_cast<T>(a & b);
    }
};

/// @brief  `a | b`
/// @snippet reference.cpp operators
struct bit_or {
    template <class T>
    PARPRIMS_HOST_DEVICE constexpr T operator()(const T& a, const T& b) const
    {
        return static_cast<T>(a | b);
    }
};

/// @brief  `a ^ b`
/// @snippet reference.cpp operators
struct bit_xor {
    template <class T>
    PARPRIMS_HOST_DEVICE constexpr T operator()(const T& a, const T& b) const
    {
        return static_cast<T>(a ^ b);
    }
};

/// @brief  Returns its argument. The transform of calls without one.
/// @snippet reference.cpp identity
struct identity {
    template <class T>
    PARPRIMS_HOST_DEVICE constexpr T&& operator()(T&& value) const noexcept
    {
        return std::forward<T>(value);
    }
};

namespace detail {

/// The operators of numbers that the compiled library has, and that the host computes by SIMD.
template <class Op>
concept basic_operator = std::is_same_v<Op, plus> || std::is_same_v<Op, minimum> || std::is_same_v<Op, maximum>;

/// A function of two values, called with a pair.
template <class F>
struct of_pair {
    F f;

    template <class Pair>
    PARPRIMS_HOST_DEVICE constexpr decltype(auto) operator()(const Pair& pair) const
    {
        return f(parprims::get<0>(pair), parprims::get<1>(pair));
    }
};

template <class F>
inline constexpr bool is_of_pair = false;
template <class F>
inline constexpr bool is_of_pair<of_pair<F>> = true;

/// Whether reading an element may compute a product (in an iterator, a transform, or a conversion to T), which a compiler
/// could fuse with the addition that follows. Then the bits would depend on the compiler, its options and the alignment of
/// the input. A load and a conversion between arithmetic types compute no product; a conversion of a class may.
template <class T, class Value, bool IsPointer, class Transform>
inline constexpr bool may_fuse =
    !std::is_integral_v<T> && !(IsPointer && std::is_same_v<Transform, identity> &&
                                (std::is_same_v<T, Value> || (std::is_arithmetic_v<T> && std::is_arithmetic_v<Value>)));

}  // namespace detail

}  // namespace parprims

PARPRIMS_END_UNMARKED_CALLS

#include <parprims/detail/pop_macros.hpp>
