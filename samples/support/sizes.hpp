/// @file
/// @brief  Sizes on a command line: `1000`, `2^20`, `2^8..2^31` (every power of two), lists with commas.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace samples {

/// @brief  The sizes that `text` names, in its order. Each is at least 1.
/// @throws std::invalid_argument  it names none; the message says what is wrong
std::vector<std::size_t> parse_sizes(const std::string& text);

/// @brief  `2^20` or `3*2^20` from 2^10 on, else the digits.
std::string format_size(std::size_t n);

}  // namespace samples
