/// @file
/// @brief  PNG pictures of 8 bits a channel, in and out, with libpng.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace samples {

/// @brief  Rows from the top, pixels from the left, channels together.
struct image {
    std::size_t width = 0;
    std::size_t height = 0;
    std::size_t channels = 0;  ///< 1 grey, 2 grey and alpha, 3 red green blue, 4 the same and alpha
    std::vector<std::uint8_t> values;

    std::size_t pixels() const { return width * height; }
};

/// @brief  The picture in `path`; a palette, and grey of fewer bits, is expanded to 8 bits.
/// @throws std::runtime_error  `path: reason`: no such file, no PNG, damaged, 16 bits a channel, more than
///                             `most_input_bytes`, or than 10^6 pixels a side
image read_png(const std::filesystem::path& path);

/// @brief  The content of a PNG file.
std::string encode_png(const image& picture);

}  // namespace samples
