/// @file
/// @brief  Lines of arrays on the executor: any kernel that can fold them, and arrays whose lines have gaps.
#pragma once

#include <parprims/detail/device/along/dispatch.hpp>

#include <doctest/doctest.h>

#include "../../unit/support/arrays.hpp"
#include "run.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace kernel_test {

/// Any kernel that can fold the lines, with few or many threads of a line, parts of it, and lines of a block.
class along_launcher : public launcher {
public:
    explicit along_launcher(const executor::options& how)
        : launcher(how,
                   {.multiprocessors = how.seed % 2 == 0 ? 1u : 8u, .shared_bytes_per_block = std::size_t{227} * 1024}),
          random_{how.seed}
    {
    }

    void change(device::lines_kernel& kernel) { kernel.is_of_segments = kernel.is_of_segments && random_() % 3 == 0; }
    void change(device::along_choice& choice)
    {
        choice.is_short = choice.may_be_short && random_() % 2 == 0;
        choice.folds_neighbours = random_() % 2 == 0;
        choice.in_packets = choice.in_packets && random_() % 3 != 0;
        choice.in_run_packets = choice.has_run_packets && random_() % 3 != 0;
        if (!choice.in_packets)
            choice.lanes_along_line = choice.lanes_along_line != (random_() % 4 == 0);
    }

    void change(device::along_leaves& leaves) { leaves.are_folded = random_() % 3 != 0; }
    void change(device::along_depth& depth) { depth.is_deep = random_() % 2 == 0; }

    void change(device::short_lines_plan& plan)
    {
        if (!has_tsan && random_() % 3 == 0)
            return;
        plan.block_threads = 32 * (1 + static_cast<unsigned>(random_() % 2));
        plan.thread_lines = random_() % 4 == 0 ? 1 : plan.most_thread_lines;
        device::divide_short_lines(plan);
    }

    void change(device::along_plan& plan)
    {
        if (!has_tsan && random_() % 3 == 0)
            return;  // as it is planned
        const std::size_t group_lines = plan.shape.group_lines;
        plan.tile_lines =
            1 + static_cast<unsigned>(random_() % std::min<std::size_t>(group_lines, has_tsan ? 5u : 70u));
        if (plan.shape.leaf_positions > 1)  // whole packets, if leaves are those of packets
            plan.tile_lines = (plan.tile_lines + plan.shape.items - 1) / plan.shape.items * plan.shape.items;
        plan.has_whole_rows = plan.shape.are_dense && group_lines <= 40 && random_() % 2 == 0;
        if (plan.has_whole_rows)
            plan.tile_lines = static_cast<unsigned>(group_lines);
        plan.share_positions = 1u << random_() % 9;
        if (plan.shape.group_lines == 1)  // packets lie along a line
            plan.share_positions = std::max(plan.share_positions, plan.shape.items);
        const auto bytes_of = [&](std::size_t totals) { return totals * plan.tile_lines * plan.shape.value_bytes; };
        while (plan.share_positions > 1 && bytes_of(plan.share_positions) > 65536)
            plan.share_positions /= 2;
        const auto divide = [&] {
            if (plan.share_positions >= plan.positions)
                plan.share_positions = static_cast<unsigned>(plan.positions);
            device::divide_lines(plan);
        };
        divide();
        while (plan.shares > 1 && plan.shares * plan.tiles > (has_tsan ? 8 : 50) &&
               bytes_of(plan.share_positions) <= 65536) {
            plan.share_positions *= 2;
            divide();
        }
        plan.group = 2u << random_() % 7;
        while (plan.group > 2 && bytes_of(plan.group / 8) > 131072)
            plan.group /= 2;
        plan.shared_values =
            std::max<std::size_t>(plan.shared_values, std::size_t{(plan.group + 7) / 8} * plan.tile_lines);
        plan.block_threads = 32 * (1 + static_cast<unsigned>(random_() % 4));
        plan.blocks = std::min<std::size_t>(plan.tiles * plan.shares, 1 + random_() % (has_tsan ? 4 : 40));
    }

    template <class Kernel>
    void launch(const device::launch_shape& shape, Kernel kernel)
    {
        REQUIRE(shape.shared_bytes <= gpu().shared_bytes_per_block);
        launcher::launch(shape, kernel);
    }

private:
    random_numbers random_;
};

/// As the public function has it, of an array from the lowest element of its memory on.
template <class Iterator, class Output>
device::placed_lines<Iterator, Output> placed(const random_array& array, const random_array& results, unsigned mask,
                                              Iterator input, Output out)
{
    parprims::detail::dimension dimensions[4] = {};
    bool is_along[4] = {};
    for (unsigned d = 0, of_result = 0; d < array.rank; ++d) {
        is_along[d] = (mask >> d & 1) != 0;
        dimensions[d] = {array.extents[d], array.strides[d], is_along[d] ? 0 : results.strides[of_result++]};
    }
    return {parprims::detail::lines_along(dimensions, array.rank, is_along), input, array.first, out, results.first};
}

/// An array with lines of several runs without gaps, as the channels of images and the rows of a region have them.
inline random_array array_of_runs(random_numbers& random)
{
    constexpr std::size_t lengths[] = {1, 3, 4, 128, 130, 131, 196, 512, 700, 2047, 2049};
    random_array array;
    array.rank = 3;
    array.extents[2] = lengths[random() % 11];
    array.extents[1] = 1 + random() % 3;
    array.extents[0] = 1 + (has_tsan ? 2000 : 14000) / (array.extents[1] * array.extents[2]) / (1 + random() % 8);
    const auto pitch = [&](std::size_t elements) {  // also misaligned, backwards, and lines that share elements
        const auto gap = static_cast<std::ptrdiff_t>(random() % 3 == 0 ? random() % 40 : 16 * (random() % 4));
        const std::ptrdiff_t apart = static_cast<std::ptrdiff_t>(elements) + gap;
        return random() % 8 == 0 ? std::ptrdiff_t{0} : random() % 3 == 0 ? -apart : apart;
    };
    array.strides[2] = 1;
    array.strides[1] = pitch(array.extents[2]);
    array.strides[0] =
        pitch(array.extents[1] * static_cast<std::size_t>(std::abs(array.strides[1])) * (1 + random() % 3) + 64);
    place_in_memory(array);
    return array;
}

}  // namespace kernel_test
