/// @file
/// @brief  How the exercises try a kernel that leaves the sum of each block's values.
#pragma once

#include "exercises/support/trial.hpp"

#include <cstddef>
#include <vector>

namespace exercises {

/// Sums n values by blocks of 256 threads, each of which has `Tile` values.
template <class Kernel, std::size_t Tile>
void try_block_sums(trial& trial, std::size_t n)
{
    const std::size_t blocks = (n + Tile - 1) / Tile;
    std::vector<int> values(n), sums(blocks), firsts(blocks), halves(blocks);
    for (std::size_t i = 0; i < n; ++i) {
        values[i] = static_cast<int>(i * i % 1009 + 2);
        sums[i / Tile] += values[i];
        firsts[i / Tile] += i % Tile == 0 ? values[i] : 0;
        halves[i / Tile] += i % Tile < Tile / 2 ? values[i] : 0;
    }
    std::vector<int> with_ones = sums;
    with_ones.back() += static_cast<int>(blocks * Tile - n);
    int* const out = trial.output<int>("sums", blocks);
    trial.launch(blocks, 256, Kernel{trial.input("in", values), out, static_cast<unsigned>(n)});
    trial.expect(
        "sums", out, sums,
        {{firsts, "it is the block's first value, to which nothing was added"},
         {halves, "it is the sum of the first half of the block's values: is a round missing, or one value a thread?"},
         {with_ones, "threads without an element brought 1 each; the identity of + is 0"}});
}

}  // namespace exercises
