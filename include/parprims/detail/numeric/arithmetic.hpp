/// @file
/// @brief  Sums and products: floating-point ones that nvcc may not fuse into a multiply-add, and those of integers, modulo 2^k. On the
///         host see `rounded` in rounding.hpp.
#pragma once

#include <parprims/config.hpp>

#include <type_traits>

PARPRIMS_BEGIN_UNMARKED_CALLS

namespace parprims::detail::numeric {

/// What sums and products of integers T are computed in: partial results that a serial program does not have must not overflow, nor
/// products of `uint16_t`, which are of type int.
template <class T>
using modular = std::make_unsigned_t<decltype(T{} * T{})>;

/// `a + b`, rounded separately.
template <class T>
PARPRIMS_HOST_DEVICE constexpr auto add_unfused(const T& a, const T& b)
{
    if constexpr (std::is_integral_v<T>)
        return static_cast<decltype(a + b)>(static_cast<modular<T>>(a) + static_cast<modular<T>>(b));
#if defined(__CUDA_ARCH__)
    else if constexpr (std::is_same_v<T, float>)
        return __fadd_rn(a, b);
    else if constexpr (std::is_same_v<T, double>)
        return __dadd_rn(a, b);
    else if constexpr (requires { __hadd_rn(a, b); })  // __half and __nv_bfloat16, where their headers are included
        return __hadd_rn(a, b);
    else if constexpr (requires { __hadd2_rn(a, b); })
        return __hadd2_rn(a, b);
    else
        return a + b;
#else
    else
        return a + b;
#endif
}

/// `a * b`, rounded separately.
template <class T>
PARPRIMS_HOST_DEVICE constexpr auto multiply_unfused(const T& a, const T& b)
{
    if constexpr (std::is_integral_v<T>)
        return static_cast<decltype(a * b)>(static_cast<modular<T>>(a) * static_cast<modular<T>>(b));
#if defined(__CUDA_ARCH__)
    else if constexpr (std::is_same_v<T, float>)
        return __fmul_rn(a, b);
    else if constexpr (std::is_same_v<T, double>)
        return __dmul_rn(a, b);
    else if constexpr (requires { __hmul_rn(a, b); })
        return __hmul_rn(a, b);
    else if constexpr (requires { __hmul2_rn(a, b); })
        return __hmul2_rn(a, b);
    else
        return a * b;
#else
    else
        return a * b;
#endif
}

}  // namespace parprims::detail::numeric

PARPRIMS_END_UNMARKED_CALLS
