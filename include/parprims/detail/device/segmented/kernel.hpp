/// @file
/// @brief  The kernel of segmented reductions: a block folds the pieces of a tile.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/device/segmented/piece.hpp>
#include <parprims/detail/device/segmented/plan.hpp>
#include <parprims/detail/device/segmented/segments.hpp>
#include <parprims/detail/device/segmented/serial_tree.hpp>
#include <parprims/detail/device/segmented/subtrees.hpp>
#include <parprims/detail/device/segmented/tile_input.hpp>
#include <parprims/detail/device/segmented/tuning.hpp>
#include <parprims/detail/device/tree/block_tree.hpp>
#include <parprims/detail/device/tree/warp_tree.hpp>
#include <parprims/detail/numeric/integers.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <cstddef>

namespace parprims::detail::device {

/// A tile is a range of positions. Segment s takes one position and one for each element, so a tile has a bounded number of segments and
/// of elements. A piece is a chunk of a segment (the last may be shorter), or an empty segment.
///
/// A few lanes fold a segment of at most a few rows. Of longer segments, each chunk is folded by a warp. If all chunks of a segment lie in
/// one tile, the tile's block also folds their totals. Otherwise the last block to finish among those that have chunks of the segment does.
/// No block waits for another one.
template <class Segments, class Input, class T, class Output, class Op>
struct segmented_reduce_kernel {
    static constexpr unsigned max_threads = segmented_threads;
    static constexpr unsigned min_blocks = sizeof(T) <= 16 ? segmented_blocks_per_sm : 0;
    static constexpr std::size_t sized_blocks_per_sm = sized_tile_blocks_per_sm;
    using value_type = typename Input::value_type;
    using tile_type = tile_input<Input, T>;
    static constexpr unsigned items = order::lane_items<value_type>;
    static constexpr unsigned row = order::row<value_type>;
    static constexpr std::size_t chunk = order::chunk<value_type>;
    /// Positions of a tile.
    static constexpr std::size_t tile = !tile_type::is_copied ? uncopied_segmented_tile
                                                              : (!Input::has_source      ? computed_tile_bytes
                                                                 : Segments::is_searched ? searched_tile_bytes
                                                                                         : segmented_tile_bytes) /
                                                                    tile_type::bytes;
    /// Whether a segment may have several chunks. If all segments have one size, `long_segments_kernel` folds such segments instead.
    static constexpr bool may_be_long = Segments::is_searched;
    /// Whether groups of eight lanes may fold segments of a few rows: where segments differ in size.
    static constexpr bool has_groups =
        Segments::is_searched && tile_type::bytes >= 4 && tile_type::bytes <= 8 && sizeof(T) <= 8 && !is_located<T>;
    /// Whether `fold_segment` folds segments of a few rows; if not, groups do.
    static constexpr bool lanes_fold_rows = !has_groups;
    /// Whether a tile inside one segment is copied to shared memory.
    static constexpr bool copies_inner_chunks = tile_type::is_copied && items >= min_copied_inner_items;

    struct shared_storage {
        piece_position ends[2];                  // where the tile begins, and where it ends
        segment_list<tile / row + 2> remaining;  // segments that step 3 does not fold
        uninitialized<T> chunk_totals[block::max_tree_leaves];
        // For the segment that crosses the begin [0] or the end [1] of the tile: whether this block is the last to finish chunks of it.
        bool is_last[2];
        alignas(simt::shared_line_bytes) simt::shared_array<unsigned char> elements;
    };

    Segments segments;
    Input input;
    Output output;
    T init;
    Op op;
    unsigned positions;          // of a tile, at most
    unsigned gap;                // elements of the input behind each segment that `segments` leave out
    const piece_position* ends;  // of all tiles, if they are searched for
    segment_subtrees<T> shares;  // totals of chunks; none if no segment has several chunks

