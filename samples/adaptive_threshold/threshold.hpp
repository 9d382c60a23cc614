/// @file
/// @brief  A grey picture in black and white, by the mean around each pixel. Plain C++; threshold.cpp is where parprims works.
#pragma once

#include "support/place.hpp"

#include <parprims/config.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

/// @brief  The pixels around one: `2 * radius + 1` a side, less at the edges of the picture.
struct box {
    std::size_t left, top, right, bottom;  ///< the last two are those of the first column and row behind it

    PARPRIMS_HOST_DEVICE static box around(std::size_t x, std::size_t y, std::size_t width, std::size_t height,
                                           std::size_t radius)
    {
        return {x < radius ? 0 : x - radius, y < radius ? 0 : y - radius, x + radius < width ? x + radius + 1 : width,
                y + radius < height ? y + radius + 1 : height};
    }
    PARPRIMS_HOST_DEVICE std::size_t pixels() const { return (right - left) * (bottom - top); }
};

/// @brief  Black: 15 % darker than the mean of a box with that sum.
PARPRIMS_HOST_DEVICE inline bool is_black(std::uint8_t grey, std::uint64_t sum, std::size_t pixels)
{
    return 100 * grey * std::uint64_t{pixels} < 85 * sum;
}

/// @brief  For each radius, at most 2000: the picture in 0 and 255.
/// @param  grey  rows from the top, one byte a pixel
std::vector<std::vector<std::uint8_t>> threshold(const std::vector<std::uint8_t>& grey, std::size_t width,
                                                 const std::vector<std::size_t>& radii, const samples::place& where);
