/// @file
/// @brief  The words of a text, each with its count and its first place. Plain C++; words.cpp is where parprims works.
#pragma once

#include "support/place.hpp"
#include "support/stopwatch.hpp"

#include <parprims/config.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

/// @brief  The small letter, or 0 for what belongs to no word: a word is a run of letters of ASCII.
PARPRIMS_HOST_DEVICE constexpr std::uint8_t letter_of(std::uint8_t c)
{
    if (c >= 'A' && c <= 'Z')
        return static_cast<std::uint8_t>(c - 'A' + 'a');
    return c >= 'a' && c <= 'z' ? c : std::uint8_t{0};
}

/// @brief  The different words of a text, in no order that means anything.
struct word_counts {
    std::vector<std::uint32_t> counts;
    std::vector<std::uint32_t> firsts;  ///< where each word begins for the first time
    std::size_t words = 0;              ///< of the text
    std::vector<samples::timing> timings;
};

/// @brief  Counts the words of `text`, capital and small letters alike.
word_counts count_words(const std::vector<std::uint8_t>& text, const samples::place& where);
