/// @file
/// @brief  Segments of many kinds, and a launcher that folds them in every way.
#pragma once

#include <doctest/doctest.h>

#include <parprims/detail/device/segmented/dispatch.hpp>

#include "run.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace kernel_test {

/// Tiles of few positions, so that segments end in other tiles than they begin in.
class segmented_launcher : public launcher {
public:
    /// @param  chunks          of the input, not rounded up
    /// @param  segment_chunks  of a segment, rounded up, if segments have one size, otherwise 0
    segmented_launcher(const executor::options& how, std::size_t tile, std::size_t chunks, std::size_t segments,
                       std::size_t segment_chunks)
        : launcher(how, {.multiprocessors = 1,
                         .shared_bytes_per_block = std::size_t{how.seed % 2 == 0 ? 227u : 20u} * 1024}),
          tile_(tile), chunks_(chunks), segments_(segments), segment_chunks_(segment_chunks), seed_(how.seed)
    {
    }

    void change(device::segmented_plan& plan) const
    {
        plan.block_threads = 64 + 32 * static_cast<unsigned>(mix(seed_ + 1) % 3);
        if (tile_ == 0 || tile_ > plan.tile)
            return;
        const std::size_t positions = plan.tile * plan.tiles;
        plan.elements -= plan.tile - tile_;
        plan.tile = tile_;
        plan.tiles = order::ceil_div(positions, tile_);
    }

    /// Any kernel that can fold the segments.
    void change(device::segments_choice& choice) const
    {
        const bool is_few = choice.kernel == device::segments_kernel::few;
        if (tile_ == 0 && is_few && mix(seed_ + 6) % 2 == 1)
            return;
        if (tile_ == 0 && segment_chunks_ == 0 && segments_ <= (has_tsan ? 60 : 300) && random(10) % 2 == 1)
            choice.kernel = device::segments_kernel::long_segments;
        else if (segment_chunks_ == 0 || is_few)
            choice.kernel = device::segments_kernel::tiles;
    }

    void change(device::small_segments_plan& plan) const
    {
        const std::size_t segments = plan.blocks * plan.block_segments;
        plan.block_threads = 32 << mix(seed_ + 8) % 3;
        plan.block_segments = std::min(1u << mix(seed_ + 9) % 4, plan.block_threads / 32);
        plan.blocks = order::ceil_div(segments, plan.block_segments);
    }

    /// Groups and subtrees of any size.
    void change(device::long_segments_plan& plan) const
    {
        plan.group_warps = 1u << random(7) % (has_tsan ? 2 : 3);
        plan.block_threads = std::max(32 * plan.group_warps, 32u << random(8) % 3);
        plan.subtree_chunks = plan.group_warps * (1u << random(9) % 3);
        const std::size_t subtrees = segment_chunks_ == 0 ? 1 : order::ceil_div(segment_chunks_, plan.subtree_chunks);
        plan.boundaries = segment_chunks_ != 0 && subtrees == 1 ? 0 : chunks_ / plan.subtree_chunks;
        plan.block_tasks = 1u << random(6) % 4;
        plan.blocks = order::ceil_div(segments_ * subtrees * plan.group_warps, plan.block_threads / 32);
    }

    template <class Kernel>
    void launch(const device::launch_shape& shape, Kernel kernel)
    {
        REQUIRE(shape.shared_bytes <= gpu().shared_bytes_per_block);
        launcher::launch(shape, kernel);
    }

private:
    /// The low bits of `mix` of small numbers depend on few of theirs.
    std::uint64_t random(unsigned k) const { return mix(mix(seed_ + k) << 20 | k) >> 33; }

    std::size_t tile_;
    std::size_t chunks_;
    std::size_t segments_;
    std::size_t segment_chunks_;
    std::uint64_t seed_;
};

inline std::vector<std::size_t> equal_offsets(std::size_t n, std::size_t size)
{
    std::vector<std::size_t> offsets{0};
    while (offsets.back() < n)
        offsets.push_back(std::min(n, offsets.back() + size));
    return offsets;
}

/// Tiles that are not larger than a chunk, odd ones, and those of the plan.
inline std::size_t tile_of(std::size_t chunk, std::uint64_t seed)
{
    const std::size_t tiles[] = {0, chunk / 2, chunk - 1, 2 * chunk + 77, 64};
    return tiles[seed % 5];
}

/// Offsets of `kind`: lengths of 0 and 1, up to 64, of a row and more, one of everything, and mixtures.
inline std::vector<std::size_t> offsets_of(std::size_t n, unsigned kind, std::size_t chunk, std::uint64_t seed)
{
    std::vector<std::size_t> offsets{0};
    if (kind == 0)
        offsets.insert(offsets.end(), has_tsan ? 20 : 100, 0);
    while (offsets.back() < n) {
        const std::uint64_t random = mix(++seed) >> 20;
        const std::size_t length = kind == 0   ? n
                                   : kind == 1 ? random % 3
                                   : kind == 2 ? 1 + random % 64
                                   : kind == 3 ? random % (chunk / 4)
                                   : kind == 4 ? chunk - 1 + random % 3
                                               : (random % 4 == 0 ? random / 4 % (5 * chunk) : random / 4 % 40);
        offsets.push_back(std::min(n, offsets.back() + length));
    }
    if (seed % 2 == 0)
        offsets.insert(offsets.end(), has_tsan ? 10 : 50, n);
    return offsets;
}

}  // namespace kernel_test
