/// @file
/// @brief  Sums and scans of products by the host backend, compiled for a CPU that can fuse them into one instruction.
///
/// No test case lies in fused_sums.cpp: whatever runs before the CPU is asked must be for any CPU.
#pragma once

#include <vector>

/// The sum of the squares.
float sum_of_squares(const std::vector<float>& values);
double sum_of_squares(const std::vector<double>& values);

/// The running sums of the squares.
std::vector<float> scan_of_squares(const std::vector<float>& values);
std::vector<double> scan_of_squares(const std::vector<double>& values);

/// What the CPU makes of `a * b + c` in one plain expression of this translation unit.
float fused(float a, float b, float c);
