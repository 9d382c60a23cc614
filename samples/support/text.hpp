/// @file
/// @brief  Numbers, bars and names for a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace samples {

/// @brief  A horizontal bar of `share` (0 to 1) of `width` characters, to an eighth of a character; padded with spaces.
std::string bar(double share, std::size_t width);

std::string format_bytes(std::size_t bytes);
std::string format_seconds(double seconds);

/// @brief  `text` as a terminal and a picture can show it: U+FFFD for control characters and for what is no UTF-8, and an
///         ellipsis for what is behind `most` characters.
std::string printable(std::string_view text, std::size_t most = std::string_view::npos);

}  // namespace samples
