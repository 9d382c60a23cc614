/// @file
/// @brief  Sums and scans of products by the host backend, compiled for a CPU that can fuse them into one instruction.
///
/// No test case lies in fused_sums.cpp: whatever runs before the CPU is asked must be for any CPU.
#pragma once

#include "values.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

// Defined for T = float and double. All of them start from 1.

/// Of squares, which a transform makes.
template <class T>
T sum_of_squares(const std::vector<T>& values);
template <class T>
std::vector<T> scan_of_squares(const std::vector<T>& values);

/// Of what readings are converted to: To is T, or reading<T> itself.
template <class To, class T>
To sum_of_readings(const std::vector<reading<T>>& values);
template <class To, class T>
std::vector<To> inclusive_scan_of_readings(const std::vector<reading<T>>& values);
template <class To, class T>
std::vector<To> exclusive_scan_of_readings(const std::vector<reading<T>>& values);

/// Of what a constructor makes of numbers.
moments sum_of_moments(const std::vector<float>& values);
std::vector<moments> scan_of_moments(const std::vector<float>& values);

/// Of products that `multiplies` makes of readings.
template <class T>
std::vector<T> scan_of_products(const std::vector<reading<T>>& values);

/// Sums of unions that are converted to numbers, which `plus` adds.
std::vector<converting_union> scan_of_unions(const std::vector<converting_union>& values);

/// How many squares `copy_if` finds of which `limit` can be subtracted and something is left.
std::size_t squares_above(const std::vector<float>& values, float limit);

/// How many squares a histogram counts of which `limit` can be subtracted and something is left: of squares, and of pairs of them.
std::size_t squares_counted_above(const std::vector<float>& values, float limit);
std::size_t pairs_counted_above(const std::vector<float>& values, float limit);

/// A number of 16 bits, which converts to float by a product.
struct raw_number {
    std::int16_t raw;
    operator float() const { return static_cast<float>(raw) * 0.12347f; }
};

/// Of values in so many bins of [0, 4096), whose edges are fractions.
std::vector<std::uint32_t> counts_of_raw(const std::vector<raw_number>& values, std::size_t bins);

/// What the CPU makes of `a * b + c` in one plain expression of this translation unit.
float fused(float a, float b, float c);
