/// @file
/// @brief  The kernel of segmented reductions: a block folds the pieces of a tile.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/device/segmented/group_tree.hpp>
#include <parprims/detail/device/segmented/piece.hpp>
#include <parprims/detail/device/segmented/segments.hpp>
#include <parprims/detail/device/segmented/serial_tree.hpp>
#include <parprims/detail/device/segmented/tile_input.hpp>
#include <parprims/detail/device/segmented/totals.hpp>
#include <parprims/detail/device/segmented/tuning.hpp>
#include <parprims/detail/device/tree/block_tree.hpp>
#include <parprims/detail/device/tree/warp_tree.hpp>
#include <parprims/detail/numeric/integers.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <cstddef>
#include <type_traits>

namespace parprims::detail::device {

/// A segment of a row or a few is folded by a few lanes, one of at most a chunk by a warp. The chunks of a longer one are divided
/// among the warps of the blocks that have them. Their totals are folded by the block, if the segment lies in its tile, otherwise
/// by the last block that is done with its own. No block waits for another one.
template <class Segments, class Input, class T, class Output, class Op>
struct segmented_reduce_kernel {
    static constexpr unsigned max_threads = segmented_threads;
    static constexpr unsigned min_blocks = sizeof(T) <= 16 ? segmented_blocks_per_sm : 0;

    using value_type = typename Input::value_type;
    using tile_type = tile_input<Input, T>;
    static constexpr unsigned items = order::lane_items<value_type>;
    static constexpr unsigned row = order::row<value_type>;
    static constexpr std::size_t chunk = order::chunk<value_type>;

    /// Positions of a tile. At most 30 chunks, so at most 32 segments of several chunks: a lane for each.
    static constexpr std::size_t tile =
        smaller_of(tile_type::is_copied
                       ? (Segments::is_searched ? searched_tile_bytes : segmented_tile_bytes) / tile_type::bytes
                       : uncopied_segmented_tile,
                   (simt::warp_size - 2) * chunk);
    /// Most segments of several chunks in a tile: each but the first one begins in it and has more than `chunk` positions.
    static constexpr unsigned max_long = tile / chunk + 2;
    /// Most chunks of those that a block folds alone.
    static constexpr unsigned max_chunks = 2 * (tile / chunk + 1);
    using totals_type = chunk_totals<T, chunk>;
    /// Whether segments may have several chunks here: those of one size run `long_segments_kernel` then.
    static constexpr bool may_be_long = Segments::is_searched;
    using end_type = std::conditional_t<Segments::is_searched, tile_end, piece_position>;
    /// Whether groups of eight lanes fold segments of different sizes and a few rows.
    static constexpr bool has_groups =
        Segments::is_searched && tile_type::bytes >= 4 && tile_type::bytes <= 8 && sizeof(T) <= 8;
    static constexpr bool lanes_fold_rows = !has_groups;  // of such segments
    /// Whether a tile inside one segment is copied to shared memory.
    static constexpr bool copies_inner_chunks = tile_type::is_copied && items >= min_copied_inner_items;

    struct shared_storage {
        end_type ends[2];                     // of the tile
        segment_list<tile / row + 2> medium;  // of more than a row, at most a chunk
        segment_list<max_long> large;         // of several chunks
        uninitialized<T> chunk_totals[larger_of(max_chunks, block::max_tree_leaves)];
        bool is_last[2];  // tile of the segment that crosses an end
        alignas(simt::shared_line_bytes) simt::shared_array<unsigned char> elements;
    };

    Segments segments;
    Input input;
    Output output;
    T init;
    Op op;
    std::size_t positions;  // of a tile
    const end_type* ends;   // of all tiles, if they are searched for
    totals_type totals;     // null if no segment has several chunks

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage& shared) const
    {
        // 1. Two warps find the pieces of the tile.
        if (block.warp() < 2) {
            const end_type end = end_of_tile(block.index() + block.warp());
            if (block.lane() == 0)
                simt::store(shared.ends, block.warp(), end);
        }
        if (block.thread() == 0) {
            shared.medium.clear();
            shared.large.clear();
        }
        block.sync();
        const piece_position first = simt::load(shared.ends);
        const piece_position last = simt::load(shared.ends + 1);
        const span tile{first, last, limited_difference(last.element, first.element, positions + chunk),
                        limited_difference(last.segment + (last.piece != 0 ? 1 : 0), first.segment, positions + 1)};

        fold_tile(block, shared, tile);

        // 5. Segments that other tiles have chunks of, too.
        if constexpr (may_be_long)
            if (totals.complete != nullptr)
                finish_shared(block, shared);
    }

private:
    /// What a tile has.
    struct span {
        piece_position first;
        piece_position last;  // of the next tile
        unsigned count;       // elements
        unsigned segments;    // also those that the tile begins and ends in
    };

