/// @file
/// @brief  The kernels of a reduction over several ranks: one folds the chunks of a slice, one finishes the tree of all slices.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/device/ranks/message.hpp>
#include <parprims/detail/device/ranks/tuning.hpp>
#include <parprims/detail/device/reduce/tuning.hpp>
#include <parprims/detail/device/tree/chunks.hpp>
#include <parprims/detail/device/tree/ticket.hpp>
#include <parprims/detail/device/tree/warp_tree.hpp>
#include <parprims/detail/ranks/division.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <cstddef>
#include <type_traits>

namespace parprims::detail::device {

/// Folds the complete chunks of a slice to as few aligned subtrees of the whole tree as they have, and writes the message.
///
/// A block folds subtrees of at most `unit` chunks, its warps a chunk each at a time. The last block folds those of `unit` chunks
/// further, 32 * `lane_totals` at a time.
template <class Input, class T, class Op, class Transform>
struct rank_fold_kernel {
    using chunks_type = reduce_chunks<Input, T, Op, Transform>;
    using value_type = typename Input::value_type;
    static constexpr std::size_t chunk = chunks_type::chunk;
    using messages_type = rank_messages<T, value_type, chunk>;

    static constexpr unsigned max_threads = max_reduce_threads;
    static constexpr unsigned lane_totals = rank_lane_totals<T>;
    static constexpr std::size_t leaf = std::size_t{lane_totals} * simt::warp_size;
    static constexpr unsigned max_totals = max_rank_totals<T>;  // of chunks, between two barriers
    static constexpr unsigned max_unit = max_totals / 2;

    struct shared_storage {
        uninitialized<T> totals[max_totals];  // of chunks, subtree by subtree
        uninitialized<T> tail;                // not used: all chunks are complete
        bool is_last;
    };

    Input slice_input;
    chunks_type chunks;  // those that are complete
    ranks::slice own_slice;
    unsigned unit_bits;  // `unit` is 2^unit_bits, at most max_unit
    messages_type messages;
    uninitialized<T>* totals;  // of subtrees of `unit` chunks; after them, of the larger ones that the last block folds
    unsigned* ticket;

    /// Values that `totals` has room for.
    static constexpr std::size_t totals_of(std::size_t units) { return units + units / (leaf - 1) + 64; }

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage& shared) const
    {
        messages.write_ends(block, own_slice, [&](std::size_t i) -> value_type { return slice_input[i]; });
        if (own_slice.blocks == 0)
            return;

        // 1. Each block folds subtrees: `at_once` of them between two barriers.
        const std::size_t unit = std::size_t{1} << unit_bits;
        const ranks::subtrees trees(own_slice.first, own_slice.first + own_slice.blocks, unit);
        uninitialized<T>* const sent = messages_type::totals(messages.group.sent);
        std::size_t sent_begin = trees.left();
        std::size_t sent_end =
            ranks::subtrees(own_slice.first, own_slice.first + own_slice.blocks).all() - trees.right();
        const unsigned at_once = max_totals >> unit_bits;
        for (std::size_t first = block.index(); first < trees.all();) {
            const auto number_of = [&](unsigned t) { return first + t * block.count(); };
            ranks::subtrees::subtree tree{};
            unsigned tree_number =
                max_totals;  // of `tree`, which is found once: that takes longer than to fold a chunk
#pragma unroll 1
            for (unsigned entry = block.warp(); entry < max_totals; entry += block.warps()) {
                const unsigned t = entry >> unit_bits;
                if (number_of(t) >= trees.all())
                    break;
                if (t != tree_number)
                    tree = trees[number_of(t)];
                tree_number = t;
                const std::size_t place = entry & (unit - 1);
                if (place < tree.blocks)
                    chunks_type::store_total(shared.totals + entry, chunks.fold(tree.begin - own_slice.first + place, 1,
                                                                                __builtin_addressof(shared.tail)));
            }
            block.sync();
            for (unsigned t = block.warp(); t < at_once && number_of(t) < trees.all(); t += block.warps()) {
                const std::size_t i = number_of(t);
                chunks_type::store_total(place_of(i, trees, sent, totals, sent + sent_end),
                                         fold_totals<max_unit / simt::warp_size>(shared.totals + (t << unit_bits),
                                                                                 trees[i].blocks));
            }
            first = number_of(at_once);
            if (first < trees.all())
                block.sync();
        }
        if (trees.middle() == 0)
            return;

        // 2. The last block folds complete units, level by level.
        block.sync();
        const bool is_last = block.thread() == 0 && block::takes_last_ticket<simt::order::acq_rel>(block, ticket);
        if (!block::broadcast_first(block, shared.is_last, is_last))
            return;
        uninitialized<T>* from = totals;
        for (ranks::subtrees level = trees; level.middle() != 0;) {
            const std::size_t begin = level.middle_begin();
            const ranks::subtrees next(begin, begin + level.middle(), leaf);
            uninitialized<T>* const to = from + level.middle();
            sent_end -= next.right();
            for (std::size_t i = block.warp(); i < next.all(); i += block.warps()) {
                const auto tree = next[i];
                chunks_type::store_total(place_of(i, next, sent + sent_begin, to, sent + sent_end),
                                         fold_totals<lane_totals>(from + (tree.begin - begin), tree.blocks));
            }
            block.sync();
            sent_begin += next.left();
            from = to;
            level = next;
        }
    }

private:
    /// Where the total of subtree i goes: those on both sides are sent.
    PARPRIMS_DEVICE static uninitialized<T>* place_of(std::size_t i, const ranks::subtrees& trees,
                                                      uninitialized<T>* left, uninitialized<T>* middle,
                                                      uninitialized<T>* right)
    {
        if (i < trees.left())
            return left + i;
        i -= trees.left();
        return i < trees.middle() ? middle + i : right + (i - trees.middle());
    }

