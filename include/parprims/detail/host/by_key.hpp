/// @file
/// @brief  Scans and reductions by key on the threads of the host: scans of pairs (keyed.hpp).
#pragma once

#include <parprims/detail/host/scan.hpp>
#include <parprims/detail/host/sequence.hpp>
#include <parprims/detail/host/values.hpp>
#include <parprims/detail/keyed.hpp>
#include <parprims/detail/order.hpp>
#include <parprims/functional.hpp>

#include <cstddef>
#include <type_traits>

namespace parprims::detail::host {

/// Heads of runs of equal keys.
template <class Keys, class Equal>
struct key_heads {
    Keys keys;
    Equal equal;

    /// Whether a run begins at element i.
    bool operator()(std::size_t i) const
    {
        return i == 0 || !equal(rounded_element(keys, i - 1), rounded_element(keys, i));
    }
};

/// Pairs of values and heads, as an input.
template <class Pair, class Heads, class Values>
struct pairs {
    Heads heads;
    Values values;
    std::size_t i = 0;

    pairs operator+(std::ptrdiff_t distance) const { return {heads, values, i + static_cast<std::size_t>(distance)}; }
    Pair operator*() const
    {
        return {static_cast<decltype(Pair::value)>(rounded_element(values, i)), std::size_t{heads(i) ? 1u : 0u}};
    }
};

/// An output that passes result i to `sink(i, result)`.
template <class Sink>
struct result_sink {
    const Sink* sink;
    std::size_t i = 0;

    template <class Result>
    void operator=(const Result& result) const
    {
        (*sink)(i, result);
    }
    result_sink operator+(std::ptrdiff_t distance) const { return {sink, i + static_cast<std::size_t>(distance)}; }
    const result_sink& operator*() const { return *this; }
};

/// The scan of the pairs. `start` is the first result of an exclusive one; it is combined with no value, since a run begins at the
/// first element.
template <scan_kind Kind, class T, class Heads, class Values, class Op, class Sink>
void scan_pairs(unsigned threads, const Heads& heads, const Values& values, std::size_t n, const T* start, Op op,
                const Sink& sink)
{
    const auto scan_as = [&]<class Pair>(std::type_identity<Pair>) {
        scan_start<Pair> before;
        if (start != nullptr)
            before.anchor.emplace(Pair{*start, 0});
        scan<Kind, Pair>(threads, pairs<Pair, Heads, Values>{heads, values}, n, result_sink<Sink>{&sink}, before,
                         combine_keyed<Op>{op}, identity{});
    };
    if constexpr (order::short_input<T> != 0)
        if (n <= order::short_input<T>)
            return scan_as(std::type_identity<keyed<T, std::size_t, true>>{});
    scan_as(std::type_identity<keyed<T>>{});
}

/// Scans each run from `init` on, which may be null if the scan is inclusive.
template <scan_kind Kind, class T, class Heads, class Values, class Output, class Op>
void scan_by_key(unsigned threads, const Heads& heads, const Values& values, std::size_t n, Output out, const T* init,
                 Op op)
{
    if (n == 0)
        return;
    scan_pairs<Kind, T>(threads, heads, values, n, init, op, [&](std::size_t i, const auto& result) {
        const auto set = [&](const T& value) { *(out + static_cast<std::ptrdiff_t>(i)) = value; };
        if constexpr (Kind == scan_kind::inclusive) {
            set(result.value);
        } else if (heads(i)) {
            set(*init);
        } else {
            Op combine = op;
            set(static_cast<T>(combine(*init, result.value)));
        }
    });
}

/// Scans each segment; `init` as above. Offsets ascend, and are at most n.
template <scan_kind Kind, class T, class Segments, class Values, class Output, class Op>
void segmented_scan(unsigned threads, const Segments& segments, const Values& values, Output out, const T* init, Op op)
{
    if (segments.count == 0)
        return;
    if constexpr (Segments::is_searched) {
        sequence<unsigned char> is_head(segments.n + 1);
        for (std::size_t s = 0; s <= segments.count; ++s)
            is_head[segments.begin(s)] = 1;
        const auto heads = [&](std::size_t i) { return i == 0 || is_head[i] != 0; };
        scan_by_key<Kind>(threads, heads, values, segments.n, out, init, op);
    } else {
        const auto heads = [size = segments.size](std::size_t i) { return i % size == 0; };
        scan_by_key<Kind>(threads, heads, values, segments.n, out, init, op);
    }
}

/// Writes the first key of each run and its total. Returns the number of runs.
template <class T, class Keys, class Values, class KeysOut, class ValuesOut, class Equal, class Op>
std::size_t reduce_by_key(unsigned threads, const Keys& keys, std::size_t n, const Values& values, KeysOut keys_out,
                          ValuesOut values_out, Equal equal, Op op)
{
    if (n == 0)
        return 0;
    const key_heads<Keys, Equal> heads{keys, equal};
    std::size_t count = 0;
    const T first = static_cast<T>(rounded_element(values, 0));
    const auto set = [&](std::size_t run, const T& total) { *(values_out + static_cast<std::ptrdiff_t>(run)) = total; };
    scan_pairs<scan_kind::exclusive, T>(threads, heads, values, n, &first, op, [&](std::size_t i, const auto& before) {
        const bool is_head = heads(i);
        if (is_head) {
            *(keys_out + static_cast<std::ptrdiff_t>(before.heads)) = rounded_element(keys, i);
            if (i > 0)
                set(before.heads - 1, before.value);
        }
        if (i + 1 == n) {
            count = before.heads + (is_head ? 1 : 0);
            const T last = static_cast<T>(rounded_element(values, i));
            Op combine = op;
            set(count - 1, is_head ? last : static_cast<T>(combine(before.value, last)));
        }
    });
    return count;
}

}  // namespace parprims::detail::host
