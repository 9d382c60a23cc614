/// @file
/// @brief  Scans and reductions by key, written down serially from the definition in parprims/detail/contract/keyed.hpp, to compare with.
#pragma once

#include <parprims/detail/contract/keyed.hpp>
#include <parprims/functional.hpp>

#include "data.hpp"
#include "order_oracle.hpp"
#include "values.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace by_key_oracle {

using parprims::detail::keyed;
using parprims::detail::scan_kind;

/// Pairs of values and heads, combined as detail/contract/keyed.hpp says.
template <class Op>
struct pair_op {
    template <class Pair>
    Pair operator()(const Pair& a, const Pair& b) const
    {
        return {b.heads > 0 ? b.value : static_cast<decltype(a.value)>(Op{}(a.value, b.value)), a.heads + b.heads};
    }
};

template <class K, class T>
struct results {
    std::vector<T> inclusive;
    std::vector<T> exclusive;
    std::vector<K> keys;  // of the runs
    std::vector<T> totals;
};

/// The results that the order contract demands of a short input, or of a longer one: one after the other.
template <bool IsShort, class K, class T, class Equal, class Op>
results<K, T> run_as(const std::vector<K>& keys, const std::vector<T>& values, T init, Equal equal, Op op)
{
    using pair = keyed<T, std::size_t, IsShort>;
    const std::size_t n = keys.size();
    std::vector<pair> pairs;
    for (std::size_t i = 0; i < n; ++i)
        pairs.push_back({values[i], i == 0 || !equal(keys[i - 1], keys[i]) ? 1u : 0u});
    const auto scan = [&]<scan_kind Kind>(std::optional<pair> start) {
        return order_oracle::scan<Kind, pair>(pairs.begin(), n, start, pair_op<Op>{}, parprims::identity{});
    };
    const auto inclusive = scan.template operator()<scan_kind::inclusive>(std::nullopt);
    const auto before = scan.template operator()<scan_kind::exclusive>(pair{init, 0});
    results<K, T> all;
    for (std::size_t i = 0; i < n; ++i) {
        const bool is_head = pairs[i].heads == 1;
        all.inclusive.push_back(inclusive[i].value);
        all.exclusive.push_back(is_head ? init : static_cast<T>(op(init, before[i].value)));
        if (is_head)
            all.keys.push_back(keys[i]);
        if (is_head && i > 0)
            all.totals.push_back(before[i].value);
        if (i + 1 == n)
            all.totals.push_back(is_head ? values[i] : static_cast<T>(op(before[i].value, values[i])));
    }
    return all;
}

/// The results of any input: one of at most 2 MiB of values is short, if a value has at most 16 bytes.
template <class K, class T, class Equal, class Op>
results<K, T> run(const std::vector<K>& keys, const std::vector<T>& values, T init, Equal equal, Op op)
{
    return sizeof(T) <= 16 && keys.size() * sizeof(T) <= std::size_t{2} * 1024 * 1024
               ? run_as<true>(keys, values, init, equal, op)
               : run_as<false>(keys, values, init, equal, op);
}

}  // namespace by_key_oracle
