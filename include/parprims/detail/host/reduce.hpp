/// @file
/// @brief  The reduction of the order contract on the threads of the host.
#pragma once

#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/host/optional.hpp>
#include <parprims/detail/host/parallel.hpp>
#include <parprims/detail/host/sequence.hpp>
#include <parprims/detail/host/simd.hpp>
#include <parprims/detail/host/values.hpp>
#include <parprims/detail/iterator/traits.hpp>
#include <parprims/detail/numeric/integers.hpp>

#include <cstddef>

namespace parprims::detail::host {

inline constexpr std::size_t min_subtree_bytes = 128 * 1024;  ///< folding less is cheaper than starting a task
inline constexpr std::size_t max_subtree_bytes = 4 * 1024 * 1024;

/// Chunks of the aligned subtree that one task folds: a power of two. The result does not depend on it.
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
    constexpr bool is_separate = may_fuse<T, Iterator, Transform>;
    if constexpr (is_exact<T, Op> && !is_separate) {
        T total = host::element<T>(first, begin, transform);
        for (std::size_t e = 1; e < n; ++e)
            total = static_cast<T>(op(total, host::element<T>(first, begin + e, transform)));
        return total;
    }
    if (!is_separate && n <= row)
        return host::fold_tree<T>([&](std::size_t e) { return host::element<T>(first, begin + e, transform); }, n,
                                  columns, op);

    host::load_elements<T>(columns, first, begin, smaller_of(n, row), transform);
    for (std::size_t r = row; r < n; r += row) {
        const std::size_t width = smaller_of(n - r, row);
        if constexpr (is_separate) {
            host::load_elements<T>(elements, first, begin + r, width, transform);
            for (std::size_t e = 0; e < width; ++e)
                columns[e] = static_cast<T>(op(columns[e], elements[e]));
        } else {
            for (std::size_t e = 0; e < width; ++e)
                columns[e] = static_cast<T>(op(columns[e], host::element<T>(first, begin + r + e, transform)));
        }
    }
    return host::fold_tree<T>([&](std::size_t e) -> const T& { return columns[e]; }, smaller_of(n, row), elements, op);
}

/// Folds the `n` elements of a subtree, which begins at the border of a chunk, from `begin` on.
template <class T, class Iterator, class Op, class Transform>
T fold_subtree(Iterator first, std::size_t begin, std::size_t n, Op op, Transform transform)
{
    using Value = iter_value_t<Iterator>;
    constexpr std::size_t chunk = order::chunk<Value>;
    value_array<T, order::row<Value>> columns;
    value_array<T, order::row<Value>> elements;
    const auto fold = [&](std::size_t i) {
        return host::fold_chunk<Value, T>(columns, elements, first, begin + i, smaller_of(chunk, n - i), op, transform);
    };
    if (n < chunk)
        return fold(0);  // one chunk, so no memory for a tree
    tree_fold<T> tree;
    if constexpr (has_simd<T, Iterator, Op, Transform>) {
        if (const auto* const kernels = kernels_for<T, Op>()) {
            if (n % chunk == 0)
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

/// Folds `chunks` complete chunks from `first` on, of which the first has number `index` in the whole input, on at most `threads`
/// threads (0: all cores).
template <class T, class Iterator, class Op, class Transform>
tree_fold<T> fold_chunks(unsigned threads, Iterator first, std::size_t index, std::size_t chunks, Op op,
                         Transform transform)
{
    using Value = iter_value_t<Iterator>;
    constexpr std::size_t chunk = order::chunk<Value>;
    const std::size_t end = index + chunks;
    const std::size_t most = subtree_chunks<Value>(chunks, concurrency(threads));
    const auto leaves = [=](std::size_t begin) { return order::subtree_leaves(begin, end, most); };
    sequence<std::size_t> begins;
    for (std::size_t begin = index; begin < end; begin += leaves(begin))
        begins.push_back(begin);

    sequence<optional<T>> partials(begins.size());
    parallel_for(chunks <= most ? 1 : threads, begins.size(), [&](std::size_t i) {
        partials[i].emplace(
            host::fold_subtree<T>(first, (begins[i] - index) * chunk, leaves(begins[i]) * chunk, op, transform));
    });
    tree_fold<T> tree(index);
    for (std::size_t i = 0; i < begins.size(); ++i)
        tree.push(*partials[i], op, leaves(begins[i]));
    return tree;
}

/// Reduces `n` elements from `first` on, in the order of the order contract, on at most `threads` threads (0: all cores).
template <class T, class Iterator, class Op, class Transform>
T reduce(unsigned threads, Iterator first, std::size_t n, T init, Op op, Transform transform)
{
    using Value = iter_value_t<Iterator>;
    constexpr std::size_t chunk = order::chunk<Value>;
    if (n == 0)
        return init;
    const std::size_t chunks = order::ceil_div(n, chunk);
    if (chunks <= subtree_chunks<Value>(chunks, concurrency(threads)))
        return static_cast<T>(op(init, host::fold_subtree<T>(first, 0, n, op, transform)));

    tree_fold<T> tree = host::fold_chunks<T>(threads, first, 0, n / chunk, op, transform);
    if (n % chunk != 0)
        tree.push(host::fold_subtree<T>(first, n - n % chunk, n % chunk, op, transform), op);
    return static_cast<T>(op(init, tree.total(op)));
}

}  // namespace parprims::detail::host