    /// For one warp: where a tile begins, and the one before it ends.
    PARPRIMS_DEVICE end_type end_of_tile(std::size_t i) const
    {
        if constexpr (Segments::is_searched)
            return simt::load(ends, i);
        else
            return find_piece<chunk>(segments, i * positions);
    }

    PARPRIMS_DEVICE void fold_tile(simt::block block, shared_storage& shared, const span& tile) const
    {
        const piece_position& first = tile.first;
        const bool is_inner = may_be_long && first.segment == tile.last.segment && totals.complete != nullptr;
        if (is_inner && !copies_inner_chunks)
            return fold_inner_chunks(block, elements_in_place<Input, T>{input, first.element}, tile);

        // 2. All threads copy its elements.
        prefetch_segments(block, segments, first.segment, tile.segments);
        unsigned lanes = 1;  // for each segment
        while (lanes < simt::warp_size && 2 * lanes * tile.segments <= block.threads())
            lanes *= 2;
        const bool by_groups =
            has_groups && lanes != 1 && lanes != simt::warp_size && tile.count >= min_group_elements * tile.segments;
        if (by_groups)
            lanes = group_lanes;
        const std::size_t room = positions + smaller_of(segments.longest(), chunk);
        const tile_type elements(input, shared.elements.data(), first.element,
                                 by_groups ? 0 : stride_in_tile(segments, tile.count, tile.segments, room));
        elements.start_copy(block, tile.count, segments.n - first.element);
        if (is_inner || segments.longest() <= leaf_items) {
            elements.wait(block);
            return is_inner ? fold_inner_chunks(block, elements, tile) : fold_leaves(block, elements, tile);
        }

        // 3. Segments of at most a row, or of a few rows.
        unsigned i = block.thread() / lanes;
        tile_segment segment = segment_of(tile, i);
        elements.wait(block);
        for (const unsigned stride = block.threads() / lanes; i - block.lane() / lanes < tile.segments; i += stride) {
            const tile_segment next = segment_of(tile, i + stride);  // in flight while this one is folded
            if (by_groups)
                fold_group(shared, elements, tile, i, segment);
            else
                fold_segment(shared, elements, tile, i, segment, lanes);
            segment = next;
        }

        // 4. Longer segments.
        if (segments.longest() <= row)
            return;
        block.sync();
        fold_medium(block, shared, elements, tile);
        if constexpr (may_be_long)
            if (segments.longest() > chunk)
                fold_large(block, shared, elements, tile);
    }

    /// A tile inside of a segment: all of its pieces are complete chunks. Has a barrier in the end.
    template <class Elements>
    PARPRIMS_DEVICE void fold_inner_chunks(simt::block block, const Elements& elements, const span& tile) const
    {
        uninitialized<T>* const place = totals.place(segments.begin(tile.first.segment), tile.first.piece, false);
        for (unsigned piece = block.warp(); piece < tile.count / chunk; piece += block.warps()) {
            const auto begin = static_cast<unsigned>(piece * chunk);
            const T total = device::fold_piece<value_type, T>(elements.from(begin), 0, chunk, op);
            if (block.lane() == 0)
                simt::store(place, piece, total);
        }
        block.sync();  // before the tile counts as done
    }

    /// Segments of at most a leaf each, by a lane each.
    PARPRIMS_DEVICE void fold_leaves(simt::block block, const tile_type& elements, const span& tile) const
    {
        for (unsigned i = block.thread(); i < tile.segments; i += block.threads()) {
            const tile_segment segment = segment_of_tile<chunk>(segments, tile.first, tile.count, i);
            output.set(tile.first.segment + i,
                       segment.size == 0
                           ? init
                           : warp::combine<T>(op, init,
                                              fold_run<row, false, !Segments::is_searched, T>(
                                                  elements, segment.begin, segment.size, segment.size, op)));
        }
    }

