/// @file
/// @brief  Panels of a picture over the 256 values of a byte.
#pragma once

#include "support/svg.hpp"

#include <array>
#include <cstdint>
#include <string>

namespace samples {

inline constexpr double byte_panel_left = 74, byte_panel_width = 640, byte_panel_height = 190;
inline constexpr int byte_picture_width = 800;

/// @brief  What a picture with such panels has among its styles.
extern const char* const byte_panel_styles;

/// @brief  How frequent each value is: bars against the axis on the left, in % of all `things`, and the cumulative curve
///         against the one on the right.
void draw_histogram(svg& picture, double top, const std::string& name, const std::string& things,
                    const std::array<std::uint64_t, 256>& counts);

/// @brief  What becomes of each value, and the straight line of those that stay.
void draw_table(svg& picture, double top, const std::string& name, const std::array<std::uint8_t, 256>& table);

}  // namespace samples
