/// @file
/// @brief  Luminance, and how a pixel gets another one: in integers, so that both backends give the same bytes.
#pragma once

#include <parprims/config.hpp>

#include <cstddef>
#include <cstdint>

/// @brief  What each luminance becomes. A value, so that it reaches a kernel as an argument; std::array would, but its
///         functions may not be called there.
struct lookup_table {
    std::uint8_t levels[256];

    PARPRIMS_HOST_DEVICE std::uint8_t operator[](std::size_t level) const { return levels[level]; }
};

/// @brief  The luminance of pixel i: grey itself, or the weighted mean of red, green and blue (ITU-R BT.601).
struct luminance_of {
    const std::uint8_t* values;
    std::size_t channels;

    PARPRIMS_HOST_DEVICE std::uint8_t operator()(std::size_t i) const
    {
        const std::uint8_t* pixel = values + i * channels;
        if (channels < 3)
            return pixel[0];
        return static_cast<std::uint8_t>((299 * pixel[0] + 587 * pixel[1] + 114 * pixel[2] + 500) / 1000);
    }
};

/// @brief  A colour's difference from its grey, made smaller by the factor `numerator / denominator`.
struct chroma_scale {
    int numerator = 1;
    int denominator = 1;

    /// @brief  Makes it at most `room / wanted`.
    PARPRIMS_HOST_DEVICE void limit(int room, int wanted)
    {
        if (room * denominator < numerator * wanted) {
            numerator = room;
            denominator = wanted;
        }
    }
};

/// @brief  Writes pixel i with luminance `table[old]`; its chrominance stays, but for what would leave 0...255.
struct relight {
    const std::uint8_t* from;
    std::uint8_t* to;
    std::size_t channels;
    lookup_table table;

    PARPRIMS_HOST_DEVICE void operator()(std::size_t i) const
    {
        const std::uint8_t* pixel = from + i * channels;
        std::uint8_t* result = to + i * channels;
        const int before = luminance_of{from, channels}(i);
        const int after = table[static_cast<std::size_t>(before)];
        if (channels < 3)
            result[0] = static_cast<std::uint8_t>(after);
        else
            write_colour(pixel, before, result, after);
        if (channels % 2 == 0)
            result[channels - 1] = pixel[channels - 1];  // alpha
    }

    PARPRIMS_HOST_DEVICE static void write_colour(const std::uint8_t* pixel, int before, std::uint8_t* result,
                                                  int after)
    {
        chroma_scale scale;
        for (int c = 0; c < 3; ++c) {
            const int difference = pixel[c] - before;
            if (difference > 0)
                scale.limit(255 - after, difference);
            else
                scale.limit(after, -difference);
        }
        for (int c = 0; c < 3; ++c)
            result[c] = static_cast<std::uint8_t>(after + (pixel[c] - before) * scale.numerator / scale.denominator);
    }
};
