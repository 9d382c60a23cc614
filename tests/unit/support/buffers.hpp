/// @file
/// @brief  Elements that buffers of either memory are tested with.
#pragma once

#include "values.hpp"

#include <cstddef>
#include <numeric>
#include <vector>

/// 1, 2, 3 …
inline std::vector<int> numbers(std::size_t n)
{
    std::vector<int> values(n);
    std::iota(values.begin(), values.end(), 1);
    return values;
}
