/// @file
/// @brief  A spectrum of weighted events. Plain C++; spectrum.cpp is where parprims works.
#pragma once

#include "support/place.hpp"

#include <parprims/weights.hpp>

#include <vector>

inline constexpr unsigned decades = 4;  ///< of the energy, from 1 GeV on
inline constexpr unsigned bins = 16;

struct events {
    std::vector<float> log_energies;  ///< log10 of GeV
    std::vector<double> weights;      ///< they differ by 10^7, and their squares by 10^14
};

/// @brief  The sum of the weights in each of `bins` bins of the logarithm, and the sum of their squares.
std::vector<parprims::weighted_sum<double>> spectrum(const events& seen, const samples::place& where);
