/// @file
/// @brief  reduce_by_key, inclusive_scan_by_key, exclusive_scan_by_key: reductions and scans of runs of equal keys.
///
/// Compiles fast: include error.hpp to catch errors.
#pragma once

#include <parprims/detail/push_macros.hpp>  // first

#include <parprims/config.hpp>
#include <parprims/detail/arguments.hpp>
#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/device/by_key/backend.hpp>
#include <parprims/detail/host/by_key.hpp>
#include <parprims/detail/iterator/traits.hpp>
#include <parprims/execution.hpp>
#include <parprims/functional.hpp>

#include <concepts>
#include <cstddef>
#include <type_traits>

namespace parprims {

namespace detail {

/// Checks what all calls by key demand of their types.
template <class Policy, class Key, class T, class Equal>
constexpr bool check_by_key()
{
    return check_one_process<Policy>() && check_assignable<Key>() && check_assignable<T>() && check_equal<Key, Equal>();
}

/// The outputs of a reduction.
template <class KeysOut, class Key, class ValuesOut, class T>
constexpr bool check_runs_out()
{
    return check_output_type<KeysOut>() && check_output_type<ValuesOut>() && check_results<KeysOut, Key>() &&
           check_results<ValuesOut, T>();
}

/// Checks the arguments and calls the backend of the policy.
template <scan_kind Kind, class Init, class Policy, class Keys, class Values, class Output, class Equal, class Op>
Output scan_by_key(const char* function, const Policy& policy, Keys keys_first, Keys keys_last, Values values_first,
                   Output out, const Init* init, Equal equal, Op op)
{
    using key_type = iter_value_t<Keys>;
    using T = init_value_t<Init>;
    if constexpr (is_device_value<Init> && std::same_as<Policy, host_policy>) {
        return detail::scan_by_key<Kind, T>(function, policy, keys_first, keys_last, values_first, out,
                                            __builtin_addressof(detail::checked_init(function, *init)), equal, op);
    } else if constexpr (!check_by_key<Policy, key_type, T, Equal>()) {
    } else if constexpr (check_values<T, Values, Op, identity, Output>()) {
        const auto [keys, n] =
            detail::checked_range<Policy>(function, keys_first, keys_last, "keys_first", "keys_last");
        const auto values = detail::unsized(values_first);
        const auto target = detail::unwrap(out);
        detail::check_output(function, "values_first", values, n);
        detail::check_output(function, "out", target, n);
        detail::check_apart(function, "out", target, n, keys, n, "overlaps the keys; use separate memory");
        detail::check_in_place(function, target, values, n);
        if constexpr (std::same_as<Policy, host_policy>)
            host::scan_by_key<Kind, T>(policy.threads(),
                                       host::key_heads<std::remove_const_t<decltype(keys)>, Equal>{keys, equal}, values,
                                       n, target, init, op);
        else
            device::call<device::scan_by_key_call<Kind>>(function, device_policy(policy), keys, n, values, target,
                                                         detail::checked_scan_init(function, init, target, n), equal,
                                                         op);
        return out + static_cast<std::ptrdiff_t>(n);
    }
}

/// Refuses outputs of a reduction by key of `runs` runs that overlap the input or each other.
template <class Keys, class Values, class KeysOut, class ValuesOut, class... Count>
void check_runs_apart(const char* function, const Keys& keys, std::size_t n, const Values& values,
                      const KeysOut& keys_out, const ValuesOut& values_out, std::size_t runs, const Count&... count)
{
    const auto check = [&](const char* argument, const auto& out, std::size_t room) {
        detail::check_apart(function, argument, out, room, keys, n, "overlaps the keys; use separate memory");
        detail::check_apart(function, argument, out, room, values, n, "overlaps the values; use separate memory");
    };
    check("keys_out", keys_out, runs);
    check("values_out", values_out, runs);
    (check("count", count, 1), ...);
    constexpr const char* of_keys = "overlaps keys_out; use separate memory";
    detail::check_apart(function, "values_out", values_out, runs, keys_out, runs, of_keys);
    (detail::check_apart(function, "count", count, 1, keys_out, runs, of_keys), ...);
    (detail::check_apart(function, "count", count, 1, values_out, runs, "overlaps values_out; use separate memory"),
     ...);
}

/// What reductions by key do with an operator. exact_plus.hpp has that of exact sums.
template <class Op>
struct keyed_reduction {
    using device_call = device::reduce_by_key_call;
    /// What values are combined as.
    template <class Value>
    using result = Value;

