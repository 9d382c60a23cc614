/// @file
/// @brief  Luminance, and how a pixel gets another one: in integers, so that both backends give the same bytes.
#pragma once

#include <parprims/config.hpp>

#include <cstddef>
#include <cstdint>

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

/// @brief  What a luminance becomes: the darkest of the picture 0, the brightest 255, and in between each is as bright as the share of
///         pixels up to it. A picture of one luminance alone keeps it.
struct equalized_level {
    const std::uint64_t* cumulative;  ///< pixels of each of 256 luminances and the darker ones

    PARPRIMS_HOST_DEVICE std::uint8_t operator()(std::size_t level) const
    {
        std::size_t first = 0;
        while (first < 255 && cumulative[first] == 0)
            ++first;
        const std::uint64_t darkest = cumulative[first], spread = cumulative[255] - darkest;
        const std::uint64_t rank = level < first ? 0 : cumulative[level] - darkest;
        return static_cast<std::uint8_t>(spread == 0 ? level : (255 * rank + spread / 2) / spread);
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

/// @brief  Value i of the picture in which each pixel has the luminance `table[old]`. The chrominance stays, but for what would leave
///         0...255, and so does alpha, the last of an even number of channels.
struct relight {
    const std::uint8_t* values;
    std::size_t channels;
    const std::uint8_t* table;

    PARPRIMS_HOST_DEVICE std::uint8_t operator()(std::size_t i) const
    {
        const std::size_t channel = i % channels;
        const int before = luminance_of{values, channels}(i / channels);
        const int after = table[before];
        if (channels % 2 == 0 && channel == channels - 1)
            return values[i];
        if (channels < 3)
            return static_cast<std::uint8_t>(after);
        const std::uint8_t* pixel = values + i - channel;
        chroma_scale scale;
        for (int c = 0; c < 3; ++c) {
            const int difference = pixel[c] - before;
            if (difference > 0)
                scale.limit(255 - after, difference);
            else
                scale.limit(after, -difference);
        }
        return static_cast<std::uint8_t>(after + (values[i] - before) * scale.numerator / scale.denominator);
    }
};
