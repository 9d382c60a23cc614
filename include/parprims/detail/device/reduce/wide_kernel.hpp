/// @file
/// @brief  The reduction kernel for wide values, of more than 16 bytes: many, or too large for the small kernel.
///
/// A lane owns one column. It cannot keep many wide values in registers, and needs many accesses to load one. So each warp copies
/// rows to a ring in shared memory: a few warps keep enough bytes in flight.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/device/load/input.hpp>
#include <parprims/detail/device/load/row_ring.hpp>
#include <parprims/detail/device/reduce/tuning.hpp>
#include <parprims/detail/device/reduce/wide_partials.hpp>
#include <parprims/detail/device/tree/ticket.hpp>
#include <parprims/detail/device/tree/warp_tree.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <cstddef>

namespace parprims::detail::device {

/// The input of a reduction of wide values, its operators, and the fold of its chunks by a warp.
template <class Input, class T, class Op, class Transform>
struct wide_chunks {
    using value_type = typename Input::value_type;
    static constexpr std::size_t row = order::row<value_type>;
    static constexpr std::size_t chunk = order::chunk<value_type>;
    static_assert(row == simt::warp_size);

    /// Whether elements go through shared memory. Otherwise lanes load them one by one.
    static constexpr bool is_staged = [] {
        if constexpr (Input::has_source) {
            using source = typename Input::source_type;
            return is_wide<source> && block::fits_ring<source> && row * sizeof(source) <= max_ring_bytes;
        }
        return false;
    }();

    static constexpr std::size_t element_bytes = [] {
        if constexpr (is_staged)
            return sizeof(typename Input::source_type) < sizeof(T) ? sizeof(T) : sizeof(typename Input::source_type);
        return sizeof(T);
    }();
    /// Rows that a lane reads at a time: as many as its registers hold.
    static constexpr unsigned batch_rows = order::power_of_two_within(wide_batch_bytes, element_bytes, 4);
    static constexpr unsigned batches = order::chunk_rows / batch_rows;  // of a chunk
    static constexpr std::size_t batch = batch_rows * row;               // elements

    static constexpr auto ring_of()
    {
        if constexpr (is_staged) {
            using source = typename Input::source_type;
            constexpr unsigned ring_batches =
                order::power_of_two_within(max_ring_bytes, batch * sizeof(source), batches);
            return block::row_ring<source, batch_rows, ring_batches>{};
        }
    }
    using ring_type = decltype(ring_of());

    Input input;
    std::size_t n;
    Op op;
    Transform transform;
    unsigned packet_bytes;  // of a copy: 4, 8 or 16, as the input is aligned

    static constexpr std::size_t ring_bytes()
    {
        if constexpr (is_staged)
            return ring_type::bytes;
        else
            return 0;
    }

    static unsigned packet_bytes_of(const Input& read)
    {
        if constexpr (is_staged)
            return ring_type::packet_bytes_of(read.data);
        else
            return 0;
    }

    /// Folds up to `max_chunks` chunks from chunk `first` on, at least one; the result is in every lane. The ring is the warp's.
    PARPRIMS_DEVICE T fold(std::size_t first, std::size_t max_chunks, std::byte* ring) const
    {
        const std::size_t begin = first * chunk;
        const std::size_t left = order::ceil_div(n - begin, chunk);
        const std::size_t count = left < max_chunks ? left : max_chunks;
        const std::size_t length = n - begin < count * chunk ? n - begin : count * chunk;
        start(begin, length, ring);
        const auto leaf = [&](std::size_t i) { return fold_chunk(begin, length, i, ring); };
        return warp::fold_leaves<T>(count, leaf, op);
    }

private:
    /// Starts to copy batch `number` of [begin, begin + length). After the last one it commits an empty group of copies.
    PARPRIMS_DEVICE void copy(std::size_t begin, std::size_t length, std::size_t number, std::byte* ring) const
    {
        const std::size_t before = number * batch;
        ring_type::copy(ring, static_cast<unsigned>(number), input.data + begin + before,
                        before < length ? length - before : 0, packet_bytes);
    }

    PARPRIMS_DEVICE void start(std::size_t begin, std::size_t length, std::byte* ring) const
    {
        if constexpr (is_staged)
#pragma unroll 1
            for (unsigned b = 0; b < ring_type::slots; ++b)
                copy(begin, length, b, ring);
    }

