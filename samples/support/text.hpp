/// @file
/// @brief  Numbers, bars and tables for a terminal.
#pragma once

#include "support/stopwatch.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace samples {

/// @brief  A horizontal bar of `share` (0 to 1) of `width` characters, to an eighth of a character; padded with spaces.
std::string bar(double share, std::size_t width);

/// @brief  One character as high as `share` (0 to 1); a dot for nothing at all.
std::string column(double share);

std::string format_bytes(std::size_t bytes);
std::string format_seconds(double seconds);

/// @brief  `text` as a terminal and a picture can show it: U+FFFD for control characters and for what is no UTF-8, and an
///         ellipsis for what is behind `most` characters.
std::string printable(std::string_view text, std::size_t most = std::string_view::npos);

/// @brief  A byte as a reader knows it: `'a'`, `line feed`, or nothing.
std::string name_of_byte(std::size_t byte);

/// @brief  The table of times, with GB/s (1e9 bytes a second) and whether each result was checked.
void print_timings(const std::vector<timing>& timings);

}  // namespace samples
