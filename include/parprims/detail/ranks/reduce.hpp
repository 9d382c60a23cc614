/// @file
/// @brief  The reduction of the order contract, and exact sums, over the slices of all ranks, on the CPU.
#pragma once

#include <parprims/detail/arguments.hpp>
#include <parprims/detail/contract/exact_terms.hpp>
#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/host/exact.hpp>
#include <parprims/detail/host/reduce.hpp>
#include <parprims/detail/iterator/traits.hpp>
#include <parprims/detail/ranks/session.hpp>
#include <parprims/detail/ranks/slices.hpp>
#include <parprims/functional.hpp>
#include <parprims/stream.hpp>

#include <cstddef>
#include <cstdint>

namespace parprims::detail::ranks {

/// Writes `op(init, total)` to `*out` on every rank.
template <class T, class Communicator, class Iterator, class Output, class Op, class Transform>
void reduce_into(const char* function, unsigned threads, Communicator& communicator, Iterator first, Iterator last,
                 Output out, T init, Op op, Transform transform)
{
    using Value = iter_value_t<Iterator>;
    session all(function, communicator, types_of<Value, T, Op>());
    all.begin([&] {
        detail::check_output(function, "out", out, 1);
        return detail::checked_count(function, first, last);
    });

    // 1. Each rank folds the chunks of its slice to as few subtrees of the whole tree as they have.
    slices<T, session<Communicator>> input(all, order::chunk<Value>, [](std::size_t begin, std::size_t end) {
        return order::subtree_leaves(begin, end, end);
    });
    all.together([&] {
        input.prepare();
        input.copy_ends(first, transform);
        const slice& own_slice = input.own_slice();
        const Iterator chunks = first + static_cast<std::ptrdiff_t>(own_slice.head);
        const auto tree = host::fold_chunks<T>(threads, chunks, own_slice.first, own_slice.blocks, op, transform);
        for (std::size_t i = 0; i < tree.totals().size(); ++i)
            input.totals()[i] = tree.totals()[i];
    });
    input.exchange();

    // 2. Each rank finishes the same tree.
    all.together([&] {
        host::value_array<T, order::row<Value>> columns;
        host::value_array<T, order::row<Value>> elements;
        host::tree_fold<T> tree;
        identity as_is;
        const auto fold = [&](const T* x, std::size_t n) {
            return host::fold_chunk<Value, T>(columns, elements, x, 0, n, op, as_is);
        };
        const auto push = [&](const T& total, std::size_t chunks) { tree.push(total, op, chunks); };
        const std::size_t left = input.join(all.ranks(), fold, push);
        if (left != 0)
            push(fold(input.shared_block(), left), 1);
        *out = all.total() == 0 ? init : static_cast<T>(op(init, tree.total(op)));
    });
}

/// Writes init + the sum of all terms, rounded once, to `*out` on every rank.
template <class T, class Communicator, class Iterator, class Output, class Transform>
void exact_sum_into(const char* function, unsigned threads, Communicator& communicator, Iterator first, Iterator last,
                    Output out, T init, Transform transform)
{
    using terms = exact::terms<iter_value_t<Iterator>, Transform>;
    session all(function, communicator, types_of<iter_value_t<Iterator>, T, terms>());
    all.begin([&] {
        detail::check_output(function, "out", out, 1);
        return detail::checked_count(function, first, last);
    });
    numeric::exact_sum<terms::limbs.lowest, terms::limbs.highest> total;
    std::uint64_t words[decltype(total)::words] = {};
    all.together([&] {
        total = host::exact_total(threads, first, all.n(all.rank()), transform);
        total.write(words);
    });
    communicator.all_reduce(words, decltype(total)::words, stream_view());
    all.together([&] {
        total.read(words);
        *out = all.total() == 0 ? init : host::rounded_sum(init, total);
    });
}

}  // namespace parprims::detail::ranks
