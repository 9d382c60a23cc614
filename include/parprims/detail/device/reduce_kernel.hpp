/// @file
/// @brief  The reduction kernel: warps fold subtrees of chunks, blocks fold what their warps leave, and the last block
///         folds what the blocks leave.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/device/input.hpp>
#include <parprims/detail/device/reduce_plan.hpp>
#include <parprims/detail/device/reduce_words.hpp>
#include <parprims/detail/order.hpp>
#include <parprims/detail/simt/simt.hpp>
#include <parprims/detail/warp/tree.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace parprims::detail::device {

/// What a reduction kernel works on. The tree over the chunks is cut into `subtrees` aligned subtrees of
/// `subtree_chunks` chunks, one for a warp at a time. A turn is 2^`turn_bits` neighbouring subtrees, at least as many as a
/// block has warps, and leaves one total; blocks take turns that are far apart. All of these are powers of two, so every
/// total is a node of the tree.
///
/// Why nobody waits for ever: see total_words.
template <class Input, class T, class Output, class Op, class Transform>
struct reduce_kernel {
    // With registers for all 16 rows of a chunk: on an H200 2^30 floats in 936 us by one block of 512 threads, and in 951 by two
    // that have 8 rows under way; halves in 471 and 501. Large values come in so many pieces that the first-level cache has no
    // room for several rows of them: 2^27 of 40 bytes 2.29 ms one by one, and 2.50 by four.
    static constexpr bool is_large = sizeof(T) > 32;
    static constexpr unsigned max_threads = max_reduce_threads;
    static constexpr unsigned min_blocks = is_large ? 2 : 1;

    using value_type = typename Input::value_type;
    static constexpr unsigned items = order::lane_items<value_type>;
    static constexpr std::size_t row = order::row<value_type>;
    static constexpr std::size_t chunk = order::chunk<value_type>;
    static constexpr unsigned packet_bytes =
        packet_bytes_of<Input>(items);  // what a lane's columns of a row are in memory
    static constexpr bool has_packets = packet_bytes != 0;
    using packet = simt::packet<has_packets ? packet_bytes : 1>;

    static constexpr bool has_words = total_words<T>::fit;        // else totals are in memory, and a ticket orders them
    static constexpr unsigned max_totals = has_words ? 512 : 32;  // between two barriers
    static constexpr unsigned max_turn = has_words ? 256 : 32;    // subtrees of a turn
    static constexpr std::size_t max_turns = has_words ? total_words<T>::capacity : std::size_t{1} << 16;

    struct shared_storage {
        uninitialized<T> totals[max_totals];       // of the subtrees, turn by turn
        uninitialized<T> folded[simt::warp_size];  // by the last block's warps
        uninitialized<T> rest;                     // of the chunk that is not whole
        bool is_last;
    };

