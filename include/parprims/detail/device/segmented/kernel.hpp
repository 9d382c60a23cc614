/// @file
/// @brief  The kernel of segmented reductions: a block folds the pieces of a tile.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/block/input.hpp>
#include <parprims/detail/block/warp_tree.hpp>
#include <parprims/detail/device/segmented/segments.hpp>
#include <parprims/detail/device/segmented/serial_tree.hpp>
#include <parprims/detail/device/segmented/tile_input.hpp>
#include <parprims/detail/device/segmented/totals.hpp>
#include <parprims/detail/device/segmented/tuning.hpp>
#include <parprims/detail/order.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <cstddef>
#include <cstdint>

namespace parprims::detail::device {

/// A segment of at most a row is folded by a few lanes, one of at most a chunk by a warp. The chunks of a longer one are divided among
/// the warps of the blocks that have them, and their totals are folded by `segmented_finish_kernel`.
template <class Segments, class Input, class T, class Output, class Op>
struct segmented_reduce_kernel {
    static constexpr unsigned max_threads = segmented_threads;

    using value_type = typename Input::value_type;
    using tile_type = tile_input<Input, T>;
    static constexpr unsigned items = order::lane_items<value_type>;
    static constexpr unsigned row = order::row<value_type>;
    static constexpr unsigned chunk = order::chunk<value_type>;

    /// Positions of a tile.
    static constexpr std::size_t tile =
        tile_type::is_copied ? order::power_of_two_within(segmented_tile_bytes, tile_type::bytes, max_segmented_tile)
                             : uncopied_segmented_tile;
    static constexpr unsigned max_long = chunk_totals<T>::most(tile, chunk);

    struct shared_storage {
        piece_position ends[2];               // of the tile
        std::size_t long_segments[max_long];  // segments of several chunks
        unsigned long_count;
        alignas(16) simt::shared_array<unsigned char> elements;
    };

    Segments segments;
    Input input;
    Output output;
    T init;
    Op op;
    std::size_t positions;   // of a tile
    chunk_totals<T> totals;  // not used if no segment has several chunks

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage& shared) const
    {
        // 1. Two warps find the pieces of the tile.
        if (block.warp() < 2) {
            const piece_position end = find_piece<chunk>(segments, (block.index() + block.warp()) * positions);
            if (block.lane() == 0)
                simt::store(shared.ends + block.warp(), end);
        }
        if (block.thread() == 0)
            simt::store(&shared.long_count, 0);
        block.sync();
        const piece_position first = simt::load(shared.ends);
        const piece_position last = simt::load(shared.ends + 1);
        const auto count = static_cast<unsigned>(clamped(last.element, first.element, positions + chunk));
        const auto segment_count =
            static_cast<unsigned>(clamped(last.segment + (last.piece != 0 ? 1 : 0), first.segment, positions + 1));

        // 2. All threads copy its elements.
        const tile_type elements(input, shared.elements.data(), first.element);
        elements.start_copy(block, count, segments.n - first.element);
        elements.finish_copy(block);

        // 3. Segments of at most one chunk.
        unsigned lanes = 1;  // for each segment
        while (lanes < simt::warp_size && 2 * lanes * segment_count <= block.threads())
            lanes *= 2;
        const unsigned warp_segments = simt::warp_size / lanes;
        for (unsigned i = block.warp() * warp_segments; i < segment_count; i += block.warps() * warp_segments)
            fold_segments(shared, elements, first, count, i, segment_count, lanes);
        if (!has_long())
            return;

        // 4. Chunks of longer segments.
        block.sync();
        fold_long(block, shared, elements, first, last, count);
    }

private:
    /// Whether a segment may have several chunks.
    PARPRIMS_DEVICE bool has_long() const { return totals.complete != nullptr; }

    /// `end - begin`, but from 0 to `most`.
    PARPRIMS_DEVICE static std::size_t clamped(std::size_t end, std::size_t begin, std::size_t most)
    {
        const std::size_t size = end > begin ? end - begin : 0;
        return size < most ? size : most;
    }

