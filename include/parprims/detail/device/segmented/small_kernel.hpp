/// @file
/// @brief  The kernel of segmented reductions of few elements: a warp for each segment, and little code, which takes time to fetch.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/contract/order.hpp>
#include <parprims/detail/device/segmented/piece.hpp>
#include <parprims/detail/device/segmented/segments.hpp>
#include <parprims/detail/device/segmented/tile_input.hpp>
#include <parprims/detail/device/segmented/tuning.hpp>
#include <parprims/detail/device/tree/warp_tree.hpp>
#include <parprims/detail/numeric/integers.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <cstddef>

namespace parprims::detail::device {

/// Elements are read where they are. All warps of a block fold the chunks of its segments of several chunks.
template <class Segments, class Input, class T, class Output, class Op>
struct small_segments_kernel {
    using value_type = typename Input::value_type;
    static constexpr std::size_t chunk = order::chunk<value_type>;
    static constexpr unsigned max_threads = small_threads;
    static constexpr unsigned min_blocks = small_min_blocks<T, Segments::is_searched>;
    static constexpr unsigned max_chunks = max_small_chunks<value_type, T>;
    static constexpr unsigned lane_chunks = larger_of(max_chunks / simt::warp_size, 1u);
    static constexpr unsigned max_totals = max_chunks + max_threads / simt::warp_size;  // of a block

    struct shared_storage {
        std::size_t sizes[max_threads / simt::warp_size];  // of the segments of a block
        uninitialized<T> totals[max_totals];               // of chunks
    };

    Segments segments;
    Input input;
    Output output;
    T init;
    Op op;
    unsigned block_segments;  // at most one for each warp

    PARPRIMS_DEVICE std::size_t resize(std::size_t count, std::size_t)
    {
        segments.count = count;
        return order::ceil_div(count, std::size_t{block_segments});
    }

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage& shared) const
    {
        // 1. A warp folds a segment of at most a chunk.
        const std::size_t first = block.index() * block_segments;
        const std::size_t segment = first + block.warp();
        std::size_t size = 0;
        if (block.warp() < block_segments && segment < segments.count) {
            const std::size_t begin = segments.begin(segment);
            const std::size_t end = segments.end(segment);
            size = end > begin ? end - begin : 0;
            if (size == 0 && block.lane() == 0)
                output.set(segment, init);
            else if (size != 0 && size <= chunk)
                finish(segment, fold(begin, size));
        }

        // 2. All warps fold the chunks of longer ones.
        if constexpr (Segments::is_searched)
            if (segments.longest() > chunk)
                fold_long(block, shared, first, size);
    }

private:
    /// Folds the segments of several chunks that a block has. The warp's own segment has `size` elements. Each lane looks one up.
    PARPRIMS_DEVICE void fold_long(simt::block block, shared_storage& shared, std::size_t first, std::size_t size) const
    {
        if (block.lane() == 0)
            simt::store(shared.sizes, block.warp(), size);
        block.sync();
        const std::size_t its_size = block.lane() < block.warps() ? simt::load(shared.sizes, block.lane()) : 0;
        const unsigned its_chunks =
            its_size > chunk ? limited_difference(order::ceil_div(its_size, chunk), 0, max_chunks) : 0;
        if (simt::ballot(its_chunks != 0) == 0)
            return;
        const numbered_chunks chunks(its_chunks);
        const unsigned all = smaller_of(chunks.all(), max_totals);  // more with bad offsets
        for (unsigned next = block.warp(); next < all; next += block.warps()) {
            const unsigned owner = chunks.owner(next);
            const std::size_t from = (next - chunks.first(owner)) * chunk;
            const T total = fold(segments.begin(first + owner) + from, simt::shuffle(its_size, owner) - from);
            if (block.lane() == 0)
                simt::store(shared.totals, next, total);
        }
        block.sync();
        const unsigned count = simt::shuffle(chunks.count, block.warp());
        const unsigned end = simt::shuffle(chunks.end, block.warp());
        if (count == 0 || end > all)
            return;
        finish(first + block.warp(),
               warp::fold_stored<lane_chunks, T>(
                   end - count, end, [&](unsigned i) { return simt::load(shared.totals, i); }, op));
    }

    /// Folds up to a chunk of elements from number `begin` on.
    PARPRIMS_DEVICE T fold(std::size_t begin, std::size_t left) const
    {
        return device::fold_piece<value_type, T>(elements_in_place<Input, T>{input, begin}, 0,
                                                 static_cast<unsigned>(left < chunk ? left : chunk), op);
    }

    PARPRIMS_DEVICE void finish(std::size_t segment, const T& total) const
    {
        if (simt::block::lane() == 0)
            output.set(segment, warp::combine<T>(op, init, total));
    }
};

}  // namespace parprims::detail::device
