/// @file
/// @brief  A launcher that counts lines in every way.
#pragma once

#include <parprims/detail/device/segmented_histogram/dispatch.hpp>

#include "run.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace kernel_test {

/// Tiles and groups of any size.
class lines_launcher : public launcher {
public:
    lines_launcher(std::uint64_t seed, std::size_t words)
        : launcher(schedule_of(seed), {1 + static_cast<unsigned>(seed % 3), 2048, words * 4, 4 * words * 4 + 8192}),
          seed_(seed)
    {
    }

    void change(device::lines_plan& plan) const
    {
        plan.block_threads = 32u << random(1) % 3;
        plan.group = std::min(std::max(plan.group, 8u << random(2) % 4), plan.block_threads);
        if (random(3) % 3 == 0)
            return;
        plan.room = 1 + static_cast<unsigned>(random(4) % plan.room);
        const std::size_t length = plan.split.parts * plan.split.share;  // or more
        plan.split.tile_lines = 1 + random(5) % 9;
        plan.split.share = plan.split.parts == 1 && random(6) % 2 == 0 ? plan.split.share : 192 * (1 + random(7) % 4);
        plan.split.parts = order::ceil_div(length, plan.split.share);
        plan.weight = 1 + random(8) % 100;
        plan.positions = plan.weight + random(9) % 1000;
    }

private:
    std::uint64_t random(unsigned k) const { return mix(mix(seed_ + k) << 20 | k) >> 33; }

    std::uint64_t seed_;
};

}  // namespace kernel_test
