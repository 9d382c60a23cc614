/// @file
/// @brief  The scan of the order contract over the slices of all ranks, on the CPU: two passes over the input.
#pragma once

#include <parprims/detail/arguments.hpp>
#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/host/parallel.hpp>
#include <parprims/detail/host/scan.hpp>
#include <parprims/detail/host/sequence.hpp>
#include <parprims/detail/ranks/session.hpp>
#include <parprims/detail/ranks/slices.hpp>
#include <parprims/detail/uninitialized.hpp>
#include <parprims/functional.hpp>

#include <cstddef>
#include <cstring>
#include <utility>

namespace parprims::detail::ranks {

/// Moves over the aggregates of tiles and groups, in order, to where the next tile starts.
template <class T, class Op>
class scan_position {
public:
    scan_position(const T* init, Op& op) : op_(op)
    {
        if (init != nullptr)
            start_.anchor.emplace(*init);
    }

    /// `total`: of the next tile, or of the `tiles` tiles of the next group.
    void pass(const T& total, std::size_t tiles)
    {
        if (tiles == order::group_tiles)
            return pass_group(total);
        start_.aggregates.push_back(total);
        if (start_.aggregates.size() == order::group_tiles) {
            pass_group(fold());
            start_.aggregates.clear();
        }
    }

    /// What comes before the next tile.
    host::optional<T> prefix()
    {
        if (start_.aggregates.size() == 0)
            return start_.anchor;
        return after(fold());
    }

    const host::scan_start<T>& start() const { return start_; }

private:
    T fold()
    {
        host::tree_fold<T> tree;
        for (const T& aggregate : start_.aggregates)
            tree.push(aggregate, op_);
        return tree.total(op_);
    }
    T after(const T& value) { return start_.anchor ? static_cast<T>(op_(*start_.anchor, value)) : value; }
    void pass_group(const T& total) { start_.anchor.emplace(after(total)); }

    Op& op_;
    host::scan_start<T> start_;
};

/// Writes the results of this rank's slice.
template <scan_kind Kind, class T, class Communicator, class Iterator, class Output, class Op, class Transform>
void scan(const char* function, unsigned threads, Communicator& communicator, Iterator first, Iterator last, Output out,
          const T* init, Op op, Transform transform)
{
    constexpr std::size_t tile = order::tile<T>;
    constexpr auto never_streamed = static_cast<std::size_t>(-1);
    session all(function, communicator, types_of<iter_value_t<Iterator>, T, Op>());
    all.begin(
        [&] {
            const std::size_t n = detail::checked_count(function, first, last);
            detail::check_output(function, "out", out, n);
            detail::check_in_place(function, out, first, n);
            return n;
        },
        init != nullptr);

    // 1. Each rank folds the complete groups of its slice, and the tiles that are in no complete group.
    slices<T, session<Communicator>> input(all, tile, [](std::size_t begin, std::size_t end) {
        const std::size_t tiles = order::subtree_leaves(begin, end, order::group_tiles);
        return tiles == order::group_tiles ? tiles : 1;
    });
    all.together([&] {
        input.prepare();
        input.copy_ends(first, transform);
        const slice& own_slice = input.own_slice();
        host::sequence<std::pair<std::size_t, std::size_t>> pieces;
        input.for_each_of_mine([&](std::size_t begin, std::size_t tiles) { pieces.push_back({begin, tiles}); });
        const Iterator tiles = first + static_cast<std::ptrdiff_t>(own_slice.head);
        host::parallel_for(threads, pieces.size(), [&](std::size_t i) {
            host::tile_scanner<Kind, T, Iterator, Output, Op, Transform> scanner(tiles, own_slice.blocks * tile, out,
                                                                                 op, transform, 1, never_streamed);
            host::tree_fold<T> tree;
            const std::size_t begin = pieces[i].first - own_slice.first;
            for (std::size_t t = begin; t < begin + pieces[i].second; ++t)
                tree.push(scanner.fold_rows(t, 0), scanner.op());
            input.totals()[i] = tree.total(scanner.op());
        });
    });
    input.exchange();

    // 2. Each rank knows what comes before its slice, and scans it.
    all.together([&] {
        const std::size_t n = all.n(all.rank());
        if (n == 0)
            return;
        host::sequence<uninitialized<T>> results(tile);
        auto* const result = reinterpret_cast<T*>(results.data());
        const auto scanner_of = [&](const T* elements, std::size_t count) {
            return host::tile_scanner<Kind, T, const T*, T*, Op, identity>(elements, count, result, op, identity{}, 1,
                                                                           never_streamed);
        };
        scan_position<T, Op> position(init, op);
        const auto fold = [&](const T* x, std::size_t count) { return scanner_of(x, count).fold_rows(0, 0); };
        const auto pass = [&](const T& total, std::size_t tiles) { position.pass(total, tiles); };
        const std::size_t before = input.join(all.rank(), fold, pass);

        // The tile that the ranks before have begun. No other tile of the slice needs their elements.
        std::size_t head = 0;
        if (before != 0) {
            head = input.own_slice().head;
            std::memcpy(static_cast<void*>(input.shared_block() + before), input.head(), head * sizeof(T));
            auto scanner = scanner_of(input.shared_block(), before + head);
            const T aggregate = scanner.fold_rows(0, 0);
            scanner.scan_rows(0, 0, position.prefix());
            for (std::size_t i = 0; i < head; ++i)
                *(out + static_cast<std::ptrdiff_t>(i)) = result[before + i];
            position.pass(aggregate, 1);
        }
        const Iterator rest = first + static_cast<std::ptrdiff_t>(head);
        const Output rest_out = out + static_cast<std::ptrdiff_t>(head);
        host::scan<Kind>(threads, rest, n - head, rest_out, position.start(), op, transform);
    });
}

}  // namespace parprims::detail::ranks
