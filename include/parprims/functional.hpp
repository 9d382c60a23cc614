/// @file
/// @brief  Operators for reductions and scans, the same on the host and on the device, bit for bit.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/numeric/arithmetic.hpp>
#include <parprims/detail/numeric/rounding.hpp>

#include <type_traits>
#include <utility>

#if PARPRIMS_CUDA_COMPILER  // a value of the host alone is as good: whoever combines it there calls nothing of the device
#pragma nv_diagnostic push
#pragma nv_diag_suppress 20011, 20012, 20013, 20014, 20015
#endif

namespace parprims {

namespace detail {

/// Types that may hold a NaN: floating-point numbers, and __half and its like.
template <class T>
concept may_be_nan = !std::is_integral_v<T> && requires(const T& a) { static_cast<bool>(a != a); };

/// Classes whose `a + b` or `a * b` is one of two numbers that they are converted to, because they have no such operator.
template <class T, class Result>
concept converts_to = std::is_class_v<T> && (std::is_same_v<Result, float> || std::is_same_v<Result, double>);
template <class T>
concept adds_converted = requires(const T& a) { requires converts_to<T, decltype(a + a)>; } &&
                         !requires(const T& a) { operator+(a, a); } && !requires(const T& a) { a.operator+(a); };
template <class T>
concept multiplies_converted = requires(const T& a) { requires converts_to<T, decltype(a * a)>; } &&
                               !requires(const T& a) { operator*(a, a); } && !requires(const T& a) { a.operator*(a); };

}  // namespace detail

/// @brief  `a + b`. Never fused with a multiplication next to it, so that a sum has the same bits on every backend.
struct plus {
    template <class A, class B>
    PARPRIMS_HOST_DEVICE constexpr auto operator()(const A& a, const B& b) const
    {
        if constexpr (std::is_same_v<A, B> && detail::adds_converted<A>) {
            using number = decltype(a + b);
            return detail::numeric::add_unfused(detail::numeric::rounded<number>(a), detail::numeric::rounded<number>(b));
        } else if constexpr (std::is_same_v<A, B>)
            return detail::numeric::add_unfused(a, b);
        else
            return a + b;
    }
};

/// @brief  `a * b`. Never fused with an addition next to it.
struct multiplies {
    template <class A, class B>
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

/// @brief  The smaller of two values, the left one where they are equal. A NaN propagates: it wins over any number.
struct minimum {
    template <class T>
    PARPRIMS_HOST_DEVICE constexpr T operator()(const T& a, const T& b) const
    {
        if constexpr (detail::may_be_nan<T>)
            return (a != a || !(b < a || b != b)) ? a : b;
        else
            return b < a ? b : a;
    }
};

/// @brief  The larger of two values, the left one where they are equal. A NaN propagates: it wins over any number.
struct maximum {
    template <class T>
    PARPRIMS_HOST_DEVICE constexpr T operator()(const T& a, const T& b) const
    {
        if constexpr (detail::may_be_nan<T>)
            return (a != a || !(a < b || b != b)) ? a : b;
        else
            return a < b ? b : a;
    }
};

/// @brief  The smaller of two numbers; a NaN is ignored unless both are NaN.
struct minimum_number {
    template <class T>
    PARPRIMS_HOST_DEVICE constexpr T operator()(const T& a, const T& b) const
    {
        return (a != a || b < a) ? b : a;
    }
};

/// @brief  The larger of two numbers; a NaN is ignored unless both are NaN.
struct maximum_number {
    template <class T>
    PARPRIMS_HOST_DEVICE constexpr T operator()(const T& a, const T& b) const
    {
        return (a != a || a < b) ? b : a;
    }
};

/// @brief  `a & b`
struct bit_and {
    template <class T>
    PARPRIMS_HOST_DEVICE constexpr T operator()(const T& a, const T& b) const
    {
        return static_cast<T>(a & b);
    }
};

/// @brief  `a | b`
struct bit_or {
    template <class T>
    PARPRIMS_HOST_DEVICE constexpr T operator()(const T& a, const T& b) const
    {
        return static_cast<T>(a | b);
    }
};

/// @brief  `a ^ b`
struct bit_xor {
    template <class T>
    PARPRIMS_HOST_DEVICE constexpr T operator()(const T& a, const T& b) const
    {
        return static_cast<T>(a ^ b);
    }
};

/// @brief  The value itself: what a transform does when there is none.
struct identity {
    template <class T>
    PARPRIMS_HOST_DEVICE constexpr T&& operator()(T&& value) const noexcept
    {
        return std::forward<T>(value);
    }
};

namespace detail {

/// A function of two values as one of a pair of them.
template <class F>
struct of_pair {
    F f;

    template <class Pair>
    PARPRIMS_HOST_DEVICE constexpr decltype(auto) operator()(const Pair& pair) const
    {
        return f(get<0>(pair), get<1>(pair));
    }
};

/// Whether a product may be hidden in reading an element (in an iterator, a transform, or the making of a T from what was
/// read), which a compiler could fuse with the addition after it. That would change the bits with the compiler, its
/// options and the alignment of the input. No product is hidden in a T that is read as it is, nor in a conversion between
/// arithmetic types; one may be in the constructor or the conversion function of a class.
template <class T, class Value, bool IsPointer, class Transform>
inline constexpr bool may_fuse =
    !std::is_integral_v<T> && !(IsPointer && std::is_same_v<Transform, identity> &&
                                (std::is_same_v<T, Value> || (std::is_arithmetic_v<T> && std::is_arithmetic_v<Value>)));

}  // namespace detail

}  // namespace parprims

#if PARPRIMS_CUDA_COMPILER
#pragma nv_diagnostic pop
#endif