    PARPRIMS_DEVICE std::size_t resize(std::size_t count, std::size_t)
    {
        segments.count = count;
        return count == 0 ? 0 : simt::load(device::tiles_before(ends));
    }

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage& shared,
                                    std::size_t index = simt::block::index()) const
    {
        // 1. Two warps find where the tile begins and ends.
        if (block.warp() < 2) {
            const piece_position end = end_of_tile(index + block.warp());
            if (block.lane() == 0)
                simt::store(shared.ends, block.warp(), end);
        }
        if (block.thread() == 0)
            shared.remaining.clear();
        block.sync();
        const piece_position first = simt::load(shared.ends);
        const piece_position last = simt::load(shared.ends + 1);
        const span tile{first, last, limited_difference(last.element, first.element, positions + chunk),
                        limited_difference(last.segment + (last.piece != 0 ? 1 : 0), first.segment, positions + 1)};

        fold_tile(block, shared, tile);  // steps 2 to 4

        // 5. Segments of which other tiles have chunks, too.
        if constexpr (may_be_long)
            if (shares.boundaries != 0)
                finish_shared(block, shared);
    }

private:
    /// The pieces from `first` to before `last`, which begins the next tile.
    struct span {
        piece_position first;
        piece_position last;
        unsigned count;     // elements
        unsigned segments;  // also those that begin before the tile or end behind it
    };

    /// For one warp: where tile i begins, and tile i - 1 ends.
    PARPRIMS_DEVICE piece_position end_of_tile(std::size_t i) const
    {
        if constexpr (Segments::is_searched)
            return simt::load(ends, i);
        else
            return find_piece<chunk>(segments, i * positions);
    }

