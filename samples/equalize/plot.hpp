/// @file
/// @brief  A picture of the luminances of a picture, before and after, as SVG.
#pragma once

#include "equalize/equalization.hpp"

#include <string>

/// @brief  The two histograms, each with its cumulative curve, and below them the table that leads from one to the other.
std::string plot_as_svg(const std::string& title, const equalization& result);