    /// Refuses types that the call cannot combine.
    template <class T, class Values>
    static constexpr bool check()
    {
        return check_values<T, Values, Op, identity>();
    }

    template <class T, class Keys, class Values, class KeysOut, class ValuesOut, class Equal>
    static std::size_t on_host(unsigned threads, const Keys& keys, std::size_t n, const Values& values,
                               KeysOut keys_out, ValuesOut values_out, Equal equal, Op op)
    {
        return host::reduce_by_key<T>(threads, keys, n, values, keys_out, values_out, equal, op);
    }
};

/// Checks the arguments and calls the backend of the policy. The number of runs goes to `*count`; without a `count` it is returned.
template <class Policy, class Keys, class Values, class KeysOut, class ValuesOut, class Equal, class Op, class... Count>
std::size_t reduce_by_key(const char* function, const Policy& policy, Keys keys_first, Keys keys_last,
                          Values values_first, KeysOut keys_out, ValuesOut values_out, Equal equal, Op op,
                          Count... count)
{
    using key_type = iter_value_t<Keys>;
    using T = typename keyed_reduction<Op>::template result<iter_value_t<Values>>;
    std::size_t runs = 0;
    if constexpr (is_modular_sum<Op, T>) {
        runs = detail::reduce_by_key(function, policy, keys_first, keys_last, values_first, keys_out, values_out, equal,
                                     plus{}, count...);
    } else if constexpr (check_by_key<Policy, key_type, T, Equal>() &&
                         keyed_reduction<Op>::template check<T, Values>() &&
                         check_runs_out<KeysOut, key_type, ValuesOut, T>() && (check_count_type<Count>() && ...)) {
        using call = typename keyed_reduction<Op>::device_call;
        const auto range = detail::checked_range<Policy>(function, keys_first, keys_last, "keys_first", "keys_last");
        const auto keys = range.begin;  // no structured binding: clang 14 captures none
        const auto n = range.n;
        const auto values = detail::unsized(values_first);
        const auto to_keys = detail::unwrap(keys_out);
        const auto to_values = detail::unwrap(values_out);
        const auto check_runs = [&](std::size_t number) {
            detail::check_runs_apart(function, keys, n, values, to_keys, to_values, number, detail::unwrap(count)...);
        };
        detail::check_output(function, "values_first", values, n);
        detail::check_output(function, "keys_out", to_keys, n);
        detail::check_output(function, "values_out", to_values, n);
        check_runs(n != 0);
        (detail::check_count(function, "count", detail::unwrap(count), 1, n), ...);
        if constexpr (std::same_as<Policy, host_policy>) {
            runs = keyed_reduction<Op>::template on_host<T>(policy.threads(), keys, n, values, to_keys, to_values,
                                                            equal, op);
            check_runs(runs);
            (detail::assign_count(detail::unwrap(count), runs), ...);
        } else if constexpr (sizeof...(Count) == 0) {
            runs = device::call<call, std::size_t>(function, device_policy(policy), keys, n, values, to_keys, to_values,
                                                   equal, op);
            check_runs(runs);
        } else {
            device::call<call>(function, device_policy(policy), keys, n, values, to_keys, to_values, equal, op,
                               detail::unwrap(count)...);
        }
    }
    return runs;
}

}  // namespace detail

PARPRIMS_OTHER_ARGUMENTS(inclusive_scan_by_key, "keys_first, keys_last, values_first (or two ranges), out, equal, op")
PARPRIMS_OTHER_ARGUMENTS(exclusive_scan_by_key,
                         "keys_first, keys_last, values_first (or two ranges), out, init, equal, op")
PARPRIMS_OTHER_ARGUMENTS(reduce_by_key,
                         "keys_first, keys_last, values_first (or two ranges), keys_out, values_out, equal, op")
PARPRIMS_OTHER_ARGUMENTS(reduce_by_key_into,
                         "keys_first, keys_last, values_first (or two ranges), keys_out, values_out, count, equal, op")

/// @brief  Scans each run of equal keys by itself: writes to `out[i]` the combination of the values of its run up to i.
///
/// A run is a longest stretch of keys that are `equal` to the one before them: sort the keys first if runs are to be groups. The
/// order of the operations depends on where runs begin and on the value type alone, so a floating-point scan has the same bits
/// on every run of a program, on every device and on the host (docs/order-contract.md). `out` may be `values_first` itself.
///
/// @param  values_first  as many values as there are keys
/// @param  out    where the first result goes; as many as there are keys. Must not overlap the keys.
/// @param  equal  whether two keys are equal; called with neighbouring keys
/// @param  op     as for `inclusive_scan`
/// @return the end of the results
/// @pre    the ranges are accessible where `policy` runs; `out` is not of a vector<bool>; on the device keys and values are as in
///         `reduce`
/// @note   on the device the call is enqueued and returns; it may be captured into a CUDA graph
/// @complexity  one pass over keys and values. Scratch on the device: for each tile of 16 KiB of values, 8 bytes per 4 bytes of a
///              value
/// @throws invalid_argument  null range or `out`, `keys_last < keys_first`, memory the device cannot reach, an `out` that overlaps
///                           the keys, or the values in part
/// @throws out_of_memory     no memory for the scratch; on the host, some of the output may have been written
/// @throws cuda_error        no usable GPU, or the launch failed
/// @source  Sengupta, Harris, Zhang and Owens, "Scan primitives for GPU computing" (segmented scan)
/// @snippet by_key_test.cpp scan_by_key
template <execution_policy Policy, random_access_iterator Keys, random_access_iterator Values, class Output,
          class Equal = equal_to, class Op = plus>
Output inclusive_scan_by_key(const Policy& policy, Keys keys_first, Keys keys_last, Values values_first, Output out,
                             Equal equal = {}, Op op = {})
{
    using T = detail::iter_value_t<Values>;
    return detail::scan_by_key<detail::scan_kind::inclusive, T>("parprims::inclusive_scan_by_key", policy, keys_first,
                                                                keys_last, values_first, out, nullptr, equal, op);
}

/// @brief  `inclusive_scan_by_key` of a range of keys and a range of values.
/// @throws invalid_argument  also if there are not as many values as keys
PARPRIMS_FORM_OF_KEYS_AND_VALUES(inclusive_scan_by_key)

/// @brief  Writes to `out[i]` the combination of `init` and the values of its run before i. Otherwise as `inclusive_scan_by_key`.
/// @param  init  the first result of each run; its type is the type that is combined
/// @snippet by_key_test.cpp scan_by_key
template <execution_policy Policy, random_access_iterator Keys, random_access_iterator Values, class Output, class T,
          class Equal = equal_to, class Op = plus>
Output exclusive_scan_by_key(const Policy& policy, Keys keys_first, Keys keys_last, Values values_first, Output out,
                             T init, Equal equal = {}, Op op = {})
{
    return detail::scan_by_key<detail::scan_kind::exclusive, T>("parprims::exclusive_scan_by_key", policy, keys_first,
                                                                keys_last, values_first, out, __builtin_addressof(init),
                                                                equal, op);
}

/// @brief  Fails to compile with a sentence: an exclusive scan needs `init`.
template <execution_policy Policy, random_access_iterator Keys, class Values, class Output>
auto exclusive_scan_by_key(const Policy&, const Keys&, const Keys&, const Values&, const Output&)
{
    static_assert(detail::never<Policy>,
                  "parprims: exclusive_scan_by_key needs init: its arguments are policy, keys, values, out, init, "
                  "equal, op");
    return detail::no_result{};
}

/// @brief  `exclusive_scan_by_key` of a range of keys and a range of values.
/// @throws invalid_argument  also if there are not as many values as keys
PARPRIMS_FORM_OF_KEYS_AND_VALUES(exclusive_scan_by_key)

/// @brief  Reduces each run of equal keys: writes its first key to `keys_out` and the combination of its values to `values_out`.
///
/// Runs are those of `inclusive_scan_by_key`. For the lengths of runs alone there is `run_length_encode`. Floating-point results have
/// the same bits everywhere, but not those of the last results of `inclusive_scan_by_key`, whose order differs.
///
/// @param  values_first  as many values as there are keys
/// @param  keys_out, values_out  need room for the results, at most as many as there are keys. The results must not overlap the input
///         or each other.
/// @param  equal  whether two keys are equal; called with neighbouring keys
/// @param  op     as for `inclusive_scan`, also `exact_plus`
/// @return the number of runs
/// @pre    the ranges are accessible where `policy` runs; `keys_out` and `values_out` are not of a vector<bool>; on the device keys
///         and values are as in `reduce`
/// @note   returns when the number of runs is known; the results are there in stream order
/// @complexity  one pass over keys and values; scratch as for `inclusive_scan_by_key`
/// @throws invalid_argument  null range or output, `keys_last < keys_first`, memory the device cannot reach, a stream that is being
///                           captured; results that overlap the input or each other: after they are written, where only their
///                           number shows it
/// @throws out_of_memory, cuda_error  as `inclusive_scan_by_key`
/// @source  as `inclusive_scan_by_key`
/// @snippet by_key_test.cpp reduce_by_key
template <execution_policy Policy, random_access_iterator Keys, random_access_iterator Values, class KeysOut,
          class ValuesOut, class Equal = equal_to, class Op = plus>
std::size_t reduce_by_key(const Policy& policy, Keys keys_first, Keys keys_last, Values values_first, KeysOut keys_out,
                          ValuesOut values_out, Equal equal = {}, Op op = {})
{
    return detail::reduce_by_key("parprims::reduce_by_key", policy, keys_first, keys_last, values_first, keys_out,
                                 values_out, equal, op);
}

/// @brief  `reduce_by_key` of a range of keys and a range of values.
/// @throws invalid_argument  also if there are not as many values as keys
PARPRIMS_FORM_OF_KEYS_AND_VALUES(reduce_by_key)

/// @brief  `reduce_by_key` that writes the number of runs to `*count`.
///
/// @param  count  an integer of 32 or 64 bits, float or double, or what takes a `std::size_t`
/// @pre    `count` is writable where `policy` runs, and overlaps neither the input nor the results; otherwise as `reduce_by_key`
/// @note   on the device the call is enqueued and returns; it may be captured into a CUDA graph
/// @throws invalid_argument  null range, output or `count`, `keys_last < keys_first`, more keys than `*count` can count, memory the device
///                           cannot reach; results that overlap the input or each other, but not on the device where only
///                           their number, which the call does not wait for, would show it
/// @throws out_of_memory, cuda_error  as `inclusive_scan_by_key`
/// @snippet by_key_test.cpp reduce_by_key_into
template <execution_policy Policy, random_access_iterator Keys, random_access_iterator Values, class KeysOut,
          class ValuesOut, class Count, class Equal = equal_to, class Op = plus>
void reduce_by_key_into(const Policy& policy, Keys keys_first, Keys keys_last, Values values_first, KeysOut keys_out,
                        ValuesOut values_out, Count count, Equal equal = {}, Op op = {})
{
    detail::reduce_by_key("parprims::reduce_by_key_into", policy, keys_first, keys_last, values_first, keys_out,
                          values_out, equal, op, count);
}

/// @brief  `reduce_by_key_into` of a range of keys and a range of values.
/// @throws invalid_argument  also if there are not as many values as keys
PARPRIMS_FORM_OF_KEYS_AND_VALUES(reduce_by_key_into)

}  // namespace parprims

#include <parprims/detail/pop_macros.hpp>
