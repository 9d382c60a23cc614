/// @file
/// @brief  Elements that buffers of either memory are tested with.
#pragma once

#include <cstddef>
#include <numeric>
#include <vector>

struct no_default {
    explicit no_default(int v) : value(v) {}
    int value;
    friend bool operator==(const no_default&, const no_default&) = default;
};

/// 1, 2, 3 …
inline std::vector<int> numbers(std::size_t n)
{
    std::vector<int> values(n);
    std::iota(values.begin(), values.end(), 1);
    return values;
}
