/// @file
/// @brief  Exact sums: an operator of reduce, transform_reduce and their _into forms.
#pragma once

#include <parprims/detail/push_macros.hpp>  // first

#include <parprims/config.hpp>
#include <parprims/detail/arguments.hpp>
#include <parprims/detail/contract/exact_terms.hpp>
#include <parprims/detail/device/exact/backend.hpp>
#include <parprims/detail/host/exact.hpp>
#include <parprims/detail/iterator/traits.hpp>
#include <parprims/execution.hpp>
#include <parprims/functional.hpp>
#include <parprims/reduce.hpp>

#include <concepts>
#include <cstddef>
#include <type_traits>

namespace parprims {

/// @brief  The exact sum, in the place of an operator: init + all elements as a real number, rounded once to the type of `init`, to nearest,
///         ties to even.
///
/// The order of the elements does not matter, nor the backend, the number of threads, the GPU, or how ranks on CPUs divide the input: any
/// permutation gives the same bits.
/// Only a sum that is too large itself overflows; denormal numbers are exact. If there is a NaN, or both infinities, the result is NaN; with one
/// of them it is that infinity. A sum of 0 is -0 only if `init` and all elements are -0.
///
/// `init` is float or double. Elements, or what `transform_op` makes of them, are float, double, half, bfloat16 or integers of at
/// most 32 bits, and are not converted to the type of `init` first. If `init` is an integer, and so the elements, this is `plus`, whose sums are
/// exact modulo 2^k.
///
/// `transform_reduce` of two ranges with `multiplies` is the exact inner product: products are not rounded, and those that are too large or
/// too small for a double count, too.
/// @snippet reference.cpp exact_plus
struct exact_plus {
    using is_exact_sum = void;
};

namespace detail {

/// Refuses a call of which exact_plus makes no sum.
template <class T, class Iterator, class Transform>
constexpr bool check_exact_sum()
{
    constexpr bool has_init = std::is_same_v<T, float> || std::is_same_v<T, double>;
    static_assert(has_init,
                  "parprims: exact_plus needs an init of type float or double, or an integer of at most 64 bits");
    if constexpr (has_init) {
        constexpr bool has_terms = !std::is_void_v<exact::terms<iter_value_t<Iterator>, Transform>>;
        static_assert(has_terms,
                      "parprims: the elements of an exact sum, or what transform_op makes of them, are float, double, "
                      "half, bfloat16 or integers of at most 32 bits");
        return has_terms;
    } else {
        return false;
    }
}

template <class Policy>
constexpr bool check_exact_policy()
{
    constexpr bool holds = !is_distributed<Policy> || requires { ranks::backend<Policy>::has_exact_sums; };
    static_assert(holds, "parprims: exact sums over ranks run on the CPU, by distributed(host, group)");
    return holds;
}

template <>
struct reduction<exact_plus> {
    using device_call = device::exact_sum_call;

    template <class Policy, class T, class Iterator, class Transform>
    static constexpr bool check()
    {
        return check_exact_policy<Policy>() && check_exact_sum<T, Iterator, Transform>();
    }

    template <class Iterator, class T, class Transform>
    static T on_host(unsigned threads, Iterator first, std::size_t n, const T& init, exact_plus, Transform transform)
    {
        return host::exact_sum(threads, first, n, init, transform);
    }
};

}  // namespace detail

}  // namespace parprims

#include <parprims/detail/pop_macros.hpp>
