/// @file
/// @brief  What a call refuses while it is compiled, by the types of its arguments.
///
/// A check fails to compile, with one sentence as the first error, and returns false. So the caller skips code that would only cause
/// more errors.
#pragma once

#include <parprims/detail/forms.hpp>
#include <parprims/detail/iterator/traits.hpp>
#include <parprims/detail/numeric/integers.hpp>
#include <parprims/execution.hpp>
#include <parprims/sized_on_device.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

namespace parprims::detail {

/// The call is of one process.
template <class Policy>
constexpr bool check_one_process()
{
    static_assert(!is_distributed<Policy>,
                  "parprims: several ranks have reduce, transform_reduce, the scans and the histograms, not this call");
    return !is_distributed<Policy>;
}

/// Refuses a T that cannot be assigned, and an init that lies in device memory. Elements of which a call takes a function need not be assignable.
template <class T>
constexpr bool check_assignable()
{
    static_assert(!is_device_value<T>, "parprims: this call takes no init on the device");
    static_assert(std::is_copy_assignable_v<T>, "parprims: a value must be assignable: no const member, no reference");
    return !is_device_value<T> && std::is_copy_assignable_v<T>;
}

/// Refuses an `out` that is no iterator, or one that cannot be written to.
template <class Output>
constexpr bool check_output_type()
{
    if constexpr (!check_not_along<is_along<Output>>()) {
        return false;
    } else if constexpr (requires(const Output& out) {
                             requires !std::is_function_v<std::remove_reference_t<decltype(*out)>>;
                         }) {
        constexpr bool is_written = !std::is_const_v<std::remove_reference_t<decltype(*std::declval<const Output&>())>>;
        static_assert(is_written, "parprims: out must be writable; this one is const");
        return is_written;
    } else {
        static_assert(never<Output>,
                      "parprims: out must be an iterator or a pointer, such as container.begin(); the order of the "
                      "arguments is policy, first, last, out, and then init and op as in std");
        return false;
    }
}

/// Refuses an `out` that takes no T. One that is no iterator is refused above: nvcc reads both checks.
template <class Output, class T>
constexpr bool check_result()
{
    constexpr bool holds = !requires(const Output& out) { *out; } ||
                           requires(const Output& out) { requires std::is_assignable_v<decltype(*out), T>; };
    static_assert(holds,
                  "parprims: a result cannot be assigned to an element of out; its type is that of init, or of the "
                  "elements");
    return holds;
}

/// Refuses an `out` that takes no T, or whose elements share words: threads write several results at a time.
template <class Output, class T>
constexpr bool check_results()
{
    constexpr bool holds = !writes_bits<unwrapped_t<Output>>;
    static_assert(
        holds,
        "parprims: out must not be of a vector<bool>: threads would write to words that its elements share; use a "
        "vector<char>");
    return holds && check_result<Output, T>();
}

/// What can hold a count: of a bin, of results, or of the elements before a position.
template <class Counter>
concept counter_value =
    std::same_as<fixed_width_t<Counter>, std::uint32_t> || std::same_as<fixed_width_t<Counter>, std::uint64_t> ||
    std::same_as<fixed_width_t<Counter>, std::int32_t> || std::same_as<fixed_width_t<Counter>, std::int64_t> ||
    std::same_as<Counter, float> || std::same_as<Counter, double>;

/// The largest n such that a counter represents every count up to n exactly.
template <class Counter>
constexpr std::uint64_t largest_count()
{
    if constexpr (std::is_integral_v<Counter>)
        return static_cast<std::uint64_t>(std::numeric_limits<Counter>::max());
    else
        return std::uint64_t{1} << std::numeric_limits<Counter>::digits;
}

/// Refuses an output of positions, or of a number of results, whose elements are numbers that may not hold it.
template <class Output>
constexpr bool check_count_type()
{
    if constexpr (!check_output_type<Output>()) {
        return false;
    } else {
        using number = iter_value_t<Output>;
        constexpr bool holds = counter_value<number> || !std::is_arithmetic_v<number>;
        static_assert(holds, "parprims: positions and counts are integers of 32 or 64 bits, float or double");
        return holds && check_result<Output, std::size_t>();
    }
}

/// Refuses elements that do not become values of type T.
template <class T, class Iterator, class Transform>
constexpr bool check_elements()
{
    constexpr bool holds = requires(const Iterator& it, Transform& transform_op) { static_cast<T>(transform_op(*it)); };
    static_assert(
        holds,
        "parprims: an element, or what transform_op makes of it, must convert to the type that is combined, which "
        "is the type of init");
    return holds;
}

/// Whether an operator is exact_plus, which is not called.
template <class Op>
inline constexpr bool is_exact_sum = requires { typename Op::is_exact_sum; };
/// Whether it is that, and `plus` is as exact: modulo 2^k.
template <class Op, class T>
inline constexpr bool is_modular_sum = is_exact_sum<Op> && std::is_integral_v<T> && sizeof(T) <= 8;

/// Refuses an `op` that cannot be called with two values.
template <class T, class Op>
constexpr bool check_operator()
{
    static_assert(
        !is_exact_sum<Op>,
        "parprims: exact_plus is for reduce, transform_reduce, segmented_reduce, reduce_by_key and their _into "
        "forms; scans take plus");
    constexpr bool holds = is_exact_sum<Op> || requires(Op& op, T& value) { op(value, value); };
    static_assert(holds,
                  "parprims: op must be callable with two values of the type that is combined, which is the type "
                  "of init; are init and op in the order that std has?");
    return holds && !is_exact_sum<Op>;
}

/// What a call demands of the types that it combines and of an output of several results. One after the other: nvcc reads all
/// operands of `&&`.
template <class T, class Iterator, class Op, class Transform, class... Output>
constexpr bool check_values()
{
    if constexpr (!(check_output_type<Output>() && ...))
        return false;
    else if constexpr (!check_operator<T, Op>())
        return false;
    else if constexpr (!check_elements<T, Iterator, Transform>())
        return false;
    else
        return (check_results<Output, T>() && ...);
}

/// `compare` tells whether a value is less than another.
template <class T, class Compare>
constexpr bool check_compare()
{
    constexpr bool holds =
        requires(const Compare& compare, const T& value) { static_cast<bool>(compare(value, value)); };
    static_assert(holds,
                  "parprims: compare must be callable with two values of the range, and return whether the first is "
                  "less; a mutable lambda is not; without compare, values need operator<");
    return holds;
}

/// `predicate` tells whether a value has a property.
template <class T, class Predicate>
constexpr bool check_predicate()
{
    constexpr bool holds =
        requires(const Predicate& predicate, const T& value) { static_cast<bool>(predicate(value)); };
    static_assert(holds,
                  "parprims: predicate must be callable with a value of the range and return a truth value; a mutable "
                  "lambda is not; it is the last argument");
    return holds;
}

/// `equal` tells whether two keys are equal.
template <class Key, class Equal>
constexpr bool check_equal()
{
    constexpr bool holds = requires(const Equal& equal, const Key& key) {
        {
            equal(key, key)
        } -> std::same_as<bool>;
    };
    static_assert(
        holds,
        "parprims: equal must be callable with two keys and return a bool; it comes before op, as in Thrust; without "
        "equal, keys need operator==");
    return holds;
}

/// A kernel's function is const, and threads of the host share that of two ranges.
template <class Transform, class... Ts>
constexpr bool check_const_transform()
{
    constexpr bool holds = requires(const Transform& transform_op, const Ts&... values) { transform_op(values...); };
    static_assert(holds, "parprims: transform_op must be callable as a const object; a mutable lambda is not");
    return holds;
}

/// Over several ranks an init is a value.
template <class Policy, class Init>
constexpr bool check_init()
{
    static_assert(!is_distributed<Policy> || !is_device_value<Init>,
                  "parprims: over several ranks init is a value, not value_at");
    return !is_distributed<Policy> || !is_device_value<Init>;
}

}  // namespace parprims::detail
