/// @file
/// @brief  The kernel of segmented reductions of few elements: a warp for each segment, and little code.
#pragma once

#include <parprims/config.hpp>
#include <parprims/detail/block/warp_tree.hpp>
#include <parprims/detail/device/segmented/piece.hpp>
#include <parprims/detail/device/segmented/segments.hpp>
#include <parprims/detail/device/segmented/tile_input.hpp>
#include <parprims/detail/device/segmented/tuning.hpp>
#include <parprims/detail/numeric/integers.hpp>
#include <parprims/detail/order.hpp>
#include <parprims/detail/simt/simt.hpp>

#include <cstddef>

namespace parprims::detail::device {

/// Elements are read where they are. All warps of a block fold the chunks of its segments of several chunks.
template <class Segments, class Input, class T, class Output, class Op>
struct small_segments_kernel {
    using value_type = typename Input::value_type;
    static constexpr std::size_t chunk = order::chunk<value_type>;
    static constexpr unsigned max_threads = small_threads;
    static constexpr unsigned max_chunks = max_small_chunks<value_type, T>;
    static constexpr unsigned lane_totals = larger_of(max_chunks / simt::warp_size, 1u);

    struct shared_storage {
        std::size_t sizes[max_threads / simt::warp_size];  // of the segments of a block
        uninitialized<T> totals[max_chunks];               // of chunks
    };

    Segments segments;
    Input input;
    Output output;
    T init;
    Op op;

    PARPRIMS_DEVICE void operator()(simt::block block, shared_storage& shared) const
    {
        // 1. A warp folds a segment of at most a chunk.
        const std::size_t first = block.index() * block.warps();
        const std::size_t segment = first + block.warp();
        std::size_t size = 0;
        if (segment < segments.count) {
            const std::size_t begin = segments.begin(segment);
            const std::size_t end = segments.begin(segment + 1);
            size = end > begin ? end - begin : 0;
            if (size == 0 && block.lane() == 0)
                output.set(segment, init);
            else if (size != 0 && size <= chunk)
                finish(segment, fold(begin, size));
        }
        if (segments.longest() <= chunk)
            return;

        // 2. All warps fold the chunks of longer ones.
        if (block.lane() == 0)
            simt::store(shared.sizes, block.warp(), size);
        block.sync();
        const simt::lane_mask long_ones =
            simt::ballot(block.lane() < block.warps() && simt::load(shared.sizes, block.lane()) > chunk);
        for (unsigned w = 0; long_ones >> w != 0; ++w) {
            if ((long_ones >> w & 1) == 0)
                continue;
            const std::size_t its_size = simt::load(shared.sizes, w);
            const std::size_t begin = segments.begin(first + w);
            const auto chunks =
                static_cast<unsigned>(smaller_of<std::size_t>(order::ceil_div(its_size, chunk), max_chunks));
            for (unsigned c = block.warp(); c < chunks; c += block.warps()) {
                const T total = fold(begin + c * chunk, its_size - c * chunk);
                if (block.lane() == 0)
                    simt::store(shared.totals, c, total);
            }
            block.sync();
            if (block.warp() == 0)
                finish(first + w, warp::fold_stored<lane_totals, T>(
                                      0u, chunks, [&](unsigned i) { return simt::load(shared.totals, i); }, op));
            block.sync();
        }
    }

private:
    /// Folds up to a chunk of elements from number `begin` on.
    PARPRIMS_DEVICE T fold(std::size_t begin, std::size_t left) const
    {
        return fold_piece<value_type, T>(elements_in_place<Input, T>{input, begin}, 0,
                                         static_cast<unsigned>(left < chunk ? left : chunk), op);
    }

    PARPRIMS_DEVICE void finish(std::size_t segment, const T& total) const
    {
        if (simt::block::lane() == 0)
            output.set(segment, warp::combine<T>(op, init, total));
    }
};

}  // namespace parprims::detail::device
