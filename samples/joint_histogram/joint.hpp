/// @file
/// @brief  The joint histogram of two pictures, and what one of them tells about the other. Plain C++; joint.cpp is where
///         parprims works.
#pragma once

#include "support/place.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

inline constexpr std::size_t levels = 64;  ///< bins of a dimension, of 4 luminances each

/// @brief  counts[i * levels + j]: pixels of level i in the first picture and of level j in the second.
using joint_counts = std::vector<std::uint32_t>;

/// @brief  For each shift from 1 to `most`: the joint histogram of `one[i]` and `other[i + shift]`.
/// @pre    both have the same size, more than `most`
std::vector<joint_counts> joint_histograms(const std::vector<std::uint8_t>& one, const std::vector<std::uint8_t>& other,
                                           std::size_t most, const samples::place& where);

/// @brief  How many bits a pixel's level in one picture tells about its level in the other.
double mutual_information(const joint_counts& counts);

/// @brief  The bits of a level in the first picture: what the best possible second picture would tell.
double entropy(const joint_counts& counts);
