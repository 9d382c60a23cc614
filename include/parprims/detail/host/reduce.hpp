/// @file
/// @brief  The reduction of the order contract on the threads of the host.
#pragma once

#include <parprims/detail/host/optional.hpp>
#include <parprims/detail/host/parallel.hpp>
#include <parprims/detail/host/sequence.hpp>
#include <parprims/detail/host/simd.hpp>
#include <parprims/detail/host/values.hpp>
#include <parprims/detail/iterator/traits.hpp>
#include <parprims/detail/numeric/integers.hpp>
#include <parprims/detail/order.hpp>

#include <cstddef>

namespace parprims::detail::host {

inline constexpr std::size_t min_subtree_bytes = 128 * 1024;  ///< a smaller subtree takes less time than a task costs
inline constexpr std::size_t max_subtree_bytes = 4 * 1024 * 1024;

/// Chunks of the aligned subtree that a task folds: a power of two. It cannot change the result.
template <class Value>
std::size_t subtree_chunks(std::size_t chunks, unsigned threads)
{
    constexpr std::size_t chunk_bytes = order::chunk<Value> * sizeof(Value);
    const std::size_t tasks_wanted = std::size_t{8} * threads;
    std::size_t subtree = 1;
    while (subtree * chunk_bytes < min_subtree_bytes ||
           (subtree * chunk_bytes < max_subtree_bytes && chunks / subtree > tasks_wanted))
        subtree *= 2;
    return subtree;
}

/// Folds the `n` elements of one chunk from `begin` on: down the columns, then across them.
template <class Value, class T, class Columns, class Iterator, class Op, class Transform>
T fold_chunk(Columns& columns, Columns& elements, Iterator first, std::size_t begin, std::size_t n, Op& op,
             Transform& transform)
{
    constexpr std::size_t row = order::row<Value>;
    const std::size_t live = smaller_of(n, row);
    for (std::size_t e = 0; e < live; ++e)
        columns.set(e, element<T>(first, begin + e, transform));
    if constexpr (may_fuse<T, Iterator, Transform>)
        numeric::separate(columns.data());
    for (std::size_t r = row; r < n; r += row) {
        const std::size_t width = smaller_of(n - r, row);
        if constexpr (may_fuse<T, Iterator, Transform>) {
            for (std::size_t e = 0; e < width; ++e)
                elements.set(e, element<T>(first, begin + r + e, transform));
            numeric::separate(elements.data());
            for (std::size_t e = 0; e < width; ++e)
                columns[e] = static_cast<T>(op(columns[e], elements[e]));
        } else {
            for (std::size_t e = 0; e < width; ++e)
                columns[e] = static_cast<T>(op(columns[e], element<T>(first, begin + r + e, transform)));
        }
    }
    for (std::size_t d = 1; d < live; d *= 2)
        for (std::size_t e = 0; e + d < live; e += 2 * d)
            columns[e] = static_cast<T>(op(columns[e], columns[e + d]));
    return columns[0];
}

/// Folds the `n` elements of a subtree, which starts with a chunk, from `begin` on.
template <class T, class Iterator, class Op, class Transform>
T fold_subtree(Iterator first, std::size_t begin, std::size_t n, Op op, Transform transform)
{
    using Value = iter_value_t<Iterator>;
    constexpr std::size_t chunk = order::chunk<Value>;
    value_array<T, order::row<Value>> columns;
    value_array<T, order::row<Value>> elements;
    const auto fold = [&](std::size_t i) {
        return fold_chunk<Value, T>(columns, elements, first, begin + i, smaller_of(chunk, n - i), op, transform);
    };
    tree_fold<T> tree;
    if constexpr (has_simd<T, Iterator, Op, Transform>) {
        if (const auto* const kernels = kernels_for<T, Op>()) {
            if (n > 0 && n % chunk == 0)
                return kernels->fold_chunks(first + begin, n / chunk);
            for (std::size_t i = 0; i < n; i += chunk)
                tree.push(n - i < chunk ? fold(i) : kernels->fold_chunks(first + begin + i, 1), op);
            return tree.total(op);
        }
    }
    for (std::size_t i = 0; i < n; i += chunk)
        tree.push(fold(i), op);
    return tree.total(op);
}

/// Reduces `n` elements from `first` on, in the order of the order contract, on at most `threads` threads (0: all cores).
template <class T, class Iterator, class Op, class Transform>
T reduce(unsigned threads, Iterator first, std::size_t n, T init, Op op, Transform transform)
{
    using Value = iter_value_t<Iterator>;
    if (n == 0)
        return init;
    const std::size_t subtree_elements =
        order::chunk<Value> * subtree_chunks<Value>(order::ceil_div(n, order::chunk<Value>), concurrency(threads));
    const std::size_t subtrees = order::ceil_div(n, subtree_elements);
    if (subtrees == 1)
        return static_cast<T>(op(init, fold_subtree<T>(first, 0, n, op, transform)));

    sequence<optional<T>> partials(subtrees);
    parallel_for(threads, subtrees, [&](std::size_t i) {
        const std::size_t begin = i * subtree_elements;
        partials[i].emplace(fold_subtree<T>(first, begin, smaller_of(subtree_elements, n - begin), op, transform));
    });
    tree_fold<T> tree;
    for (const auto& partial : partials)
        tree.push(*partial, op);
    return static_cast<T>(op(init, tree.total(op)));
}

}  // namespace parprims::detail::host