    /// Folds chunk i of the `length` elements from `begin` on; the result is in lane 0.
    PARPRIMS_DEVICE T fold_chunk(std::size_t begin, std::size_t length, std::size_t i, std::byte* ring) const
    {
        const std::size_t rest = length - i * chunk;
        const auto live = static_cast<unsigned>(rest < chunk ? rest : chunk);
        uninitialized<T> column;
#pragma unroll 1
        for (unsigned b = 0; b < batches && b * batch < live; ++b) {
            const auto read = [&](unsigned k) -> T {
                if constexpr (is_staged)
                    return device::enter<T, Input>(transform, input.of(ring_type::read(ring, b, k)));
                else
                    return device::enter<T, Input>(
                        transform, input[begin + i * chunk + b * batch + k * row + simt::block::lane()]);
            };
            const bool is_whole = (b + 1) * batch <= live;
            uninitialized<T> values[batch_rows];
            if constexpr (is_staged) {
                simt::wait_copies<ring_type::slots - 1>();
                simt::sync_warp();
            }
            if (is_whole) {
#pragma unroll
                for (unsigned k = 0; k < batch_rows; ++k)
                    values[k].value = read(k);
            } else {
#pragma unroll 1
                for (unsigned k = 0; k < batch_rows; ++k)
                    if (b * static_cast<unsigned>(batch) + k * simt::warp_size + simt::block::lane() < live)
                        warp::accumulate(op, column, b + k == 0, read(k));
            }
            if constexpr (is_staged) {
                simt::sync_warp();
                copy(begin, length, i * batches + b + ring_type::slots, ring);
            }
            if (is_whole)
#pragma unroll
                for (unsigned k = 0; k < batch_rows; ++k)
                    warp::accumulate(op, column, b + k == 0, values[k].value);
        }
        return warp::fold_lanes(column.value, live < row ? live : static_cast<unsigned>(row), op);
    }
};

/// The tree over the chunks has `subtrees` aligned subtrees of `subtree_chunks` chunks; a warp folds one at a time. A run is
/// `run_subtrees` of them; it gives one partial. With several runs, the subtrees of a run and the chunks of a subtree are powers
/// of two, so every partial is a node of the tree.
template <class Input, class T, class Output, class Op, class Transform>
struct wide_reduce_kernel {
    using chunks_type = wide_chunks<Input, T, Op, Transform>;
    using partials_type = wide_partials<T>;
    static constexpr std::size_t chunk = chunks_type::chunk;
    static constexpr unsigned max_threads = max_wide_threads;
    static_assert(max_wide_run_subtrees <= simt::warp_size);  // for which `totals` has room

    struct shared_storage {
        alignas(128) uninitialized<T> totals[simt::warp_size];  // of subtrees, then of leaves of partials
        bool is_last;
    };
    // It is followed by a ring for each warp, with the same alignment.

    /// Shared memory of a warp: its ring, which also has room for the partials that it folds at a time.
    static constexpr std::size_t warp_bytes = [] {
        const std::size_t words = simt::warp_size * partials_type::value_bytes;
        return words < chunks_type::ring_bytes() ? chunks_type::ring_bytes() : words;
    }();

    chunks_type chunks;
    Output output;
    T init;
    unsigned subtrees;
    unsigned run_subtrees;
    unsigned runs;
    std::size_t subtree_chunks;
    partials_type partials;  // of the runs; not used if there is one run

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage& shared) const
    {
        if (chunks.n == 0) {
            if (block.thread() == 0)
                *output = init;
            return;
        }
        std::byte* const ring = reinterpret_cast<std::byte*>(&shared + 1) + block.warp() * warp_bytes;
        const bool is_alone = runs == 1;
        unsigned ticket = 0;  // taken now, and looked at in the end: its latency is hidden
        if (!is_alone && block.thread() == 0)
            ticket = partials.take_ticket(block);

        for (std::size_t run = block.index(); run < runs; run += block.count()) {
            // 1. Each warp folds a subtree at a time. Which warp folds which cannot change the result.
            const unsigned first = static_cast<unsigned>(run) * run_subtrees;
            const unsigned count = subtrees - first < run_subtrees ? subtrees - first : run_subtrees;
            uninitialized<T> total;
#pragma unroll 1
            for (unsigned i = block.warp(); i < count; i += block.warps()) {
                total.value = chunks.fold((first + i) * subtree_chunks, subtree_chunks, ring);
                if (run_subtrees != 1)
                    store_total(shared, i, total);
            }

            // 2. The first warp folds the subtrees of the run to a partial.
            if (run_subtrees != 1)
                fold_totals(block, shared, count, total);
            if (block.warp() == 0) {
                if (!is_alone)
                    partials.publish(run, total.value, ring);
                else if (block.lane() == 0)
                    *output = warp::combine<T>(chunks.op, init, total.value);
            }
            if (run + block.count() < runs)
                block.sync();
        }
        if (is_alone)
            return;

        // 3. The block that took the last ticket folds the partials of all blocks.
        if (block::told_by_first_thread(block, shared.is_last, partials.is_last(block, ticket)))
            fold_partials(block, shared, ring);
    }

private:
    PARPRIMS_DEVICE static void store_total(shared_storage& shared, unsigned i, const uninitialized<T>& total)
    {
        if (simt::block::lane() == 0)
            simt::store(shared.totals, i, total.value);
    }

    /// Folds `count` totals, once all warps have stored theirs; the result is in the first lane of the first warp.
    PARPRIMS_DEVICE void fold_totals(simt::block block, const shared_storage& shared, unsigned count,
                                     uninitialized<T>& total) const
    {
        block.sync();
        if (block.warp() != 0)
            return;
        if (block.lane() < count)
            total.value = simt::load(shared.totals, block.lane());
        total.value = warp::fold_lanes(total.value, count, chunks.op);
    }

    /// For the last block: folds the partials in index order, and combines the total with init.
    PARPRIMS_DEVICE void fold_partials(simt::block block, shared_storage& shared, std::byte* ring) const
    {
        const unsigned leaves =
            (runs + simt::warp_size - 1) / simt::warp_size;  // of the partials that a warp folds at a time
        uninitialized<T> total;
#pragma unroll 1
        for (unsigned leaf = block.warp(); leaf < leaves; leaf += block.warps()) {
            const unsigned left = runs - leaf * simt::warp_size;
            total.value =
                partials.fold(leaf * simt::warp_size, left < simt::warp_size ? left : simt::warp_size, ring, chunks.op);
            if (leaves != 1)
                store_total(shared, leaf, total);
        }
        if (leaves != 1)
            fold_totals(block, shared, leaves, total);
        if (block.thread() == 0)
            *output = warp::combine<T>(chunks.op, init, total.value);
    }
};

}  // namespace parprims::detail::device