    /// Folds up to `LaneTotals` totals for each lane; the result is in lane 0.
    template <unsigned LaneTotals>
    PARPRIMS_DEVICE T fold_totals(const uninitialized<T>* from, std::size_t count) const
    {
        constexpr unsigned items = LaneTotals != 0 ? LaneTotals : 1;
        return warp::fold_stored<items, T>(
            std::size_t{0}, count, [&](std::size_t i) { return simt::load(from, i); }, chunks.op);
    }
};

/// Finishes the tree from the messages of all ranks, on every rank. One block.
///
/// `Waits`: the host waits for the value. Then the kernel also writes none if an earlier call failed, which the host reports.
template <class Value, class T, class Output, class Op, class Transform, bool Waits>
struct rank_finish_kernel {
    static constexpr std::size_t chunk = order::chunk<Value>;
    using messages_type = rank_messages<T, Value, chunk>;

    static constexpr unsigned max_threads = rank_finish_threads;
    static constexpr unsigned min_blocks = 1;  // otherwise the compiler saves registers and spills
    static constexpr unsigned levels = 64;     // of the tree at most

    struct shared_storage {
        uninitialized<T> tails[max_threads / simt::warp_size];
        // Bit l of the number of chunks so far: the total of a complete subtree of 2^l chunks.
        uninitialized<T> trees[levels];
    };

    messages_type messages;
    Output output;
    T init;
    Op op;
    Transform transform;

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage& shared) const
    {
        const std::size_t count = messages.group.ranks;
        uninitialized<T> next = messages.load_totals(0, 0);
        const bool has_failed = Waits && simt::load(messages.group.failure, 0) != 0;
        if (!messages.check(block) || has_failed)
            return;

        // 1. Each warp folds chunks that ranks share.
        for (std::size_t r = block.warp(); r < count; r += block.warps()) {
            if (!messages.has_shared_block(r))
                continue;
            const std::size_t begin = messages.begin(r + 1) / chunk * chunk;
            const std::size_t left = messages.begin(count) - begin;
            const std::size_t n = left < chunk ? left : chunk;
            shared_block<messages_type, Value, chunk>(messages, r, begin).with_input(n, [&](const auto& input) {
                using chunks_type = reduce_chunks<std::remove_cvref_t<decltype(input)>, T, Op, Transform>;
                const chunks_type chunks{input, n, op, transform, false};
                chunks_type::store_total(messages_type::shared_total(messages.from(r)),
                                         chunks.fold(0, 1, shared.tails + block.warp()));
            });
        }
        block.sync();
        if (block.warp() != 0)
            return;

        // 2. One warp combines the subtrees in order. Those of the next rank are loaded while it does.
        std::size_t chunks = 0;
        for (std::size_t r = 0; r < count; ++r) {
            const ranks::slice slice = messages.slice(r);
            uninitialized<T> current = next;
            if (r + 1 < count)
                next = messages.load_totals(r + 1, 0);
            const std::size_t end = slice.first + slice.blocks;
            unsigned level = 0;
            for (unsigned i = 0; slice.blocks != 0 && chunks < end; ++i) {
                if (i != 0 && i % simt::warp_size == 0)
                    current = messages.load_totals(r, i);
                level = ranks::subtrees::next_level(chunks, end, level);
                push(shared, chunks, level, simt::shuffle<T>(current.value, i % simt::warp_size));
            }
            if (messages.has_shared_block(r))
                push(shared, chunks, 0, simt::load(messages_type::shared_total(messages.from(r))));
        }

        // 3. The rest: subtrees of different sizes, the smallest one last.
        T result = init;
        if (chunks != 0) {
            unsigned level = 0;
            while ((chunks >> level & 1) == 0)
                ++level;
            T total = simt::load(shared.trees, level);
            while (chunks >> ++level != 0)
                if ((chunks >> level & 1) != 0)
                    total = warp::combine<T>(op, simt::at(shared.trees, level), total);
            result = warp::combine<T>(op, init, total);
        }
        if (block.lane() == 0)
            *output = result;
    }

private:
    /// For one warp: the next subtree, of 2^`level` chunks, whose total every lane has.
    PARPRIMS_DEVICE void push(shared_storage& shared, std::size_t& chunks, unsigned level, T total) const
    {
        const std::size_t size = std::size_t{1} << level;
        for (; (chunks >> level & 1) != 0; ++level)
            total = warp::combine<T>(op, simt::at(shared.trees, level), total);
        if (simt::block::lane() == 0)
            simt::store(shared.trees, level, total);
        simt::sync_warp();
        chunks += size;
    }
};

}  // namespace parprims::detail::device
