/// @file
/// @brief  Exact sums: an operator of reduce, transform_reduce, segmented_reduce, reduce_by_key and their _into forms.
#pragma once

#include <parprims/detail/push_macros.hpp>  // first

#include <parprims/by_key.hpp>
#include <parprims/config.hpp>
#include <parprims/detail/arguments.hpp>
#include <parprims/detail/contract/exact_integers.hpp>
#include <parprims/detail/contract/exact_terms.hpp>
#include <parprims/detail/device/exact/backend.hpp>
#include <parprims/detail/host/exact.hpp>
#include <parprims/detail/host/exact_segments.hpp>
#include <parprims/detail/iterator/traits.hpp>
#include <parprims/execution.hpp>
#include <parprims/functional.hpp>
#include <parprims/iterator.hpp>
#include <parprims/reduce.hpp>
#include <parprims/segmented.hpp>

#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

namespace parprims {

/// @brief  The exact sum, in the place of an operator: `init` plus all elements as a real number, rounded once to the type of `init`, to
///         nearest, ties to even.
///
/// The order of the elements does not matter, nor the backend, the number of threads, the GPU, or how ranks divide the input: any
/// permutation gives the same bits.
/// Only a sum that is itself too large overflows; denormal numbers are exact. The result is NaN if there is a NaN, or if there are both
/// infinities; with infinities of one sign alone it is that infinity. A sum of 0 is -0 only if `init` and all elements are -0.
///
/// `init` is float or double. Elements, or what `transform_op` makes of them, are float, double, half, bfloat16 or integers of at
/// most 64 bits (32 in products), and are not converted to the type of `init` first. If `init` and the elements are integers, this is
/// `plus`, whose sums are exact modulo 2^k.
///
/// `segmented_reduce` rounds the sum of each segment. `reduce_by_key` rounds the sum of each run to the type of the values (to float if
/// they are halves); on the GPU it takes two kernels and 8 bytes of scratch for each key.
///
/// `transform_reduce` of two ranges with `multiplies` is the exact inner product: products are not rounded, and those that are too large or
/// too small for a double count, too.
/// @snippet reference.cpp exact_plus
struct exact_plus {
    using is_exact_sum = void;
};

namespace detail {

/// Refuses types that exact_plus cannot add.
template <class T, class Iterator, class Transform>
constexpr bool check_exact_sum()
{
    constexpr bool has_init = std::is_same_v<T, float> || std::is_same_v<T, double>;
    static_assert(has_init,
                  "parprims: exact_plus needs an init of type float or double, or an integer of at most 64 bits; "
                  "reduce_by_key needs such values");
    if constexpr (has_init) {
        constexpr bool has_terms = !std::is_void_v<exact::terms<iter_value_t<Iterator>, Transform>>;
        static_assert(has_terms,
                      "parprims: the elements of an exact sum, or what transform_op makes of them, are float, double, "
                      "half, bfloat16 or integers of at most 64 bits, or of 32 bits in products");
        return has_terms;
    } else {
        return false;
    }
}

template <>
struct reduction<exact_plus> {
    using device_call = device::exact_sum_call;

    template <class T, class Iterator, class Transform>
    static constexpr bool is_converted = exact::is_wide_sum<T, decltype(*std::declval<const Iterator&>()), Transform>();
    template <class Policy, class Iterator, class T, class Transform, class... Output>
    static reduced_t<T, Output...> converted(const char* function, const Policy& policy, Iterator first, Iterator last,
                                             const T& init, Transform transform, Output... out)
    {
        if constexpr ((check_output_type<Output>() && ...) && (check_result<Output, T>() && ...)) {
            const exact::rounds_wide<T> rounds{init};
            const auto reduce = [&](auto... to) {
                return detail::reduce(function, policy, first, last, exact::wide_integer{exact::wide_integer::none, 0},
                                      exact::add_wide{}, exact::to_wide<Transform>{transform}, to...);
            };
            if constexpr (sizeof...(Output) == 0)
                return rounds(reduce());
            else
                reduce(transform_output_iterator(out, rounds)...);
        }
    }

    template <class, class T, class Iterator, class Transform>
    static constexpr bool check()
    {
        return check_exact_sum<T, Iterator, Transform>();
    }

    template <class Iterator, class T, class Transform>
    static T on_host(unsigned threads, Iterator first, std::size_t n, const T& init, exact_plus, Transform transform)
    {
        return host::exact_sum(threads, first, n, init, transform);
    }
};

template <>
struct segmented_reduction<exact_plus> {
    using device_call = device::exact_segments_call;
    using lines_call = device::exact_lines_call;

    template <class T, class Iterator>
    static constexpr bool is_converted = exact::is_wide_sum<T, decltype(*std::declval<const Iterator&>()), identity>();
    template <class Policy, class Iterator, class Output, class T, class... Where>
    static Output converted(const Policy& policy, Iterator first, Iterator last, Output out, const T& init,
                            Where... where)
    {
        if constexpr (check_output_type<Output>() && check_results<Output, T>()) {
            const transform_iterator begin(first, exact::to_wide<identity>{});
            const auto end = detail::segmented_reduce(policy, begin, begin + (last - first),
                                                      transform_output_iterator(out, exact::rounds_wide<T>{init}),
                                                      exact::wide_integer{exact::wide_integer::none, 0},
                                                      exact::add_wide{}, where...);
            return end.base();
        }
    }

    template <class T, class Iterator>
    static constexpr bool check()
    {
        return check_exact_sum<T, Iterator, identity>();
    }

    template <class Segments, class Iterator, class Output, class T>
    static void on_host(unsigned threads, const Segments& segments, Iterator first, const Output& out, const T& init,
                        exact_plus)
    {
        host::exact_segments(threads, segments, first, out, init);
    }
};

template <>
struct keyed_reduction<exact_plus> {
    using device_call = device::exact_by_key_call;
    /// Halves are added as floats.
    template <class Value>
    using result =
        std::conditional_t<std::is_integral_v<Value> || std::is_void_v<exact::real<Value>>, Value, exact::real<Value>>;

    template <class T, class Values>
    static constexpr bool check()
    {
        return check_exact_sum<T, Values, identity>();
    }

    template <class T, class Keys, class Values, class KeysOut, class ValuesOut, class Equal>
    static std::size_t on_host(unsigned threads, const Keys& keys, std::size_t n, const Values& values,
                               KeysOut keys_out, ValuesOut values_out, Equal equal, exact_plus)
    {
        return host::exact_by_key<T>(threads, keys, n, values, keys_out, values_out, equal);
    }
};

}  // namespace detail

}  // namespace parprims

#include <parprims/detail/pop_macros.hpp>
