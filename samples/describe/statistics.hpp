/// @file
/// @brief  What is found in the bytes of a file. Plain C++; statistics.cpp is where parprims works.
#pragma once

#include "support/place.hpp"
#include "support/stopwatch.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

struct statistics {
    std::array<std::uint64_t, 256> counts{};      ///< of each value
    std::array<std::uint64_t, 256> cumulative{};  ///< of each value and the smaller ones
    double entropy_bits = 0;                      ///< of a byte drawn from the file
    std::uint8_t minimum = 255;                   ///< 255 where there are no bytes
    std::uint8_t maximum = 0;                     ///< 0 where there are no bytes
    std::uint64_t sum = 0;

    std::uint64_t size() const { return cumulative.back(); }
    double mean() const { return static_cast<double>(sum) / static_cast<double>(size()); }

    /// @brief  The smallest value that `quarters` of 4 parts of the bytes do not exceed; not for no bytes.
    std::size_t quartile(unsigned quarters) const
    {
        const std::uint64_t rank = size() / 4 * quarters + (size() % 4 * quarters + 3) / 4;
        std::size_t value = 0;
        while (cumulative[value] < rank)
            ++value;
        return value;
    }
};

struct measured_statistics {
    statistics found;
    std::vector<samples::timing> timings;  ///< checked against a plain loop, each of them
    bool checked() const;
};

measured_statistics measure(std::span<const std::uint8_t> bytes, const samples::place& where);
