/// @file
/// @brief  Whether an equalisation is right: by plain loops, and by what equalised means.
#pragma once

#include "equalize/equalization.hpp"
#include "support/report.hpp"

#include <string>
#include <vector>

/// @brief  Each claim about `result`, made of `original`, and whether it holds; marks the timings as checked.
std::vector<samples::claim> check(const samples::image& original, equalization& result);

/// @brief  The greatest distance of the cumulative curve from the straight line that ends at level 255, as a share of all
///         pixels: 0 for luminances that are all equally frequent.
double distance_from_line(const luminance_counts& counts);