    /// Segment i of the tile; an empty one if it has fewer.
    PARPRIMS_DEVICE tile_segment segment_of(const span& tile, unsigned i) const
    {
        return i < tile.segments ? segment_of_tile<chunk>(segments, tile.first, tile.count, i) : tile_segment{0, 0};
    }

    /// Segment i of the tile, by `lanes` lanes. Each group of lanes of a warp has its own; one may have none.
    PARPRIMS_DEVICE void fold_segment(shared_storage& shared, const tile_type& elements, const span& tile, unsigned i,
                                      const tile_segment& segment, unsigned lanes) const
    {
        const unsigned lane = simt::block::lane() & (lanes - 1);
        const unsigned size = segment.size;
        if (lanes == simt::warp_size && size > row && size <= chunk) {
            const T total = device::fold_piece<value_type, T>(elements, segment.begin, size, op);
            if (lane == 0)
                output.set(tile.first.segment + i, warp::combine<T>(op, init, total));
            return;
        }

        // Lanes that read narrow elements of several rows without gaps would share few banks.
        constexpr bool is_wide = tile_type::bytes == 0 || tile_type::bytes >= 4;
        const bool has_few_rows = lanes_fold_rows && size <= row * lanes && size <= chunk &&
                                  lanes * leaf_items <= row && (is_wide || elements.has_gaps);
        const bool is_short = size <= row || has_few_rows;
        const uninitialized<T> total = fold_by_lanes<value_type, lanes_fold_rows, !Segments::is_searched, T>(
            elements, segment.begin, is_short ? size : 0, lanes, op);

        if (i >= tile.segments || lane != 0)
            return;
        if (is_short)
            output.set(tile.first.segment + i, size == 0 ? init : warp::combine<T>(op, init, total.value));
        else
            defer_to_warps(shared, i, segment.size);
    }

    /// Segment i of the tile, by a group of lanes.
    PARPRIMS_DEVICE void fold_group(shared_storage& shared, const tile_type& elements, const span& tile, unsigned i,
                                    const tile_segment& segment) const
    {
        const unsigned size = segment.size <= max_group_rows * row ? segment.size : 0;
        uninitialized<T> total;
        if constexpr (has_groups)
            total = device::fold_by_group<value_type, T>(elements.plain(), segment.begin, size, op);
        if (i >= tile.segments || simt::block::lane() % group_lanes != 0)
            return;
        if (segment.size == 0)
            output.set(tile.first.segment + i, init);
        else if (size != 0)
            output.set(tile.first.segment + i, warp::combine<T>(op, init, total.value));
        else
            defer_to_warps(shared, i, segment.size);
    }

    /// Lists segment i of the tile, which is too long for a few lanes, for step 4.
    PARPRIMS_DEVICE static void defer_to_warps(shared_storage& shared, unsigned i, unsigned size)
    {
        if (size <= chunk)
            shared.medium.add(i);
        else
            shared.large.add(i);
    }

    /// Segments of more than a row and at most a chunk: a warp takes one at a time.
    PARPRIMS_DEVICE void fold_medium(simt::block block, shared_storage& shared, const tile_type& elements,
                                     const span& tile) const
    {
        const unsigned count = shared.medium.size();
        for (unsigned place = block.warp(); place < count; place += block.warps()) {
            const unsigned i = shared.medium[place];
            const tile_segment segment = segment_of_tile<chunk>(segments, tile.first, tile.count, i);
            if (segment.size == 0)  // of offsets that do not ascend
                continue;
            const T total = device::fold_piece<value_type, T>(elements, segment.begin, segment.size, op);
            if (block.lane() == 0)
                output.set(tile.first.segment + i, warp::combine<T>(op, init, total));
        }
    }