    /// Segments from number `i` of the tile on, each by `lanes` lanes.
    PARPRIMS_DEVICE void fold_segments(shared_storage& shared, const tile_type& elements, const piece_position& first,
                                       unsigned count, unsigned i, unsigned segment_count, unsigned lanes) const
    {
        const unsigned lane = simt::block::lane() & (lanes - 1);
        i += simt::block::lane() / lanes;
        const std::size_t segment = first.segment + i;
        unsigned begin = 0;
        std::size_t size = 0;
        if (i < segment_count) {
            const std::size_t from = segments.begin(segment);
            const std::size_t to = segments.begin(segment + 1);
            size = to > from ? to - from : 0;
            if (size <= chunk) {  // otherwise it may begin before the tile
                begin = static_cast<unsigned>(clamped(from, first.element, count));
                size = size < count - begin ? size : count - begin;
            }
        }

        // Each lane folds a power of two of elements, so that its total is a node of the tree.
        const bool is_short = size <= row;
        unsigned run = leaf_items;
        while (run * lanes < size && is_short)
            run *= 2;
        uninitialized<T> total;
        if (is_short && lane * run < size)
            total.value =
                fold_serially<row, T>(elements, begin + lane * run,
                                      size - lane * run < run ? static_cast<unsigned>(size) - lane * run : run, op);
        for (unsigned distance = 1; distance < lanes; distance *= 2) {
            const T above = simt::shuffle_down(total.value, distance);
            if (is_short && (lane + distance) * run < size && lane + distance < lanes)
                total.value = warp::combine<T>(op, total.value, above);
        }
        if (is_short && lane == 0 && i < segment_count)
            output.set(segment, size == 0 ? init : warp::combine<T>(op, init, total.value));

        // The whole warp folds the others.
        for (auto left = simt::ballot(!is_short && size <= chunk && lane == 0); left != 0; left &= left - 1) {
            const unsigned source = simt::count_lanes((left & -left) - 1);
            const T sum =
                fold_piece(elements, simt::shuffle(begin, source), simt::shuffle(static_cast<unsigned>(size), source));
            if (simt::block::lane() == source)
                total.value = sum;
        }
        if (!is_short && size <= chunk && lane == 0)
            output.set(segment, warp::combine<T>(op, init, total.value));
        if (size > chunk && lane == 0) {
            const unsigned place = simt::atomic_add(&shared.long_count, 1u);
            if (place < max_long)
                simt::store(shared.long_segments, place, segment);
        }
    }

    /// For one warp: folds `size` elements, from 1 to a chunk of them, from element `begin` of the tile on. The result is in all lanes.
    PARPRIMS_DEVICE T fold_piece(const tile_type& elements, unsigned begin, unsigned size) const
    {
        const unsigned column = simt::block::lane() * items;
        uninitialized<T> columns[items];
        constexpr unsigned batch = items <= 4 ? 4 : 1;  // rows in flight
        unsigned r = 0;
        if constexpr (tile_type::has_packets) {
#pragma unroll 1
            for (; r + batch * row <= size; r += batch * row) {
                typename tile_type::packet packets[batch];
#pragma unroll
                for (unsigned b = 0; b < batch; ++b)
                    packets[b] = elements.load_packet(begin + r + b * row + column);
#pragma unroll
                for (unsigned b = 0; b < batch; ++b)
#pragma unroll
                    for (unsigned k = 0; k < items; ++k)
                        warp::accumulate(op, columns[k], r == 0 && b == 0, elements.operand(packets[b], k));
            }
        }
#pragma unroll 1
        for (; r < size; r += row) {
            if constexpr (tile_type::has_packets) {
                if (r + column < size) {
                    const typename tile_type::packet packet = elements.load_packet(begin + r + column);
#pragma unroll
                    for (unsigned k = 0; k < items; ++k)
                        if (r + column + k < size)
                            warp::accumulate(op, columns[k], r == 0, elements.operand(packet, k));
                }
            } else {
#pragma unroll
                for (unsigned k = 0; k < items; ++k)
                    if (r + column + k < size)
                        warp::accumulate(op, columns[k], r == 0, elements.operand(begin + r + column + k));
            }
        }
        return simt::shuffle(warp::fold_consecutive(columns, size < row ? size : row, op), 0);
    }

    /// The chunks of the tile that belong to segments of several chunks: a warp takes one at a time.
    PARPRIMS_DEVICE void fold_long(simt::block block, shared_storage& shared, const tile_type& elements,
                                   const piece_position& first, const piece_position& last, unsigned count) const
    {
        const unsigned stored = simt::load(&shared.long_count);
        const unsigned long_count = stored < max_long ? stored : max_long;
        unsigned ended = 0;
        unsigned next = block.warp();  // among all chunks
        unsigned before = 0;
        for (unsigned i = 0; i < long_count; ++i) {
            const std::size_t segment = simt::load(shared.long_segments, i);
            const std::size_t begin = segments.begin(segment);
            const std::size_t size = clamped(segments.begin(segment + 1), begin, segments.n);
            const std::size_t pieces = order::ceil_div(size, chunk);
            const std::size_t from = segment == first.segment ? first.piece : 0;
            const std::size_t to = segment == last.segment ? last.piece : pieces;
            const auto piece_count = static_cast<unsigned>(clamped(to, from, positions / chunk + 1));
            for (; next < before + piece_count; next += block.warps()) {
                const std::size_t piece = from + (next - before);
                const auto place = static_cast<unsigned>(clamped(begin + piece * chunk, first.element, count));
                auto width = static_cast<unsigned>(clamped(size, piece * chunk, chunk));
                width = width < count - place ? width : count - place;
                if (width == 0)  // of bad offsets only
                    continue;
                const T total = fold_piece(elements, place, width);
                if (block.lane() == 0)
                    simt::store(piece + 1 == pieces ? totals.last : totals.complete, begin / chunk + piece, total);
            }
            before += piece_count;
            if (to == pieces) {
                if (block.thread() == 0)
                    simt::store(totals.segments, block.index() * totals.tile_segments + ended, segment);
                ++ended;
            }
        }
        if (block.thread() == 0)
            simt::store(totals.counts, block.index(), ended);
    }
};

}  // namespace parprims::detail::device