    Input input;
    std::size_t n;
    Output output;
    maybe<T> init;
    Op op;
    Transform transform;
    std::size_t subtrees;
    std::size_t subtree_chunks;
    unsigned turn_bits;
    std::size_t turns;
    total_words<T> words;        // of the turns
    uninitialized<T>* partials;  // of the turns, if they have no words
    unsigned* ticket;            // zero before and after; like words and partials not used by a single block
    bool aligned;                // the input may be read in packets

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage& shared) const
    {
        if (n == 0) {
            if (block.thread() == 0)
                *output = init.get();
            return;
        }
        const bool is_alone = block.count() == 1;
        bool is_last = false;  // drawn now, used at the end
        if (has_words && !is_alone && block.thread() == 0)
            is_last = words.draw_last(ticket, block.index(), block.count());

        for (auto turn = static_cast<unsigned>(block.index()); turn < turns;) {
            // 1. Each warp folds a subtree in each round. Which warp takes which cannot be seen in the result.
#pragma unroll 1
            for (unsigned place = block.warp(); place < max_totals; place += block.warps()) {
                const std::size_t tree = subtree_at(block, turn, place);
                if (tree >= subtrees)
                    break;
                const T total = fold_subtree(tree, shared);
                if (subtrees == 1) {
                    if (block.lane() == 0)
                        *output = init.then(total, op);
                    return;
                }
                keep(shared.totals + place, total);
            }
            block.sync();

            // 2. The subtrees of a turn become one total.
            for (unsigned place = block.warp() << turn_bits; place < max_totals; place += block.warps() << turn_bits) {
                const std::size_t tree = subtree_at(block, turn, place);
                if (tree >= subtrees)
                    break;
                const std::size_t after = subtrees - tree;
                const unsigned count = 1u << turn_bits;
                const T total = fold_leaf(shared.totals + place, after < count ? static_cast<unsigned>(after) : count);
                if (block.lane() == 0) {
                    if (is_alone)
                        *output = init.then(total, op);
                    else
                        leave(tree >> turn_bits, total);
                }
            }
            turn += (max_totals >> turn_bits) * static_cast<unsigned>(block.count());
            if (turn < turns)
                block.sync();
        }
        if (is_alone)
            return;

        // 3. The last block folds what all have.
        if constexpr (!has_words) {
            block.sync();  // all of the block's totals are there before the ticket
            if (block.thread() == 0) {
                const auto last = static_cast<unsigned>(block.count() - 1);
                is_last = simt::atomic_increment_wrapping(ticket, last) == last;
            }
        }
        if (block.thread() == 0)
            simt::store(&shared.is_last, is_last);
        block.sync();
        if (simt::load(&shared.is_last))
            fold_turns(block, shared);
    }