    /// The chunks of segments of several chunks: a warp takes one at a time. Has a barrier behind the last one.
    PARPRIMS_DEVICE void fold_large(simt::block block, shared_storage& shared, const tile_type& elements,
                                    const span& tile) const
    {
        // Each lane looks at one segment.
        const unsigned count = shared.large.size();
        const unsigned lane = simt::block::lane();
        std::size_t segment = tile.first.segment, begin = 0, size = 0, from = 0;
        unsigned live = 0;       // chunks to fold
        bool is_inside = false;  // of the tile
        if (lane < count) {
            segment += shared.large[lane];
            begin = segments.begin(segment);
            const std::size_t end = segments.begin(segment + 1);
            size = end > begin ? end - begin : 0;
            const std::size_t its_chunks = order::ceil_div(size, chunk);
            from = segment == tile.first.segment ? tile.first.piece : 0;
            const std::size_t to = segment == tile.last.segment ? tile.last.piece : its_chunks;
            is_inside = from == 0 && to == its_chunks;
            live = limited_difference(to, from, positions / chunk + 1);
        }
        const numbered_chunks chunks(live);
        // No other block folds chunks of the segment.
        const bool is_alone = is_inside && chunks.end <= max_chunks;

        const unsigned all = chunks.all();
        for (unsigned next = block.warp(); next < all; next += block.warps()) {
            const unsigned owner = chunks.owner(next);
            const std::size_t its_begin = simt::shuffle(begin, owner);
            const std::size_t its_size = simt::shuffle(size, owner);
            const std::size_t piece = simt::shuffle(from, owner) + (next - chunks.first(owner));
            const unsigned width = limited_difference(its_size, piece * chunk, chunk);
            const unsigned place = limited_difference(its_begin + piece * chunk, tile.first.element, tile.count);
            if (width == 0 || width > tile.count - place)  // with offsets that do not ascend
                continue;
            const T total = device::fold_piece<value_type, T>(elements, place, width, op);
            const bool is_last = (piece + 1) * chunk >= its_size;
            if (simt::shuffle(is_alone, owner)) {
                if (lane == 0)
                    simt::store(shared.chunk_totals, next, total);
            } else if (lane == 0) {
                simt::store(totals.place(its_begin, piece, is_last), total);
            }
        }
        block.sync();

        for (unsigned i = block.warp(); i < count; i += block.warps()) {
            const unsigned its_live = simt::shuffle(is_alone ? live : 0, i);
            if (its_live == 0)
                continue;
            const unsigned first = chunks.first(i);
            uninitialized<T> total;
            if (lane < its_live)
                total.value = simt::load(shared.chunk_totals, first + lane);
            total.value = warp::fold_lanes(total.value, its_live, op);
            const std::size_t its_segment = simt::shuffle(segment, i);
            if (lane == 0)
                output.set(its_segment, warp::combine<T>(op, init, total.value));
        }
    }

    /// Counts that this tile is done, for each segment that other tiles have chunks of, too: the one that goes on over the beginning of
    /// the tile, and the one that goes on over its end. The block whose tile is the last one folds the totals of all chunks.
    PARPRIMS_DEVICE void finish_shared(simt::block block, shared_storage& shared) const
    {
        // The ends are loaded again: to keep them would take registers of all that comes before.
        const auto segment_at = [&](unsigned side) { return simt::load(&shared.ends[side].segment); };
        const bool crosses_begin = simt::load(&shared.ends[0].piece) != 0;
        const bool crosses_end =
            simt::load(&shared.ends[1].piece) != 0 && !(crosses_begin && segment_at(0) == segment_at(1));
        if (!crosses_begin && !crosses_end)
            return;
        if (block.warp() < 2 && block.lane() == 0) {
            const end_type end = simt::load(shared.ends, block.warp());
            const bool is_last =
                (block.warp() == 0 ? crosses_begin : crosses_end) &&
                simt::atomic_add_acq_rel(totals.tiles_done + end.first_tile, 1u) == end.last_tile - end.first_tile;
            simt::store(shared.is_last, block.warp(), is_last);
        }
        block.sync();
#pragma unroll 1
        for (unsigned side = 0; side < 2; ++side) {
            if (!simt::load(shared.is_last, side))
                continue;
            const std::size_t segment = segment_at(side);
            const std::size_t begin = segments.begin(segment);
            const std::size_t chunks = chunks_between(begin, segments.begin(segment + 1), chunk);
            const T total = totals.fold(block, shared.chunk_totals, begin, chunks, op);
            if (block.thread() == 0)
                output.set(segment, warp::combine<T>(op, init, total));
            block.sync();  // the first warp has loaded the totals of the warps
        }
    }
};

}  // namespace parprims::detail::device
