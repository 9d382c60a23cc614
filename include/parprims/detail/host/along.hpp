/// @file
/// @brief  Reductions of the lines of an array on the threads of the host.
#pragma once

#include <parprims/detail/contract/lines.hpp>
#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/host/optional.hpp>
#include <parprims/detail/host/parallel.hpp>
#include <parprims/detail/host/reduce.hpp>
#include <parprims/detail/host/sequence.hpp>
#include <parprims/detail/host/values.hpp>
#include <parprims/detail/iterator/traits.hpp>
#include <parprims/detail/numeric/integers.hpp>

#include <cstddef>
#include <type_traits>

namespace parprims::detail::host {

/// Neighbouring lines that a thread reduces together: the accumulators of a row of them stay in the L1 cache.
template <class Value, class T>
inline constexpr std::size_t tile_lines = order::power_of_two_within(32 * 1024, order::row<Value> * sizeof(T), 64);

/// Neighbouring lines: all in the last dimension of the lines.
struct line_tile {
    std::ptrdiff_t first;  // offset of the first element of the first line
    std::ptrdiff_t step;   // from line to line
    std::size_t lines;
};

/// Folds the tree over rows of `lines` values, row e from `values[e * lines]` on, to the first row.
template <class T, class Values, class Op>
void fold_rows(Values& values, std::size_t rows, std::size_t lines, Op& op)
{
    for (std::size_t d = 1; d < rows; d *= 2)
        for (std::size_t e = 0; e + d < rows; e += 2 * d)
            for (std::size_t w = 0; w < lines; ++w)
                values[e * lines + w] = static_cast<T>(op(values[e * lines + w], values[(e + d) * lines + w]));
}

/// Folds elements [begin, begin + n), one chunk, of each line of a tile. The totals are in `columns`.
template <class T, class Columns, class Iterator, class Op, class Transform>
void fold_chunk_of_lines(Columns& columns, Columns& elements, Iterator first, const line_tile& tile,
                         const dimension_list& line, std::size_t begin, std::size_t n, Op& op, Transform& transform)
{
    constexpr std::size_t row = order::row<iter_value_t<Iterator>>;
    constexpr bool is_separate = may_fuse<T, Iterator, Transform>;
    const std::size_t lines = tile.lines;
    for (std::size_t i = 0; i < n; ++i) {
        const Iterator from = first + (tile.first + line.offset(begin + i));
        const auto element = [&](std::size_t w) {
            return host::element<T>(from, w * static_cast<std::size_t>(tile.step), transform);
        };
        if (i < row) {
            for (std::size_t w = 0; w < lines; ++w)
                columns.set(i * lines + w, element(w));
            continue;
        }
        const std::size_t at = i % row * lines;
        if constexpr (is_separate) {
            for (std::size_t w = 0; w < lines; ++w)
                elements.set(w, element(w));
            numeric::separate(elements.data());
            for (std::size_t w = 0; w < lines; ++w)
                columns[at + w] = static_cast<T>(op(columns[at + w], elements[w]));
        } else if (std::is_pointer_v<Iterator> && tile.step == 1) {  // a loop of its own, which vectorises
            for (std::size_t w = 0; w < lines; ++w)
                columns[at + w] = static_cast<T>(op(columns[at + w], host::element<T>(from, w, transform)));
        } else {
            for (std::size_t w = 0; w < lines; ++w)
                columns[at + w] = static_cast<T>(op(columns[at + w], element(w)));
        }
    }
    if constexpr (is_separate)
        numeric::separate(columns.data());
    host::fold_rows<T>(columns, smaller_of(n, row), lines, op);
}

/// Folds the chunks [begin, end) of the lines of a tile, an aligned subtree, and calls `set(w, total)` for each line.
template <class T, class Iterator, class Op, class Transform, class Set>
void fold_tile(Iterator first, const line_tile& tile, const dimension_list& line, std::size_t begin, std::size_t end,
               Op op, Transform transform, const Set& set)
{
    using Value = iter_value_t<Iterator>;
    constexpr std::size_t chunk = order::chunk<Value>;
    using columns_type = value_array<T, order::row<Value> * tile_lines<Value, T>>;
    columns_type columns, elements;
    const std::size_t length = line.size();
    sequence<tree_fold<T>> trees(end - begin == 1 ? 0 : tile.lines);
    for (std::size_t c = begin; c < end; ++c) {
        host::fold_chunk_of_lines<T>(columns, elements, first, tile, line, c * chunk,
                                     smaller_of(chunk, length - c * chunk), op, transform);
        if (end - begin == 1)
            break;
        for (std::size_t w = 0; w < tile.lines; ++w)
            trees[w].push(columns[w], op);
    }
    for (std::size_t w = 0; w < tile.lines; ++w)
        set(w, end - begin == 1 ? columns[w] : trees[w].total(op));
}

/// The elements of a line of several dimensions.
template <class Iterator>
struct line_elements {
    using value_type = iter_value_t<Iterator>;

