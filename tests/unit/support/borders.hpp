/// @file
/// @brief  Divisions of an input among ranks.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <random>
#include <vector>

/// Where each slice begins, and the end: at any place, at blocks and beside them, and twice at the same place.
inline std::vector<std::size_t> random_borders(std::size_t n, std::size_t ranks, std::size_t block,
                                               std::mt19937& random)
{
    std::vector<std::size_t> borders{0, n};
    while (borders.size() < ranks + 1) {
        const std::size_t near_block = random() % (n / block + 1) * block;
        const std::size_t choices[] = {random() % (n + 1),     near_block,     near_block + 1,
                                       near_block + block - 1, borders.back(), n - random() % (n < 9 ? n + 1 : 9)};
        borders.push_back(std::min(n, choices[random() % std::size(choices)]));
    }
    std::sort(borders.begin(), borders.end());
    return borders;
}