private:
    static constexpr unsigned leaf_items = max_turn / simt::warp_size;  // totals that a lane reads at a time
    static constexpr std::size_t lane_bytes = order::chunk_rows * order::vector_bytes;  // of a chunk in packets
    static constexpr unsigned element_loads =  // in flight, where elements are loaded one by one
        is_large ? 1 : order::power_of_two_within(lane_bytes, sizeof(T), simt::warp_size);
    static constexpr unsigned word_items = total_words<T>::of_total == 1 ? 8 : 4;
    static constexpr std::size_t leaf = std::size_t{has_words ? word_items : leaf_items} * simt::warp_size;

    /// Lane 0 writes a total that every lane has.
    PARPRIMS_DEVICE static void keep(uninitialized<T>* place, const T& total)
    {
        if (simt::block::lane() == 0)
            simt::store(place, total);
    }

    /// What lane 0 has kept, in lane 0.
    PARPRIMS_DEVICE static T rest_of(const shared_storage& shared)
    {
        uninitialized<T> rest;
        if (simt::block::lane() == 0)
            rest.value = simt::load(&shared.rest);
        return rest.value;
    }

    /// The subtree of a place among the totals that a block holds from `turn` on.
    PARPRIMS_DEVICE std::size_t subtree_at(simt::block block, unsigned turn, unsigned place) const
    {
        const std::size_t of_place = turn + (place >> turn_bits) * static_cast<unsigned>(block.count());
        return (of_place << turn_bits) + (place & ((1u << turn_bits) - 1));
    }

    /// For one lane: the total of a turn goes to the block that is last.
    PARPRIMS_DEVICE void leave(std::size_t turn, const T& total) const
    {
        if constexpr (has_words)
            words.publish(turn, total);
        else
            simt::store(partials, turn, total);
    }

    /// For the last block: folds the turns' totals in index order, and adds init.
    PARPRIMS_DEVICE void fold_turns(simt::block block, shared_storage& shared) const
    {
        // Aligned runs of leaves, so that the warps' totals are nodes of the same tree.
        const std::size_t leaves = order::ceil_div(turns, leaf);
        std::size_t run = 1;
        while (run * block.warps() < leaves)
            run *= 2;

        const std::size_t first = block.warp() * run;
        uninitialized<T> total;
        if (first < leaves) {
            const std::size_t count = leaves - first < run ? leaves - first : run;
            total.value = warp::fold_leaves<T>(
                count, [&](std::size_t i) { return fold_turn_leaf((first + i) * leaf); }, op);
        }
        if (leaves > 1) {
            if (first < leaves)
                keep(shared.folded + block.warp(), total.value);
            block.sync();
            if (block.warp() == 0)
                total.value = fold_leaf(shared.folded, static_cast<unsigned>(order::ceil_div(leaves, run)));
        }
        if (block.thread() == 0)
            *output = init.then(total.value, op);
    }

    /// Folds up to `leaf` totals of turns from `first` on; the result is in lane 0.
    PARPRIMS_DEVICE T fold_turn_leaf(std::size_t first) const
    {
        const std::size_t left = turns - first;
        const auto count = static_cast<unsigned>(left < leaf ? left : leaf);
        if constexpr (has_words)
            return words.template fold<word_items>(first, count, op);
        else
            return fold_leaf(partials + first, count);
    }

    /// Folds up to `max_turn` totals; the result is in lane 0.
    PARPRIMS_DEVICE T fold_leaf(const uninitialized<T>* totals, unsigned count) const
    {
        const unsigned mine = simt::block::lane() * leaf_items;
        uninitialized<T> columns[leaf_items];
#pragma unroll
        for (unsigned k = 0; k < leaf_items; ++k)
            if (mine + k < count)
                columns[k].value = simt::load(totals, mine + k);
        return warp::fold_consecutive(columns, count, op);
    }

    /// Folds the chunks of one subtree; the result is in every lane.
    PARPRIMS_DEVICE T fold_subtree(std::size_t tree, shared_storage& shared) const
    {
        const std::size_t chunks = order::ceil_div(n, chunk);
        const std::size_t first = tree * subtree_chunks;
        const std::size_t count = chunks - first < subtree_chunks ? chunks - first : subtree_chunks;

        // A last chunk that is not whole is folded before the others and waits in shared memory: in their loop it would cost
        // registers that loads need.
        const std::size_t last = (first + count - 1) * chunk;
        const bool has_rest = n - last < chunk;
        const std::size_t whole = has_rest ? count - 1 : count;
        const auto rest = [&] { return rest_of(shared); };
        if constexpr (has_packets)
            if (aligned) {
                if (has_rest)
                    keep(&shared.rest, fold_packets_of(last, n - last));
                if constexpr (items > 8) {  // 2^30 bytes on an H200: 242 us, and 255 us the other way
                    const auto leaf = [&](std::size_t i) {
                        return i < whole ? fold_packets((first + i) * chunk) : rest();
                    };
                    return warp::fold_leaves<T>(count, leaf, op);
                } else {  // 2^30 ints: 950 us, and 1007 us the other way
                    const auto leaf = [&](std::size_t i) { return fold_packets((first + i) * chunk); };
                    return warp::fold_leaves<T>(whole, leaf, has_rest, rest, op);
                }
            }
        if (has_rest)
            keep(&shared.rest, fold_tail(last));
        if constexpr (has_packets) {
            using source = typename Input::source_type;
            const auto past = reinterpret_cast<std::uintptr_t>(input.data) % packet_bytes;
            if (sizeof(T) <= 16 && past % sizeof(source) == 0) {
                const auto leaf = [&](std::size_t i) {
                    const std::size_t begin = (first + i) * chunk;
                    // Aligned packets reach over both ends of a chunk, but never over those of the input.
                    if (begin == 0 || n - begin < chunk + items)
                        return fold_elements(begin);
                    return fold_shifted(begin, static_cast<unsigned>(past / sizeof(source)));
                };
                return warp::fold_leaves<T>(whole, leaf, has_rest, rest, op);
            }
        }
        const auto leaf = [&](std::size_t i) { return fold_elements((first + i) * chunk); };
        return warp::fold_leaves<T>(whole, leaf, has_rest, rest, op);
    }

    template <class Element>
    PARPRIMS_DEVICE T value(Element&& element) const
    {
        return enter<T, Input>(transform, std::forward<Element>(element));
    }

    /// What place k of a packet holds, as it enters.
    PARPRIMS_DEVICE T value_of(const packet& elements, unsigned k) const
    {
        return value(input.of(simt::element<typename Input::source_type>(elements, k)));
    }

    /// Between loads and what uses them: the compiler would ask for some of them later, to save registers.
    PARPRIMS_DEVICE static void ask_first() { simt::sync_warp(); }

    /// A whole chunk, 16 bytes a lane and row: a lane holds neighbouring columns.
    PARPRIMS_DEVICE T fold_packets(std::size_t first) const
    {
        const auto* const packets = reinterpret_cast<const packet*>(input.data + first) + simt::block::lane();
        uninitialized<T> columns[items];
        packet rows[order::chunk_rows];
#pragma unroll
        for (unsigned r = 0; r < order::chunk_rows; ++r)
            rows[r] = simt::load_streaming(packets + r * simt::warp_size);
        ask_first();
#pragma unroll
        for (unsigned r = 0; r < order::chunk_rows; ++r)
#pragma unroll
            for (unsigned k = 0; k < items; ++k)
                accumulate(columns[k], r == 0, value_of(rows[r], k));
        return warp::fold_consecutive(columns, row, op);
    }

    /// The same where elements lie `shift` past a 16-byte boundary. What a lane finds at one place of its packets belongs to
    /// one column nevertheless; only in lane 0 the first `shift` do to the row before. Columns go to their lanes last.
    PARPRIMS_DEVICE T fold_shifted(std::size_t first, unsigned shift) const
    {
        constexpr unsigned batch = items <= 8 ? order::chunk_rows : 8;  // rows in flight
        const unsigned lane = simt::block::lane();
        const unsigned late = lane == 0 ? shift : 0;
        const auto* const packets = reinterpret_cast<const packet*>(input.data + first - shift) + lane;
        uninitialized<T> columns[items];
        packet behind{};
        if (late != 0)
            behind = simt::load_streaming(packets + order::chunk_rows * simt::warp_size);
#pragma unroll
        for (unsigned r = 0; r < order::chunk_rows; r += batch) {
            packet rows[batch];
#pragma unroll
            for (unsigned b = 0; b < batch; ++b)
                rows[b] = simt::load_streaming(packets + (r + b) * simt::warp_size);
            ask_first();
#pragma unroll
            for (unsigned b = 0; b < batch; ++b)
#pragma unroll
                for (unsigned k = 0; k < items; ++k)
                    if (r + b != 0 || k >= late)
                        accumulate(columns[k], r + b == (k < late ? 1 : 0), value_of(rows[b], k));
        }
#pragma unroll
        for (unsigned k = 0; k + 1 < items; ++k)
            if (k < late)
                accumulate(columns[k], false, value_of(behind, k));
        rotate(columns, shift);
        return warp::fold_consecutive(columns, row, op);
    }

    /// Moves what columns hold `shift` columns down: e gets what e + shift had, the last ones what the first had.
    PARPRIMS_DEVICE static void rotate(uninitialized<T> (&columns)[items], unsigned shift)
    {
        const unsigned above = (simt::block::lane() + 1) % simt::warp_size;
#pragma unroll
        for (unsigned d = 1; d < items; d *= 2) {
            if ((shift & d) == 0)
                continue;
            uninitialized<T> moved[items];
#pragma unroll
            for (unsigned k = 0; k < items; ++k)
                moved[k].value = k + d < items ? columns[(k + d) % items].value
                                               : simt::shuffle<T>(columns[(k + d) % items].value, above);
#pragma unroll
            for (unsigned k = 0; k < items; ++k)
                columns[k].value = moved[k].value;
        }
    }

    /// The last chunk, of `count` elements, where it is not whole: a shorter row and a shorter tree.
    PARPRIMS_DEVICE T fold_packets_of(std::size_t first, std::size_t count) const
    {
        constexpr unsigned batch = items == 4 ? 4 : 2;  // rows in flight
        const auto rest = static_cast<unsigned>(count % row);
        const auto full = static_cast<unsigned>(count / row);
        const std::size_t mine = first + simt::block::lane() * items;
        uninitialized<T> columns[items];
#pragma unroll 1
        for (unsigned r = 0; r < full; r += batch) {
            packet rows[batch];
#pragma unroll
            for (unsigned b = 0; b < batch; ++b)
                if (r + b < full)
                    rows[b] = simt::load_streaming(reinterpret_cast<const packet*>(input.data + mine + (r + b) * row));
#pragma unroll
            for (unsigned b = 0; b < batch; ++b)
#pragma unroll
                for (unsigned k = 0; k < items; ++k)
                    if (r + b < full)
                        accumulate(columns[k], r + b == 0, value_of(rows[b], k));
        }
#pragma unroll
        for (unsigned k = 0; k < items; ++k)
            if (simt::block::lane() * items + k < rest)
                accumulate(columns[k], full == 0, value(input[mine + full * row + k]));
        return warp::fold_consecutive(columns, full == 0 ? rest : row, op);
    }

    /// A whole chunk, an element a lane and load: a lane holds every 32nd column.
    PARPRIMS_DEVICE T fold_elements(std::size_t first) const
    {
        constexpr unsigned batch = element_loads > items ? element_loads / items : 1;  // rows in flight
        uninitialized<T> columns[items];
        const std::size_t mine = first + simt::block::lane();
#pragma unroll 1
        for (unsigned r = 0; r < order::chunk_rows; r += batch) {
            uninitialized<T> values[batch * items];
#pragma unroll
            for (unsigned j = 0; j < batch * items; ++j)
                values[j].value = value(input[mine + r * row + j * simt::warp_size]);
            ask_first();
#pragma unroll
            for (unsigned j = 0; j < batch * items; ++j)
                accumulate(columns[j % items], r + j / items == 0, values[j].value);
        }
        return warp::fold_strided(columns, row, op);
    }

    /// The last chunk where it is not whole: a shorter row and a shorter tree.
    PARPRIMS_DEVICE T fold_tail(std::size_t first) const
    {
        constexpr unsigned batch = sizeof(T) > 16 || items > 4 ? 1 : 2;  // rows in flight
        const auto count = static_cast<unsigned>(n - first);
        const std::size_t mine = first + simt::block::lane();
        const auto live = [&](unsigned r, unsigned k) {
            return r * static_cast<unsigned>(row) + k * simt::warp_size + simt::block::lane() < count;
        };
        uninitialized<T> columns[items];
#pragma unroll 1
        for (unsigned r = 0; r * row < count; r += batch) {
            uninitialized<T> values[batch][items];
#pragma unroll
            for (unsigned b = 0; b < batch; ++b)
#pragma unroll
                for (unsigned k = 0; k < items; ++k)
                    if (live(r + b, k))
                        values[b][k].value = value(input[mine + (r + b) * row + k * simt::warp_size]);
#pragma unroll
            for (unsigned b = 0; b < batch; ++b)
#pragma unroll
                for (unsigned k = 0; k < items; ++k)
                    if (live(r + b, k))
                        accumulate(columns[k], r + b == 0, values[b][k].value);
        }
        return warp::fold_strided(columns, count < row ? count : row, op);
    }

    PARPRIMS_DEVICE void accumulate(uninitialized<T>& column, bool is_first, const T& next) const
    {
        column.value = is_first ? next : warp::combine<T>(op, column.value, next);
    }
};

}  // namespace parprims::detail::device