    Iterator first;
    const dimension_list* line;
    std::ptrdiff_t position = 0;

    decltype(auto) operator*() const { return *(first + line->offset(static_cast<std::size_t>(position))); }
    line_elements operator+(std::ptrdiff_t distance) const { return {first, line, position + distance}; }
};

/// Writes the reduction of each line to the output.
template <class T, class Iterator, class Output, class Op, class Transform>
void reduce_along(unsigned threads, const array_lines& array, Iterator first, Output out, const T& init, Op op,
                  Transform transform)
{
    using Value = iter_value_t<Iterator>;
    constexpr std::size_t chunk = order::chunk<Value>;
    const dimension_list& line = array.line;
    const std::size_t lines = array.lines.size();
    const std::size_t length = line.size();
    const auto set = [&](std::size_t l, const T& value) { *(out + array.lines.out_offset(l)) = value; };
    const auto finish = [&](Op& combine, std::size_t l, const T& total) {
        set(l, static_cast<T>(combine(init, total)));
    };

    if (lines == 0)
        return;
    if (length == 0) {
        for (std::size_t l = 0; l < lines; ++l)
            set(l, init);
        return;
    }
    // Few lines, or one alone that has no neighbour: one after the other, each by all threads.
    const bool is_contiguous = line.count == 1 && line.stride() == 1;
    const std::size_t chunks = order::ceil_div(length, chunk);
    if (lines == 1 || (is_contiguous && lines < concurrency(threads) && chunks > 16)) {
        for (std::size_t l = 0; l < lines; ++l) {
            const Iterator from = first + array.lines.offset(l);
            if (is_contiguous)
                set(l, host::reduce<T>(threads, from, length, init, op, transform));
            else
                set(l, host::reduce<T>(threads, line_elements<Iterator>{from, &line}, length, init, op, transform));
        }
        return;
    }
    // Contiguous lines: one after the other, each by one thread.
    if (is_contiguous) {
        const std::size_t most = larger_of<std::size_t>((std::size_t{1} << 16) / length, 1);  // of a task
        parallel_for(threads, order::ceil_div(lines, most), [&](std::size_t task) {
            Op combine = op;
            for (std::size_t l = task * most; l < smaller_of(lines, (task + 1) * most); ++l)
                finish(combine, l, host::fold_subtree<T>(first + array.lines.offset(l), 0, length, combine, transform));
        });
        return;
    }
    // Tiles of neighbouring lines, if need be in several parts, aligned subtrees of the chunks.
    const std::size_t neighbours = array.lines.count == 0 ? 1 : array.lines.at[array.lines.count - 1].extent;
    constexpr std::size_t width = tile_lines<Value, T>;
    const std::size_t tiles_of_run = order::ceil_div(neighbours, width);
    const std::size_t tiles = lines / neighbours * tiles_of_run;
    std::size_t part = 1;  // chunks
    while (part < chunks && tiles * order::ceil_div(chunks, part) > std::size_t{8} * concurrency(threads))
        part *= 2;
    const std::size_t parts = order::ceil_div(chunks, part);
    sequence<optional<T>> partials(parts == 1 ? 0 : parts * lines);
    parallel_for(threads, tiles * parts, [&](std::size_t task) {
        const std::size_t tile = task / parts, p = task % parts;
        const std::size_t begin = tile / tiles_of_run * neighbours + tile % tiles_of_run * width;
        const std::size_t count = smaller_of(width, neighbours - tile % tiles_of_run * width);
        Op combine = op;
        host::fold_tile<T>(first, {array.lines.offset(begin), array.lines.stride(), count}, line, p * part,
                           smaller_of(chunks, (p + 1) * part), op, transform, [&](std::size_t w, const T& total) {
                               if (parts == 1)
                                   finish(combine, begin + w, total);
                               else
                                   partials[(begin + w) * parts + p].emplace(total);
                           });
    });
    if (parts == 1)
        return;
    for (std::size_t l = 0; l < lines; ++l) {
        tree_fold<T> tree;
        for (std::size_t p = 0; p < parts; ++p)
            tree.push(*partials[l * parts + p], op);
        finish(op, l, tree.total(op));
    }
}

}  // namespace parprims::detail::host
