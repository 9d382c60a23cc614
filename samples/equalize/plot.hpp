/// @file
/// @brief  A picture of the luminances of a picture, before and after, as SVG.
#pragma once

#include "equalize/equalization.hpp"

#include <string>

/// @brief  Two histograms, one above the other, each with its cumulative curve.
std::string plot_as_svg(const std::string& title, const equalization& result);
