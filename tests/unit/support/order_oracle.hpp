/// @file
/// @brief  The order contract, written down serially from its definition in parprims/detail/contract/order.hpp, to compare with.
#pragma once

#include <parprims/detail/contract/order.hpp>

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace order_oracle {

using parprims::detail::scan_kind;

/// The elements as they enter. Not inlined: no transform may be fused with the operator that comes after it.
template <class T, class Iterator, class Transform>
[[gnu::noinline]] std::vector<T> transformed(Iterator first, std::size_t n, Transform transform)
{
    std::vector<T> elements;
    elements.reserve(n);
    for (std::size_t i = 0; i < n; ++i)
        elements.push_back(static_cast<T>(transform(*(first + static_cast<std::ptrdiff_t>(i)))));
    return elements;
}

/// The tree over the bits of the index, lowest bit first.
template <class T, class Op>
T tree(std::vector<T> values, Op op)
{
    for (std::size_t d = 1; d < values.size(); d *= 2)
        for (std::size_t e = 0; e + d < values.size(); e += 2 * d)
            values[e] = static_cast<T>(op(values[e], values[e + d]));
    return values.front();
}

template <class Value, class Iterator, class T, class Op, class Transform>
T reduce(Iterator first, std::size_t n, T init, Op op, Transform transform)
{
    constexpr std::size_t row = parprims::detail::order::row<Value>;
    constexpr std::size_t chunk = parprims::detail::order::chunk<Value>;
    const std::vector<T> x = transformed<T>(first, n, transform);
    std::vector<T> chunks;
    std::vector<T> columns;
    for (std::size_t i = 0; i < n; ++i) {
        const std::size_t inside = i % chunk;
        if (inside < row)
            columns.push_back(x[i]);
        else
            columns[inside % row] = static_cast<T>(op(columns[inside % row], x[i]));
        if (inside == chunk - 1 || i == n - 1) {
            chunks.push_back(tree(columns, op));
            columns.clear();
        }
    }
    return n == 0 ? init : static_cast<T>(op(init, tree(chunks, op)));
}

template <class T, class Op>
std::vector<T> hillis_steele(std::vector<T> values, Op op)
{
    for (std::size_t d = 1; d < values.size(); d *= 2) {
        const std::vector<T> before = values;
        for (std::size_t l = d; l < values.size(); ++l)
            values[l] = static_cast<T>(op(before[l - d], before[l]));
    }
    return values;
}

/// op(a, b), absent parts left out.
template <class T, class Op>
std::optional<T> then(const std::optional<T>& a, const std::optional<T>& b, Op op)
{
    if (a && b)
        return static_cast<T>(op(*a, *b));
    return a ? a : b;
}

/// The answers of one tile, and its aggregate.
template <class T>
struct tile_answers {
    std::vector<T> answers;
    std::optional<T> aggregate;
};

template <scan_kind Kind, class T, class Op>
tile_answers<T> scan_tile(const std::vector<T>& x, const std::optional<T>& prefix, Op op)
{
    constexpr std::size_t items = parprims::detail::order::lane_items<T>;
    constexpr std::size_t row = parprims::detail::order::row<T>;
    std::vector<T> t;  // the running totals inside the lanes
    for (std::size_t i = 0; i < x.size(); ++i)
        t.push_back(i % items == 0 ? x[i] : static_cast<T>(op(t[i - 1], x[i])));

    std::vector<std::vector<T>> S;
    std::vector<T> row_totals;
    for (std::size_t begin = 0; begin < x.size(); begin += row) {
        const std::size_t end = begin + row < x.size() ? begin + row : x.size();
        std::vector<T> lane_totals;
        for (std::size_t i = begin; i < end; ++i)
            if (i % items == items - 1 || i == end - 1)
                lane_totals.push_back(t[i]);
        S.push_back(hillis_steele(lane_totals, op));
        row_totals.push_back(S.back().back());
    }
    const std::vector<T> Q = hillis_steele(row_totals, op);

    tile_answers<T> tile;
    for (std::size_t i = 0; i < x.size(); ++i) {
        const std::size_t r = i / row;
        const std::size_t lane = i % row / items;
        std::optional<T> rows_before, lanes_before, inside;
        if (r > 0)
            rows_before = Q[r - 1];
        if (lane > 0)
            lanes_before = S[r][lane - 1];
        if (Kind == scan_kind::inclusive)
            inside = t[i];
        else if (i % items > 0)
            inside = t[i - 1];
        tile.answers.push_back(*then(then(then(prefix, rows_before, op), lanes_before, op), inside, op));
    }
    tile.aggregate = Q.back();
    return tile;
}

/// An exclusive scan has an init.
template <scan_kind Kind, class T, class Iterator, class Op, class Transform>
std::vector<T> scan(Iterator first, std::size_t n, std::optional<T> init, Op op, Transform transform)
{
    constexpr std::size_t tile = parprims::detail::order::tile<T>;
    constexpr std::size_t group_tiles = parprims::detail::order::group_tiles;
    const std::vector<T> x = transformed<T>(first, n, transform);
    std::vector<T> answers;
    std::optional<T> anchor = init;
    std::vector<T> aggregates;  // of the earlier tiles of the group
    for (std::size_t begin = 0; begin < n; begin += tile) {
        if (aggregates.size() == group_tiles) {
            anchor = then(anchor, std::optional<T>(tree(aggregates, op)), op);
            aggregates.clear();
        }
        const std::size_t end = begin + tile < n ? begin + tile : n;
        const std::vector<T> values(x.begin() + static_cast<std::ptrdiff_t>(begin),
                                    x.begin() + static_cast<std::ptrdiff_t>(end));
        std::optional<T> fold;
        if (!aggregates.empty())
            fold = tree(aggregates, op);
        const tile_answers<T> scanned = scan_tile<Kind>(values, then(anchor, fold, op), op);
        answers.insert(answers.end(), scanned.answers.begin(), scanned.answers.end());
        aggregates.push_back(*scanned.aggregate);
    }
    return answers;
}

}  // namespace order_oracle
