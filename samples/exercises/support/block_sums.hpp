/// @file
/// @brief  How the exercises try a kernel that leaves the sum of each block's values.
#pragma once

#include "exercises/support/trial.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace exercises {

/// Sums n values by blocks of 256 threads, each of which has `Tile` values.
template <class Kernel, std::size_t Tile>
void try_block_sums(trial& trial, std::size_t n)
{
    const std::size_t blocks = (n + Tile - 1) / Tile;
    std::vector<int> values(n);
    for (std::size_t i = 0; i < n; ++i)
        values[i] = static_cast<int>(i * i % 1009 + 2);
    const auto sums_of = [&](auto is_chosen) {  // of the chosen values of each block
        std::vector<int> sums(blocks);
        for (std::size_t i = 0; i < n; ++i)
            sums[i / Tile] += is_chosen(i % Tile) ? values[i] : 0;
        return sums;
    };
    const std::vector<int> sums = sums_of([](std::size_t) { return true; });
    std::vector<int> with_ones = sums;
    with_ones.back() += static_cast<int>(blocks * Tile - n);
    std::vector<known_mistake<int>> mistakes{
        {sums_of([](std::size_t i) { return i == 0; }), "it is the block's first value, to which nothing was added"},
        {sums_of([](std::size_t i) { return i == Tile - 1; }),
         "it is the block's last value: was it copied, and not added?"},
        {with_ones, "threads without an element brought 1 each; the identity of + is 0"}};
    for (std::size_t step = 2; step < Tile; step *= 2) {  // what rounds of a tree leave
        mistakes.push_back({sums_of([&](std::size_t i) { return i < Tile / step; }),
                            "it is the sum of the block's first " + std::to_string(Tile / step) +
                                " values: is a round missing, or one value a thread?"});
        mistakes.push_back({sums_of([&](std::size_t i) { return i % step == 0; }),
                            "it is the sum of the block's values 0, " + std::to_string(step) + ", " +
                                std::to_string(2 * step) + ", ...: is a round missing?"});
    }
    int* const out = trial.output<int>("sums", blocks);
    trial.launch(blocks, 256, Kernel{trial.input("in", values), out, static_cast<unsigned>(n)});
    trial.expect("sums", out, sums, mistakes);
}

}  // namespace exercises