    PARPRIMS_DEVICE void fold_tile(simt::block block, shared_storage& shared, const span& tile) const
    {
        const piece_position& first = tile.first;
        // Whether the tile lies inside one segment.
        const bool is_inner = may_be_long && first.segment == tile.last.segment && shares.boundaries != 0;
        if (is_inner && !copies_inner_chunks)
            return fold_inner_chunks(block, elements_in_place<Input, T>{input, first.element}, tile);

        // 2. All threads copy the elements of the tile.
        prefetch_segments(block, segments, first.segment, tile.segments);
        unsigned lanes = 1;  // for each segment
        while (lanes < simt::warp_size && 2 * lanes * tile.segments <= block.threads())
            lanes *= 2;
        const bool by_groups =
            has_groups && lanes != 1 && lanes != simt::warp_size && tile.count >= min_group_elements * tile.segments;
        if (by_groups)
            lanes = group_lanes;
        const std::size_t room = positions + smaller_of(segments.longest(), chunk);
        const tile_type elements(input, shared.elements.data(),
                                 {first.element + first.segment * gap, static_cast<unsigned>(segments.longest()),
                                  Segments::is_searched ? 0 : gap},
                                 by_groups ? 0 : stride_in_tile(segments, tile.count, tile.segments, room));
        elements.start_copy(block, tile.count, segments.n - first.element);
        if (is_inner || device::are_leaves<T, value_type>(segments.longest())) {
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
        fold_longer(block, shared, elements, tile);
    }

    /// Folds a tile that lies inside one segment, so that all its pieces are complete chunks. Ends with a barrier.
    template <class Elements>
    PARPRIMS_DEVICE void fold_inner_chunks(simt::block block, const Elements& elements, const span& tile) const
    {
        const std::size_t segment_begin = segments.begin(tile.first.segment);
        for (unsigned piece = block.warp(); piece < tile.count / chunk; piece += block.warps()) {
            const auto begin = static_cast<unsigned>(piece * chunk);
            const T total = device::fold_piece<value_type, T>(elements.from(begin), 0, chunk, op);
            if (block.lane() == 0)
                simt::store(shares.place(segment_begin, tile.first.piece + piece), total);
        }
        block.sync();  // before the tile counts as done
    }

    /// Folds short segments, by a lane each.
    PARPRIMS_DEVICE void fold_leaves(simt::block block, const tile_type& elements, const span& tile) const
    {
        for (unsigned i = block.thread(); i < tile.segments; i += block.threads()) {
            const tile_segment segment = segment_of_tile<chunk>(segments, tile.first, tile.count, i);
            output.set(tile.first.segment + i,
                       segment.size == 0
                           ? init
                           : warp::combine<T>(op, init,
                                              fold_by_lane<row, false, !Segments::is_searched, T>(
                                                  elements, segment.begin, segment.size, segment.size, op)));
        }
    }

    /// Segment i of the tile; an empty one if the tile has fewer segments.
    PARPRIMS_DEVICE tile_segment segment_of(const span& tile, unsigned i) const
    {
        return i < tile.segments ? segment_of_tile<chunk>(segments, tile.first, tile.count, i) : tile_segment{0, 0};
    }

    /// For one lane: sets the result of segment i of the tile or, if its lanes have not folded it, lists the segment for step 4.
    PARPRIMS_DEVICE void finish(shared_storage& shared, const span& tile, unsigned i, unsigned size, bool is_folded,
                                const uninitialized<T>& total) const
    {
        if (is_folded)
            output.set(tile.first.segment + i, size == 0 ? init : warp::combine<T>(op, init, total.value));
        else
            shared.remaining.add(i);
    }

    /// Folds segment i of the tile by `lanes` lanes, while other lanes of the warp fold other segments. A lane may have an empty one.
    PARPRIMS_DEVICE void fold_segment(shared_storage& shared, const tile_type& elements, const span& tile, unsigned i,
                                      const tile_segment& segment, unsigned lanes) const
    {
        const unsigned lane = simt::block::lane() & (lanes - 1);
        const unsigned size = segment.size;
        if (!is_located<T> && lanes == simt::warp_size && size > row && size <= chunk) {
            const T total = device::fold_piece<value_type, T>(elements, segment.begin, size, op);
            if (lane == 0)
                output.set(tile.first.segment + i, warp::combine<T>(op, init, total));
            return;
        }

        // Lanes that fold several rows of elements narrower than 4 bytes have bank conflicts, so they fold few.
        constexpr bool is_wide = tile_type::bytes == 0 || tile_type::bytes >= 4;
        const unsigned most_rows =
            is_wide ? lanes : smaller_of(lanes, elements.is_padded ? max_padded_rows : max_unpadded_rows);
        const bool has_few_rows =
            lanes_fold_rows && size <= chunk &&
            (is_located<T> ? size <= row * lanes : size <= row * most_rows && lanes * leaf_items <= row);
        const bool is_short = size <= row || has_few_rows;
        const uninitialized<T> total = fold_by_lanes<value_type, lanes_fold_rows, !Segments::is_searched, T>(
            elements, segment.begin, is_short ? size : 0, lanes, op);

        if (i < tile.segments && lane == 0)
            finish(shared, tile, i, size, is_short, total);
    }

    /// Folds segment i of the tile by a group of lanes.
    PARPRIMS_DEVICE void fold_group(shared_storage& shared, const tile_type& elements, const span& tile, unsigned i,
                                    const tile_segment& segment) const
    {
        const bool is_short = segment.size <= max_group_rows * row;
        uninitialized<T> total;
        if constexpr (has_groups)
            total =
                device::fold_by_group<value_type, T>(elements.plain(), segment.begin, is_short ? segment.size : 0, op);
        if (i < tile.segments && simt::block::lane() % group_lanes == 0)
            finish(shared, tile, i, segment.size, is_short, total);
    }

    /// Folds the segments of more than a row, 32 at a time: each lane looks one up, and warps take their chunks in turn.
    PARPRIMS_DEVICE void fold_longer(simt::block block, shared_storage& shared, const tile_type& elements,
                                     const span& tile) const
    {
        const unsigned lane = simt::block::lane();
        const unsigned listed = shared.remaining.size();
        for (unsigned base = 0; base < listed; base += simt::warp_size) {
            unsigned number = 0;              // of the lane's segment in the tile
            unsigned place = 0;               // of its first element in the tile
            unsigned size = 0;                // elements in the tile
            bool has_several_chunks = false;  // here or in other tiles
            if (base + lane < listed) {
                number = shared.remaining[base + lane];
                const std::size_t begin = segments.begin(tile.first.segment + number);
                const std::size_t end = segments.end(tile.first.segment + number);
                const std::size_t from = number == 0 ? tile.first.piece : 0;
                place = limited_difference(begin + from * chunk, tile.first.element, tile.count);
                size = limited_difference(end, begin + from * chunk, tile.count - place);
                if (tile.first.segment + number == tile.last.segment)
                    size = limited_difference(tile.last.piece, from, size / chunk) * static_cast<unsigned>(chunk);
                has_several_chunks = end > begin && end - begin > chunk;
            }
            const numbered_chunks chunks(static_cast<unsigned>((size + chunk - 1) / chunk));
            const unsigned all = chunks.all();
            for (unsigned next = block.warp(); next < all; next += block.warps()) {
                const unsigned owner = chunks.owner(next);
                const unsigned chunks_before = next - chunks.first(owner);  // of its segment in the tile
                const auto skipped = static_cast<unsigned>(chunks_before * chunk);
                const unsigned left = simt::shuffle(size, owner) - skipped;
                const T total = device::fold_piece<value_type, T>(elements, simt::shuffle(place, owner) + skipped,
                                                                  smaller_of(left, static_cast<unsigned>(chunk)), op);
                const unsigned its_number = simt::shuffle(number, owner);
                const bool is_part = may_be_long && (simt::ballot(has_several_chunks) >> owner & 1) != 0;
                if (lane == 0 && is_part)
                    simt::store(shares.place(segments.begin(tile.first.segment + its_number),
                                             (its_number == 0 ? tile.first.piece : 0) + chunks_before),
                                total);
                else if (lane == 0)
                    output.set(tile.first.segment + its_number, warp::combine<T>(op, init, total));
            }
        }
        if (!may_be_long || segments.longest() <= chunk)
            return;
        block.sync();

        // Segments of several chunks of which no other tile has a chunk.
        for (unsigned i = block.warp(); i < listed; i += block.warps()) {
            const std::size_t segment = tile.first.segment + shared.remaining[i];
            const std::size_t begin = segments.begin(segment);
            const std::size_t all = chunks_between(begin, segments.begin(segment + 1), chunk);
            if (all == 1 || segment == tile.last.segment || (segment == tile.first.segment && tile.first.piece != 0))
                continue;
            const T total = shares.fold(begin, 0, all, op);
            if (lane == 0)
                output.set(segment, warp::combine<T>(op, init, total));
        }
    }

    /// At most two segments of a tile have chunks in other tiles: one crosses its begin, one its end. For each of them the block adds its
    /// number of chunks to the segment's counter. The block that completes the count folds the chunk totals.
    PARPRIMS_DEVICE void finish_shared(simt::block block, shared_storage& shared) const
    {
        // The ends are loaded again: keeping them in registers would raise the register count of the whole kernel.
        const piece_position first = simt::load(shared.ends);
        const piece_position last = simt::load(shared.ends + 1);
        const bool crosses_begin = first.piece != 0;
        const bool crosses_end = last.piece != 0 && !(crosses_begin && first.segment == last.segment);
        if (!crosses_begin && !crosses_end)
            return;
        if (block.warp() < 2 && block.lane() == 0) {
            bool is_last = false;
            if (block.warp() == 0 ? crosses_begin : crosses_end) {
                const std::size_t segment = block.warp() == 0 ? first.segment : last.segment;
                const std::size_t begin = segments.begin(segment);
                const std::size_t all = chunks_between(begin, segments.begin(segment + 1), chunk);
                const std::size_t from = segment == first.segment ? first.piece : 0;
                const std::size_t to = segment == last.segment ? last.piece : all;
                is_last = shares.completes(begin, to - from, all);
            }
            simt::store(shared.is_last, block.warp(), is_last);
        }
        block.sync();
#pragma unroll 1
        for (unsigned side = 0; side < 2; ++side) {
            if (!simt::load(shared.is_last, side))
                continue;
            const std::size_t segment = simt::load(&shared.ends[side].segment);
            const std::size_t begin = segments.begin(segment);
            const std::size_t all = chunks_between(begin, segments.begin(segment + 1), chunk);
            const T total = shares.fold_all(block, shared.chunk_totals, begin, all, op);
            if (block.thread() == 0)
                output.set(segment, warp::combine<T>(op, init, total));
            block.sync();  // the first warp has read `chunk_totals`, which the next side overwrites
        }
    }
};

}  // namespace parprims::detail::device
