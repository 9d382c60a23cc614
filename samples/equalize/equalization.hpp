/// @file
/// @brief  Histogram equalisation: what it makes of a picture. Plain C++; equalization.cpp is where parprims works.
#pragma once

#include "equalize/pixel.hpp"
#include "support/place.hpp"
#include "support/png.hpp"
#include "support/stopwatch.hpp"

#include <array>
#include <cstdint>
#include <vector>

using luminance_counts = std::array<std::uint64_t, 256>;

struct equalization {
    samples::image picture;
    luminance_counts before{};      ///< pixels of each luminance
    luminance_counts cumulative{};  ///< pixels of each luminance and the darker ones, before
    luminance_counts after{};
    std::array<std::uint8_t, 256> table{};  ///< what each luminance becomes
    std::vector<samples::timing> timings;
};

equalization equalize(const samples::image& picture, const samples::place& where);
